"""FUBNUB for 1 to 4 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings: docs/rules/fubnub.md. Observation, actions and rewards: docs/fubnub.md.

The default is the traditional game of two teams, for 4 players; other modes are for 1 to 4. Agents
are the players, in the order of their seats; ghosts are no agents. The player named by the reset
option `starting_player` draws first for the first deal.

Attributes:
    GAME: the record of the game, which interfaces and agents read.
    POINT_CARDS: the point cards, in the order of their numbers.
"""

from __future__ import annotations

from gubs_env.api.environments import Environments, environments
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.view import View
from gubs_env.games.fubnub.cards import POINT_CARDS, ActionCard, Colour
from gubs_env.games.fubnub.game import GAME
from gubs_env.games.fubnub.history import Event
from gubs_env.games.fubnub.position import position
from gubs_env.games.fubnub.rules import Rules
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

_environments: Environments[Rules] = environments(GAME, __name__)
env, raw_env, single_agent_env, single_agent_vector_env, vector_env = _environments
