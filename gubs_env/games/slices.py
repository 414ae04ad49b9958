"""The named pieces an observation vector is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Slice(NamedTuple):
    """One named piece of the observation vector."""

    name: str
    shape: tuple[int, ...]
    high: int
    """Largest value; the smallest is 0."""
    meaning: str
    start: int
    """Where it begins in the vector."""

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def of(self, observation: np.ndarray) -> np.ndarray:
        """This piece of an observation, or of a batch of them: int8[…, *shape]."""
        piece = observation[..., self.start : self.start + self.size]
        return piece.reshape(observation.shape[:-1] + self.shape)


def lay_out(declared: Iterable[tuple[str, tuple[int, ...], int, str]]) -> dict[str, Slice]:
    """Pieces declared as (name, shape, high, meaning), one after the other, by name."""
    slices: dict[str, Slice] = {}
    start = 0
    for name, shape, high, meaning in declared:
        slices[name] = Slice(name, shape, high, meaning, start)
        start += slices[name].size
    return slices
