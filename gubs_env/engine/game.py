"""The record of a game: everything that the interfaces, agents and training need of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gubs_env.engine.kernel import Kernel
from gubs_env.engine.mechanics import Mechanics
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.slices import Slice, highs_of, size_of
from gubs_env.engine.view import View


def each_alone(num_players: int, rules: Any) -> np.ndarray:
    """Return the sides of a game without partners."""
    return np.arange(num_players)


@dataclass(frozen=True)
class Game:
    """The functions of one game.

    `states` is always an array of rows, one row a game, as `new_states` makes them; `state` is one
    row. Every row has the fields of `fields.COMMON_FIELDS`.
    """

    name: str
    """The name of its public module."""
    title: str
    """The name on the box."""
    players: int
    """Players at a table unless said otherwise."""
    rules: type
    """Dataclass of the rule options, with `as_dict()`."""
    check_players: Callable[[int, Any], None]
    """(num_players, rules): raises ValueError unless these can be played together."""
    new_states: Callable[[int, int, Any], np.ndarray]
    """(count, num_players, rules) → rows before anything is dealt."""
    mechanics: Mechanics
    """The compiled rules, for whoever plays on by themselves, in Numba code of their own."""
    kernel: Kernel
    """The compiled functions that Python calls."""
    outcome: Callable[[Any], Outcome]
    """(state) → scores, winners and what decided, or would if the game ended now."""
    num_actions: Callable[[int], int]
    """(num_players) → size of the action space."""
    action_name: Callable[[int, int], str]
    """(action, num_players) → its name."""
    action_index: Callable[[str, int], int]
    """(name, num_players) → the action; inverse of `action_name`."""
    observation_slices: Callable[[int], dict[str, Slice]]
    """(num_players) → the named pieces of the observation."""
    lead: Callable[[np.ndarray, int], np.ndarray]
    """(observations, num_players) → float32[batch]: how far the viewer is ahead of the best of the
    others, in points, as it sees it."""
    describe: Callable[[View, bool], str]
    """(view, colour) → the table in words."""
    narrate: Callable[[Any, int, Any, int | None], list[str]]
    """(state before, action, state after, viewer or None) → one decision in words."""
    sides: Callable[[int, Any], np.ndarray] = each_alone
    """(num_players, rules) → the side of each player, int64[num_players], numbered from 0.
    Partners, who win and lose together, share one; `Mechanics.side_of` says so of a state."""

    def observation_size(self, num_players: int) -> int:
        """Return the length of the observation vector."""
        return size_of(self.observation_slices(num_players))

    def observation_highs(self, num_players: int) -> np.ndarray:
        """Return the largest value of each entry, int8[observation_size]; the least is 0."""
        return highs_of(self.observation_slices(num_players))

    def view(self, states: np.ndarray, index: int, player: int) -> View:
        """Return what a player may know of one game, as a copy."""
        copy = states[index : index + 1].copy()
        self.kernel.hide(copy, 0, player)
        return View(player, copy[0])

    def payoffs(self, state: Any) -> np.ndarray:
        """Return the payoffs of a game that is over, float32[num_players]; of another, what it
        would pay if it ended as it stands."""
        payoffs = np.zeros(state.num_players, np.float32)
        self.mechanics.write_payoffs(state, payoffs)
        return payoffs
