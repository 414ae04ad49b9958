"""The games, each in a folder of its own, and finding one by its name."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gubs_env.engine.game import Game

GAMES = ("gubs", "fubnub", "bad_bad_turtle")
"""The names of the games; each has a public module of that name and its version, as `gubs_v0`."""


def find_game(game: str | Game) -> Game:
    """Return the record of a game by its name, as "gubs" or "gubs_v0"; a record is returned as is.

    Raises:
        ValueError: for a name that is not in `GAMES`.
    """
    if not isinstance(game, str):
        return game
    name = game.removesuffix("_v0")
    if name not in GAMES:
        raise ValueError(f"no game is called {game!r}: there are {', '.join(sorted(GAMES))}")
    return import_module(f"gubs_env.{name}_v0").GAME
