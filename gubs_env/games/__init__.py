"""The games, each in a folder of its own, and finding one by its name.

Another package adds a game by an entry point of the group `gubs_env.games`. It names a module with
the record `GAME`, as the modules `gubs_env.gubs_v0` and so on have it:

    [project.entry-points."gubs_env.games"]
    kuhn_poker_v0 = "kuhn_poker"
"""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gubs_env.engine.game import Game

GROUP = "gubs_env.games"
VERSION = "_v0"
GAMES = ("gubs", "fubnub", "bad_bad_turtle")
"""The games of this package; each has a public module of that name and its version: `gubs_v0`."""


def game_names() -> tuple[str, ...]:
    """Return the names of all games, those of other packages last."""
    return (*GAMES, *(name.removesuffix(VERSION) for name in _modules() if name not in _own()))


def all_games() -> list[Game]:
    """Return the records of all games; warn of those that cannot be loaded."""
    found = []
    for name in game_names():
        try:
            found.append(find_game(name))
        except ValueError as error:
            warnings.warn(str(error), stacklevel=2)
    return found


def find_game(game: str | Game) -> Game:
    """Return the record of a game by its name, as "gubs" or "gubs_v0"; a record is returned as is.

    Raises:
        ValueError: for a name that no game has, or a game that cannot be imported.
    """
    return game if not isinstance(game, str) else public_module(game).GAME


def public_module(name: str) -> ModuleType:
    """Return the public module of a game, which holds `GAME`, by the name of the game.

    Raises:
        ValueError: as for `find_game`.
    """
    full = name if name.endswith(VERSION) else name + VERSION
    module = _own().get(full) or _modules().get(full)
    if module is None:
        raise ValueError(f"no game is called {name!r}: there are {', '.join(sorted(game_names()))}")
    try:
        found = import_module(module)
        if found.GAME.name == full:
            return found
        problem = f"its GAME is called {found.GAME.name!r}"
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    raise ValueError(f"the game {full} cannot be loaded from the module {module}: {problem}")


def _own() -> dict[str, str]:
    return {name + VERSION: f"gubs_env.{name}{VERSION}" for name in GAMES}


@cache
def _modules() -> dict[str, str]:
    """Return the modules of all games by their full names; those of this package stay ours."""
    return {point.name: point.value for point in entry_points(group=GROUP)} | _own()
