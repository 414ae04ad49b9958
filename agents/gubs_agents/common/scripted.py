"""The base of scripted agents: one compiled function of observation and mask chooses the action."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, ClassVar

import numpy as np

from gubs_agents.common.decisions import SOUND, Table, form, is_legal, is_sound, refuse
from gubs_env._compiler.arrays import borrowed
from gubs_env._compiler.compilation import Compiled
from gubs_env._compiler.templates import Placeholder, Templates

templates = Templates()
choose_action = Placeholder("choose_action")


@templates.entry_template
def choose_actions(observations, masks, num_players, rngs, highs, weights, actions):
    """Write the action that `choose_action` chooses for each decision of a batch, int64[batch].

    Stops at the first decision that is not sound, or whose answer is not a legal action, and
    returns its row; returns SOUND at the end.
    """
    for row in range(len(masks)):
        observation, mask = borrowed(observations[row]), borrowed(masks[row])
        rng = borrowed(rngs[row])
        if not is_sound(observation, mask, rng, highs):
            return row
        actions[row] = choose_action(observation, mask, num_players, rng, *weights)
        if not is_legal(actions[row], mask):
            return row
    return SOUND


@cache
def choose_actions_by(choose_action: Compiled) -> Compiled:
    """Return `choose_actions` specialised for the function of one agent."""
    label = f"{choose_action.__module__}.{choose_action.__name__}"
    return templates.specialise(label, {"choose_action": choose_action})["choose_actions"]


class ScriptedAgent:
    """An agent that chooses by one compiled function.

    Subclasses set `choose_action` and `table_of`.

    Args:
        num_players: number of players at the table.
        seed: seed of the agent's RNG, which breaks ties when `act` gets no RNGs.

    Raises:
        ValueError: for a number of players with which the game cannot be played.
    """

    choose_action: ClassVar[Compiled]
    """A compiled function (observation, mask, num_players, rng, *weights) → a legal action.

    The observation is int8[observation_size]; the mask is int8[num_actions] with at least one legal
    action; the RNG, int64[4], breaks ties and is advanced."""
    table_of: ClassVar[staticmethod[[int], Table]]
    """A function (num_players) → the table, as `Tables.of`."""
    weights: tuple[np.ndarray, ...] = ()
    """Further arguments of `choose_action`, such as a table of numbers."""

    def __init__(self, num_players: int = 2, seed: int | None = None) -> None:
        self.num_players, self.table = int(num_players), type(self).table_of(num_players)
        self.rng = np.random.default_rng(seed)

    def __copy__(self) -> ScriptedAgent:
        return copy.deepcopy(self)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return a legal action for each decision, int64[batch]; see `Agent.act`.

        Raises:
            ValueError: for arrays of another table, shape or type, a mask without a legal action,
                or an observation with a value out of its range; the message names both.
        """
        decisions = seen, legal, drawn = self.table.read(observations, masks, rngs, self.rng)
        actions, highs = np.zeros(len(legal), np.int64), self.table.highs
        choose_actions = choose_actions_by(self.choose_action)
        row = choose_actions(seen, legal, self.num_players, drawn, highs, self.weights, actions)
        if row != SOUND:
            refuse(row, decisions, self.table)
            raise ValueError(
                f"row {row}: {type(self).__name__} chose action {actions[row]}, which is not legal"
            )
        if rngs is not None and rngs is not drawn:
            rngs[:] = drawn
        return actions


class WeightedAgent(ScriptedAgent):
    """A scripted agent with a table of weights.

    Args:
        num_players, seed: as for `ScriptedAgent`.
        weights: a table to use in place of the agent's own; None uses its own.

    Raises:
        ValueError: for a table of another shape or with numbers that are not finite; or as for
            `ScriptedAgent`.
    """

    def __init__(
        self, num_players: int = 2, seed: int | None = None, weights: np.ndarray | None = None
    ) -> None:
        super().__init__(num_players, seed)
        if weights is not None:
            self.weights = (table_like(self.weights[0], weights),)


def table_like(own: np.ndarray, given: Any) -> np.ndarray:
    """Return a copy of a table of weights, checked to be of the shape of an agent's own."""
    table = np.array(given, own.dtype, order="C")
    if table.shape != own.shape or not np.isfinite(table).all():
        raise ValueError(
            f"weights are {form(table.dtype, table.shape)}, expected are finite numbers, "
            f"{form(own.dtype, own.shape)}"
        )
    return table
