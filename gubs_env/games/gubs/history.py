"""The history of Gubs: what each seat saw, event by event, as the log tells it (`words`)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import numpy as np

from gubs_env.engine.history import NONE, History, Row, relative, rows_of
from gubs_env.engine.slices import lay_out
from gubs_env.games.gubs.actions import DECK, PASS, card_of
from gubs_env.games.gubs.cards import IS_EVENT, LETTERS, MAX_TARGETS, NUM_KINDS, Card
from gubs_env.games.gubs.legal import is_inner_pick, opens_window
from gubs_env.games.gubs.rules import MAX_CARDS, MAX_PLAYERS, MAX_SLOTS
from gubs_env.games.gubs.score import outcome
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import took_effect


class Event(IntEnum):
    """The kinds of event."""

    DRAW = 0  # a card is drawn
    SKIP = 1  # the draw is skipped
    PLAY = 2  # a card is announced, with its targets
    END_PLAY = 3
    DISCARD = 4  # a card is discarded from the hand, down to the limit
    ANSWER = 5  # an Interrupt cancels the announced card, or sends the Event back
    PASS = 6  # in a window, or in the question of Gargok Plague
    CURE = 7  # a card is discarded, and the hand is kept
    KEEP = 8  # the card kept from the Traveling Merchant
    ORDER = 9  # the next card that the Scout puts back
    SEE = 10  # a card that the Scout sees: a row for each, in a hand for each kind
    EFFECT = 11  # an announced card takes effect, or a Letter is laid open
    GONE = 12  # a kind of card that this effect discards
    POINTS = 13  # a seat whose points this effect changes
    OVER = 14  # the game is over: a row for each seat


LAST_SEAT, LAST_KIND = MAX_PLAYERS - 1, NUM_KINDS - 1
SLICES = lay_out(
    [
        ("kind", (1,), max(Event), "the kind of event, by `Event`"),
        ("seat", (1,), LAST_SEAT, "the seat that acts, or that the event is about"),
        ("card", (1,), LAST_KIND, "the card that is drawn, played, discarded, kept or seen"),
        ("counts_as", (1,), LAST_KIND, "the kind that a card played counts as"),
        ("target_seats", (MAX_TARGETS,), LAST_SEAT, "the seats that it is aimed at"),
        ("target_places", (MAX_TARGETS,), MAX_SLOTS - 1, "the slots of those seats"),
        ("target_card", (1,), LAST_KIND, "the card meant there, or the card that is answered"),
        ("target_deck", (1,), 1, "it is aimed at the deck"),
        ("count", (1,), MAX_CARDS, "the number of cards of that kind"),
        ("points", (2,), MAX_SLOTS, "points of the seat before and after"),
        ("won", (1,), 1, "the seat has won, alone or with others"),
    ]
)
row = rows_of(SLICES)


def events(before: Any, action: int, after: Any, viewer: int) -> list[Row]:
    """Return the events of one decision as a seat saw them (see `History.events`)."""
    seen = list(_decision(before, action, after, viewer))
    if took_effect(before, action, after):
        seen += _effect(before, after, viewer)
    if after.phase == Phase.OVER:
        result = outcome(after)
        for seat, score in enumerate(result.scores):
            about = {"seat": relative(after, viewer, seat), "won": seat in result.winners}
            seen.append(row(kind=Event.OVER, points=(NONE, score), **about))
    return seen


def _decision(before: Any, action: int, after: Any, viewer: int) -> Iterator[Row]:
    """Yield the event of a decision, if the viewer saw it."""
    own, phase = viewer == before.actor, before.phase
    seat = relative(before, viewer, before.actor)
    if phase == Phase.DRAW:
        yield _draw(before, action, viewer, seat)
    elif phase == Phase.PLAY and action == PASS:
        yield row(kind=Event.END_PLAY, seat=seat)
    elif phase == Phase.PLAY or is_inner_pick(phase):
        if not is_inner_pick(after.phase):
            yield _play(after, viewer, seat)
    elif phase in (Phase.ANSWER, Phase.CURE) and action == PASS:
        if own or before.ask_everyone:
            yield row(kind=Event.PASS, seat=seat)
    elif phase == Phase.ANSWER:
        yield row(kind=Event.ANSWER, seat=seat, card=card_of(action), target_card=before.played)
    elif phase in OPEN_PICKS or own:
        kind = OPEN_PICKS.get(phase) or SECRET_PICKS[phase]
        yield row(kind=kind, seat=seat, card=card_of(action))


OPEN_PICKS = {Phase.DISCARD: Event.DISCARD, Phase.CURE: Event.CURE}
SECRET_PICKS = {Phase.MERCHANT: Event.KEEP, Phase.ORDER: Event.ORDER}


def _draw(before: Any, action: int, viewer: int, seat: int) -> Row:
    """Return a draw; the card shows if it is an Event, or if the viewer holds or knew it."""
    if action != DECK:
        return row(kind=Event.SKIP, seat=seat)
    kind = before.deck[before.deck_size - 1]
    knows = viewer == before.actor or before.known_top[viewer] > 0
    return row(kind=Event.DRAW, seat=seat, card=kind if IS_EVENT[kind] or knows else NONE)


def _play(after: Any, viewer: int, seat: int) -> Row:
    """Return a card that was announced, with its targets."""
    seats = after.target_seat[: after.num_targets]
    return row(
        kind=Event.PLAY,
        seat=seat,
        card=after.played,
        counts_as=after.played_as,
        target_seats=[relative(after, viewer, target) for target in seats],
        target_places=after.target_slot[: after.num_targets],
        target_card=after.target_card,
        target_deck=1 if NONE in seats else NONE,
    )


def _effect(before: Any, after: Any, viewer: int) -> Iterator[Row]:
    """Yield what happened when the announced card took effect."""
    kind = after.played_as
    if kind == Card.SCOUT:
        yield from _scouted(after) if viewer == after.turn else ()
    elif kind in LETTERS:
        yield row(kind=Event.EFFECT, card=kind)
    elif opens_window(after):
        yield row(kind=Event.EFFECT, card=kind)
        yield from _gone(before, after)
        yield from _points(before, after, viewer)


def _scouted(after: Any) -> Iterator[Row]:
    """Yield the cards that the player of the Scout sees: of a hand, or from the top of the deck."""
    target = after.target_seat[0]
    if target >= 0:
        seats = [relative(after, int(after.turn), target)]
        for kind in np.flatnonzero(after.hand[target]):
            count = after.hand[target, kind]
            yield row(kind=Event.SEE, seat=0, card=kind, target_seats=seats, count=count)
        return
    depth = after.known_top[after.turn]
    for kind in after.deck[after.deck_size - depth : after.deck_size][::-1]:
        yield row(kind=Event.SEE, seat=0, card=kind, target_deck=1, count=1)


def _gone(before: Any, after: Any) -> Iterator[Row]:
    """Yield the cards that an effect discarded, other than the card played."""
    if before.phase == Phase.CURE:  # these would count the cure of the last one asked
        return
    gone = after.discard_pile.astype(int) - before.discard_pile
    gone[after.played] -= 1
    for kind in np.flatnonzero(gone > 0):
        yield row(kind=Event.GONE, card=kind, count=gone[kind])


def _points(before: Any, after: Any, viewer: int) -> Iterator[Row]:
    scores = zip(outcome(before).scores, outcome(after).scores, strict=True)
    for seat, points in enumerate(scores):
        if points[0] != points[1]:
            yield row(kind=Event.POINTS, seat=relative(after, viewer, seat), points=points)


history = History(SLICES, events)
