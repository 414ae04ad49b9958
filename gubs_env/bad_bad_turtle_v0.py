"""Bad, Bad, Turtle for 2 to 8 players, as a PettingZoo AEC environment.

Rules and rulings: docs/rules/bad_bad_turtle.md. Observation, actions and rewards:
docs/bad_bad_turtle.md.
"""

from __future__ import annotations

from typing import Any

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.game import Game
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.games.bad_bad_turtle import kernel
from gubs_env.games.bad_bad_turtle.actions import action_index, action_name, num_actions
from gubs_env.games.bad_bad_turtle.cards import Card
from gubs_env.games.bad_bad_turtle.observation import lead, observation_highs, observation_slices
from gubs_env.games.bad_bad_turtle.rules import Rules, check_players
from gubs_env.games.bad_bad_turtle.score import Outcome, outcome
from gubs_env.games.bad_bad_turtle.state import Phase, new_games
from gubs_env.games.bad_bad_turtle.view import View
from gubs_env.render import bad_bad_turtle as words

__all__ = [
    "GAME",
    "Card",
    "Outcome",
    "Phase",
    "Rules",
    "View",
    "env",
    "raw_env",
    "single_agent_env",
    "vector_env",
]

GAME = Game(
    name="bad_bad_turtle_v0",
    players=4,
    rules=Rules,
    check_players=check_players,
    new_games=new_games,
    mechanics=kernel.MECHANICS,
    deal=kernel.deal,
    advance=kernel.advance,
    observe=kernel.observe,
    veil=kernel.veil,
    determinize=kernel.determinize,
    make_view=View,
    outcome=outcome,
    num_actions=num_actions,
    action_name=action_name,
    action_index=action_index,
    observation_slices=observation_slices,
    observation_highs=observation_highs,
    lead=lead,
    describe=words.describe,
    narrate=words.narrate,
)


class raw_env(AECGame):
    """Bad, Bad, Turtle, strictly: an illegal action raises ValueError and changes nothing.

    An eliminated player is never asked, but stays an agent to the end: a Restart Game can bring it
    back (T32). A game of `rules.max_cycles` decisions is truncated, with rewards of zero (T33).

    Args:
        num_players: 2 to 8, by default 4.
        rules: options of the rules; the default is the rules proper.
        render_mode: None, "ansi" (`render` returns the table as text) or "human" (prints it).

    Raises:
        ValueError: for a number of players, rules or a render mode that cannot be.
    """

    game = GAME


class env(CheckedAEC, raw_env):
    """The game with all that PettingZoo's standard wrappers promise; arguments as of `raw_env`.

    An illegal action ends the game with a warning and a reward of −1 for the culprit; an action out
    of the space is an AssertionError; calls in the wrong order are errors.
    """


class single_agent_env(SingleAgentEnv):
    """For one agent, as a Gymnasium environment: `gymnasium.make("gubs_env/BadBadTurtle-v0")`."""

    aec = raw_env


def vector_env(num_envs: int, num_players: int | None = None, **options: Any) -> VectorEnv:
    """Many games in one array; takes the arguments of `VectorEnv` after `game`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
