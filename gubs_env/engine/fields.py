"""The declaration of a state: named fields, which form one row of a structured array."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Field(NamedTuple):
    """One field of a state."""

    name: str
    dtype: type
    shape: tuple[int, ...]
    meaning: str


COMMON_FIELDS = (
    Field("num_players", np.int64, (), "players at the table"),
    Field("num_seats", np.int64, (), "seats at the table; more than players if there are ghosts"),
    Field("phase", np.int64, (), "a Phase: the decision to be made"),
    Field("actor", np.int64, (), "the player to decide; after the end any player"),
    Field("decisions", np.int64, (), "calls of `step` so far in this game"),
    Field("rng", np.int64, (4,), "state of the random number generator, four words of 32 bits"),
)
"""The fields of every game, first in its state; the kernel and the search read them."""


def state_dtype(fields: Iterable[Field]) -> np.dtype:
    """Return the dtype of a state: COMMON_FIELDS, then the fields of the game."""
    declared = (*COMMON_FIELDS, *fields)
    return np.dtype((np.record, [(field.name, field.dtype, field.shape) for field in declared]))
