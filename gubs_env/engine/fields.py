"""How a game declares its state: named fields, which make one row of a structured array."""

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
    Field("num_seats", np.int64, (), "seats at the table; more than players where ghosts sit"),
    Field("phase", np.int64, (), "a Phase: what is to be decided"),
    Field("actor", np.int64, (), "the player that decides; after the end any player"),
    Field("decisions", np.int64, (), "calls of `step` so far in this game"),
    Field("rng", np.int64, (4,), "state of the random number generator, four words of 32 bits"),
)
"""The fields that every game has, first in its row; the kernel and the search read them."""


def state_dtype(fields: Iterable[Field]) -> np.dtype:
    """Return the dtype of a state: COMMON_FIELDS, then those of the game."""
    declared = (*COMMON_FIELDS, *fields)
    return np.dtype((np.record, [(field.name, field.dtype, field.shape) for field in declared]))
