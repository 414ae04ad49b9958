"""FUBNUB for 1 to 4 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings, observation, actions and rewards: docs/rules/fubnub.md.
"""

from __future__ import annotations

from typing import Any

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.view import View
from gubs_env.games.fubnub.cards import POINT_CARDS, ActionCard, Colour
from gubs_env.games.fubnub.game import GAME
from gubs_env.games.fubnub.position import position
from gubs_env.games.fubnub.rules import Rules, max_decisions
from gubs_env.games.fubnub.state import Phase

__all__ = [
    "GAME",
    "POINT_CARDS",
    "ActionCard",
    "Colour",
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
    """FUBNUB, strictly: an illegal action raises ValueError and changes nothing.

    The default is the traditional game of two teams, for 4 players; other modes are for 1 to 4.
    Agents are the players, in the order of their seats; ghosts are no agents. The reset option
    `starting_player` is who draws first for the first deal.
    """

    game = GAME


class env(CheckedAEC, raw_env):
    """FUBNUB with everything that PettingZoo's standard wrappers do.

    It takes the arguments of `raw_env`.
    """


class single_agent_env(SingleAgentEnv):
    """FUBNUB for one agent: `gymnasium.make("gubs_env/Fubnub-v0")`."""

    aec = raw_env


def vector_env(num_envs: int, num_players: int | None = None, **options: Any) -> VectorEnv:
    """Many games of FUBNUB in one array; arguments as for `VectorEnv`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
