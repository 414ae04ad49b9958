"""Gubs for 2 to 6 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings: docs/rules/gubs.md. Observation, actions and rewards: docs/gubs.md.
"""

from __future__ import annotations

from typing import Any

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.view import View
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.game import GAME
from gubs_env.games.gubs.position import position
from gubs_env.games.gubs.rules import Rules, max_decisions
from gubs_env.games.gubs.state import Phase

__all__ = [
    "GAME",
    "Card",
    "Outcome",
    "Phase",
    "Rules",
    "View",
    "env",
    "max_decisions",
    "position",
    "raw_env",
    "single_agent_env",
    "vector_env",
]


class raw_env(AECGame):
    """Gubs, strictly: an illegal action raises ValueError and changes nothing."""

    game = GAME


class env(CheckedAEC, raw_env):
    """Gubs with everything that PettingZoo's standard wrappers do.

    It takes the arguments of `raw_env`.
    """


class single_agent_env(SingleAgentEnv):
    """Gubs for one agent: `gymnasium.make("gubs_env/Gubs-v0")`."""

    aec = raw_env


def vector_env(num_envs: int, num_players: int | None = None, **options: Any) -> VectorEnv:
    """Many games of Gubs in one array; arguments as for `VectorEnv`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
