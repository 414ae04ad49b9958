"""Strategies of Kuhn poker as agents that say their probabilities."""

from __future__ import annotations

import numpy as np


class Uniform:
    """Every legal action is equally likely."""

    def probabilities(self, observations, masks):
        return masks / masks.sum(axis=1, keepdims=True)


class Equilibrium:
    """An equilibrium of Kuhn poker; `bluff` is how often the first player bets a Jack, 0 to 1/3."""

    def __init__(self, bluff: float) -> None:
        jack, queen, king = range(3)
        self.bets = np.zeros((3, 4))  # by card, and by (decisions, facing a bet)
        self.bets[jack] = bluff, 1 / 3, 0, 0
        self.bets[queen] = 0, 0, 1 / 3, bluff + 1 / 3
        self.bets[king] = 3 * bluff, 1, 1, 1

    def probabilities(self, observations, masks):
        card, decisions = observations[:, :3].argmax(axis=1), observations[:, 5]
        at = np.where(decisions == 2, 3, decisions + (decisions * observations[:, 4]))
        bets = self.bets[card, at]
        return np.stack([1 - bets, bets], axis=1)
