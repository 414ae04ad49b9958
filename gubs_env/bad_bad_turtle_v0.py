"""Bad, Bad, Turtle for 2 to 8 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings: docs/rules/bad_bad_turtle.md. Observation, actions and rewards:
docs/bad_bad_turtle.md.

Attributes:
    GAME: the record of the game, which interfaces and agents read.
"""

from __future__ import annotations

from gubs_env.api.environments import Environments, environments
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.view import View
from gubs_env.games.bad_bad_turtle.cards import Card
from gubs_env.games.bad_bad_turtle.game import GAME
from gubs_env.games.bad_bad_turtle.history import Event
from gubs_env.games.bad_bad_turtle.position import position
from gubs_env.games.bad_bad_turtle.rules import Rules
from gubs_env.games.bad_bad_turtle.state import Phase

__all__ = [
    "GAME",
    "Card",
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
