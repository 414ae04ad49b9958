"""Tournaments: every agent plays every other on the same deals. Runs can be resumed."""

from __future__ import annotations

import json
import pickle
import signal
import zlib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import gubs_env
from gubs_agents.arena.field import Factory, description, enter, is_timed
from gubs_agents.arena.playing import play_games, seat_rngs, win_shares
from gubs_agents.arena.ratings import Games, Numbers, summarise
from gubs_agents.arena.records import (
    FORMAT,
    complete_lines,
    keep,
    line_of,
    record_line,
    refuse_to_overwrite,
    resume_lines,
    write,
)
from gubs_agents.arena.seatings import matches_of_deal, seatings_of_deal
from gubs_agents.commands import require_extra
from gubs_env import find_game
from gubs_env.engine.game import Game

GAMES_FILE, TIMES_FILE = "games.jsonl", "times.jsonl"
FIRST_DEAL = 10**9
"""Default seed of the first deal, far from the small seeds that training deals from."""
BATCH, SEARCH_BATCH = 1024, 8
"""Games side by side. Search is slow, and a kill loses the games that are not written yet."""


@dataclass(frozen=True)
class Plan:
    """The games to play: every deal in turn, in its matches (`arena.seatings`)."""

    game: str | Game
    num_players: int
    rules: Any
    field: dict[str, Factory]
    seed: int
    deals: int
    matches: int | None
    """Number of matches of each deal; None: all."""

    @property
    def labels(self) -> list[str]:
        return list(self.field)

    @property
    def sides(self) -> np.ndarray:
        """The side of each player, int64[num_players]; partners are on the same side."""
        return find_game(self.game).sides(self.num_players, self.rules)

    @property
    def num_sides(self) -> int:
        return int(self.sides.max()) + 1

    @cached_property
    def ends(self) -> np.ndarray:
        """Number of games up to and including each deal, int64[deals]."""
        return np.cumsum(
            [
                sum(map(len, matches_of_deal(len(self.field), self.num_sides, deal, self.matches)))
                for deal in range(self.seed, self.seed + self.deals)
            ]
        )

    @property
    def num_games(self) -> int:
        return int(self.ends[-1])

    def header(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": gubs_env.__version__,
            "game": find_game(self.game).name,
            "players": self.num_players,
            "rules": self.rules.as_dict(),
            "agents": {label: description(factory) for label, factory in self.field.items()},
            "first_deal": self.seed,
            "deals": self.deals,
            "matches": self.matches,
            "games": self.num_games,
        }


class Chunk(NamedTuple):
    """Games that were played together."""

    lines: list[str]
    """Their lines in the results file."""
    times: dict[str, Any]
    """`first`, the number of the first game, and `agents`, [decisions, seconds] by label."""


def tables(plan: Plan, first: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the tables of the games from number `first` to before `stop`.

    Returns:
        Deal seeds, int64[games], and seatings, int64[games, num_players]; a seating holds agents as
        indices of `plan.labels`.
    """
    first_deal, last_deal = np.searchsorted(plan.ends, (first, stop - 1), side="right")
    deals = range(first_deal, last_deal + 1)
    seatings = [
        seatings_of_deal(len(plan.field), plan.sides, plan.seed + deal, plan.matches)
        for deal in deals
    ]
    deal_seeds = np.repeat(plan.seed + np.array(deals), [len(tables) for tables in seatings])
    start = first - (plan.ends[first_deal] - len(seatings[0]))
    part = slice(start, start + stop - first)
    return deal_seeds[part], np.concatenate(seatings)[part]


def play_chunk(plan: Plan, first: int, stop: int) -> Chunk:
    """Play the games from number `first` to before `stop`.

    The agents are built anew, so that no game depends on what a process played before.
    """
    labels = plan.labels
    deal_seeds, seatings = tables(plan, first, stop)
    rngs = seat_rngs(deal_seeds, seatings, [zlib.crc32(x.encode()) for x in labels])
    agents = [make(plan.num_players, first) for make in plan.field.values()]
    played = play_games(
        find_game(plan.game), agents, deal_seeds, seatings, rngs, plan.rules, labels
    )
    names = np.array(labels, object)[seatings].tolist()
    lines = [
        record_line(seed, seating, played, number)
        for number, (seed, seating) in enumerate(zip(deal_seeds.tolist(), names, strict=True))
    ]
    asked = np.bincount(seatings.ravel(), played.decisions.ravel(), len(labels)).astype(int)
    seconds = played.seconds.round(6)
    times = {
        label: pair for label, *pair in zip(labels, asked.tolist(), seconds.tolist(), strict=True)
    }
    return Chunk(lines, {"first": first, "agents": times})


class Time(NamedTuple):
    """The time that an agent took."""

    decisions: int
    """Number of decisions with more than one legal action; the agent is asked only for those."""
    seconds: float

    @property
    def milliseconds(self) -> float:
        """Milliseconds per decision."""
        return 1000 * self.seconds / max(1, self.decisions)


@dataclass(frozen=True)
class Result:
    """A finished tournament."""

    plan: Plan
    games: Games
    numbers: Numbers
    times: dict[str, Time]
    """By agent; of the machine and the day, all else follows from the deals."""

    @property
    def labels(self) -> tuple[str, ...]:
        return self.games.labels

    @property
    def repeatable(self) -> bool:
        """Whether the same command gives the same games: no agent has a budget in milliseconds."""
        return not any(is_timed(factory) for factory in self.plan.field.values())


def tournament(
    agents: str | Iterable[str] | Mapping[str, str | Factory],
    game: str | Game = "gubs",
    num_players: int | None = None,
    deals: int = 500,
    *,
    rules: Any = None,
    seed: int = FIRST_DEAL,
    matches: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    processes: int = 1,
    batch: int | None = None,
    resamples: int = 1000,
    progress: bool = False,
) -> Result:
    """Play every agent against every other on the same deals, and measure them.

    Args:
        agents: `"random,ismcts:playouts=200"`, a list of such texts (`field.parse_agent`), or a
            mapping of labels to such texts or to factories (num_players, seed) → agent. With more
            than one process a factory must be picklable: a class or function of a module.
        game: the name of a game, as "gubs", or its `Game`.
        num_players: players at the table; None: the usual number for the game.
        deals: number of deals, at least 2.
        rules: rules of the game; None: the official rules.
        seed: deal d is that of `reset(seed=seed + d)`.
        matches: number of the matches of `arena.seatings` that each deal is played in; None: all.
        out: folder for the results file, which replaces that of a finished run; None: no file.
        resume: continue the run in `out`.
        processes: number of processes; the result does not depend on it.
        batch: number of games side by side; None: 1024, or 8 if an agent searches. The result does
            not depend on it if the agents draw from the RNGs that they are given, and no others.
        resamples: number of samples of the bootstrap.
        progress: show a progress bar.

    Raises:
        ValueError: for an unknown game, agent or option, a number that is not allowed, the results
            file of another or an unfinished run, or an illegal action of an agent.
        ModuleNotFoundError: without the arena extra, before any game is played.
        RuntimeError: when a process dies.
    """
    require_extra("arena", "choix", "tqdm")
    plan = make_plan(agents, game, num_players, deals, rules, seed, matches)
    counts = {"matches": matches, "processes": processes, "batch": batch, "resamples": resamples}
    for name, value in counts.items():
        if value is not None and value < 1:
            raise ValueError(f"{name}={value}: must be at least 1")
    if processes > 1:
        check_picklable(plan)
    made = [make(plan.num_players, seed) for make in plan.field.values()]
    batch = batch or (SEARCH_BATCH if any(hasattr(a, "search") for a in made) else BATCH)
    lines, times = run(plan, out, resume, processes, batch, progress)
    games = read_games(plan, lines)
    return Result(plan, games, summarise(games, resamples), times)


def make_plan(
    agents: str | Iterable[str] | Mapping[str, str | Factory],
    game: str | Game,
    num_players: int | None,
    deals: int,
    rules: Any,
    seed: int,
    matches: int | None,
) -> Plan:
    known = find_game(game)
    rules = known.rules() if rules is None else rules
    num_players = known.players if num_players is None else num_players
    known.check_players(num_players, rules)
    if not known.sides(num_players, rules).any():
        raise ValueError(f"num_players={num_players}: all are on one side, but a match needs two")
    if deals < 2:
        raise ValueError(f"deals={deals}: an interval needs at least 2")
    if seed < 0:
        raise ValueError(f"seed={seed}: must be at least 0")
    return Plan(game, num_players, rules, enter(agents, game), seed, deals, matches)


def run(
    plan: Plan, out: str | Path | None, resume: bool, processes: int, batch: int, progress: bool
) -> tuple[list[str], dict[str, Time]]:
    """Play the games that are left; return the lines of all games, and the times."""
    chunks: list[dict[str, Any]] = []
    lines: list[str] = []
    if out is None:
        for chunk in play_rest(plan, 0, processes, batch, progress):
            lines += chunk.lines
            chunks.append(chunk.times)
        return lines, add_times(plan, chunks)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    if resume:
        lines = resume_lines(folder / GAMES_FILE, plan.header())
    else:
        refuse_to_overwrite(folder / GAMES_FILE)
    if len(lines) < plan.num_games:
        # With the same chunks, agents with an RNG of their own play as in an uninterrupted run.
        del lines[len(lines) // batch * batch :]
    kept_times = [json.loads(line) for line in complete_lines(folder / TIMES_FILE)]
    chunks = [chunk for chunk in kept_times if chunk["first"] < len(lines)]
    head = [line_of(plan.header())]
    with (
        keep(folder / GAMES_FILE, head + lines if lines else []) as games_file,
        keep(folder / TIMES_FILE, [line_of(chunk) for chunk in chunks]) as times_file,
    ):
        if not lines:
            write(games_file, head)
        for chunk in play_rest(plan, len(lines), processes, batch, progress):
            write(times_file, [line_of(chunk.times)])
            write(games_file, chunk.lines)
            lines += chunk.lines
            chunks.append(chunk.times)
    return lines, add_times(plan, chunks)


def play_rest(
    plan: Plan, first: int, processes: int, batch: int, progress: bool
) -> Iterator[Chunk]:
    """Yield the chunks from game number `first` on, in order."""
    from tqdm import tqdm

    starts = range(first, plan.num_games, batch)
    stops = [min(start + batch, plan.num_games) for start in starts]
    with tqdm(
        total=plan.num_games, initial=first, unit=" games", smoothing=0, disable=not progress
    ) as bar:
        for chunk in in_order(plan, starts, stops, processes):
            bar.update(len(chunk.lines))
            yield chunk


def in_order(
    plan: Plan, starts: Iterable[int], stops: Iterable[int], processes: int
) -> Iterator[Chunk]:
    if processes == 1:
        yield from map(partial(play_chunk, plan), starts, stops)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), die_quietly)
    try:
        yield from pool.map(partial(play_chunk, plan), starts, stops)
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a process died: it ran out of memory, or it cannot import the class of an agent, as "
            "when the class is defined in a notebook; use processes=1 for those"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def check_picklable(plan: Plan) -> None:
    """Raise ValueError unless the plan can be sent to another process."""
    try:
        pickle.dumps(plan)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            "with more than one process, the game and the factories of the agents must be classes "
            f"or functions of a module, or use processes=1: {error}"
        ) from error


def die_quietly() -> None:
    """Leave it to the main process to report Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def add_times(plan: Plan, chunks: list[dict[str, Any]]) -> dict[str, Time]:
    """Return the total time of each agent."""
    pairs = {label: [chunk["agents"][label] for chunk in chunks] for label in plan.labels}
    return {
        label: Time(sum(decisions for decisions, _ in own), sum(seconds for _, seconds in own))
        for label, own in pairs.items()
    }


def read_games(plan: Plan, lines: Iterable[str]) -> Games:
    """Return the games of a results file as arrays, in which a team counts as one player."""
    records = [json.loads(line) for line in lines]
    number = {label: index for index, label in enumerate(plan.labels)}
    first = np.unique(plan.sides, return_index=True)[1]  # the first seat of each side
    decisions = np.array([record["decisions"] for record in records])
    return Games(
        labels=tuple(plan.labels),
        deals=np.array([record["deal"] for record in records]) - plan.seed,
        seatings=np.array([[number[label] for label in r["seating"]] for r in records])[:, first],
        payoffs=np.array([record["payoffs"] for record in records], float)[:, first],
        shares=win_shares([record["winners"] for record in records], plan.sides),
        scores=np.array([record["scores"] for record in records], float)[:, first],
        decisions=np.stack(
            [decisions[:, plan.sides == side].sum(axis=1) for side in range(plan.num_sides)], axis=1
        ),
    )
