"""Gubs for 2 to 6 players, as a PettingZoo AEC environment.

Rules and rulings: docs/rules/gubs.md. Observation, actions and rewards: docs/gubs.md.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

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


def _view(games: np.ndarray, index: int, seat: int) -> View:
    copy = games[index : index + 1].copy()
    kernel.veil(copy, 0, seat)
    return View(seat, copy[0])


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
)


class raw_env(AECGame):
    """Gubs, strictly: an illegal action raises ValueError and changes nothing.

    Args:
        num_players: 2 to 6.
        rules: options of the rules; the default is the rules proper.
        render_mode: None, "ansi" (`render` returns the table as text) or "human" (prints it).

    Raises:
        ValueError: for a number of players, rules or a render mode that cannot be.
    """

    metadata: ClassVar = {
        "render_modes": ["ansi", "human"],
        "name": "gubs_v0",
        "is_parallelizable": False,
        "render_fps": 1,
    }

    game = GAME

    def __init__(
        self,
        num_players: int = 2,
        rules: Rules | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(num_players, Rules() if rules is None else rules, render_mode)


class env(CheckedAEC, raw_env):
    """Gubs with all that PettingZoo's standard wrappers promise; takes the arguments of `raw_env`.

    An illegal action ends the game with a warning and a reward of −1 for the culprit; an action out
    of the space is an AssertionError; calls in the wrong order are errors.
    """


class single_agent_env(SingleAgentEnv):
    """Gubs for one agent, as a Gymnasium environment: `gymnasium.make("gubs_env/Gubs-v0")`."""

    aec = raw_env
    metadata = raw_env.metadata


def vector_env(num_envs: int, **options: Any) -> VectorEnv:
    """Many games of Gubs in one array; takes the arguments of `VectorEnv` after `game`."""
    return VectorEnv(GAME, num_envs, **options)
