"""The agent that knows only what is legal."""

from __future__ import annotations

import numpy as np

from gubs_env.games.choosing import choose_all
from gubs_env.games.generator import spawn_words


def best_of(scores: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The legal action with the highest score in each row, ties broken at random: int64[batch]."""
    legal = np.where(masks != 0, scores, -np.inf)
    tied = legal == legal.max(axis=1, keepdims=True)
    return np.where(tied, rng.random(legal.shape), -1.0).argmax(axis=1)


class Uniform:
    """Plays uniformly at random among the legal actions."""

    def __init__(self, num_players: int = 2, seed: int | None = None) -> None:
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, choosers: np.ndarray | None = None
    ) -> np.ndarray:
        actions = np.zeros(len(masks), np.int64)
        choose_all(
            spawn_words(self.rng, len(masks)) if choosers is None else choosers, masks, actions
        )
        return actions
