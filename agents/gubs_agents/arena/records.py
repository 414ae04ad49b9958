"""The results file: JSON Lines with a header, then one line per game with all its actions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from gubs_env import find_game
from gubs_env.api.files import naming
from gubs_env.api.playing import Played, replay_games
from gubs_env.engine.border import read_json
from gubs_env.engine.game import Game

FORMAT = "gubs_env arena 1"
LARGEST = 2**63 - 1

# --------------------------------------------------------------------------------------- writing


def line_of(record: dict[str, Any]) -> str:
    """Return a record as one line of JSON."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def record_line(deal_seed: int, seating: list[str], played: Played, number: int) -> str:
    """Return the line of one game.

    Args:
        deal_seed: seed of the deal.
        seating: names of the agents by seat.
        played: the games that were played together.
        number: index of the game among them.
    """
    outcome = played.outcomes[number]
    return line_of(
        {
            "deal": deal_seed,
            "seating": seating,
            "payoffs": played.payoffs[number].tolist(),
            "scores": list(outcome.scores),
            "winners": list(outcome.winners),
            "decisions": played.decisions[number].tolist(),
            "actions": played.actions[number],
        }
    )


def append_to(path: Path, lines: list[str]) -> TextIO:
    """Open a results file for appending, cut off after these lines at its beginning."""
    file = path.open("a", encoding="utf-8", newline="\n")
    file.truncate(sum(len(line.encode()) for line in lines))
    return file


def write(file: TextIO, lines: list[str]) -> None:
    """Write lines in one call and flush, so that a killed run loses at most the last line."""
    with naming(file.name):
        file.write("".join(lines))
        file.flush()


# ------------------------------------------------------------------------ the fields of each line


class Kind(NamedTuple):
    """The values that a field of a line may hold."""

    fits: Callable[[Any], bool]
    words: str
    """The same in words, for errors."""


def is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= LARGEST


def is_text(value: Any) -> bool:
    return type(value) is str


def list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is list and all(map(fits, value))


WHOLE, TEXT = Kind(is_whole, "a whole number from 0 on"), Kind(is_text, "a text")
WHOLES = Kind(list_of(is_whole), "a list of whole numbers from 0 on")
HEADER = {
    "format": TEXT,
    "version": TEXT,
    "game": TEXT,
    "players": WHOLE,
    "rules": Kind(lambda value: type(value) is dict, "an object of options"),
    "agents": Kind(
        lambda value: type(value) is dict and all(map(is_text, value.values())),
        "an object of texts",
    ),
    "first_deal": WHOLE,
    "deals": WHOLE,
    "matches": Kind(lambda value: value is None or is_whole(value), "a whole number or null"),
    "games": WHOLE,
}
RECORD = {
    "deal": WHOLE,
    "seating": Kind(list_of(is_text), "a list of names"),
    "payoffs": Kind(list_of(is_number), "a list of numbers"),
    "scores": Kind(list_of(is_number), "a list of numbers"),
    "winners": WHOLES,
    "decisions": WHOLES,
    "actions": WHOLES,
}
BY_SEAT = ("seating", "payoffs", "scores", "decisions")
"""Fields of a record with one entry for each player."""


def check_fields(found: Any, kinds: Mapping[str, Kind], where: str) -> None:
    """Raise ValueError unless an object has these fields, and no others."""
    if type(found) is not dict:
        raise ValueError(f"{where}: this is {type(found).__name__}, not an object with fields")
    if differing := sorted(map(str, found.keys() ^ kinds.keys())):
        raise ValueError(f"{where}: unknown or missing fields: {', '.join(differing)}")
    for name, kind in kinds.items():
        if not kind.fits(found[name]):
            raise ValueError(f"{where}: {name} must be {kind.words}")


def check_header(header: Any, where: str = "the header") -> None:
    """Raise ValueError unless this is a header."""
    if type(header) is not dict or header.get("format") != FORMAT:
        raise ValueError(f"{where} is not a results file of the arena: it has no header")
    check_fields(header, HEADER, where)


def check_record(record: Any, header: dict[str, Any], where: str = "the record") -> None:
    """Raise ValueError unless this is the record of a game at the table of a header."""
    check_fields(record, RECORD, where)
    players = header["players"]
    for name in BY_SEAT:
        if len(record[name]) != players:
            raise ValueError(
                f"{where}: {name} has {len(record[name])} entries, one for each of {players} "
                "players is needed"
            )
    if unknown := set(record["seating"]) - set(header["agents"]):
        raise ValueError(f"{where}: {min(unknown)!r} is not an agent of the header")
    if not set(record["winners"]) <= set(range(players)):
        raise ValueError(f"{where}: winners must be in 0 … {players - 1}")


# --------------------------------------------------------------------------------------- reading


def complete_lines(path: Path) -> tuple[list[bytes], bytes]:
    """Return the complete lines of a file, and what follows them; nothing of a missing file."""
    if not path.exists():
        return [], b""
    *lines, rest = path.read_bytes().split(b"\n")
    return [line + b"\n" for line in lines], rest


def read_header(path: Path, line: bytes) -> dict[str, Any]:
    """Return the header in the first line; raise ValueError if there is none."""
    try:
        header = read_json(line, "a header")
    except ValueError as error:
        raise ValueError(
            f"{path} is not a results file of the arena: its first line is not a header ({error})"
        ) from None
    check_header(header, str(path))
    return header


def read_record(path: Path, number: int, line: bytes, header: dict[str, Any]) -> dict[str, Any]:
    """Return the record in a line, which is number `number` of its file, counted from 1."""
    where = f"{path}, line {number}"
    try:
        record = read_json(line, "the record of a game")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    check_record(record, header, where)
    return record


def load(path: str | Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the records of a results file; a partial last line is left out.

    `replay` plays a record again, which shows whether its results are true.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: if the file is not a results file of the arena, or a line is not the record of
            a game; the message has the number of the line.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"no such file: {path}")
    lines, rest = complete_lines(path)
    header = read_header(path, lines[0] if lines else rest)
    return header, [
        read_record(path, number, line, header) for number, line in enumerate(lines[1:], 2)
    ]


# -------------------------------------------------------------------------------------- replaying


class Replay(NamedTuple):
    """The end of a replayed game."""

    payoffs: list[float]
    """Payoffs by seat."""
    outcome: Any
    """The outcome, as `Game.outcome` returns it."""


def replay(header: dict[str, Any], record: dict[str, Any], game: Game | None = None) -> Replay:
    """Play a recorded game again, action for action.

    Args:
        header: the header, as `load` returns it.
        record: one of the records, as `load` returns them.
        game: the game to play; None finds it by the name in the header.

    Raises:
        ValueError: for a header or a record that `load` would refuse, for rules or a number of
            players that the game does not have, if an action is not legal, or if there are fewer
            or more actions than the game takes.
    """
    check_header(header)
    check_record(record, header)
    game = find_game(header["game"]) if game is None else game
    try:
        rules = game.make_rules(header["rules"])
        game.check_players(header["players"], rules)
    except (TypeError, LookupError, AttributeError, OverflowError) as error:
        raise ValueError(f"these are not rules of {game.name}: {error}") from None
    name = f"deal {record['deal']}"
    played = replay_games(
        game, np.array([record["deal"]]), [record["actions"]], header["players"], rules, [name]
    )
    return Replay(played.payoffs[0].tolist(), played.outcomes[0])
