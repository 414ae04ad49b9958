"""Agents for the games of `gubs_env`. Each decides a batch of games at once.

An agent receives observations or views, which hold only what its player may know.

>>> import gubs_agents
>>> agent = gubs_agents.make("random", "gubs", seed=0)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, overload

from gubs_env import find_game, find_table

if TYPE_CHECKING:
    from gubs_env.agents.registry import Agent, AnyAgent, SearchAgent, TextAgent
    from gubs_env.engine.game import Game
    from gubs_env.engine.table import AnyTable

__all__ = ["check_options", "make", "names"]


def names(game: str | Game = "gubs") -> dict[str, str]:
    """Return the names of all registered agents for a game, each with one line about it."""
    from gubs_env.agents import registry  # after the commands are listed

    return registry.names(find_game(game))


def check_options(name: str, options: Iterable[str], game: str | Game = "gubs") -> None:
    """Raise ValueError for an agent that `make` does not find, or an option it lacks."""
    from gubs_env.agents.registry import Named

    Named(name, dict.fromkeys(options)).factory(find_game(game))


@overload
def make(
    name: Literal["random", "greedy", "heuristic", "policy"],
    table: AnyTable = ...,
    seed: int | None = ...,
    **options: Any,
) -> Agent: ...
@overload
def make(
    name: Literal["montecarlo", "ismcts"],
    table: AnyTable = ...,
    seed: int | None = ...,
    **options: Any,
) -> SearchAgent: ...
@overload
def make(
    name: Literal["llm"], table: AnyTable = ..., seed: int | None = ..., **options: Any
) -> TextAgent: ...
@overload
def make(name: str, table: AnyTable = ..., seed: int | None = ..., **options: Any) -> AnyAgent: ...
def make(name: str, table: AnyTable = "gubs", seed: int | None = None, **options: Any) -> AnyAgent:
    """Build an `Agent`, `SearchAgent` or `TextAgent` for a table.

    Args:
        name: one of `names(game)`, or `package.module:Class`.
        table: the table, as `env.table` or `gubs_env.find_table("gubs", num_players=4)`; a game or
            its name stands for its usual table. `policy` takes the network that is shipped for it,
            and refuses a network that was trained for other rules; so does a search with weights or
            beliefs.
        seed: seed of the RNG that it uses when it is given no RNGs.
        options: options of that agent.

    Raises:
        TypeError, ValueError: for an unknown game, name or option; the message lists the known
            ones. For rules for which the agent was not trained.
    """
    from gubs_env.agents.registry import Named

    return Named(name, options)(find_table(table), seed)
