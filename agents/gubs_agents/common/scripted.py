"""The base of scripted agents: one compiled function of observation and mask chooses the action."""

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
    """Write the action that `choose_action` chooses for each decision of a batch, int64[batch]."""
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
    """Return `choose_actions` specialised for the function of one agent."""
    label = f"{choose_action.__module__}.{choose_action.__name__}"
    return templates.specialise(label, {"choose_action": choose_action})["choose_actions"]


class ScriptedAgent:
    """An agent that chooses by one compiled function; subclasses set `choose_action`.

    Args:
        num_players: number of players at the table.
        seed: seed of the agent's RNG, which breaks ties when `act` gets no RNGs.
    """

    choose_action: ClassVar[Compiled]
    """A compiled function (observation, mask, num_players, rng, *weights) → a legal action.

    The observation is int8[observation_size]; the mask is int8[num_actions] with at least one legal
    action; the RNG, int64[4], breaks ties and is advanced."""
    weights: tuple[np.ndarray, ...] = ()
    """Further arguments of `choose_action`, such as a table of numbers."""

    def __init__(self, num_players: int = 2, seed: int | None = None) -> None:
        self.num_players = num_players
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return a legal action for each decision, int64[batch]; see `Agent.act`."""
        actions = np.zeros(len(masks), np.int64)
        if rngs is None:
            rngs = spawn_rngs(self.rng, len(masks))
        self.decide_all(observations, masks, rngs, actions)
        return actions

    def decide_all(self, observations, masks, rngs, actions) -> None:
        """Write the actions, int64[batch]; the other arguments are those of `Agent.act`."""
        choose_actions = choose_actions_by(self.choose_action)
        choose_actions(observations, masks, self.num_players, rngs, self.weights, actions)


class WeightedAgent(ScriptedAgent):
    """A scripted agent with a table of weights.

    Args:
        num_players, seed: as for `ScriptedAgent`.
        weights: a table to use in place of the agent's own; None uses its own.
    """

    def __init__(
        self, num_players: int = 2, seed: int | None = None, weights: np.ndarray | None = None
    ) -> None:
        super().__init__(num_players, seed)
        if weights is not None:
            self.weights = (weights,)
