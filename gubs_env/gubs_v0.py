"""Gubs for 2 to 6 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings: docs/rules/gubs.md. Observation, actions and rewards: docs/gubs.md.

Attributes:
    GAME: the record of the game, which interfaces and agents read.
"""

from __future__ import annotations

from gubs_env.api.environments import Environments, environments
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.view import View
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.deals import all_deals
from gubs_env.games.gubs.game import GAME
from gubs_env.games.gubs.history import Event
from gubs_env.games.gubs.position import position
from gubs_env.games.gubs.rules import Rules
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
