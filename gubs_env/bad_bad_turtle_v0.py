"""Bad, Bad, Turtle for 2 to 8 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings: docs/rules/bad_bad_turtle.md. Observation, actions and rewards:
docs/bad_bad_turtle.md.

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


class raw_env(AECGame[Rules]):
    """Bad, Bad, Turtle without wrappers: an illegal action raises ValueError and changes nothing.

    An eliminated player is never asked, but stays an agent to the end: a Restart Game can bring
    them back (T32). A game of `rules.max_cycles` decisions is truncated, with rewards of zero
    (T33).
    """

    game = GAME
    """The game that is played."""


class env(CheckedAEC[Rules], raw_env):
    """Bad, Bad, Turtle with the conventions of PettingZoo's standard wrappers.

    An illegal action ends the game: −1 for the agent that chose it, 0 for the others. The arguments
    are those of `raw_env`.
    """


class single_agent_env(SingleAgentEnv):
    """Bad, Bad, Turtle for one agent: `gymnasium.make("gubs_env/BadBadTurtle-v0")`."""

    aec = raw_env
    """The AEC environment that holds the game."""


class single_agent_vector_env(SingleAgentVectorEnv):
    """Bad, Bad, Turtle for one agent in many games, for `gymnasium.make_vec`."""

    game = GAME
    """The game that is played."""


def vector_env(
    num_envs: int, num_players: int | None = None, **options: Unpack[VectorOptions]
) -> VectorEnv:
    """Return many games of Bad, Bad, Turtle in one array, with the arguments of `VectorEnv`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
