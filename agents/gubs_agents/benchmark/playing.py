"""Playing a benchmark: in one or more processes, with files from which a run can be resumed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.arena.resuming import (
    check_same_run,
    kept_times,
    refuse_foreign,
    refuse_foreign_times,
)
from gubs_agents.arena.tournament import GAMES_FILE, TIMES_FILE, Time
from gubs_agents.benchmark.plan import Plan
from gubs_agents.benchmark.protocol import AGENT
from gubs_env.agents.registry import Factory
from gubs_env.engine.border import read_json
from gubs_env.records.record import TOGETHER, check_lines, line_of
from gubs_env.records.recording import play_tables
from gubs_env.support import cluster
from gubs_env.support.files import (
    append_to,
    complete_lines,
    expanded,
    lock_folder,
    replace_file,
    write_lines,
)
from gubs_env.support.limits import Limit


class Chunk(NamedTuple):
    """Games that were played side by side."""

    lines: list[str]
    """Their lines in the file of games."""
    times: dict[str, Any]
    """Their line in the file of times, as the arena writes it, for the benchmarked agent alone."""


class Span(NamedTuple):
    """The games of a series that are played side by side."""

    series: int
    """Index of the series."""
    first: int
    """Number of the first game in the series."""
    stop: int
    """Number of the game after the last one."""


def spans_of(plan: Plan) -> list[Span]:
    """Return the spans of a run, in order."""
    batch = plan.track.batch
    return [
        Span(index, start, min(start + batch, series.num_games))
        for index, series in enumerate(plan.series)
        for start in range(0, series.num_games, batch)
    ]


def play_span(plan: Plan, index: int, first: int, stop: int) -> Chunk:
    """Play a span with agents that are built anew, so that no game depends on others before it.

    Raises:
        ValueError: for an agent that fails.
        TimeoutError: for an agent that takes longer than the limit of the track.
    """
    series = plan.series[index]
    table, anchor = series.table, series.anchor
    deals, seatings = series.tables(first, stop)
    field: dict[str, Factory] = {AGENT: plan.factory, anchor.name: anchor.factory}
    number = series.first + first
    records, seconds, usage = play_tables(
        table.game, table.rules, field, deals, seatings, number,
        [plan.name, anchor.name], f"table {table.name}", Limit(plan.track.seconds, a_decision=True),
    )  # fmt: skip
    asked = int(np.array([record.decisions for record in records])[seatings == 0].sum())
    times: dict[str, Any] = {"first": number, "agents": {AGENT: [asked, round(seconds[0], 6)]}}
    return Chunk([record.line() for record in records], times | ({"usage": usage} if usage else {}))


def play(
    plan: Plan,
    out: str | Path | None,
    resume: bool,
    engine: str,
    processes: int,
    progress: bool,
) -> tuple[list[str], dict[str, Time]]:
    """Play the games that are left; return the lines of all games, and the times by table.

    Raises:
        ValueError: for files that are not those of this run, or an agent that fails.
        OSError: for a folder that cannot be written to, or that another process is using.
        TimeoutError: for an agent that takes longer than the limit of the track.
        RuntimeError: for a process that dies.
    """
    if out is None:
        chunks = list(play_rest(plan, 0, engine, processes, progress))
        lines = [line for chunk in chunks for line in chunk.lines]
        return lines, times_by_table(plan, [chunk.times for chunk in chunks])
    folder = expanded(out)
    lock = lock_folder(folder)
    try:
        lines, times = kept(folder, plan, resume)
        head = [line_of(plan.header())]
        replace_file(folder / TIMES_FILE, "".join(map(line_of, times)))
        if not lines:
            replace_file(folder / GAMES_FILE, head[0])
        with (
            append_to(folder / GAMES_FILE, head + lines) as games_file,
            (folder / TIMES_FILE).open("a", encoding="utf-8", newline="\n") as times_file,
        ):
            for chunk in play_rest(plan, len(lines), engine, processes, progress):
                write_lines(times_file, [line_of(chunk.times)])
                write_lines(games_file, chunk.lines)
                lines += chunk.lines
                times.append(chunk.times)
    finally:
        lock.release()
    return lines, times_by_table(plan, times)


def play_rest(
    plan: Plan, done: int, engine: str, processes: int, progress: bool
) -> Iterator[Chunk]:
    """Yield the chunks of the spans that begin at game number `done` or later, in order."""
    from tqdm import tqdm

    left = [span for span in spans_of(plan) if plan.series[span.series].first + span.first >= done]
    with tqdm(
        total=plan.num_games, initial=done, unit=" games", smoothing=0, disable=not progress
    ) as bar:
        for chunk in cluster.in_order(engine, play_span, plan, left, processes, apart=True):
            bar.update(len(chunk.lines))
            yield chunk


def kept(folder: Path, plan: Plan, resume: bool) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the lines and times that a run in a folder goes on from; none for a new run.

    Whole spans are kept: an agent with an RNG of its own then plays as in an uninterrupted run.

    Raises:
        ValueError: for files that are not those of this run, or that must not be overwritten.
    """
    path, times_path = folder / GAMES_FILE, folder / TIMES_FILE
    lines, rest = complete_lines(path)
    if not resume and (lines or rest):
        raise ValueError(
            f"{path} exists already: resume it with --resume, delete it or write elsewhere"
        )
    if not resume or not lines:
        refuse_foreign(path, rest, line_of(plan.header()).encode())
        refuse_foreign_times(times_path)
        return [], []
    header = read_json(lines[0], f"the first line of a benchmark, which {path} must begin with")
    if not isinstance(header, dict):
        raise ValueError(f"{path}: its first line does not describe a run of the benchmark")
    check_same_run(path, header, plan.header())
    checked = played_lines(path, plan, lines[1:])
    starts = [plan.series[span.series].first + span.first for span in spans_of(plan)]
    whole = max(start for start in [*starts, plan.num_games] if start <= len(checked))
    times = [each for each in kept_times(times_path, [AGENT]) if each["first"] < whole]
    return checked[:whole], times


def played_lines(path: Path, plan: Plan, lines: Sequence[bytes]) -> list[str]:
    """Return the lines of games that were played, after replaying every game.

    Raises:
        ValueError: for a line that is not exactly that of the next game of the plan.
    """
    if len(lines) > plan.num_games:
        raise ValueError(
            f"{path} holds {len(lines):,} games, but the run has only {plan.num_games:,}"
        )
    for series in plan.series:
        own = lines[series.first : series.first + series.num_games]
        for first in range(0, len(own), TOGETHER):
            part = own[first : first + TOGETHER]
            places = [f"{path}, line {series.first + first + k}" for k in range(2, len(part) + 2)]
            names = series.names(first, first + len(part))
            check_lines(part, places, series.table.game, series.table.rules, names)
    return [line.decode() for line in lines]


def times_by_table(plan: Plan, chunks: Sequence[Mapping[str, Any]]) -> dict[str, Time]:
    """Return the time that the agent took at each table."""
    found, first = {}, 0
    for table in plan.tables:
        own = [each for each in chunks if first <= each["first"] < first + table.num_games]
        first += table.num_games
        usage: Counter[str] = Counter()
        for each in own:
            usage.update(each.get("usage", {}).get(AGENT, {}))
        pairs = np.array([each["agents"][AGENT] for each in own]).reshape(-1, 2)
        found[table.name] = Time(int(pairs[:, 0].sum()), float(pairs[:, 1].sum()), dict(usage))
    return found
