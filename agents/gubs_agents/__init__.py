"""Agents for the games of `gubs_env`. Each decides a batch of games at once.

An agent receives observations or views, which hold only what its player may know.

>>> import gubs_agents
>>> agent = gubs_agents.make("random", num_players=2, seed=0)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, overload

from gubs_env import find_game
from gubs_env.agents import registry
from gubs_env.agents.registry import Agent, AnyAgent, SearchAgent
from gubs_env.agents.text_game import TextAgent
from gubs_env.engine.game import Game

__all__ = ["check_options", "make", "names"]


def names(game: str | Game = "gubs") -> dict[str, str]:
    """Return the names of all registered agents for a game, each with one line about it."""
    return registry.names(find_game(game))


def check_options(name: str, options: Iterable[str], game: str | Game = "gubs") -> None:
    """Raise ValueError for an agent that `make` does not find, or an option it lacks."""
    registry.check_options(name, options, find_game(game))


@overload
def make(
    name: Literal["random", "greedy", "heuristic", "policy"],
    num_players: int | None = ...,
    seed: int | None = ...,
    game: str | Game = ...,
    rules: Any = ...,
    **options: Any,
) -> Agent: ...
@overload
def make(
    name: Literal["montecarlo", "ismcts"],
    num_players: int | None = ...,
    seed: int | None = ...,
    game: str | Game = ...,
    rules: Any = ...,
    **options: Any,
) -> SearchAgent: ...
@overload
def make(
    name: Literal["llm"],
    num_players: int | None = ...,
    seed: int | None = ...,
    game: str | Game = ...,
    rules: Any = ...,
    **options: Any,
) -> TextAgent: ...
@overload
def make(
    name: str,
    num_players: int | None = ...,
    seed: int | None = ...,
    game: str | Game = ...,
    rules: Any = ...,
    **options: Any,
) -> AnyAgent: ...
def make(
    name: str,
    num_players: int | None = None,
    seed: int | None = None,
    game: str | Game = "gubs",
    rules: Any = None,
    **options: Any,
) -> AnyAgent:
    """Build an `Agent`, `SearchAgent` or `TextAgent` for a game.

    Args:
        name: one of `names(game)`, or `package.module:Class`.
        num_players: number of players at the table; None: the usual number of the game.
        seed: seed of the RNG that it uses when it is given no RNGs.
        game: the name of a game, as "gubs", or its `Game`.
        rules: the rules of the table, as for the environment; None: the default rules. `policy`
            takes the network that is shipped for them, and refuses a network that was trained for
            other ones; so does a search with weights or beliefs. The other agents of this package
            read the rules from what they are asked, and do not use these.
        options: options of that agent.

    Raises:
        TypeError, ValueError: for an unknown game, name or option; the message lists the known
            ones. For rules that are not allowed, or for which the agent was not trained.
    """
    return registry.make(name, find_game(game), num_players, seed, rules, **options)
