"""What every player must be able to do, wherever one is asked for."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Agent(Protocol):
    """Chooses actions for a batch of decisions."""

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Actions int64[batch], legal ones, for observations int8[batch, observation_size] and
        masks int8[batch, num_actions], each with at least one legal action."""
        ...
