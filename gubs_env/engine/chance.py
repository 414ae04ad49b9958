"""Chance events: what could have been drawn, with which probabilities, and what was drawn.

A game describes its own in a module that `Game.chance` names and `Game.chance_events` imports. It
lies beside `turn`, because it follows the rules decision by decision.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.compiling import Compiled


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
        """Return arrays for `capacity` events, to be written by compiled code."""
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


def any_rules(rules: Any) -> None:
    """Accept all rules."""


class ChanceEvents(NamedTuple):
    """The chance events of one game.

    The compiled functions write `events`, an `Events`, from event number `at` on, and return the
    number of events so far. They leave `events.games` to the caller. `track` is one row of what
    `new_tracks` returns.
    """

    num_features: Callable[[int], int]
    """(num_players) → number of features of an event."""
    num_outcomes: int
    """Number of outcomes of an event."""
    most_events: int
    """The most events of one decision, or of the deal."""
    new_tracks: Callable[[int], np.ndarray]
    """(games) → what is remembered from decision to decision, int8[games, …]."""
    deal: Compiled
    """(state, after, track, starting_player, events, at): write the events of the first deal.
    `state` is the state before it, which is overwritten, and `after` the one after it."""
    follow: Compiled
    """(state, after, track, action, events, at): write the events of one decision. `state` is a
    copy of the state before it, which is overwritten, and `after` the one after it."""
    check_rules: Callable[[Any], None] = any_rules
    """(rules): raises ValueError for rules whose chance events are not known."""
    all_deals: Callable[[Any], list[tuple[Any, Fraction]]] | None = None
    """(table) → every deal as (state, probability); None if they cannot be listed."""


def joined(parts: list[Events]) -> Events:
    """Return the events of several parts, at least one, in one."""
    return Events(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
