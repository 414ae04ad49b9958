"""FUBNUB for 1 to 4 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings: docs/rules/fubnub.md. Observation, actions and rewards: docs/fubnub.md.

Attributes:
    GAME: the record of the game, which interfaces and agents read.
    POINT_CARDS: the point cards, in the order of their numbers.
"""

from __future__ import annotations

from typing_extensions import Unpack

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.single_vector import SingleAgentVectorEnv
from gubs_env.api.vector import VectorEnv, VectorOptions
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.view import View
from gubs_env.games.fubnub.cards import POINT_CARDS, ActionCard, Colour
from gubs_env.games.fubnub.game import GAME
from gubs_env.games.fubnub.history import Event
from gubs_env.games.fubnub.position import position
from gubs_env.games.fubnub.rules import Rules, max_decisions
from gubs_env.games.fubnub.state import Phase

__all__ = [
    "GAME",
    "POINT_CARDS",
    "ActionCard",
    "Colour",
    "Event",
    "Outcome",
    "Phase",
    "Rules",
    "View",
    "env",
    "event_slices",
    "max_decisions",
    "position",
    "raw_env",
    "rules_text",
    "single_agent_env",
    "single_agent_vector_env",
    "vector_env",
]

event_slices = GAME.event_slices
"""Return the named columns of a history, as `env.event_slices()` does."""
rules_text = GAME.rules_text
"""Return the rules on one page, for a beginner or a prompt."""


class raw_env(AECGame[Rules]):
    """FUBNUB without wrappers: an illegal action raises ValueError and changes nothing.

    The default is the traditional game of two teams, for 4 players; other modes are for 1 to 4.
    Agents are the players, in the order of their seats; ghosts are no agents. The player named by
    the reset option `starting_player` draws first for the first deal.
    """

    game = GAME
    """The game that is played."""


class env(CheckedAEC[Rules], raw_env):
    """FUBNUB with the conventions of PettingZoo's standard wrappers.

    An illegal action ends the game: −1 for the agent that chose it, 0 for the others. The arguments
    are those of `raw_env`.
    """


class single_agent_env(SingleAgentEnv):
    """FUBNUB for one agent: `gymnasium.make("gubs_env/Fubnub-v0")`."""

    aec = raw_env
    """The AEC environment that holds the game."""


class single_agent_vector_env(SingleAgentVectorEnv):
    """FUBNUB for one agent in many games, for `gymnasium.make_vec`."""

    game = GAME
    """The game that is played."""


def vector_env(
    num_envs: int, num_players: int | None = None, **options: Unpack[VectorOptions]
) -> VectorEnv:
    """Return many games of FUBNUB in one array, with the arguments of `VectorEnv`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
