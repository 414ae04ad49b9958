"""Bad, Bad, Turtle for 2 to 8 players, as PettingZoo, Gymnasium and vectorised environments.

Rules and rulings: docs/rules/bad_bad_turtle.md. Observation, actions and rewards:
docs/bad_bad_turtle.md.
"""

from __future__ import annotations

from typing import Any

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.view import View
from gubs_env.games.bad_bad_turtle.cards import Card
from gubs_env.games.bad_bad_turtle.game import GAME
from gubs_env.games.bad_bad_turtle.position import position
from gubs_env.games.bad_bad_turtle.rules import Rules
from gubs_env.games.bad_bad_turtle.state import Phase

__all__ = [
    "GAME",
    "Card",
    "Outcome",
    "Phase",
    "Rules",
    "View",
    "env",
    "position",
    "raw_env",
    "single_agent_env",
    "vector_env",
]


class raw_env(AECGame):
    """Bad, Bad, Turtle, strictly: an illegal action raises ValueError and changes nothing.

    An eliminated player is never asked, but stays an agent to the end: a Restart Game can bring
    them back (T32). A game of `rules.max_cycles` decisions is truncated, with rewards of zero
    (T33).
    """

    game = GAME


class env(CheckedAEC, raw_env):
    """Bad, Bad, Turtle with everything that PettingZoo's standard wrappers do.

    It takes the arguments of `raw_env`.
    """


class single_agent_env(SingleAgentEnv):
    """Bad, Bad, Turtle for one agent: `gymnasium.make("gubs_env/BadBadTurtle-v0")`."""

    aec = raw_env


def vector_env(num_envs: int, num_players: int | None = None, **options: Any) -> VectorEnv:
    """Many games of Bad, Bad, Turtle in one array; arguments as for `VectorEnv`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
