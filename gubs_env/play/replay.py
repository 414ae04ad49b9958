"""The file of a game: a record, which the command `replay` shows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gubs_env.agents.registry import is_harmless
from gubs_env.api.aec import AECGame
from gubs_env.engine.game import Game
from gubs_env.games import public_module
from gubs_env.play.session import PERSON
from gubs_env.records.record import Record, read_record
from gubs_env.support.files import replace_file
from gubs_env.support.output import command_line


def environment(game: Game) -> type[AECGame[Any]]:
    """Return the class `raw_env` of a game, which refuses illegal actions and can be pickled."""
    raw_env: type[AECGame[Any]] = public_module(game.name).raw_env
    return raw_env


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


def read_game(path: Path) -> tuple[AECGame[Any], list[str]]:
    """Return the first game of a file of records, at its last decision, and the names by seat.

    Raises:
        OSError: if the file cannot be read.
        ValueError: for a file that holds no game.
    """
    try:
        record = read_record(path, 0)
        env = environment(record.game).from_saved(record)
        return env, list(record.agents)
    except ValueError as error:
        raise ValueError(f"{path} holds no game to go on with: {error}") from None


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
