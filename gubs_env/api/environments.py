"""The five environments of a game that has no module with classes of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.registering import register
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.single_vector import SingleAgentVectorEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.game import Game


class Environments(NamedTuple):
    """The environments of one game."""

    env: type[CheckedAEC[Any]]
    """PettingZoo, with the conventions of its standard wrappers."""
    raw_env: type[AECGame[Any]]
    """PettingZoo; an illegal action raises ValueError and changes nothing."""
    single_agent_env: type[SingleAgentEnv]
    """Gymnasium: one agent, with others in the other seats."""
    single_agent_vector_env: type[SingleAgentVectorEnv]
    """The same in many games, for `gymnasium.make_vec`."""
    vector_env: Callable[..., VectorEnv]
    """(num_envs, num_players, …): many games in one array, see `VectorEnv`."""


def environments(game: Game, module: str) -> Environments:
    """Return the environments of a game, and register them with Gymnasium and PettingZoo.

    Args:
        game: the game.
        module: the name of the module that keeps them under their names, `__name__`.
    """
    raw = type("raw_env", (AECGame,), {"game": game, "__module__": module})
    made = Environments(
        env=type("env", (CheckedAEC, raw), {"__module__": module}),
        raw_env=raw,
        single_agent_env=type(
            "single_agent_env", (SingleAgentEnv,), {"aec": raw, "__module__": module}
        ),
        single_agent_vector_env=type(
            "single_agent_vector_env", (SingleAgentVectorEnv,), {"game": game, "__module__": module}
        ),
        vector_env=partial(VectorEnv, game),
    )
    register(game.name, module)
    return made
