"""Scripted agents: one compiled function of observation and mask chooses the action."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

import numpy as np

from gubs_env.engine.arrays import borrowed
from gubs_env.engine.compilation import Compiled
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.templates import Placeholder, Templates

templates = Templates()
choose_action = Placeholder("choose_action")


@templates.entry_template
def choose_actions(observations, masks, num_players, rngs, weights, actions):
    """Write what `choose_action` chooses in each game of a batch."""
    for index in range(len(masks)):
        actions[index] = choose_action(
            borrowed(observations[index]),
            borrowed(masks[index]),
            num_players,
            borrowed(rngs[index]),
            *weights,
        )


@cache
def choose_actions_by(choose_action: Compiled) -> Compiled:
    """Return `choose_actions` for the choice of one agent."""
    label = f"{choose_action.__module__}.{choose_action.__name__}"
    return templates.specialise(label, {"choose_action": choose_action})["choose_actions"]


class ScriptedAgent:
    """An agent whose choice is one compiled function, which its subclasses name.

    Args:
        num_players: players at the table.
        seed: of the random numbers that break ties.
    """

    choose_action: ClassVar[Compiled]
    """(observation, mask, num_players, rng, *weights) → a legal action: int8[observation_size],
    int8[num_actions] with at least one of them legal, players at the table, int64[4], the RNG that
    breaks ties, and the agent's weights, if it has any."""
    weights: tuple[np.ndarray, ...] = ()

    def __init__(self, num_players: int = 2, seed: int | None = None) -> None:
        self.num_players = num_players
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """As `Agent.act`."""
        actions = np.zeros(len(masks), np.int64)
        if rngs is None:
            rngs = spawn_rngs(self.rng, len(masks))
        self.decide_all(observations, masks, rngs, actions)
        return actions

    def decide_all(self, observations, masks, rngs, actions) -> None:
        """Write int64[batch] actions; the other arguments are as for `Agent.act`."""
        choose_actions = choose_actions_by(self.choose_action)
        choose_actions(observations, masks, self.num_players, rngs, self.weights, actions)


class WeightedAgent(ScriptedAgent):
    """A scripted agent with a table of weights, which may be given in place of its own."""

    def __init__(
        self, num_players: int = 2, seed: int | None = None, weights: np.ndarray | None = None
    ) -> None:
        super().__init__(num_players, seed)
        if weights is not None:
            self.weights = (weights,)
