"""Players. Each gets what its seat may know, for a batch of games at once, and nothing else.

>>> import agents
>>> agent = agents.make("random", num_players=2, seed=0)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from agents.games import find_game, players_by_rule
from agents.network import policy
from agents.search import ISMCTS, MonteCarlo
from agents.uniform import Uniform
from gubs_env.api.agent import Agent
from gubs_env.api.game import Game

__all__ = ["Agent", "check_options", "make", "names"]


_SHARED = ("num_players", "seed", "game")
_OF_ANY_GAME: dict[str, Callable[..., Any]] = {
    "montecarlo": MonteCarlo,
    "ismcts": ISMCTS,
    "policy": policy,
}
"""Those that are told which game they play."""


def _builders(game: Game) -> dict[str, Callable[..., Any]]:
    return {"random": Uniform, **players_by_rule(game), **_OF_ANY_GAME}


def names(game: str | Game = "gubs") -> dict[str, str]:
    """The agents that `make` builds for a game, each with one line about it."""
    builders = _builders(find_game(game))
    return {name: (build.__doc__ or "").split("\n")[0] for name, build in builders.items()}


def check_options(name: str, options: Iterable[str], game: str | Game = "gubs") -> None:
    """Raises ValueError for a name that `names(game)` does not list, or an option it does not take,
    naming those there are."""
    game = find_game(game)
    builders = _builders(game)
    if name not in builders:
        raise ValueError(
            f"no agent is called {name!r} in {game.name}: there are {sorted(builders)}"
        )
    allowed = [p for p in inspect.signature(builders[name]).parameters if p not in _SHARED]
    if unknown := sorted(set(options) - set(allowed)):
        there_are = f"its options are {', '.join(allowed)}" if allowed else "it has no options"
        raise ValueError(f"agent {name!r} has no option {', '.join(unknown)}: {there_are}")


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
        num_players: seats at the table; None: as many as the game has unless said otherwise.
        seed: what its own choices follow where it is given no generators.
        game: a name of `agents.games.GAMES`, or a `Game`.
        options: of that agent.

    Raises:
        ValueError: for an unknown game, name or option, naming those there are.
    """
    game = find_game(game)
    check_options(name, options, game)
    num_players = game.players if num_players is None else num_players
    if name in _OF_ANY_GAME:
        return _OF_ANY_GAME[name](num_players, seed, game=game, **options)
    return _builders(game)[name](num_players, seed, **options)
