"""The file of a game, in which it is saved and from which it goes on: a record."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from gubs_env.agents.registry import is_harmless
from gubs_env.api.aec import AECGame, plain_class
from gubs_env.records.record import PERSON, Record, plain_lines, read_record
from gubs_env.support.files import expanded, replace_file
from gubs_env.support.output import command_line


def write_game(path: Path, env: AECGame[Any], names: Sequence[str]) -> None:
    """Write the record of a game, over or not; the file is replaced in one step.

    Args:
        path: the file.
        env: the game.
        names: who plays, by seat.

    Raises:
        OSError: if the file cannot be written.
    """
    replace_file(path, Record.of(env, names).line().encode())


def keep_game(
    path: Path, env: AECGame[Any], names: Sequence[str], tell: Callable[[str], None]
) -> Path:
    """Write the record of a game; if that fails, write it to a new folder of temporary files.

    Args:
        path, env, names: as for `write_game`.
        tell: called with the reason in words, if `path` cannot be written.

    Returns:
        The file that was written.

    Raises:
        OSError: if the file in the other folder cannot be written either.
    """
    try:
        write_game(path, env, names)
        return path
    except OSError as error:
        tell(f"{path} cannot be written: {error.strerror}")
    spare = Path(tempfile.mkdtemp(prefix="gubs_env_")) / path.name  # only this user can read it
    write_game(spare, env, names)
    return spare


class ResumePoint(NamedTuple):
    """A place to go on from, in a file of records."""

    path: Path
    game: int | None = None
    """Number of the game, from 0; None for the only game of the file."""
    move: int | None = None
    """Number of whole moves that have been played; None for all of them."""


def resume_point(text: str) -> ResumePoint:
    """Return the place that a text names: `FILE`, `FILE#GAME` or `FILE#GAME:MOVE`.

    Raises:
        ValueError: for a text of another form.
    """
    path = expanded(text)
    if "#" not in text or path.exists():
        return ResumePoint(path)
    name, _, numbers = text.rpartition("#")
    if not (match := re.fullmatch(r"(\d{1,9})(?::(\d{1,9}))?", numbers)):
        raise ValueError(f"{text}: write FILE, FILE#GAME or FILE#GAME:MOVE, as games.jsonl#12:40")
    return ResumePoint(expanded(name), int(match[1]), None if match[2] is None else int(match[2]))


def read_game(
    path: Path, game: int | None = None, move: int | None = None
) -> tuple[AECGame[Any], list[str]]:
    """Return a game of a file of records, at a decision of it, and the names by seat.

    Args:
        path, game, move: as in `ResumePoint`.

    Raises:
        OSError: if the file cannot be read.
        ValueError: for a file without this game or move, or with several games if none is named.
    """
    try:
        if game is None and len(list(islice(plain_lines(path), 2))) > 1:
            raise ValueError(f"it holds several: name one by its number, as {path}#0")
        record = read_record(path, game or 0)
        if move is not None:
            record = cut_before(record, move)
    except ValueError as error:
        raise ValueError(f"{path} holds no game to go on with: {error}") from None
    return plain_class(record.table.game).from_saved(record), list(record.agents)


def cut_before(record: Record, move: int) -> Record:
    """Return the beginning of a game: its first `move` whole moves.

    Raises:
        ValueError: unless the game has a move after these.
    """
    count = -1
    for count, played in enumerate(record.course().moves()):
        if count == move:
            return replace(record, actions=record.actions[: played.number], outcome=None, gone=0)
    raise ValueError(f"there is no move {move}: its moves are 0 to {count}")


def believed(agents: list[str], path: Path) -> list[str]:
    """Return the agents that the file of a game names.

    Raises:
        ValueError: for an agent that is not harmless, since somebody else may have named it.
    """
    for agent in agents:
        if not is_harmless(agent):
            raise ValueError(
                f"{path} names the agent {agent!r}: if you want it to play, give it with "
                "--opponents, or others"
            )
    return agents


def go_on(path: Path, names: Sequence[str], *options: str) -> str:
    """Return the command that goes on with a game; it names agents that `believed` refuses.

    Args:
        path: the file of the game.
        names: who plays, by seat.
        options: further options of the command.
    """
    agents = [name for name in names if name != PERSON]
    asked = [] if all(map(is_harmless, agents)) else ["--opponents", ",".join(agents)]
    return command_line("play", *options, "--resume", str(path), *asked)
