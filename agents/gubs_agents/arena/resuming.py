"""The files of a tournament that goes on: no line is believed before it has been replayed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from gubs_agents.arena.plan import Plan, tables
from gubs_agents.arena.records import (
    WHOLE,
    Kind,
    check_fields,
    is_number,
    is_whole,
    read_header,
)
from gubs_agents.arena.sequential import is_finished
from gubs_env import find_game
from gubs_env.engine.border import read_json
from gubs_env.records.record import TOGETHER, check_lines, line_of
from gubs_env.records.recording import names_by_seat
from gubs_env.support.files import complete_lines

TIMES = {
    "first": WHOLE,
    "agents": Kind(
        lambda value: type(value) is dict and all(map(is_time, value.values())),
        "an object of [decisions, seconds]",
    ),
}
USAGE = {
    "usage": Kind(
        lambda value: is_usage(value), "an object of objects of numbers with printable names"
    )
}
TIMES_BEGIN = b'{"first":'


def is_usage(value: Any) -> bool:
    return type(value) is dict and all(
        type(own) is dict
        and all(name.isprintable() and is_number(number) for name, number in own.items())
        for own in value.values()
    )


def is_time(value: Any) -> bool:
    return type(value) is list and len(value) == 2 and is_whole(value[0]) and is_number(value[1])


def played_lines(path: Path, plan: Plan, progress: bool) -> list[str]:
    """Return the lines of the games that an interrupted run has played; none without a file.

    Every game is replayed. A last line that is not complete is left out.

    Raises:
        ValueError: if the file is not the beginning of this tournament: it is another file or of
            another run, or a line is not exactly that of the next game of the plan; the message
            names the line, and what differs.
    """
    header = plan.header()
    lines, rest = complete_lines(path)
    if not lines:
        refuse_foreign(path, rest, line_of(header).encode())
        return []
    check_same_run(path, read_header(path, lines[0]), header)
    if len(lines) - 1 > plan.num_games:
        raise ValueError(
            f"{path} holds {len(lines) - 1:,} games, but the run has only {plan.num_games:,}"
        )
    from tqdm import tqdm

    with tqdm(
        total=len(lines) - 1, unit=" games", desc="checking", disable=not progress or not lines[1:]
    ) as bar:
        for first in range(0, len(lines) - 1, TOGETHER):
            part = lines[1 + first : 1 + first + TOGETHER]
            places = [f"{path}, line {first + k}" for k in range(2, len(part) + 2)]
            deals, seatings = tables(plan, first, first + len(part))
            games = zip(deals.tolist(), names_by_seat(plan.labels, seatings), strict=True)
            check_lines(part, places, find_game(plan.game), plan.rules, games)
            bar.update(len(part))
    return [line.decode() for line in lines[1:]]


def check_same_run(path: Path, found: dict[str, Any], header: dict[str, Any]) -> None:
    """Raise ValueError if a file belongs to a run with other settings; the message lists them."""
    if differing := [k for k in header | found if header.get(k) != found.get(k)]:
        told = "; ".join(f"{k}: {found.get(k)!r} there, {header.get(k)!r} here" for k in differing)
        raise ValueError(
            f"{path} is of another run ({told}): resume with the settings of that run, or write "
            "elsewhere"
        )


def refuse_foreign(path: Path, found: bytes, beginning: bytes) -> None:
    """Raise ValueError unless what a file without a complete line holds is our own beginning."""
    if not beginning.startswith(found):
        raise ValueError(
            f"{path} is not a results file of the arena, or of another run: it holds no complete "
            "line; delete it or write elsewhere"
        )


def refuse_to_overwrite(path: Path, plan: Plan) -> None:
    """Raise ValueError for the results of an unfinished run, or for a file without results."""
    lines, rest = complete_lines(path)
    if not lines:
        refuse_foreign(path, rest, line_of(plan.header()).encode())
        return
    header = read_header(path, lines[0])
    ended = "sprt" in header and is_finished(path.parent)
    if len(lines) - 1 < (total := header["games"]) and not ended:
        raise ValueError(
            f"{path} holds an unfinished run, {len(lines) - 1:,} of {total:,} games: resume it, "
            "delete it or write elsewhere"
        )


def kept_times(path: Path, labels: Collection[str]) -> list[dict[str, Any]]:
    """Return the times of an interrupted run; a last line that is not complete is left out.

    Raises:
        ValueError: if the file is not a file of times for these agents.
    """
    refuse_foreign_times(path)
    lines, _ = complete_lines(path)
    chunks: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        where = f"{path}, line {number}"
        try:
            chunk = read_json(line, "a line of times")
        except ValueError as error:
            raise ValueError(f"{where}: {error}; delete the file or write elsewhere") from None
        with_usage = type(chunk) is dict and "usage" in chunk
        check_fields(chunk, TIMES | (USAGE if with_usage else {}), where)
        if (
            chunk["agents"].keys() != set(labels)
            or not set(labels) >= chunk.get("usage", {}).keys()
        ):
            raise ValueError(f"{where}: these are not the agents of the run")
        if chunks and chunk["first"] <= chunks[-1]["first"]:
            raise ValueError(f"{where}: first must be larger than in the line before")
        chunks.append(chunk)
    return chunks


def refuse_foreign_times(path: Path) -> None:
    """Raise ValueError for a file that is there and does not begin as a file of times does."""
    found = path.read_bytes()[: len(TIMES_BEGIN)] if path.exists() else b""
    if not TIMES_BEGIN.startswith(found):
        raise ValueError(f"{path} is not a file of times of the arena: delete it")
