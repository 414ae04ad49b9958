"""What every player must be able to do, wherever one is asked for."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Agent(Protocol):
    """Chooses actions for a batch of decisions."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray, choosers: np.ndarray | None = None
    ) -> np.ndarray:
        """Legal actions, int64[batch].

        Args:
            observations: int8[batch, observation_size].
            masks: int8[batch, num_actions], each with at least one legal action.
            choosers: int64[batch, 4], a generator for each decision (`games.generator`), from which
                all chance is taken, so that no other decision has a part in it; they are moved on.
                None: the agent's own chance, which follows its seed.
        """
        ...


class SearchAgent(Protocol):
    """Chooses actions by playing on from what a seat may know."""

    def search(self, views: np.ndarray, choosers: np.ndarray | None = None) -> np.ndarray:
        """Legal actions, int64[batch].

        Args:
            views: rows[batch] as `VectorEnv.views` gives them, each with a decision to take.
            choosers: as for `Agent.act`.
        """
        ...
