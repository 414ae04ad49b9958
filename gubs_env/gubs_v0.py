"""Gubs for 2 to 6 players, as a PettingZoo AEC environment.

Rules and rulings: docs/rules/gubs.md. Observation, actions and rewards: docs/gubs.md.
"""

from __future__ import annotations

from typing import Any

from gubs_env.api.aec import AECGame
from gubs_env.api.checked import CheckedAEC
from gubs_env.api.game import Game
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.vector import VectorEnv
from gubs_env.games.gubs import kernel
from gubs_env.games.gubs.actions import action_index, action_name, num_actions
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.observation import lead, observation_highs, observation_slices
from gubs_env.games.gubs.rules import Rules, check_players, max_decisions
from gubs_env.games.gubs.score import Outcome, outcome
from gubs_env.games.gubs.state import Phase, new_games
from gubs_env.games.gubs.view import View
from gubs_env.render import gubs as words

__all__ = [
    "GAME",
    "Card",
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
    name="gubs_v0",
    players=2,
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
    """Gubs, strictly: an illegal action raises ValueError and changes nothing.

    Args:
        num_players: 2 to 6, by default 2.
        rules: options of the rules; the default is the rules proper.
        render_mode: None, "ansi" (`render` returns the table as text) or "human" (prints it).

    Raises:
        ValueError: for a number of players, rules or a render mode that cannot be.
    """

    game = GAME


class env(CheckedAEC, raw_env):
    """Gubs with all that PettingZoo's standard wrappers promise; takes the arguments of `raw_env`.

    An illegal action ends the game with a warning and a reward of −1 for the culprit; an action out
    of the space is an AssertionError; calls in the wrong order are errors.
    """


class single_agent_env(SingleAgentEnv):
    """Gubs for one agent, as a Gymnasium environment: `gymnasium.make("gubs_env/Gubs-v0")`."""

    aec = raw_env


def vector_env(num_envs: int, num_players: int | None = None, **options: Any) -> VectorEnv:
    """Many games of Gubs in one array; takes the arguments of `VectorEnv` after `game`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
