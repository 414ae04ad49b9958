"""The named slices of an observation vector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np


class Slice(NamedTuple):
    """One named slice of the observation vector."""

    name: str
    """Its name, the key in `observation_slices()`."""
    shape: tuple[int, ...]
    """The shape of its entries."""
    high: int
    """Largest value; the smallest is 0."""
    meaning: str
    """A description of its entries, in words."""
    start: int
    """The index of its first entry in the vector."""

    @property
    def size(self) -> int:
        """Number of its entries."""
        return int(np.prod(self.shape))

    def of(self, observation: np.ndarray) -> np.ndarray:
        """Return this slice of an observation, or of a batch of them, int8[…, *shape]."""
        piece = observation[..., self.start : self.start + self.size]
        return piece.reshape(observation.shape[:-1] + self.shape)


def size_of(slices: Mapping[str, Slice]) -> int:
    """Return the length of the observation vector that these slices make up."""
    return sum(piece.size for piece in slices.values())


def highs_of(slices: Mapping[str, Slice]) -> np.ndarray:
    """Return the largest value of each entry, int8[observation_size]; the least is 0."""
    return np.concatenate([np.full(piece.size, piece.high, np.int8) for piece in slices.values()])


def lay_out(declared: Iterable[tuple[str, tuple[int, ...], int, str]]) -> dict[str, Slice]:
    """Return slices by name, one after the other, declared as (name, shape, high, meaning)."""
    slices: dict[str, Slice] = {}
    start = 0
    for name, shape, high, meaning in declared:
        slices[name] = Slice(name, shape, high, meaning, start)
        start += slices[name].size
    return slices
