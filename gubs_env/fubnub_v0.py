"""FUBNUB for 1 to 4 players, as a PettingZoo AEC environment.

Rules and rulings, observation, actions and rewards: docs/rules/fubnub.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from gubs_env.api.aec import AECGame
from gubs_env.api.agent import Agent
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

PLAYERS = 4  # of the traditional game


def _view(games: np.ndarray, index: int, player: int) -> View:
    copy = games[index : index + 1].copy()
    kernel.veil(copy, 0, player)
    return View(player, copy[0])


GAME = Game(
    name="fubnub_v0",
    players=PLAYERS,
    rules=Rules,
    check_players=check_players,
    new_games=new_games,
    mechanics=kernel.MECHANICS,
    deal=kernel.deal,
    advance=kernel.advance,
    observe=kernel.observe,
    veil=kernel.veil,
    determinize=kernel.determinize,
    view=_view,
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
        num_players: 1 to 4; which of them, depends on the mode.
        rules: mode and options of the rules; the default is the traditional game of two teams.
        render_mode: None, "ansi" (`render` returns the table as text) or "human" (prints it).

    Raises:
        ValueError: for a number of players, rules or a render mode that cannot be.
    """

    metadata: ClassVar = {
        "render_modes": ["ansi", "human"],
        "name": "fubnub_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    game = GAME

    def __init__(
        self,
        num_players: int = PLAYERS,
        rules: Rules | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(num_players, Rules() if rules is None else rules, render_mode)


class env(CheckedAEC, raw_env):
    """FUBNUB with all that PettingZoo's standard wrappers promise; arguments as for `raw_env`.

    An illegal action ends the game with a warning and a reward of −1 for the culprit; an action out
    of the space is an AssertionError; calls in the wrong order are errors.
    """


class single_agent_env(SingleAgentEnv):
    """FUBNUB for one agent, as a Gymnasium environment: `gymnasium.make("gubs_env/Fubnub-v0")`."""

    aec = raw_env
    metadata = raw_env.metadata

    def __init__(
        self,
        num_players: int = PLAYERS,
        opponents: Sequence[Agent] | None = None,
        seat: int | None = None,
        rules: Rules | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(num_players, opponents, seat, rules, render_mode)


def vector_env(num_envs: int, num_players: int = PLAYERS, **options: Any) -> VectorEnv:
    """Many games of FUBNUB in one array; takes the arguments of `VectorEnv` after `game`."""
    return VectorEnv(GAME, num_envs, num_players, **options)
