"""The base of scripted agents: one compiled function of observation and mask chooses the action."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, ClassVar

import numpy as np

from gubs_agents.common.decisions import SOUND, array_text, form_of, is_legal, is_sound, refuse
from gubs_env.engine.compiling import Compiled, Placeholder, Templates, borrowed
from gubs_env.engine.table import Table

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

    Subclasses set `choose_action` and `game`.

    Args:
        table: the table.
        seed: seed of the agent's RNG, which breaks ties when `act` gets no RNGs.

    Raises:
        ValueError: for a table of another game.
    """

    choose_action: ClassVar[Compiled]
    """A compiled function (observation, mask, num_players, rng, *weights) → a legal action.

    The observation is int8[observation_size]; the mask is int8[num_actions] with at least one legal
    action; the RNG, int64[4], breaks ties and is advanced."""
    game: ClassVar[str]
    """The name of the game."""
    weights: tuple[np.ndarray, ...] = ()
    """Further arguments of `choose_action`, such as a table of numbers."""

    def __init__(self, table: Table, seed: int | None = None) -> None:
        if table.game.name != self.game:
            raise ValueError(f"{type(self).__name__} plays {self.game}, not {table.game.name}")
        self.num_players, self.form = table.num_players, form_of(table)
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
        decisions = batch, legal, drawn = self.form.read(observations, masks, rngs, self.rng)
        actions, highs = np.zeros(len(legal), np.int64), self.form.highs
        choose_actions = choose_actions_by(self.choose_action)
        row = choose_actions(batch, legal, self.num_players, drawn, highs, self.weights, actions)
        if row != SOUND:
            refuse(row, decisions, self.form)
            raise ValueError(
                f"row {row}: {type(self).__name__} chose action {actions[row]}, which is not legal"
            )
        if rngs is not None and rngs is not drawn:
            rngs[:] = drawn
        return actions


class WeightedAgent(ScriptedAgent):
    """A scripted agent with weights, an array of numbers.

    Args:
        table, seed: as for `ScriptedAgent`.
        weights: numbers to use in place of the agent's; None uses those.

    Raises:
        ValueError: for weights of another shape or with numbers that are not finite; or as for
            `ScriptedAgent`.
    """

    def __init__(
        self, table: Table, seed: int | None = None, weights: np.ndarray | None = None
    ) -> None:
        super().__init__(table, seed)
        if weights is not None:
            self.weights = (checked_like(self.weights[0], weights),)


def checked_like(usual: np.ndarray, weights: Any) -> np.ndarray:
    """Return a copy of weights, checked to be finite and of the shape of the usual ones."""
    numbers = np.array(weights, usual.dtype, order="C")
    if numbers.shape != usual.shape or not np.isfinite(numbers).all():
        raise ValueError(
            f"weights are {array_text(numbers.dtype, numbers.shape)}, expected are finite numbers, "
            f"{array_text(usual.dtype, usual.shape)}"
        )
    return numbers
