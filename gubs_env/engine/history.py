"""The history of a game: the events that one player saw, each a row of numbers.

The module `history` of a game says what the events of one decision are. They are computed from the
state before and after a decision, when somebody asks for them. `advance_and_tell` computes them
while games are played.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gubs_env._compiler.arrays import append_rows, borrowed
from gubs_env._compiler.compilation import Compiled, inlined
from gubs_env._compiler.templates import Placeholder, Templates
from gubs_env.engine.choosing import LOOK, WAIT, count_legal, nth_legal
from gubs_env.engine.kernel import conclude
from gubs_env.engine.mechanics import Mechanics, Phase, step, write_mask, write_observation
from gubs_env.engine.seats import NOBODY
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

    @property
    def event_size(self) -> int:
        """The length of an event."""
        return size_of(self.slices)

    def events(self, before: Any, action: int, after: Any, viewer: int) -> list[Row]:
        """Return the events of one decision, in order, as a player saw them."""
        news = News.of(self)
        self.write_events(before, action, after, viewer, *news)
        return list(news.events[: news.number[0]])

    def gather(self, events: list[Row]) -> np.ndarray:
        """Return events as one array, int8[len(events), event_size]."""
        return np.array(events, np.int8).reshape(len(events), self.event_size)


class News(NamedTuple):
    """Room for the events of one decision."""

    events: np.ndarray
    """int8[most_events, event_size]: the events; rows from `number` on mean nothing."""
    number: np.ndarray
    """int64[1]: their number."""

    @classmethod
    def of(cls, history: History) -> News:
        """Return room for the events of one decision in a game."""
        events = np.empty((history.most_events, history.event_size), np.int8)
        return cls(events, np.zeros(1, np.int64))


@inlined
def new_event(events, count):
    """Begin the next event and return its row, int8[event_size], in which all columns are NONE."""
    event = borrowed(events[count[0]])
    event[:] = NONE
    count[0] += 1
    return event


@inlined
def relative(state, viewer, seat):
    """Return how many places clockwise of `viewer` a seat is; NONE for nobody."""
    if seat < 0:
        return NONE
    steps = seat - viewer
    return steps + state.num_seats if steps < 0 else steps


@dataclass
class RecentEvents:
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
templates = Templates()
templates.template(conclude)


@templates.template
def step_and_tell(state, action, mask, recent, counts, before, events, count):
    """Play one action in a game, and add what happened to the last events of its players."""
    before[0] = state
    step(state, action, mask)
    for player in range(len(recent)):
        count[0] = 0
        write_events(before[0], action, state, player, events, count)
        if count[0] > 0:
            counts[player] += count[0]
            append_rows(borrowed(recent[player]), events, count[0])


@templates.entry_template
def advance_and_tell(
    states, observations, masks, rewards, dones, truncations, actors, actions,
    autoreset, skip_forced, recent, counts, before, events, count,
):  # fmt: skip
    """Do what `kernel.advance` does in one round, and keep the last events of every player.

    Args:
        states, observations, masks, rewards, dones, truncations, actors: as for `advance`.
        actions: int64[count], each a legal action, LOOK or WAIT.
        autoreset, skip_forced: as for `advance`. A game that is dealt anew begins with no events.
        recent: int8[count, num_players, length, event_size], written, as in `RecentEvents`.
        counts: int64[count, num_players], written, as there.
        before: STATE[1], overwritten.
        events, count: the fields of `News`, overwritten.
    """
    for index in range(len(states)):
        state, mask = states[index], borrowed(masks[index])
        observation, payoffs = borrowed(observations[index]), borrowed(rewards[index])
        told, numbers = borrowed(recent[index]), borrowed(counts[index])
        payoffs[:] = 0
        dones[index] = False
        truncations[index] = False
        if actions[index] == WAIT:
            continue
        was_over = state.phase == Phase.OVER
        if actions[index] == LOOK:
            write_mask(state, mask)
        elif not was_over:
            step_and_tell(state, actions[index], mask, told, numbers, before, events, count)
        while skip_forced and state.phase != Phase.OVER and count_legal(mask) == 1:
            only = nth_legal(mask, 0)
            step_and_tell(state, only, mask, told, numbers, before, events, count)
        if state.phase == Phase.OVER and not was_over:
            conclude(state, mask, payoffs, dones, truncations, index, autoreset)
            if autoreset:
                told[:] = NONE
                numbers[:] = 0
        write_observation(state, state.actor, observation)
        actors[index] = NOBODY if state.phase == Phase.OVER else state.actor


def make_teller(name: str, history: History, mechanics: Mechanics) -> Compiled:
    """Compile `advance_and_tell` for a game."""
    offered = mechanics._asdict() | {"write_events": history.write_events}
    names = {slot: offered[slot] for slot in templates.placeholders}
    return templates.specialise(name, names)["advance_and_tell"]
