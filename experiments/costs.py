"""How far costs of moves by a network's values, eight turns later, are from those at the end.

    python experiments/costs.py
    python experiments/costs.py --players 4

Decisions at which the shipped network would rather have played another move, from games of an
agent, are weighed twice in the same games (`gubs_env/replays/weighing.py`): up to the network's
value, as replays and hints do it, and to the end. Prints the standard deviation of the difference
without the noise of the games, for which `VALUE_ERROR` stands there; and what the moves that are
called mistakes cost at the end, in games that had no part in calling them so.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from tqdm import tqdm

import gubs_env
from gubs_agents.arena.measures import NORMAL
from gubs_agents.deals import REPORT_DEALS
from gubs_env import find_table
from gubs_env.agents.registry import Judge
from gubs_env.engine.moves import Move
from gubs_env.engine.table import Table
from gubs_env.engine.view import View
from gubs_env.replays import weighing
from gubs_env.replays.judging import judge_all, judge_at, picks_at
from gubs_env.replays.weighing import GAMES, SURE, estimated, weigh
from gubs_env.support.output import print_everywhere


@dataclass(frozen=True)
class Options:
    """How far costs of moves by values of a network are from those at the end."""

    game: str = "gubs"
    """The game."""
    players: int = 2
    """Number of players."""
    agent: str = "greedy"
    """The agent whose decisions are weighed."""
    decisions: int = 100
    """Number of decisions."""
    each: int = 6
    """The most decisions of one game."""
    deals: int = 1024
    """Number of games in which each decision is weighed."""


class WithoutValue:
    """A network that says nothing of payoffs, so that games are played to their ends."""

    def __init__(self, judge: Judge) -> None:
        self.judged = judge.judge

    def judge(self, observations: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, None]:
        return self.judged(observations, masks)[0], None


def main() -> None:
    print_everywhere()
    options = tyro.cli(Options)
    table = find_table(options.game, options.players)
    judge = judge_at(table)
    rows, found = [], decisions(table, judge, options)
    for view, played, better in tqdm(
        islice(found, options.decisions), total=options.decisions, disable=None
    ):
        moves = view, played.picks, better.picks
        told = weigh(table, judge, *moves)
        vars(weighing)["GAMES"] = options.deals
        near, end = (estimated(table, x, *moves, seed=2) for x in (judge, WithoutValue(judge)))
        vars(weighing)["GAMES"] = GAMES
        rows.append((near.cost, end.cost, end.margin / SURE, told.cost * bool(told.better)))
    near, end, noise, told = np.transpose(rows)
    error, luck, called = np.mean((end - near) ** 2), np.mean(noise**2), told > 0
    print(
        f"{table}, {len(rows)} decisions of {options.agent}: the standard deviation of costs is "
        f"{np.sqrt(max(0.0, np.var(end) - luck)):.3f}, the error of values is "
        f"{np.sqrt(max(0.0, error - luck)):.3f}, its mean "
        f"{np.mean(near - end):+.3f} ± {NORMAL * np.sqrt(error / len(rows)):.3f}"
    )
    margin = NORMAL * np.sqrt(np.sum(noise[called] ** 2)) / max(1, called.sum())
    print(
        f"{called.sum()} are called mistakes; they cost {told.sum() / max(1, called.sum()):.3f} on "
        f"average, and {end[called].sum() / max(1, called.sum()):.3f} ± {margin:.3f} at the end"
    )


def decisions(table: Table, judge: Judge, options: Options) -> Iterator[tuple[View, Move, Move]]:
    """Yield (view, move played, move that a network prefers) of decisions, a few of each game."""
    rng = np.random.default_rng(0)
    for seed in REPORT_DEALS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "game.jsonl")
            record = next(
                gubs_env.read_records(
                    gubs_env.record(path, options.agent, table, games=1, seed=seed)
                )
            )
        moves = [m for m in record.course().moves() if len(m.legal) > 1 and m.index is not None]
        asked = [picks_at(table.game, np.array([m.view.state]), m.legal) for m in moves]
        found: list[Any] = []
        for played, judgement in zip(moves, judge_all(judge, asked), strict=True):
            difference, better = judgement.preferred(played)
            if difference > 0.1:
                found.append((played.view, played.move, better))
        for index in rng.permutation(len(found))[: options.each]:
            yield found[index]


if __name__ == "__main__":
    main()
