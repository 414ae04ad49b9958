"""What whoever plays the other seats must be able to do."""

from __future__ import annotations

from typing import Protocol

import numpy as np


class Opponent(Protocol):
    """Chooses actions int64[batch] for observations int8[batch, …] and masks int8[batch, …]."""

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray: ...
