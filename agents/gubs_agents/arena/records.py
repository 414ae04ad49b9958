"""The results file: JSON Lines with a header, then one line per game with all its actions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import numpy as np

from gubs_agents.arena.playing import Played
from gubs_env import find_game
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.game import Game

FORMAT = "gubs_env arena 1"


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


def complete_lines(path: Path) -> list[str]:
    """Return the complete lines of a file, without a partial last line; none if it is missing."""
    if not path.exists():
        return []
    *lines, _ = path.read_bytes().split(b"\n")
    return [line.decode() + "\n" for line in lines]


def load(path: str | Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the header and the records of a results file; a partial last line is left out.

    Raises:
        ValueError: if the file is not a results file of the arena.
    """
    lines = complete_lines(Path(path))
    header = read_header(path, lines)
    return header, [json.loads(line) for line in lines[1:]]


def read_header(path: str | Path, lines: list[str]) -> dict[str, Any]:
    """Return the header in the first line; raise ValueError if there is none."""
    try:
        header = json.loads(lines[0])
        if header["format"] == FORMAT:
            return header
    except (IndexError, TypeError, KeyError, json.JSONDecodeError):
        pass
    raise ValueError(f"{path} is not a results file of the arena: its first line is not a header")


def resume_lines(path: Path, header: dict[str, Any]) -> list[str]:
    """Return the lines of the games that an interrupted run has played; none without a file.

    Raises:
        ValueError: if the file belongs to a run with other settings; the message lists them.
    """
    lines = complete_lines(path)
    if not lines:
        return []
    found = read_header(path, lines)
    if differing := [k for k in header | found if header.get(k) != found.get(k)]:
        told = "; ".join(f"{k}: {found.get(k)!r} there, {header.get(k)!r} here" for k in differing)
        raise ValueError(
            f"{path} is of another run ({told}): resume with the settings of that run, or write "
            "elsewhere"
        )
    return lines[1:]


def refuse_to_overwrite(path: Path) -> None:
    """Raise ValueError for the results of an unfinished run, or for a file without results."""
    lines = complete_lines(path)
    if lines and len(lines) - 1 < (total := read_header(path, lines)["games"]):
        raise ValueError(
            f"{path} holds an unfinished run, {len(lines) - 1:,} of {total:,} games: resume it, "
            "delete it or write elsewhere"
        )


def keep(path: Path, lines: list[str]) -> TextIO:
    """Open a results file for appending, cut off after these lines at its beginning."""
    file = path.open("a", encoding="utf-8", newline="\n")
    file.truncate(sum(len(line.encode()) for line in lines))
    return file


def write(file: TextIO, lines: list[str]) -> None:
    """Write lines in one call and flush, so that a killed run loses at most the last line."""
    file.write("".join(lines))
    file.flush()


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
        ValueError: if an action is not legal, or there are fewer or more actions than the game
            takes.
    """
    if game is None:
        game = find_game(header["game"])
    rules = game.rules(**header["rules"])
    env = VectorEnv(game, 1, header["players"], rules, record["deal"], autoreset=False)
    for action in record["actions"]:
        env.step(np.array([action]))
    if not env.dones[0]:
        raise ValueError(f"deal {record['deal']}: the actions end before the game does")
    return Replay(env.rewards[0].tolist(), game.outcome(env.states[0]))
