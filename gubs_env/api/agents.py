"""The protocols that agents follow, and the registry that finds agents by name.

This package contains no agents. A package that does registers a builder for each of them as an
entry point of the group `gubs_env.agents`:

    [project.entry-points."gubs_env.agents"]
    mine = "my_package.agents:build_mine"

A builder is called as `build(num_players, seed, game=game, **options)` and returns an `Agent` or a
`SearchAgent`. It may have an attribute `plays(game)`, which says for which games it can do so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol

import numpy as np

from gubs_env.engine.game import Game

GROUP = "gubs_env.agents"
SHARED_OPTIONS = ("num_players", "seed", "game")
Builder = Callable[..., Any]


class Agent(Protocol):
    """An agent that chooses actions for a batch of decisions."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return legal actions, int64[batch].

        Args:
            observations: int8[batch, observation_size].
            masks: int8[batch, num_actions], each with at least one legal action.
            rngs: int64[batch, 4], an RNG for each decision (`engine.rng`), from which all chance is
                taken, so that no other decision has a part in it; they are moved on. None: the
                agent's own chance, which follows its seed.
        """
        ...


class SearchAgent(Protocol):
    """An agent that chooses actions by playing on from what a seat may know."""

    def search(self, views: np.ndarray, rngs: np.ndarray | None = None) -> np.ndarray:
        """Return legal actions, int64[batch].

        Args:
            views: STATE[batch] as `VectorEnv.views` gives them, each with a decision to take.
            rngs: as for `Agent.act`.
        """
        ...


@cache
def registered() -> dict[str, EntryPoint]:
    """Return the entry points of all installed agents by name, in alphabetical order."""
    found = {point.name: point for point in entry_points(group=GROUP)}
    return dict(sorted(found.items()))


def plays(build: Builder, game: Game) -> bool:
    """Whether a builder can build its agent for a game."""
    return not hasattr(build, "plays") or build.plays(game)


def names(game: Game) -> dict[str, str]:
    """Return the agents that `make` builds for a game, each with one line about it."""
    loaded = {name: point.load() for name, point in registered().items()}
    return {
        name: (build.__doc__ or "").split("\n")[0]
        for name, build in loaded.items()
        if plays(build, game)
    }


def builder_of(name: str, game: Game) -> Builder:
    """Return the builder of an agent; no other agent's package is imported.

    Raises:
        ValueError: for an agent that is not registered for a game, naming those that are.
    """
    point = registered().get(name)
    build = point.load() if point else None
    if build is None or not plays(build, game):
        there_are = f"there are {sorted(names(game))}" if registered() else "none is installed"
        raise ValueError(f"no agent is called {name!r} in {game.name}: {there_are}")
    return build


def check_options(name: str, options: Iterable[str], game: Game) -> None:
    """Raise ValueError for an agent that is not registered for a game, or an option it lacks."""
    parameters = inspect.signature(builder_of(name, game)).parameters
    allowed = [parameter for parameter in parameters if parameter not in SHARED_OPTIONS]
    if unknown := sorted(set(options) - set(allowed)):
        there_are = f"its options are {', '.join(allowed)}" if allowed else "it has no options"
        raise ValueError(f"agent {name!r} has no option {', '.join(unknown)}: {there_are}")


def make(
    name: str, game: Game, num_players: int | None = None, seed: int | None = None, **options: Any
) -> Any:
    """Build a registered `Agent` or `SearchAgent`.

    Args:
        name: one of `names(game)`.
        game: the game it is to play.
        num_players: players at the table; None: as many as the game has unless said otherwise.
        seed: what its own choices follow where it is given no RNGs.
        options: of that agent.

    Raises:
        ValueError: for an unknown name or option, naming those there are.
    """
    check_options(name, options, game)
    num_players = game.players if num_players is None else num_players
    return builder_of(name, game)(num_players, seed, game=game, **options)
