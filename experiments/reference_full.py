"""Which algorithm learns the full games? Win rates after equal time, and what an exploiter wins.

    ./run reference full                     # run what is missing, and print the table
    ./run reference full --rows dqn          # one row of it

The learners are those of experiments/reference.py. Each learns in self-play until it has taken as
much processor time as `--limit` says, and is measured then, on deals that no training uses.
docs/research/reference-algorithms.md has the method and the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
import torch
import tyro
from reference import (
    SETTINGS,
    Policy,
    Result,
    Row,
    dqn,
    in_openspiel,
    interval,
    maskable_ppo,
    nfsp,
    ours,
    results,
)

import gubs_agents
from gubs_agents.arena import win_rate
from gubs_agents.exploit import ExploitOptions, exploit
from gubs_env import find_table, sample_actions
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

GAMES = {"Gubs": ("gubs", 2), "FUBNUB": ("fubnub", 4), "Bad, Bad, Turtle": ("bad_bad_turtle", 2)}
"""The games and their numbers of players."""
ANCHORS = ("random", "heuristic")
EXPLOITER = "imitate = 300000\ngames = 256\nrollout = 16\n"
"""The options of training of the exploiter."""


@dataclass
class Args:
    """Options; the docstring of this file has examples."""

    rows: tuple[str, ...] = ()  # algorithms, of ROWS; none given: all
    games: tuple[str, ...] = tuple(GAMES)  # games
    seeds: int = 3  # seeds of each learner
    limit: float = 120  # seconds of processor time of each learner
    deals: int = 500  # deals against each anchor, each played from all seats
    exploit: int = 300_000  # decisions of the exploiter of the first seed; 0: none
    out: Path = Path("runs/reference_full.jsonl")  # file of the results


class Frozen:
    """The agent that was trained last, under a name that the options of an exploiter can give."""

    agent: ClassVar[Any]

    def __init__(self, table: Any, seed: int | None = None) -> None:
        pass

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return actions, as `Agent.act`."""
        return Frozen.agent.act(observations, masks, rngs)


@dataclass
class Player:
    """An agent that plays a policy: it draws its actions, or takes the likeliest."""

    policy: Policy
    draws: bool

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return actions, as `Agent.act`."""
        shares = self.policy(0, observations, masks)
        return sample_actions(shares, rngs) if self.draws and rngs is not None else shares.argmax(1)


class FullGame:
    """A full game for a run of a learner, whose seats share a network."""

    hidden: ClassVar = [256, 256]
    is_shared: ClassVar = True

    def __init__(self, result: Result, args: Args) -> None:
        self.game, players = GAMES[result.game]
        self.table, self.rules = find_table(self.game, players), dict[str, Any]()
        self.result, self.args = result, args

    @cached_property
    def spiel(self) -> Any:
        """The game in OpenSpiel, with deals drawn by the seed of the run."""
        players = f"players={self.table.num_players}"
        return in_openspiel(self.table, self.rules, players, f"rng_seed={self.result.seed}")

    def worth(self, policy: Policy) -> dict[str, Any]:
        """Return the results of a policy; only an average policy draws its actions."""
        return self.worth_of(Player(policy, self.result.row == "nfsp"), self.args.deals)

    def worth_of(self, agent: Any, deals: int) -> dict[str, Any]:
        """Return win rates against the anchors, and for the first seed that of an exploiter."""
        anchors = {name: gubs_agents.make(name, self.table, seed=0) for name in ANCHORS}
        found = {
            name: list(win_rate(agent, anchor, self.table, deals)[:3])
            for name, anchor in anchors.items()
        }
        if self.args.exploit and self.result.seed == 0 and hasattr(agent, "act"):
            Frozen.agent = agent
            found["exploiter"] = self._exploited()
        return found

    def _exploited(self) -> list[float]:
        with TemporaryDirectory() as folder:
            config = Path(folder) / "options.toml"
            config.write_text(EXPLOITER, encoding="utf-8")
            report = exploit(
                ExploitOptions(
                    game=self.game, players=self.table.num_players, agent="__main__:Frozen",
                    kinds="imitation", decisions=self.args.exploit, selection_deals=200,
                    deals=self.args.deals, config=str(config), out=str(Path(folder) / "exploit"),
                )
            )  # fmt: skip
        return list(report.exploiters[0].report.agent[:3])


def untrained(name: str, deals: int, **options: Any) -> Any:
    """Return the function that measures an agent that does not learn."""

    def run(problem: FullGame, result: Result) -> None:
        agent = gubs_agents.make(name, problem.table, seed=0, **options)
        result.measure(0, lambda: problem.worth_of(agent, deals))

    return run


ROWS = {
    "sb3": Row("MaskablePPO, sb3-contrib", maskable_ppo),
    "dqn": Row("DQN, OpenSpiel", dqn),
    "nfsp": Row("NFSP, OpenSpiel", nfsp),
    "heuristic": Row("`heuristic`", untrained("heuristic", 500), is_random=False),
    "ismcts": Row("`ismcts:playouts=100`", untrained("ismcts", 100, playouts=100), is_random=False),
    "ppo": Row("PPO, `gubs train --imitate 0 --baselines random`", ours),
    "train": Row("PPO, `gubs train`", ours),
}
OURS: dict[str, dict[str, Any]] = {
    "ppo": {"baselines": "random"},
    "train": {"imitate": 4_000_000},
}


def wanted(args: Args) -> Iterator[tuple[Result, Row, dict[str, Any]]]:
    """Yield all runs, each with its row and settings: all of a seed, then all of the next."""
    for game, seed, name in product(args.games, range(args.seeds), args.rows or ROWS):
        row, settings = ROWS[name], OURS.get(name, SETTINGS.get(name, [{}])[0])
        if row.is_random or not seed:
            steps, limit = (0, args.limit) if row.is_random else (0, 0)
            yield Result(name, game, seed, steps, limit), row, settings


def over_seeds(found: list[list[float]]) -> str:
    """Return a win rate: over seeds, or of one seed over its deals."""
    mean, low, high = found[0] if len(found) == 1 else interval([each[0] for each in found])
    return f"{mean:.1%} ({max(0, low):.1%} – {min(1, high):.1%})"


def report(found: list[Result]) -> str:
    """Return the table of a game."""
    columns, lines = [*ANCHORS, "exploiter"], []
    for name in [name for name in ROWS if name in {result.row for result in found}]:
        own = [each for each in found if each.row == name]
        read = [[each.worths[-1][key] for each in own if key in each.worths[-1]] for key in columns]
        decisions = f"{np.mean([each.at[-1] for each in own]):,.0f}" if own[0].limit else "–"
        seeds = str(len(own)) if own[0].limit else "–"
        cells = [over_seeds(each) if each else "" for each in read]
        lines.append([ROWS[name].title, seeds, decisions, *cells])
    heads = [*(f"win rate against `{name}`" for name in ANCHORS), "an exploiter wins"]
    return table(["algorithm", "seeds", "decisions", *heads], lines)


def main() -> None:
    """Run what is missing, and print the table."""
    args = tyro.cli(Args, description=__doc__)
    torch.set_num_threads(1)
    runs = list(wanted(args))
    found = results(args.out, runs, lambda result, _: FullGame(result, args), math.inf)
    for game in args.games:
        print(f"{game}\n\n{report([each for each in found if each.game == game])}\n")


if __name__ == "__main__":
    print_everywhere()
    main()
