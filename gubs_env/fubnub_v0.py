"""FUBNUB for 1 to 4 players, as a PettingZoo AEC environment.

Rules and rulings, observation, actions and rewards: docs/rules/fubnub.md.
"""

from __future__ import annotations

from typing import Any

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.game import Game
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.games.fubnub import kernel
from gubs_env.games.fubnub.actions import action_index, action_name, num_actions
from gubs_env.games.fubnub.cards import POINT_CARDS, ActionCard, Colour
from gubs_env.games.fubnub.observation import lead, observation_highs, observation_slices
from gubs_env.games.fubnub.rules import Rules, check_players, max_decisions, sides
from gubs_env.games.fubnub.score import Outcome, outcome
from gubs_env.games.fubnub.state import Phase, new_games
from gubs_env.games.fubnub.view import View
from gubs_env.render import fubnub as words

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
    "raw_env",
    "single_agent_env",
    "vector_env",
]

GAME = Game(
    name="fubnub_v0",
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
    sides=sides,
)


class raw_env(AECGame):
    """FUBNUB, strictly: an illegal action raises ValueError and changes nothing.

    Agents are the living players, in the order of their seats; ghosts are no agents. The reset
    option `starting_player` is who draws first for the first deal.

    Args:
        num_players: 1 to 4, by default 4; which of them, depends on the mode.
        rules: mode and options of the rules; the default is the traditional game of two teams.
        render_mode: None, "ansi" (`render` returns the table as text) or "human" (prints it).

    Raises:
        ValueError: for a number of players, rules or a render mode that cannot be.
    """

    game = GAME


class env(CheckedAEC, raw_env):
    """FUBNUB with all that PettingZoo's standard wrappers promise; arguments as for `raw_env`.

    An illegal action ends the game with a warning and a reward of −1 for the culprit; an action out
    of the space is an AssertionError; calls in the wrong order are errors.
    """


class single_agent_env(SingleAgentEnv):
    """FUBNUB for one agent, as a Gymnasium environment: `gymnasium.make("gubs_env/Fubnub-v0")`."""

    aec = raw_env


def vector_env(num_envs: int, num_players: int | None = None, **options: Any) -> VectorEnv:
    """Many games of FUBNUB in one array; takes the arguments of `VectorEnv` after `game`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
