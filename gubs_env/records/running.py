"""The runner: it plays the games of a plan into a file, from which an interrupted run goes on.

A recording, a tournament and a benchmark are plans. A plan says which games are played, in which
order and by whom; everything else is written here once. No line of a file is believed before its
game was replayed.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gubs_env.agents.registry import Factory, build_field
from gubs_env.engine.border import read_json
from gubs_env.engine.table import Table
from gubs_env.records.playing import Games, play_games
from gubs_env.records.record import BEGINNING, TOGETHER, Record, read_line, records_of, replayed
from gubs_env.support import files
from gubs_env.support.cluster import check_picklable, in_order
from gubs_env.support.fields import NUMBER, WHOLE, check_fields, named, row
from gubs_env.support.version import __version__

TIMES_FILE = "times.jsonl"
"""The file of times, beside the games."""
BATCH, SEARCH_BATCH = 1024, 8
"""Default numbers of games side by side.

Agents that search are slow, and a kill loses the games that are not written yet, so their number
is small.
"""
Progress = Callable[[str, int, int], object]
"""(what is done, games done, games in all) → anything."""


@dataclass(frozen=True, kw_only=True)
class PlannedGames(Games):
    """Games of a plan that may be played side by side, and the agents that play them."""

    field: Mapping[str, Factory]
    """The agents by name; `seatings` holds their indices."""

    def label(self, agent: int) -> str:
        """Return the name of an agent in errors, by default the one in `field`."""
        return (self.labels or [*self.field])[agent]

    @property
    def names(self) -> list[tuple[str, ...]]:
        """The names of the agents in each game, by seat."""
        labels = list(self.field)
        return [tuple(labels[index] for index in seating) for seating in self.seatings.tolist()]

    @property
    def dealt(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The seed and the names of the agents by seat of each game."""
        return zip(self.deals.tolist(), self.names, strict=True)

    @property
    def named_rngs(self) -> np.ndarray:
        """int64[games, num_players, 4]: the RNG of each seat, with the names as keys."""
        return self.rngs([zlib.crc32(label.encode()) for label in self.field])

    def build(self, seed: int) -> list[Any]:
        """Return the agents, built anew; raise ValueError if that is not possible."""
        return build_field(self.field, self.table, seed)


class Plan(ABC):
    """The games of a run, in order."""

    kind = "a file of records"
    """The name of such a file in errors."""

    @property
    @abstractmethod
    def num_games(self) -> int:
        """Number of games."""

    @abstractmethod
    def games_of(self, first: int, stop: int) -> PlannedGames:
        """Return the games from number `first` to before `stop`, which are of one part."""

    @property
    def parts(self) -> Sequence[int]:
        """The number of the game after each part; games of different parts are played apart."""
        return [self.num_games]

    @property
    def timed(self) -> Collection[str]:
        """The agents whose times are kept in a file; none for a run without this file."""
        return ()

    def header(self) -> dict[str, Any]:
        """Return the first line of the file; empty if it begins with the first game."""
        return {}

    def check_replaceable(self, path: Path, lines: Sequence[tuple[int, bytes]]) -> None:
        """Raise ValueError unless a new run may replace a file with these complete lines."""
        raise ValueError(
            f"{path} exists already: resume it (--resume), delete it or write elsewhere"
        )


class Workers(NamedTuple):
    """Where the games are played; it changes no result."""

    backend: str
    """One of BACKENDS."""
    processes: int
    """Number of processes on this machine."""
    batch: int
    """Games side by side in a process."""
    apart: bool = False
    """Whether even one process is another one than this, so that a call that never returns can be
    ended."""


class StopRule:
    """A rule that may end a run before all of its games are played; this one never does."""

    @property
    def finished(self) -> bool:
        """Whether no further game is to be played."""
        return False

    def begin(self, records: list[Record], whole: int) -> list[Record]:
        """Return the games that a run goes on from, of those in its file, after reading them.

        Args:
            records: the games that were played.
            whole: the number of these in whole chunks.

        Raises:
            ValueError: for games after the one that ends the run.
        """
        return records[:whole]

    def take(self, records: list[Record]) -> list[Record]:
        """Read the next games; return those up to the one that ends the run."""
        return records

    def write(self, folder: Path) -> None:
        """Write the state to its file, if there is one."""


class Chunk(NamedTuple):
    """Games that were played side by side."""

    records: list[Record]
    times: dict[str, Any]
    """`first`, the number of the first game; `agents`, [decisions, seconds] by label; and `usage`,
    for agents that answer in text: their `Counts`, and the numbers of their attribute `usage`, if
    they have one, such as tokens, by label."""

    def times_of(self, labels: Collection[str]) -> dict[str, Any]:
        """Return the line in the file of times, which has the times of these agents."""
        return self.times | {"agents": {label: self.times["agents"][label] for label in labels}}


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


class Finished(NamedTuple):
    """The games of a run."""

    records: list[Record]
    """The games."""
    times: list[dict[str, Any]]
    """The times of each chunk."""

    def time_of(self, label: str, first: int = 0, stop: int | None = None) -> Time:
        """Return the time that an agent took in the chunks of some games."""
        last = len(self.records) if stop is None else stop
        chunks = [chunk for chunk in self.times if first <= chunk["first"] < last]
        usage: Counter[str] = Counter()
        for chunk in chunks:
            usage.update(chunk.get("usage", {}).get(label, {}))
        decisions, seconds = zip((0, 0), *(chunk["agents"][label] for chunk in chunks), strict=True)
        return Time(sum(decisions), sum(seconds), dict(usage))


def make_workers(plan: Plan, backend: str, processes: int, batch: int = 0) -> Workers:
    """Return where the games of a plan are played.

    Args:
        plan: the games, all of whose agents are built once.
        backend: one of BACKENDS.
        processes: number of processes of this machine.
        batch: number of games side by side; 0 means the default number.

    Raises:
        ValueError: for agents that cannot be built, or cannot be sent to other processes.
    """
    games = plan.games_of(0, 1)
    apart = bool(games.limit.seconds)
    if processes > 1 or apart:
        check_picklable(plan)
    agents = games.build(0)
    slow = any(hasattr(agent, "search") or hasattr(agent, "choose") for agent in agents)
    return Workers(backend, processes, batch or (SEARCH_BATCH if slow else BATCH), apart)


def spans_of(parts: Iterable[int], batch: int) -> Iterator[tuple[int, int]]:
    """Yield the first number of each chunk of at most `batch` games, and that after the last one.

    Args:
        parts: as for `Plan.parts`.
        batch: number of games.
    """
    first = 0
    for end in parts:
        while first < end:
            yield first, (first := min(first + batch, end))


def run(
    plan: Plan,
    path: Path | None,
    resume: bool,
    workers: Workers,
    progress: Progress = lambda what, done, count: None,
    rule: StopRule | None = None,
) -> Finished:
    """Play the games of a plan that are left; no other process may use the files meanwhile.

    Args:
        plan: the games.
        path: the file of games; None writes no file. The times are written beside it.
        resume: continue the file if it exists.
        workers: where the games are played.
        progress: called as ("checking", …) while the games in the file are replayed, and as
            ("playing", …) before the first chunk and after each.
        rule: what may end the run.

    Raises:
        ValueError: for files that are not those of this run, or that must not be overwritten, or
            an agent that fails.
        OSError: for a file that cannot be written, or that another process is using.
        TimeoutError: for an agent that takes longer than the limit.
        RuntimeError: for a process that dies.
    """
    rule = rule or StopRule()
    if path is None:
        chunks = list(play_rest(plan, 0, workers, progress, rule))
        records = [record for chunk in chunks for record in chunk.records]
        return Finished(records, [chunk.times for chunk in chunks])
    times_path = path.with_name(TIMES_FILE)
    lock = files.lock_folder(path.parent) if plan.timed else files.lock_file(path)
    try:
        times = kept_times(times_path, plan.timed, resume) if plan.timed else []
        records = kept_records(path, plan, resume, progress)
        # With the same chunks, agents with an RNG of their own play as in an uninterrupted run.
        starts = [first for first, _ in spans_of(plan.parts, workers.batch)]
        whole = max(start for start in (*starts, plan.num_games) if start <= len(records))
        records = rule.begin(records, whole)
        done = Finished(records, [chunk for chunk in times if chunk["first"] < len(records)])
        head = [files.line_of(plan.header())] if plan.header() else []
        if plan.timed:
            files.replace_file(times_path, "".join(map(files.line_of, done.times)))
        rule.write(path.parent)
        if head and not records:
            files.replace_file(path, head[0])
        with files.append_to(path, [*head, *map(Record.line, records)]) as file:
            for chunk in play_rest(plan, len(records), workers, progress, rule):
                if plan.timed:
                    with times_path.open("a", encoding="utf-8", newline="\n") as times_file:
                        files.write_lines(times_file, [files.line_of(chunk.times_of(plan.timed))])
                files.write_lines(file, map(Record.line, chunk.records))
                done.records.extend(chunk.records)
                done.times.append(chunk.times)
                rule.write(path.parent)
    finally:
        lock.release()
    return done


# ------------------------------------------------------------------------------------- playing


def play_rest(
    plan: Plan, done: int, workers: Workers, progress: Progress, rule: StopRule
) -> Iterator[Chunk]:
    """Yield the chunks from game number `done` on, in order, until a rule ends the run."""
    spans = [span for span in spans_of(plan.parts, workers.batch) if span[0] >= done]
    spans = [] if rule.finished else spans
    progress("playing", done, plan.num_games)
    where = workers.processes, workers.apart
    for chunk in in_order(workers.backend, play_span, plan, spans, *where):
        chunk = chunk._replace(records=rule.take(chunk.records))
        done += len(chunk.records)
        progress("playing", done, plan.num_games)
        yield chunk
        if rule.finished:
            break


def play_span(plan: Plan, first: int, stop: int) -> Chunk:
    """Play the games from number `first` to before `stop`."""
    return play_planned(plan.games_of(first, stop), first)


def play_planned(games: PlannedGames, first: int = 0) -> Chunk:
    """Play games side by side.

    The agents are built anew, so that no game depends on what a process played before.

    Args:
        games: the games.
        first: number of the first game, which is the seed of agents with an RNG of their own.

    Raises:
        ValueError, TimeoutError: as for `play_games`.
    """
    agents, names = games.build(first), games.names
    used = [Counter(getattr(agent, "usage", {})) for agent in agents]
    played, seconds = play_games(games, agents, games.named_rngs)
    usage = {label: Counter[str]() for label in games.field}
    for counts, seats in zip(played.counts, names, strict=True):
        for seat, count in counts.items():
            usage[seats[seat]].update(asdict(count))
    for label, agent, before in zip(games.field, agents, used, strict=True):
        usage[label].update(getattr(agent, "usage", {}))
        usage[label].subtract(before)
    asked = np.bincount(games.seatings.ravel(), played.decisions.ravel(), len(agents)).astype(int)
    pairs = map(list, zip(asked.tolist(), seconds.round(6).tolist(), strict=True))
    times = {"first": first, "agents": dict(zip(games.field, pairs, strict=True))}
    if counted := {label: dict(counts) for label, counts in usage.items() if counts}:
        times["usage"] = counted
    return Chunk(records_of(games.table, games.deals.tolist(), names, played), times)


# ------------------------------------------------------------------------------------- resuming


def kept_records(path: Path, plan: Plan, resume: bool, progress: Progress) -> list[Record]:
    """Return the games that an interrupted run has written; none for a new run.

    Every game is replayed. A last line that is not complete is left out.

    Raises:
        ValueError: for a file that is not the beginning of this run: it is another file or of
            another run, or a line is not exactly that of the next game; the message names the
            line, and what differs. Without `resume`, for a file that must not be replaced.
    """
    lines, rest = files.complete_lines(path)
    header = plan.header()
    beginning = files.line_of(header).encode() if header else BEGINNING
    if not resume and (lines or rest):
        plan.check_replaceable(path, lines)
    if not lines and not beginning.startswith(rest[: len(beginning)]):
        raise ValueError(
            f"{path} is not {plan.kind}, or of another run: it holds no complete line; delete it "
            "or write elsewhere"
        )
    if not resume:
        return []
    if header and lines:
        check_same_run(path, plan.kind, lines.pop(0)[1], header)
    if len(lines) > plan.num_games:
        raise ValueError(
            f"{path} holds {len(lines):,} games, but the run has only {plan.num_games:,}"
        )
    ends = [min(end, len(lines)) for end in plan.parts]
    records: list[Record] = []
    for first, stop in spans_of(ends, TOGETHER):
        progress("checking", first, len(lines))
        records += read_checked(path, lines[first:stop], plan.games_of(first, stop))
        progress("checking", stop, len(lines))
    return records


def check_same_run(path: Path, kind: str, line: bytes, header: Mapping[str, Any]) -> None:
    """Raise ValueError unless a line is the header of this run; the message lists what differs."""
    try:
        there = read_json(line, "a header")
    except ValueError as error:
        raise ValueError(f"{path} is not {kind}: its first line is no header ({error})") from None
    if not isinstance(there, dict) or "format" not in there:
        raise ValueError(f"{path} is not {kind}: its first line is no header")
    if keys := [key for key in {**header, **there} if header.get(key) != there.get(key)]:
        unlike = "; ".join(f"{k}: {there.get(k)!r} there, {header.get(k)!r} here" for k in keys)
        raise ValueError(
            f"{path} is of another run ({unlike}): resume with the settings of that run, or "
            "write elsewhere"
        )


def read_checked(
    path: Path, numbered: Sequence[tuple[int, bytes]], games: PlannedGames
) -> list[Record]:
    """Return the records in lines that are, byte for byte, those of the games that a run plays.

    Args:
        path: the file.
        numbered: the numbers of the lines and the lines, at most TOGETHER.
        games: the games.

    Raises:
        ValueError: for a line that is not the one that the run writes.
    """
    places = [f"{path}, line {number}" for number, _ in numbered]
    lines = [line for _, line in numbered]
    game = games.table.game
    records = [read_line(line, place, game) for line, place in zip(lines, places, strict=True)]
    for record, (seed, agents), place in zip(records, games.dealt, places, strict=True):
        check_game(record, games.table, seed, agents, place)
        if record.version != __version__:
            raise ValueError(
                f"{place} was recorded by version {record.version}: go on with that version, not "
                f"with {__version__}"
            )
    played = replayed(records, places)
    for line, again, place in zip(lines, played, places, strict=True):
        if again.outcome is None:
            raise ValueError(f"{place}: the actions end before the game does")
        if line != again.line().encode():
            raise ValueError(f"{place} is not written as it was recorded: the line was edited")
    return played


def check_game(
    record: Record, table: Table, seed: int, agents: tuple[str, ...], place: str
) -> None:
    """Raise ValueError unless a game has this table, seed and agents by seat."""
    if (record.seed, record.agents) != (seed, agents):
        raise ValueError(
            f"{place}: seed {record.seed} with {', '.join(record.agents)} is not the next game of "
            f"the run, which is seed {seed} with {', '.join(agents)}: a line is lost, doubled or "
            "of another run"
        )
    if record.table != table:
        raise ValueError(f"{place}: the game has other rules than the run")


# ---------------------------------------------------------------------------------------- times


TIMES_BEGIN = b'{"first":'
TIME = row(WHOLE, NUMBER, words="[decisions, seconds]")
TIMES = {"first": WHOLE, "agents": named(TIME, "an object of [decisions, seconds]")}
NUMBERS = named(NUMBER, "an object of numbers with printable names")
USAGE = {"usage": named(NUMBERS, "an object of objects of numbers with printable names")}


def kept_times(path: Path, labels: Collection[str], resume: bool) -> list[dict[str, Any]]:
    """Return the times of an interrupted run; none for a new run.

    A last line that is not complete is left out.

    Raises:
        ValueError: if the file is not a file of times for these agents.
    """
    lines, rest = files.complete_lines(path)
    first = lines[0][1] if lines else rest
    if not TIMES_BEGIN.startswith(first[: len(TIMES_BEGIN)]):
        raise ValueError(f"{path} is not a file of times: delete it")
    chunks: list[dict[str, Any]] = []
    for number, line in lines if resume else ():
        where = f"{path}, line {number}"
        try:
            chunk = read_json(line, "a line of times")
        except ValueError as error:
            raise ValueError(f"{where}: {error}; delete the file or write elsewhere") from None
        check_fields(chunk, TIMES, where, USAGE)
        if chunk["agents"].keys() != {*labels} or not {*labels} >= chunk.get("usage", {}).keys():
            raise ValueError(f"{where}: these are not the agents of the run")
        if chunks and chunk["first"] <= chunks[-1]["first"]:
            raise ValueError(f"{where}: first must be larger than in the line before")
        chunks.append(chunk)
    return chunks
