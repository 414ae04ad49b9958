"""The history of a game: the events that one player saw, each a row of numbers.

The module `history` of a game says what the events of one decision are. They are computed from the
state before and after a decision, when somebody asks for them. `tell` keeps the last ones of many
games that are played at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.choosing import LOOK, WAIT, count_legal, nth_legal
from gubs_env.engine.compiling import (
    Compiled,
    Placeholder,
    Templates,
    append_rows,
    borrowed,
    inlined,
    prefetch,
)
from gubs_env.engine.kernel import STATES_AHEAD
from gubs_env.engine.slices import Slice, size_of

NONE = -1
"""The value of a column that says nothing: there is no such thing, or the viewer cannot know it."""

Row = np.ndarray
"""int8[event_size]: one event."""


@dataclass(frozen=True, eq=False)
class History:
    """The history of a game: its columns, and the function that tells what happened."""

    slices: Mapping[str, Slice]
    """The named slices of an event; every column can also be NONE."""
    write_events: Callable[[Any, int, Any, int, Any, Any], None]
    """(state before, action, state after, viewer, events, count): write the events of one decision
    as a player saw them, in order, with `new_event`. Compiled, as the rules are."""
    most_events: int
    """The most events that a player sees of one decision."""

    @cached_property
    def event_size(self) -> int:
        """The length of an event."""
        return size_of(self.slices)

    def events(self, before: Any, action: int, after: Any, viewer: int) -> list[Row]:
        """Return the events of one decision, in order, as a player saw them.

        For the viewer NOBODY they are those that everybody saw, and seats count from the one before
        seat 0: `seat_at(state, viewer, steps)` is right for NOBODY too.
        """
        events, count = np.empty((self.most_events, self.event_size), np.int8), np.zeros(1, int)
        self.write_events(before, action, after, viewer, events, count)
        return list(events[: count[0]])

    def records(self, before: Any, action: int, after: Any, viewer: int) -> list[Any]:
        """Return the events of one decision as `events` does, with an attribute for each slice."""
        rows = self.gather(self.events(before, action, after, viewer)).tolist()
        spans = [(name, at.start, at.start + at.shape[0]) for name, at in self.slices.items()]
        return [
            SimpleNamespace(**{n: row[a] if b - a == 1 else row[a:b] for n, a, b in spans})
            for row in rows
        ]

    def gather(self, events: list[Row]) -> np.ndarray:
        """Return events as one array, int8[len(events), event_size]."""
        return np.array(events, np.int8).reshape(len(events), self.event_size)


@inlined
def new_event(events, count):
    """Begin the next event and return its row, int8[event_size], in which all columns are NONE."""
    event = borrowed(events[count[0]])
    event[:] = NONE
    count[0] += 1
    return event


@inlined
def new_act(kind, seat, events, count):
    """Begin an event whose first columns are its kind and its seat, and return its row."""
    event = new_event(events, count)
    event[0] = kind
    event[1] = seat
    return event


@inlined
def relative(state, viewer, seat):
    """Return how many places clockwise of `viewer` a seat is; NONE for nobody."""
    if seat < 0:
        return NONE
    steps = seat - viewer
    return steps + state.num_seats if steps < 0 else steps


class RecentEvents(NamedTuple):
    """The last events of every player in many games."""

    events: np.ndarray
    """int8[num_games, num_players, length, event_size]: the newest event lies last; rows before the
    first event hold NONE."""
    counts: np.ndarray
    """int64[num_games, num_players]: the number of events since the start of each game, also where
    it is larger than `length`."""

    @classmethod
    def of(cls, history: History, num_games: int, num_players: int, length: int) -> RecentEvents:
        """Return room for the last events, of which there are none yet."""
        events = np.full((num_games, num_players, length, history.event_size), NONE, np.int8)
        return cls(events, np.zeros((num_games, num_players), np.int64))

    def clear(self, games: Any = slice(None)) -> None:
        """Begin the histories of some games anew; by default those of all."""
        self.events[games] = NONE
        self.counts[games] = 0


# ------------------------------------------------------------------------ told while games go on

write_events = Placeholder("write_events")
most_events: Any = Placeholder("most_events")
templates = Templates()


@templates.entry_template
def tell(states, actions, masks, dones, skip_forced, before, recent, counts):
    """Add what `advance` played in one round to the last events of every player.

    With `skip_forced`, games in which the player to decide has a single legal action go on: play
    another round, and tell again.

    Args:
        states, masks, dones: as `advance` left them.
        actions: int64[count], those that were played; written: what to play in the next round.
        skip_forced: whether to play decisions with a single legal action without asking.
        before: STATE[count], the states before the round; written: those after it.
        recent, counts: the fields of `RecentEvents`, written. A game that was dealt anew begins
            with no events.

    Returns:
        Whether a game goes on.
    """
    events, count = np.empty((most_events, recent.shape[3]), np.int8), np.zeros(1, np.int64)
    goes_on = False
    for index in range(len(states)):
        state, action = states[index], actions[index]
        if action == WAIT:
            continue
        prefetch(states, index + STATES_AHEAD)
        prefetch(before, index + STATES_AHEAD)
        prefetch(recent, index + STATES_AHEAD)
        if state.decisions == 0:
            recent[index] = NONE
            counts[index] = 0
        elif action != LOOK:
            for player in range(counts.shape[1]):
                count[0] = 0
                write_events(before[index], action, state, player, events, count)
                counts[index, player] += count[0]
                append_rows(borrowed(recent[index, player]), events, count[0])
        before[index] = state
        actions[index] = WAIT
        if skip_forced and not dones[index] and count_legal(masks[index]) == 1:
            actions[index] = nth_legal(masks[index], 0)
            goes_on = True
    return goes_on


def make_teller(name: str, history: History) -> Compiled:
    """Compile `tell` for a game."""
    names = {slot: getattr(history, slot) for slot in templates.placeholders}
    return templates.specialise(name, names)["tell"]
