"""The history of a game: the events that one player saw, each a row of numbers.

The module `history` of a game says what the events of one decision are. They are computed from the
state before and after a decision, when somebody asks for them, and never while a game is played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.slices import Slice, size_of

NONE = -1
"""The value of a column that says nothing: there is no such thing, or the viewer cannot know it."""

Row = np.ndarray
"""int8[event_size]: one event."""


class History(NamedTuple):
    """The history of a game: its columns, and the function that tells what happened."""

    slices: Mapping[str, Slice]
    """The named slices of an event; every column can also be NONE."""
    events: Callable[[Any, int, Any, int], list[Row]]
    """(state before, action, state after, viewer) → the events of one decision, in order, as that
    player saw them."""

    @property
    def event_size(self) -> int:
        """The length of an event."""
        return size_of(self.slices)

    def gather(self, events: list[Row]) -> np.ndarray:
        """Return events as one array, int8[len(events), event_size]."""
        return np.array(events, np.int8).reshape(len(events), self.event_size)


def rows_of(slices: Mapping[str, Slice]) -> Callable[..., Row]:
    """Return a function that makes an event: `row(kind=…, seat=…)`; other columns are NONE.

    A slice of several columns takes a sequence, which fills its first columns.
    """
    size = size_of(slices)

    def row(**values: Any) -> Row:
        event = np.full(size, NONE, np.int8)
        for name, value in values.items():
            columns = np.atleast_1d(value)
            event[slices[name].start :][: len(columns)] = columns
        return event

    return row


def relative(state: Any, viewer: int, seat: int) -> int:
    """Return how many places clockwise of `viewer` a seat is; NONE for nobody."""
    return (int(seat) - viewer) % int(state.num_seats) if seat >= 0 else NONE


class RecentEvents:
    """The last events of every player in many games.

    Attributes:
        events: int8[num_games, num_players, length, event_size]: the newest event lies last; rows
            before the first event hold NONE.
        counts: int64[num_games, num_players]: the number of events since the start of each game,
            also where it is larger than `length`.
    """

    def __init__(self, history: History, num_games: int, num_players: int, length: int) -> None:
        self.history = history
        self.events = np.full((num_games, num_players, length, history.event_size), NONE, np.int8)
        self.counts = np.zeros((num_games, num_players), np.int64)

    def clear(self, games: Any = slice(None)) -> None:
        """Begin the histories of some games anew; by default those of all."""
        self.events[games] = NONE
        self.counts[games] = 0

    def record(self, before: np.ndarray, actions: np.ndarray, after: np.ndarray) -> None:
        """Add what happened when each game went from one state to another.

        Args:
            before, after: STATE[num_games].
            actions: int[num_games]; a negative number says that nothing was played.
        """
        for game in np.flatnonzero(actions >= 0).tolist():
            for player in range(self.counts.shape[1]):
                seen = self.history.events(before[game], int(actions[game]), after[game], player)
                self._append(game, player, seen)

    def _append(self, game: int, player: int, seen: list[Row]) -> None:
        self.counts[game, player] += len(seen)
        kept = seen[-self.events.shape[2] :]
        if kept:
            rows = self.events[game, player]
            rows[: -len(kept)] = rows[len(kept) :].copy()
            rows[-len(kept) :] = kept
