"""Reading an observation by the names of its slices, in compiled functions.

The place of a slice depends on the number of players. Seats are relative: 0 is the viewer, 1 the
next clockwise. Every number is returned as int64, so that arithmetic does not overflow.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.compiling import inlined
from gubs_env.engine.slices import Slice


class Sight(NamedTuple):
    """One observation and its number of players."""

    numbers: np.ndarray
    """int8[observation_size]"""
    num_players: int


def starts_of(observation_slices: Callable[[int], Mapping[str, Slice]], most_players: int) -> Any:
    """Return the start of each slice as a field of its name: int64[most_players + 1].

    The arrays are indexed by num_players.
    """
    tables = [observation_slices(max(players, 2)) for players in range(most_players + 1)]
    starts = {name: np.array([each[name].start for each in tables], np.int64) for name in tables[0]}
    return namedtuple("Starts", starts)(**starts)


@inlined
def number(sight, begins, offset):
    """Return the entry at `offset` of the slice that begins at `begins[num_players]`."""
    return int(sight.numbers[begins[sight.num_players] + offset])


@inlined
def first_mark(sight, begins, length):
    """Return the index of the 1 in a one-hot slice, or `length` if there is none."""
    at = 0
    while at < length and number(sight, begins, at) == 0:
        at += 1
    return at
