"""Gubs for 2 to 6 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings: docs/rules/gubs.md. Observation, actions and rewards: docs/gubs.md.

Attributes:
    GAME: the record of the game, which interfaces and agents read.
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
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.deals import all_deals
from gubs_env.games.gubs.game import GAME
from gubs_env.games.gubs.history import Event
from gubs_env.games.gubs.position import position
from gubs_env.games.gubs.rules import Rules, max_decisions
from gubs_env.games.gubs.state import Phase

__all__ = [
    "GAME",
    "Card",
    "Event",
    "Outcome",
    "Phase",
    "Rules",
    "View",
    "all_deals",
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
    """Gubs without wrappers: an illegal action raises ValueError and changes nothing."""

    game = GAME
    """The game that is played."""


class env(CheckedAEC[Rules], raw_env):
    """Gubs with the conventions of PettingZoo's standard wrappers.

    An illegal action ends the game: −1 for the agent that chose it, 0 for the others. The arguments
    are those of `raw_env`.
    """


class single_agent_env(SingleAgentEnv):
    """Gubs for one agent: `gymnasium.make("gubs_env/Gubs-v0")`."""

    aec = raw_env
    """The AEC environment that holds the game."""


class single_agent_vector_env(SingleAgentVectorEnv):
    """Gubs for one agent in many games, for `gymnasium.make_vec`."""

    game = GAME
    """The game that is played."""


def vector_env(
    num_envs: int, num_players: int | None = None, **options: Unpack[VectorOptions]
) -> VectorEnv:
    """Return many games of Gubs in one array, with the arguments of `VectorEnv`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
