"""The agent that knows only what is legal."""

from __future__ import annotations

import numpy as np


def best_of(scores: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The legal action with the highest score in each row, ties broken at random: int64[batch]."""
    legal = np.where(masks != 0, scores, -np.inf)
    tied = legal == legal.max(axis=1, keepdims=True)
    return np.where(tied, rng.random(legal.shape), -1.0).argmax(axis=1)


class Uniform:
    """Plays uniformly at random among the legal actions."""

    def __init__(self, num_players: int = 2, seed: int | None = None) -> None:
        self.rng = np.random.default_rng(seed)

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return best_of(np.zeros(masks.shape), masks, self.rng)
