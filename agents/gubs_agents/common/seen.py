"""Reading the named slices of an observation vector whose places depend on the table's size.

Seats are relative: 0 is the viewer, 1 the next clockwise. Every number comes back as an int64, so
that nothing overflows in arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from gubs_env.engine.compilation import inlined
from gubs_env.engine.slices import Slice


class Seen(NamedTuple):
    """One observation and the size of its table."""

    numbers: np.ndarray
    """int8[observation_size]"""
    num_players: int


def starts_of(
    observation_slices: Callable[[int], Mapping[str, Slice]], most_players: int
) -> dict[str, np.ndarray]:
    """Where each slice begins, by number of players from 2 on: int64[most_players + 1] by name."""
    starts = {name: np.zeros(most_players + 1, np.int64) for name in observation_slices(2)}
    for num_players in range(2, most_players + 1):
        for name, piece in observation_slices(num_players).items():
            starts[name][num_players] = piece.start
    return starts


@inlined
def number(seen, begins, offset):
    """The entry `offset` places into the slice that begins at `begins[num_players]`."""
    return int(seen.numbers[begins[seen.num_players] + offset])


@inlined
def first_mark(seen, begins, length):
    """Which entry of a one-hot slice is marked; its length where none is."""
    at = 0
    while at < length and number(seen, begins, at) == 0:
        at += 1
    return at
