"""Chance events: what could have been drawn, with which probabilities, and what was drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Events(NamedTuple):
    """Chance events of many games, in the order in which they happened in each game.

    Everything but `outcomes` was settled before the event, so that a correction computed from it
    has mean zero.
    """

    games: np.ndarray
    """int64[events]: index of the game."""
    seats: np.ndarray
    """int64[events]: the seat that the event belongs to; features count seats from it."""
    features: np.ndarray
    """int8[events, features]: what was settled before the event."""
    weights: np.ndarray
    """float32[events, outcomes]: the probabilities of the outcomes, which sum to 1."""
    outcomes: np.ndarray
    """int64[events]: the outcome."""

    @classmethod
    def empty(cls, capacity: int, num_features: int, num_outcomes: int) -> Events:
        """Return arrays for `capacity` events, to be written by a walker."""
        return cls(
            np.zeros(capacity, np.int64),
            np.zeros(capacity, np.int64),
            np.zeros((capacity, num_features), np.int8),
            np.zeros((capacity, num_outcomes), np.float32),
            np.zeros(capacity, np.int64),
        )

    def first(self, count: int) -> Events:
        """Return a copy of the first events."""
        return Events(*(part[:count].copy() for part in self))


def joined(parts: list[Events], num_features: int, num_outcomes: int) -> Events:
    """Return the events of several parts in one."""
    if not parts:
        return Events.empty(0, num_features, num_outcomes)
    return Events(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
