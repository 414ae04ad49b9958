"""The file of a game played: the one place that knows its format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gubs_env import find_game
from gubs_env.api.aec import AECGame
from gubs_env.engine.border import read_json
from gubs_env.engine.game import Game

LONGEST_FILE = 1 << 24
"""The most bytes of a file that are read."""


def environment(game: Game) -> type[AECGame[Any]]:
    """Return the environment of a game, which refuses illegal actions."""
    return type("Table", (AECGame,), {"game": game})


def write_game(path: Path, env: AECGame[Any]) -> None:
    """Write a game, over or not, in one step: a file is never half written.

    Raises:
        OSError: if the file cannot be written.
    """
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        beside.write_text(env.to_json() + "\n", encoding="utf-8")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def read_game(path: Path) -> AECGame[Any]:
    """Return a game that `write_game` wrote, at the same decision.

    Raises:
        OSError: if the file cannot be read.
        ValueError: for a file that holds no game.
    """
    with path.open("rb") as file:
        data = file.read(LONGEST_FILE + 1)
    try:
        if len(data) > LONGEST_FILE:
            raise ValueError(f"it has more than {LONGEST_FILE:,} bytes")
        text = data.decode()
        saved = read_json(text, "a saved game")
        name = saved.get("game") if isinstance(saved, dict) else None
        if not isinstance(name, str):
            raise ValueError("it names no game")
        return environment(find_game(name)).from_json(text)
    except ValueError as error:
        raise ValueError(f"{path} holds no game to go on with: {error}") from None
