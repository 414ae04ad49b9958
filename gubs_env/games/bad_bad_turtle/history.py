"""The history of Bad, Bad, Turtle: what everybody saw, as the log tells it (`words.narrate`)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import numpy as np

from gubs_env.engine.history import History, Row, relative, rows_of
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.slices import lay_out
from gubs_env.games.bad_bad_turtle.actions import (
    DECLINE,
    FIRST_PICK,
    FIRST_SHIELD,
    NAMES,
    NO_WAY_ASIDE,
    PASS,
    PERFORM,
)
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NO_CARD, NUM_KINDS, REACTIONS
from gubs_env.games.bad_bad_turtle.legal import answered_card, answered_player
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS
from gubs_env.games.bad_bad_turtle.score import outcome
from gubs_env.games.bad_bad_turtle.state import Phase
from gubs_env.games.bad_bad_turtle.words import played_card, settled


class Event(IntEnum):
    """The kinds of event."""

    TURN = 0  # a turn is taken, under the card that lies on it
    PERFORM = 1
    DECLINE = 2
    PICK = 3  # the player of the next turn is picked
    PASS = 4  # in a window
    REACT = 5  # a set-aside card answers another one
    REVEAL = 6  # a card is revealed
    SETTLE = 7  # a card of a window goes to a pile
    SET_ASIDE = 8
    ELIMINATED = 9
    BACK = 10  # a player is back in the game (Restart Game)
    DEAL = 11  # cards are dealt anew
    MODIFIER = 12  # a card lies on the turn that begins
    OVER = 13  # the game is over: a row for each player


LAST_SEAT = MAX_PLAYERS - 1
SLICES = lay_out(
    [
        ("kind", (1,), max(Event), "the kind of event, by `Event`"),
        ("seat", (1,), LAST_SEAT, "the seat that acts, or that the event is about"),
        ("action", (1,), len(NAMES) - 1, "the action, as that seat chose it"),
        ("card", (1,), NUM_KINDS - 1, "the card that is revealed, played, laid or set aside"),
        ("target_seat", (1,), LAST_SEAT, "the seat that is picked, forced or answered"),
        ("target_card", (1,), NUM_KINDS - 1, "the card that is answered"),
        ("open_pile", (1,), 1, "the card goes to the reveal pile (1) or the discard pile (0)"),
        ("whole_deck", (1,), 1, "all cards are dealt (1), or those that lay face down (0)"),
        ("won", (1,), 1, "the seat has won"),
    ]
)
row = rows_of(SLICES)


def events(before: Any, action: int, after: Any, viewer: int) -> list[Row]:
    """Return the events of one decision as a seat saw them (see `History.events`)."""
    return [*_decision(before, action, viewer), *_followed(before, after, viewer)]


def _decision(before: Any, action: int, viewer: int) -> Iterator[Row]:
    about = {"seat": relative(before, viewer, before.actor), "action": action}
    if before.phase == Phase.TURN:
        kind = {PERFORM: Event.PERFORM, DECLINE: Event.DECLINE}.get(action, Event.TURN)
        yield row(kind=kind, card=before.modifier, **about)
    elif before.phase == Phase.PICK:
        picked = seat_at(before, before.actor, action - FIRST_PICK)
        yield row(kind=Event.PICK, target_seat=relative(before, viewer, picked), **about)
    elif action == PASS:
        yield row(kind=Event.PASS, target_card=answered_card(before), **about)
    else:
        seat, card = _answered(before, action)
        about |= {"target_seat": relative(before, viewer, seat), "target_card": card}
        yield row(kind=Event.REACT, card=played_card(action), **about)


def _answered(before: Any, action: int) -> tuple[int, int]:
    """Return the seat and the card that an answer is aimed at; a Shield names whom it forces."""
    if action >= FIRST_SHIELD:
        return seat_at(before, before.actor, action - FIRST_SHIELD), answered_card(before)
    for card, number in NO_WAY_ASIDE.items():
        if action == number:
            return before.aside[card - FIRST_REACTION], card
    return answered_player(before), answered_card(before)


def _followed(before: Any, after: Any, viewer: int) -> Iterator[Row]:
    """Yield what followed a decision."""
    for kind, seat in zip(after.shown, after.shown_by, strict=True):
        if kind != NO_CARD:
            yield row(kind=Event.REVEAL, seat=relative(after, viewer, seat), card=kind)
    for kind, seat, revealed in settled(before, after):
        seat = relative(after, viewer, seat)
        yield row(kind=Event.SETTLE, seat=seat, card=kind, open_pile=revealed)
    for card, was, holder in zip(REACTIONS, before.aside, after.aside, strict=True):
        if holder not in (was, NOBODY):
            yield row(kind=Event.SET_ASIDE, seat=relative(after, viewer, holder), card=card)
    for seat in np.flatnonzero(before.living != after.living).tolist():
        kind = Event.BACK if after.living[seat] else Event.ELIMINATED
        yield row(kind=kind, seat=relative(after, viewer, seat))
    if after.deals != before.deals:
        whole = after.stack_size.sum() == after.composition.sum()
        yield row(kind=Event.DEAL, whole_deck=whole)
    if after.modifier != NO_CARD and after.phase == Phase.TURN:
        seat = relative(after, viewer, after.turn)
        yield row(kind=Event.MODIFIER, seat=seat, card=after.modifier)
    if after.phase == Phase.OVER:
        winners = outcome(after).winners
        for seat in range(after.num_players):
            seat_seen = relative(after, viewer, seat)
            yield row(kind=Event.OVER, seat=seat_seen, won=seat in winners)


history = History(SLICES, events)
