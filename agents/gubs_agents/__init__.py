"""Agents for the games of `gubs_env`, batch first. Each receives what its seat may know, no more.

>>> import gubs_agents
>>> agent = gubs_agents.make("random", num_players=2, seed=0)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gubs_env import find_game
from gubs_env.api import agents
from gubs_env.engine.game import Game

__all__ = ["check_options", "make", "names"]


def names(game: str | Game = "gubs") -> dict[str, str]:
    """Return the agents that `make` builds for a game, each with one line about it."""
    return agents.names(find_game(game))


def check_options(name: str, options: Iterable[str], game: str | Game = "gubs") -> None:
    """Raise ValueError for a name that `names(game)` does not list, or an option it lacks."""
    agents.check_options(name, options, find_game(game))


def make(
    name: str,
    num_players: int | None = None,
    seed: int | None = None,
    game: str | Game = "gubs",
    **options: Any,
) -> Any:
    """Build an `Agent` or `SearchAgent` for tables of `num_players` of a game.

    Args:
        name: one of `names(game)`.
        num_players: players at the table; None: as many as the game has unless said otherwise.
        seed: what its own choices follow where it is given no RNGs.
        game: the name of a game, as "gubs", or its `Game`.
        options: of that agent.

    Raises:
        ValueError: for an unknown game, name or option, naming those there are.
    """
    return agents.make(name, find_game(game), num_players, seed, **options)
