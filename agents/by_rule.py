"""What the players have in common that decide each game of a batch by itself."""

from __future__ import annotations

import numpy as np

from gubs_env.games.generator import spawn_words


class ByRule:
    """A player whose `decide_all` is a compiled loop over the batch."""

    def __init__(self, num_players: int = 2, seed: int | None = None) -> None:
        self.num_players = num_players
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, choosers: np.ndarray | None = None
    ) -> np.ndarray:
        actions = np.zeros(len(masks), np.int64)
        if choosers is None:
            choosers = spawn_words(self.rng, len(masks))
        self.decide_all(observations, masks, choosers, actions)
        return actions

    def decide_all(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        choosers: np.ndarray,
        actions: np.ndarray,
    ) -> None:
        """Write int64[batch] actions; the other arguments are as for `Agent.act`."""
        raise NotImplementedError
