"""The results file: JSON Lines, a header and then a line for each game, enough to replay it."""

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
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"


def record_line(deal_seed: int, seating: list[str], played: Played, number: int) -> str:
    """The line of one of the games that were played together."""
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
    """The lines of a file without a last one that was cut off."""
    if not path.exists():
        return []
    *lines, _ = path.read_bytes().split(b"\n")
    return [line.decode() + "\n" for line in lines]


def load(path: str | Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Header and records of a results file; a last line that was cut off is left out.

    Raises:
        ValueError: for a file that is none of the arena's.
    """
    lines = complete_lines(Path(path))
    header = read_header(path, lines)
    return header, [json.loads(line) for line in lines[1:]]


def read_header(path: str | Path, lines: list[str]) -> dict[str, Any]:
    try:
        header = json.loads(lines[0])
        if header["format"] == FORMAT:
            return header
    except (IndexError, TypeError, KeyError, json.JSONDecodeError):
        pass
    raise ValueError(f"{path} is no results file of the arena: its first line is no header")


def resume_lines(path: Path, header: dict[str, Any]) -> list[str]:
    """The lines of the games that an interrupted run has played; none where there is no file.

    Raises:
        ValueError: for the file of another run, naming the differences.
    """
    lines = complete_lines(path)
    if not lines:
        return []
    found = read_header(path, lines)
    if differing := [k for k in header | found if header.get(k) != found.get(k)]:
        told = "; ".join(f"{k}: {found.get(k)!r} there, {header.get(k)!r} here" for k in differing)
        raise ValueError(f"{path} is of another run and cannot be resumed ({told})")
    return lines[1:]


def refuse_to_overwrite(path: Path) -> None:
    """Raises ValueError for a file that is no results file, or one of an unfinished run."""
    lines = complete_lines(path)
    if lines and len(lines) - 1 < (total := read_header(path, lines)["games"]):
        raise ValueError(
            f"{path} holds an unfinished run, {len(lines) - 1:,} of {total:,} games: resume it, "
            "delete it or write elsewhere"
        )


def keep(path: Path, lines: list[str]) -> TextIO:
    """Open a file to write on after these lines, which it begins with unless there are none."""
    file = path.open("a", encoding="utf-8", newline="\n")
    file.truncate(sum(len(line.encode()) for line in lines))
    return file


def write(file: TextIO, lines: list[str]) -> None:
    """All at once and at once, so that a kill leaves at most the last line cut off."""
    file.write("".join(lines))
    file.flush()


class Replay(NamedTuple):
    """How a replayed game ended."""

    payoffs: list[float]
    """By seat."""
    outcome: Any
    """What `Game.outcome` says of it."""


def replay(header: dict[str, Any], record: dict[str, Any], game: Game | None = None) -> Replay:
    """Play a recorded game again, action for action.

    Args:
        header, record: as `load` gives them.
        game: which game; None: that of the header, by name.

    Raises:
        ValueError: when an action is not legal, or the actions end before the game or after it.
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
