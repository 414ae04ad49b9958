"""The history of Bad, Bad, Turtle: what everybody saw, as the log tells it (`words.narrate`)."""

from __future__ import annotations

from enum import IntEnum

from gubs_env.engine.compiling import compiled, inlined
from gubs_env.engine.history import NONE, History, new_act, relative
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.slices import lay_out
from gubs_env.games.bad_bad_turtle.actions import (
    DECLINE,
    FIRST_PICK,
    FIRST_SHIELD,
    NAMES,
    PASS,
    PERFORM,
    PLAY_NEVER_HAPPENED,
    PLAY_NO_WAY_ON_NEVER_HAPPENED,
    PLAY_NO_WAY_ON_SHIELD,
)
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    NO_CARD,
    NUM_KINDS,
    NUM_REACTIONS,
    Card,
)
from gubs_env.games.bad_bad_turtle.legal import answered_card, answered_player
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS
from gubs_env.games.bad_bad_turtle.state import MAX_SHOWN, Phase


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
KIND, SEAT, ACTION, CARD, TARGET_SEAT, TARGET_CARD, OPEN_PILE, WHOLE_DECK, WON = (
    each.start for each in SLICES.values()
)

NEVER_HAPPENED, NO_WAY, SHIELD = (
    card.value for card in (Card.NEVER_HAPPENED, Card.NO_WAY, Card.SHIELD)
)


@compiled
def write_events(before, action, after, viewer, events, count):
    """Write the events of one decision as a seat saw them (see `History.write_events`)."""
    write_decision(before, action, viewer, events, count)
    write_revealed(before, after, viewer, events, count)
    for seat in range(MAX_PLAYERS):
        if before.living[seat] != after.living[seat]:
            kind = Event.BACK if after.living[seat] else Event.ELIMINATED
            write_act(kind, relative(after, viewer, seat), NONE, events, count)
    if after.deals != before.deals:
        event = write_act(Event.DEAL, NONE, NONE, events, count)
        event[WHOLE_DECK] = after.stack_size.sum() == after.composition.sum()
    if after.modifier != NO_CARD and after.phase == Phase.TURN:
        seat = relative(after, viewer, after.turn)
        write_act(Event.MODIFIER, seat, after.modifier, events, count)
    if after.phase == Phase.OVER:
        for seat in range(after.num_players):
            event = write_act(Event.OVER, relative(after, viewer, seat), NONE, events, count)
            event[WON] = seat == after.winner


@inlined
def write_act(kind, seat, card, events, count):
    """Write an event of these columns, and return it."""
    event = new_act(kind, seat, events, count)
    event[CARD] = card
    return event


@compiled
def write_decision(before, action, viewer, events, count):
    """Write a decision."""
    event = write_act(Event.TURN, relative(before, viewer, before.actor), NONE, events, count)
    event[ACTION] = action
    if before.phase == Phase.TURN:
        event[CARD] = before.modifier
        if action == PERFORM:
            event[KIND] = Event.PERFORM
        elif action == DECLINE:
            event[KIND] = Event.DECLINE
    elif before.phase == Phase.PICK:
        event[KIND] = Event.PICK
        picked = seat_at(before, before.actor, action - FIRST_PICK)
        event[TARGET_SEAT] = relative(before, viewer, picked)
    elif action == PASS:
        event[KIND], event[TARGET_CARD] = Event.PASS, answered_card(before)
    else:
        write_reaction(before, action, viewer, event)


@compiled
def write_reaction(before, action, viewer, event):
    """Write a card that answers another one, and where it is aimed; a Shield names its victim."""
    seat, card = answered_player(before), answered_card(before)
    if action >= FIRST_SHIELD:
        seat = seat_at(before, before.actor, action - FIRST_SHIELD)
    elif action == PLAY_NO_WAY_ON_NEVER_HAPPENED:
        seat, card = before.aside[NEVER_HAPPENED - FIRST_REACTION], NEVER_HAPPENED
    elif action == PLAY_NO_WAY_ON_SHIELD:
        seat, card = before.aside[SHIELD - FIRST_REACTION], SHIELD
    event[KIND], event[CARD] = Event.REACT, played_card(action)
    event[TARGET_SEAT], event[TARGET_CARD] = relative(before, viewer, seat), card


@inlined
def played_card(action):
    """Return the set-aside card that an answer plays."""
    if action >= FIRST_SHIELD:
        return SHIELD
    return NEVER_HAPPENED if action == PLAY_NEVER_HAPPENED else NO_WAY


@compiled
def write_revealed(before, after, viewer, events, count):
    """Write which cards were revealed, went to a pile, and were set aside."""
    for number in range(MAX_SHOWN):
        if after.shown[number] != NO_CARD:
            seat = relative(after, viewer, after.shown_by[number])
            write_act(Event.REVEAL, seat, after.shown[number], events, count)
    if has_reactions(before, after):
        for place in range(MOST_SETTLED):
            card = card_of_window(before, after, place)
            seat, is_open = pile_of(after, card)
            if seat != NOBODY:
                event = write_act(Event.SETTLE, relative(after, viewer, seat), card, events, count)
                event[OPEN_PILE] = is_open
    for number in range(NUM_REACTIONS):
        holder = after.aside[number]
        if holder != before.aside[number] and holder != NOBODY:
            seat = relative(after, viewer, holder)
            write_act(Event.SET_ASIDE, seat, FIRST_REACTION + number, events, count)


@compiled
def has_reactions(before, after):
    """Return whether a reaction lay in the window of `before`, or one was played then."""
    if before.depth > 0:
        return True
    for number in range(NUM_REACTIONS):
        if before.aside[number] != NOBODY and after.aside[number] == NOBODY:
            return True
    return False


MOST_SETTLED = 1 + 2 * NUM_REACTIONS
"""The places of a window: its card, its reactions, and those played from aside."""


@compiled
def card_of_window(before, after, place):
    """Return the card at a place of the window of `before` if it has left it, else NO_CARD."""
    card = NO_CARD
    if place == 0:
        card = before.pending
    elif place <= NUM_REACTIONS:
        if place <= before.depth:
            card = before.reaction[place - 1]
    else:
        number = place - NUM_REACTIONS - 1
        if before.aside[number] != NOBODY and after.aside[number] == NOBODY:
            card = FIRST_REACTION + number
    if card == after.pending:
        return NO_CARD
    for number in range(after.depth):
        if card == after.reaction[number]:
            return NO_CARD
    return card


@compiled
def pile_of(state, card):
    """Return the seat of the pile that everybody saw a card go to, and whether that lies open.

    NOBODY for a card that nobody saw go anywhere. Only cards that lie in the deck once are asked.
    """
    if card == NO_CARD:
        return NOBODY, False
    for seat in range(state.num_players):
        for place in range(state.reveal_size[seat]):
            if state.reveal_pile[seat, place] == card:
                return seat, True
        for place in range(state.discard_size[seat]):
            is_seen = state.discard_seen[seat] >> place & 1
            if is_seen and state.discard_pile[seat, place] == card:
                return seat, False
    return NOBODY, False


history = History(
    SLICES,
    write_events,
    most_events=MAX_SHOWN + MOST_SETTLED + NUM_REACTIONS + 2 * MAX_PLAYERS + 3,
)
