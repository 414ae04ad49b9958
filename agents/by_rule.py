"""Players by rule: what one compiled rule makes of an observation and a mask is what they do."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

import numpy as np

from gubs_env.games.arrays import borrowed
from gubs_env.games.compilation import Templates
from gubs_env.games.generator import spawn_words
from gubs_env.games.mechanics import Rule

templates = Templates()


def decide(observation, mask, num_players, chooser, *weights):
    """Stands for the rule of a player."""
    raise NotImplementedError


@templates.entry
def decide_batch(observations, masks, num_players, choosers, weights, actions):
    """Write what the rule does in each game of a batch, its weights after its other arguments."""
    for index in range(len(masks)):
        actions[index] = decide(
            borrowed(observations[index]),
            borrowed(masks[index]),
            num_players,
            borrowed(choosers[index]),
            *weights,
        )


@cache
def compiled(rule: Rule) -> Rule:
    """`decide_batch` by this rule."""
    return templates.bind(f"{rule.__module__}.{rule.__name__}", {"decide": rule})["decide_batch"]


class ByRule:
    """A player by rule; its kinds say by which.

    Args:
        num_players: seats at the table.
        seed: of the lots that break ties.
    """

    rule: ClassVar[Rule]
    """(observation, mask, num_players, chooser, *weights) → action"""
    weights: tuple[np.ndarray, ...] = ()

    def __init__(self, num_players: int = 2, seed: int | None = None) -> None:
        self.num_players = num_players
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, choosers: np.ndarray | None = None
    ) -> np.ndarray:
        """As `Agent.act`."""
        actions = np.zeros(len(masks), np.int64)
        if choosers is None:
            choosers = spawn_words(self.rng, len(masks))
        self.decide_all(observations, masks, choosers, actions)
        return actions

    def decide_all(self, observations, masks, choosers, actions) -> None:
        """Write int64[batch] actions; the other arguments are as for `Agent.act`."""
        decide_batch = compiled(self.rule)
        decide_batch(observations, masks, self.num_players, choosers, self.weights, actions)


class Weighed(ByRule):
    """A player by a rule with numbers, which may be given in place of its own."""

    def __init__(
        self, num_players: int = 2, seed: int | None = None, weights: np.ndarray | None = None
    ) -> None:
        super().__init__(num_players, seed)
        if weights is not None:
            self.weights = (weights,)
