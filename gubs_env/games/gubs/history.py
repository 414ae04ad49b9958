"""The history of Gubs: what each seat saw, event by event, as the log tells it (`words`)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from gubs_env.engine.compiling import compiled, inlined
from gubs_env.engine.history import NONE, History, new_act, relative
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.slices import lay_out
from gubs_env.games.gubs.actions import DECK, PASS, card_of
from gubs_env.games.gubs.cards import IS_EVENT, MAX_TARGETS, NUM_HAND_KINDS, NUM_KINDS, Card
from gubs_env.games.gubs.legal import is_inner_pick, opens_window
from gubs_env.games.gubs.rules import MAX_CARDS, MAX_PLAYERS, MAX_SLOTS
from gubs_env.games.gubs.score import best_rank, points, rank
from gubs_env.games.gubs.state import Phase


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
    RETURN = 14  # an Event turned up instead of a card for a hand, and went back
    OVER = 15  # the game is over: a row for each seat
    PASSED = 16  # cards that the Traveling Merchant moves: a row for each kind that one knows


LAST_SEAT, LAST_KIND = MAX_PLAYERS - 1, NUM_KINDS - 1
SLICES = lay_out(
    [
        ("kind", (1,), max(Event), "the kind of event, by `Event`"),
        ("seat", (1,), LAST_SEAT, "the seat that acts, or that the event is about"),
        ("card", (1,), LAST_KIND, "the card drawn, played, discarded, kept, passed or seen"),
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
(
    KIND, SEAT, CARD, COUNTS_AS, TARGET_SEATS, TARGET_PLACES, TARGET_CARD, TARGET_DECK, COUNT,
    POINTS, WON,
) = (each.start for each in SLICES.values())  # fmt: skip


@compiled
def write_events(before, action, after, viewer, events, count):
    """Write the events of one decision as a seat saw them (see `History.write_events`)."""
    if before.decisions == 0:
        write_returned(before, events, count)
    write_decision(before, action, after, viewer, events, count)
    if took_effect(before, action, after):
        write_effect(before, after, viewer, events, count)
        if before.phase == Phase.MERCHANT:
            write_passed(before, action, viewer, events, count)
    if after.phase == Phase.OVER:
        write_end(after, viewer, events, count)


@compiled
def took_effect(before, action, after):
    """Return whether a card took effect that others could have answered, or that shows secrets."""
    phase, then = before.phase, after.phase
    if phase == Phase.ANSWER or phase == Phase.CURE or phase == Phase.MERCHANT:
        answered = phase == Phase.ANSWER and action != PASS
        return not answered and (then == Phase.PLAY or then == Phase.OVER)
    if phase == Phase.DRAW:
        drew_event = action == DECK and IS_EVENT[before.deck[before.deck_size - 1]] != 0
        return drew_event and (then == Phase.PLAY or then == Phase.OVER)
    played = (phase == Phase.PLAY and action != PASS) or is_inner_pick(phase)
    return played and (then == Phase.PLAY or then == Phase.ORDER)


ACTS = np.array([Event.ORDER, Event.ANSWER, Event.CURE, Event.KEEP, Event.DISCARD])
"""The event of a card that is chosen in a phase, from Phase.ORDER on."""


@compiled
def write_decision(before, action, after, viewer, events, count):
    """Write the event of a decision, if the viewer saw it."""
    is_own, phase = viewer == before.actor, before.phase
    seat = relative(before, viewer, before.actor)
    if phase == Phase.DRAW:
        write_draw(before, action, viewer, events, count)
    elif phase == Phase.PLAY and action == PASS:
        write_act(Event.END_PLAY, seat, NONE, events, count)
    elif phase == Phase.PLAY or is_inner_pick(phase):
        if not is_inner_pick(after.phase):
            write_play(after, viewer, seat, events, count)
    elif action == PASS:
        if is_own or before.ask_everyone:
            write_act(Event.PASS, seat, NONE, events, count)
    elif is_own or (phase != Phase.MERCHANT and phase != Phase.ORDER):  # which are secret
        event = write_act(ACTS[phase - Phase.ORDER], seat, card_of(action), events, count)
        if phase == Phase.ANSWER:
            event[TARGET_CARD] = before.played


@inlined
def write_act(kind, seat, card, events, count):
    """Write an event of these columns, and return it."""
    event = new_act(kind, seat, events, count)
    event[CARD] = card
    return event


@compiled
def write_draw(before, action, viewer, events, count):
    """Write a draw; the card shows if it is an Event, or if the viewer holds or knew it."""
    seat = relative(before, viewer, before.actor)
    if action != DECK:
        write_act(Event.SKIP, seat, NONE, events, count)
        return
    kind = before.deck[before.deck_size - 1]
    knows = viewer == before.actor or (viewer != NOBODY and before.known_top[viewer] > 0)
    shows = knows or IS_EVENT[kind] != 0
    write_act(Event.DRAW, seat, kind if shows else NONE, events, count)


@compiled
def write_play(after, viewer, seat, events, count):
    """Write a card that was announced, with its targets."""
    event = write_act(Event.PLAY, seat, after.played, events, count)
    event[COUNTS_AS] = after.played_as
    event[TARGET_CARD] = after.target_card
    for number in range(after.num_targets):
        target = after.target_seat[number]
        event[TARGET_SEATS + number] = relative(after, viewer, target)
        event[TARGET_PLACES + number] = after.target_slot[number]
        if target == NONE:
            event[TARGET_DECK] = 1


@compiled
def write_effect(before, after, viewer, events, count):
    """Write what happened when the announced card took effect."""
    kind = after.played_as
    if kind == Card.SCOUT:
        if viewer == after.turn:
            write_scouted(after, events, count)
    elif kind >= Card.LETTER_G:
        write_act(Event.EFFECT, NONE, kind, events, count)
    elif opens_window(after):
        write_act(Event.EFFECT, NONE, kind, events, count)
        write_gone(before, after, events, count)
        write_points(before, after, viewer, events, count)
        if kind == Card.GARGOK_PLAGUE:
            write_returned(after, events, count)


@compiled
def write_returned(state, events, count):
    """Write the Events that turned up when cards were dealt or drawn anew, and went back."""
    for number in range(len(state.returned)):
        if state.returned[number] > 0:
            event = write_act(Event.RETURN, NONE, NUM_HAND_KINDS + number, events, count)
            event[COUNT] = state.returned[number]


@compiled
def write_scouted(after, events, count):
    """Write the cards that the player of the Scout sees: of a hand, or from the top of the deck."""
    target = after.target_seat[0]
    if target >= 0:
        for kind in range(NUM_HAND_KINDS):
            if after.hand[target, kind] > 0:
                event = write_act(Event.SEE, 0, kind, events, count)
                event[TARGET_SEATS] = relative(after, after.turn, target)
                event[COUNT] = after.hand[target, kind]
        return
    for depth in range(after.known_top[after.turn]):
        event = write_act(Event.SEE, 0, after.deck[after.deck_size - 1 - depth], events, count)
        event[TARGET_DECK] = 1
        event[COUNT] = 1


@compiled
def write_gone(before, after, events, count):
    """Write the cards that an effect discarded, other than the card played."""
    if before.phase == Phase.CURE:  # these would count the cure of the last one asked
        return
    for kind in range(NUM_KINDS):
        gone = after.discard_pile[kind] - before.discard_pile[kind] - (kind == after.played)
        if gone > 0:
            event = write_act(Event.GONE, NONE, kind, events, count)
            event[COUNT] = gone


@compiled
def write_points(before, after, viewer, events, count):
    """Write the seats whose points an effect changed."""
    for seat in range(after.num_players):
        had, has = points(before, seat), points(after, seat)
        if had != has:
            about = relative(after, viewer, seat)
            event = write_act(Event.POINTS, about, NONE, events, count)
            event[POINTS] = had
            event[POINTS + 1] = has


@compiled
def write_passed(before, action, viewer, events, count):
    """Write the cards that each seat passes to its right; others see their number."""
    for steps in range(before.num_players):
        giver = seat_at(before, before.turn, steps)
        taker, number = seat_at(before, giver, before.num_players - 1), 0
        kept = card_of(action) if giver == before.actor else before.kept[giver]
        for kind in range(NUM_HAND_KINDS):
            passed = before.hand[giver, kind] - (kept == kind)
            if viewer in (giver, taker):
                write_pass(before, viewer, giver, taker, kind, passed, events, count)
            else:
                number += passed
        write_pass(before, viewer, giver, taker, NONE, number, events, count)


@compiled
def write_pass(before, viewer, giver, taker, card, number, events, count):
    """Write cards of one kind, or of kinds that the viewer does not know, that are passed."""
    if number > 0:
        event = write_act(Event.PASSED, relative(before, viewer, giver), card, events, count)
        event[TARGET_SEATS] = relative(before, viewer, taker)
        event[COUNT] = number


@compiled
def write_end(state, viewer, events, count):
    """Write the points of each seat and who has won."""
    for seat in range(state.num_players):
        event = write_act(Event.OVER, relative(state, viewer, seat), NONE, events, count)
        event[POINTS + 1] = points(state, seat)
        event[WON] = rank(state, seat) == best_rank(state)


history = History(SLICES, write_events, most_events=2 * NUM_KINDS + 2 * MAX_PLAYERS + 2)
