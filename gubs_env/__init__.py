"""Reinforcement-learning environments for Gubs and the games of its family.

>>> from gubs_env import gubs_v0
>>> env = gubs_v0.env(num_players=4)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import gymnasium

if TYPE_CHECKING:
    from gubs_env.engine.game import Game

__version__ = "0.2.0"
GAMES = ("gubs", "fubnub", "bad_bad_turtle")
"""Names of the games; each has a public module of that name and its version, as `gubs_v0`."""

gymnasium.register("gubs_env/Gubs-v0", entry_point="gubs_env.gubs_v0:single_agent_env")
gymnasium.register("gubs_env/Fubnub-v0", entry_point="gubs_env.fubnub_v0:single_agent_env")
gymnasium.register(
    "gubs_env/BadBadTurtle-v0", entry_point="gubs_env.bad_bad_turtle_v0:single_agent_env"
)


def find_game(game: str | Game) -> Game:
    """Return the record of a game by its name, as "gubs" or "gubs_v0"; a record is returned as is.

    Raises:
        ValueError: for a name that is not in `GAMES`.
    """
    if not isinstance(game, str):
        return game
    name = game.removesuffix("_v0")
    if name not in GAMES:
        raise ValueError(f"no game is called {game!r}: there are {sorted(GAMES)}")
    return import_module(f"gubs_env.{name}_v0").GAME
