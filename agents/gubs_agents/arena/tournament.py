"""Tournaments: every agent plays every other on the same deals. Runs can be resumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.arena.plan import Plan, make_plan, tables
from gubs_agents.arena.ratings import Games, Numbers, summarise
from gubs_agents.arena.records import read_games
from gubs_agents.arena.resuming import (
    kept_times,
    played_lines,
    refuse_foreign_times,
    refuse_to_overwrite,
)
from gubs_agents.arena.sequential import Sequential, is_finished
from gubs_env import find_game
from gubs_env.agents.registry import Factory, build_field
from gubs_env.engine.game import Game
from gubs_env.records.record import line_of
from gubs_env.records.recording import play_tables, side_by_side
from gubs_env.support import cluster
from gubs_env.support.checks import require_extra
from gubs_env.support.cluster import LOCAL
from gubs_env.support.files import append_to, expanded, lock_folder, replace_file, write_lines

GAMES_FILE, TIMES_FILE = "games.jsonl", "times.jsonl"
FIRST_DEAL = 10**9
"""Default seed of the first deal, far from the small seeds that training deals from."""


class Workers(NamedTuple):
    """Where the games are played; it changes no result."""

    engine: str
    """One of ENGINES."""
    processes: int
    """Number of processes on this machine."""
    batch: int
    """Games side by side in a process."""


class Chunk(NamedTuple):
    """Games that were played together."""

    lines: list[str]
    """Their lines in the results file."""
    times: dict[str, Any]
    """`first`, the number of the first game; `agents`, [decisions, seconds] by label; and `usage`,
    for agents that answer in text, what they used by label."""


def play_chunk(plan: Plan, first: int, stop: int) -> Chunk:
    """Play the games from number `first` to before `stop`.

    The agents are built anew, so that no game depends on what a process played before.
    """
    deal_seeds, seatings = tables(plan, first, stop)
    game, labels = find_game(plan.game), plan.labels
    records, seconds, usage = play_tables(
        game, plan.rules, plan.field, deal_seeds, seatings, first, limit=plan.limit
    )
    decisions = np.array([record.decisions for record in records])
    asked = np.bincount(seatings.ravel(), decisions.ravel(), len(labels)).astype(int)
    pairs = zip(asked.tolist(), seconds.round(6).tolist(), strict=True)
    by_label = {label: list(pair) for label, pair in zip(labels, pairs, strict=True)}
    times = {"first": first, "agents": by_label} | ({"usage": usage} if usage else {})
    return Chunk([record.line() for record in records], times)


class Time(NamedTuple):
    """The time that an agent took."""

    decisions: int
    """Number of decisions with more than one legal action; the agent is asked only for those."""
    seconds: float
    usage: Mapping[str, float] = MappingProxyType({})
    """Counts of an agent that answers in text: decisions asked, wrong answers, tokens and so on."""

    @property
    def milliseconds(self) -> float:
        """Milliseconds per decision."""
        return 1000 * self.seconds / max(1, self.decisions)


@dataclass(frozen=True)
class Result:
    """A finished tournament."""

    plan: Plan
    """The agents, their seats and the deals."""
    games: Games
    """The outcomes of all games, as arrays."""
    numbers: Numbers
    """The ratings, win rates and margins."""
    times: dict[str, Time]
    """The time that each agent took on this machine; all else follows from the deals."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the agents, in the order of all statistics."""
        return self.games.labels

    @property
    def has_mixed(self) -> bool:
        """Whether any game was played at a mixed table."""
        return bool(self.games.mixed.any())

    @property
    def repeatable(self) -> bool:
        """Whether the same command gives the same games: no agent has a budget in milliseconds."""
        return self.plan.repeatable


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
    engine: str = LOCAL,
    processes: int = 1,
    batch: int | None = None,
    resamples: int = 1000,
    progress: bool = False,
    timeout: float = 0,
) -> Result:
    """Play every agent against every other on the same deals, and measure them.

    Args:
        agents: `"random,ismcts:playouts=200"`, a list of such texts (`parse_agent`), or a
            mapping of labels to such texts or to factories (num_players, seed) → agent, which also
            receive the table's `game` or `rules` if they have such a parameter. With more than one
            process or a time limit a factory must be picklable (by cloudpickle).
        game: the name of a game, as "gubs", or its `Game`.
        num_players: players at the table; None: the usual number for the game.
        deals: number of deals, at least 2.
        rules: rules of the game; None: the official rules.
        seed: deal d is that of `reset(seed=seed + d)`.
        matches: number of the matches of `arena.seatings` that each deal is played in; None: all.
        out: folder for the results file, which replaces that of a finished run; None: no file.
        resume: continue the run in `out`.
        engine: "local", or "ray" for the cores of a Ray cluster (`gubs_env.support.cluster`); the
            result does not depend on it.
        processes: number of processes; the result does not depend on it. Ray has its own.
        batch: number of games side by side; None: 1024, or 8 if an agent searches. The result does
            not depend on it if the agents draw from the RNGs that they are given, and no others.
        resamples: number of samples of the bootstrap.
        progress: show a progress bar.
        timeout: seconds that an agent may take for one call of `act` or `search`, which asks for
            up to `batch` decisions; 0 means no limit. The games played so far can be resumed.

    Raises:
        ValueError: for an unknown game, agent or option, a number that is not allowed, the results
            file of another or an unfinished run, a results file that was edited, an agent of
            another number of players, or one that fails or chooses an illegal action.
        OSError: for a folder that cannot be written to, or that another process is using.
        TimeoutError: for an agent that takes longer than `timeout`.
        ModuleNotFoundError: without the arena extra, or the extra `ray` for that engine, before any
            game is played.
        RuntimeError: when a process dies.
    """
    require_extra("arena", "choix", "tqdm")
    cluster.check_engine(engine, processes)
    plan = make_plan(agents, game, num_players, deals, rules, seed, matches, timeout)
    for name, value in {"matches": matches, "resamples": resamples}.items():
        if value is not None and value < 1:
            raise ValueError(f"{name}={value}: must be at least 1")
    workers = make_workers(plan, engine, processes, batch)
    lines, times = run(plan, out, resume, workers, progress)
    games = read_games(plan, lines)
    return Result(plan, games, summarise(games, resamples), times)


def make_workers(plan: Plan, engine: str, processes: int, batch: int | None) -> Workers:
    """Check where the games of a plan are played; the arguments are those of `tournament`.

    Raises:
        ValueError: for a number that is not allowed, or agents that cannot be built, or cannot be
            sent to other processes.
    """
    if batch is not None and batch < 1:
        raise ValueError(f"batch={batch}: must be at least 1")
    if processes > 1 or plan.limit.seconds:
        cluster.check_picklable(plan)
    made = build_field(plan.field, find_game(plan.game), plan.num_players, plan.rules, plan.seed)
    return Workers(engine, processes, batch or side_by_side(made))


def run(
    plan: Plan,
    out: str | Path | None,
    resume: bool,
    workers: Workers,
    progress: bool,
    test: Sequential | None = None,
) -> tuple[list[str], dict[str, Time]]:
    """Play the games that are left; return the lines of all games, and the times."""
    if out is not None:
        return run_in(expanded(out), plan, resume, workers, progress, test)
    chunks = list(play_rest(plan, 0, workers, progress, test))
    return [line for chunk in chunks for line in chunk.lines], add_times(plan, chunks)


def run_in(
    folder: Path,
    plan: Plan,
    resume: bool,
    workers: Workers,
    progress: bool,
    test: Sequential | None,
) -> tuple[list[str], dict[str, Time]]:
    """Play the games that are left in a folder, which no other process may use meanwhile."""
    lock = lock_folder(folder)
    try:
        if test:
            is_finished(folder)  # refuses a file that is no test, which would be overwritten
        lines, times = kept(folder, plan, resume, progress)
        lines = begun(lines, plan, workers, test)
        chunks = [Chunk([], chunk) for chunk in times if chunk["first"] < len(lines)]
        head = [line_of(plan.header())]
        replace_file(folder / TIMES_FILE, "".join(line_of(chunk.times) for chunk in chunks))
        if test:
            test.write(folder)
        if not lines:
            replace_file(folder / GAMES_FILE, head[0])
        with (
            append_to(folder / GAMES_FILE, head + lines) as games_file,
            (folder / TIMES_FILE).open("a", encoding="utf-8", newline="\n") as times_file,
        ):
            for chunk in play_rest(plan, len(lines), workers, progress, test):
                write_lines(times_file, [line_of(chunk.times)])
                write_lines(games_file, chunk.lines)
                lines += chunk.lines
                chunks.append(chunk)
                if test:
                    test.write(folder)
    finally:
        lock.release()
    return lines, add_times(plan, chunks)


def begun(lines: list[str], plan: Plan, workers: Workers, test: Sequential | None) -> list[str]:
    """Return the lines that a run goes on from, which a test reads; no chunk is begun.

    With the same chunks, agents with an RNG of their own play as in an uninterrupted run.

    Raises:
        ValueError: for games after the one that decides a test.
    """
    whole = lines[: len(lines) // workers.batch * workers.batch]
    if test is None:
        return lines if len(lines) == plan.num_games else whole
    ahead = Sequential(plan, test.trial)
    if len(ahead.take(lines)) < len(lines):
        raise ValueError(f"there are {len(lines):,} games, but the test ended before the last")
    lines = lines if ahead.finished else whole
    test.take(lines)
    return lines


def kept(
    folder: Path, plan: Plan, resume: bool, progress: bool
) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the lines and times that a run in a folder goes on from; none for a new run.

    Raises:
        ValueError: for files that are not those of this run, or that must not be overwritten.
    """
    if resume:
        times = kept_times(folder / TIMES_FILE, plan.labels)
        return played_lines(folder / GAMES_FILE, plan, progress), times
    refuse_to_overwrite(folder / GAMES_FILE, plan)
    refuse_foreign_times(folder / TIMES_FILE)
    return [], []


def play_rest(
    plan: Plan, first: int, workers: Workers, progress: bool, test: Sequential | None
) -> Iterator[Chunk]:
    """Yield the chunks from game number `first` on, in order, until a test ends."""
    from tqdm import tqdm

    stop = first if test and test.finished else plan.num_games
    starts = range(first, stop, workers.batch)
    spans = [(start, min(start + workers.batch, plan.num_games)) for start in starts]
    with tqdm(
        total=plan.num_games, initial=first, unit=" games", smoothing=0, disable=not progress
    ) as bar:
        chunks = cluster.in_order(
            workers.engine, play_chunk, plan, spans, workers.processes, bool(plan.limit.seconds)
        )
        for chunk in chunks:
            if test:
                chunk = Chunk(test.take(chunk.lines), chunk.times)
                bar.set_postfix_str(str(test))
            bar.update(len(chunk.lines))
            yield chunk
            if test and test.finished:
                break


def add_times(plan: Plan, chunks: list[Chunk]) -> dict[str, Time]:
    """Return the total time of each agent."""
    pairs = {label: [chunk.times["agents"][label] for chunk in chunks] for label in plan.labels}
    usage: dict[str, Counter[str]] = {label: Counter() for label in plan.labels}
    for chunk in chunks:
        for label, own in chunk.times.get("usage", {}).items():
            usage[label].update(own)
    return {
        label: Time(
            sum(decisions for decisions, _ in own),
            sum(seconds for _, seconds in own),
            dict(usage[label]),
        )
        for label, own in pairs.items()
    }
