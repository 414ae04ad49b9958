"""The history of FUBNUB: what each player saw, event by event, as the log tells it (`words`)."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from gubs_env.engine.compiling import compiled, inlined
from gubs_env.engine.history import NONE, History, new_act, relative
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.slices import lay_out
from gubs_env.games.fubnub.actions import ACCEPT, DECLINE, PASS, point_of, steps_of
from gubs_env.games.fubnub.cards import (
    HAND_CARDS,
    NUM_ACTION_CARDS,
    NUM_CARDS,
    NUM_POINTS,
    RANK,
    ActionCard,
)
from gubs_env.games.fubnub.rules import MAX_SEATS
from gubs_env.games.fubnub.score import points
from gubs_env.games.fubnub.state import Phase, seat_in_play

MOST = np.iinfo(np.int8).max


class Event(IntEnum):
    """The kinds of event."""

    HAND = 0  # a hand is dealt, and its point card revealed
    CALL = 1  # the point card is put in play
    PASS = 2
    NEW_POINT = 3  # another point card is revealed: all have passed, or the game restarts
    MISDEAL = 4  # all have passed twice
    DRAW = 5  # the dealer's advantage: a card is drawn from the undealt cards
    RETURN = 6  # a card is returned for it
    DECLINE = 7
    PERFORM = 8
    STEAL = 9
    PICK = 10  # a seat is given the dealer's advantage
    KEEP = 11  # the one card kept (Do Over)
    TAKE = 12  # a card is taken from the dealer's hand (the gecko)
    GIVE = 13  # a card is given for it
    REVEAL = 14  # an action card is revealed
    CARD = 15  # a card is played to the trick
    TRICK = 16  # a seat takes the trick
    AWARD = 17  # a seat wins a point card: a row for each
    OVER = 18  # the game is over: a row for each player, and for each ghost that has won


SLICES = lay_out(
    [
        ("kind", (1,), max(Event), "the kind of event, by `Event`"),
        ("seat", (1,), MAX_SEATS - 1, "the seat that acts, or that the event is about"),
        ("phase", (1,), Phase.OVER - 1, "the decision that was made, by `Phase`"),
        (
            "card",
            (1,),
            NUM_CARDS - 1,
            "the number card played, drawn, returned, given, or that takes the trick",
        ),
        ("point_card", (1,), NUM_POINTS - 1, "the point card that is revealed, stolen or won"),
        ("action_card", (1,), NUM_ACTION_CARDS - 1, "the action card that is revealed"),
        ("target_seat", (1,), MAX_SEATS - 1, "the seat that is picked"),
        ("by_itself", (1,), 1, "a ghost or an unseen hand played the card"),
        ("count", (1,), MOST, "the number of the hand, at most 127; at the end, the score"),
        ("won", (1,), 1, "the seat has won, alone or with others"),
    ]
)
KIND, SEAT, PHASE, CARD, POINT_CARD, ACTION_CARD, TARGET_SEAT, BY_ITSELF, COUNT, WON = (
    each.start for each in SLICES.values()
)


@compiled
def write_events(before, action, after, viewer, events, count):
    """Write the events of one decision as a player saw them (see `History.write_events`)."""
    own_seat = seat_of(before, viewer)
    if before.decisions == 0:
        write_hand(before, own_seat, events, count)
        write_led(before, own_seat, events, count)
    write_decision(before, action, after, own_seat, events, count)
    if before.phase == Phase.PLAY:
        write_trick(before, action, after, own_seat, events, count)
    new_hand = after.hands != before.hands
    if new_hand:
        if before.phase == Phase.DECIDE:
            new_act(Event.MISDEAL, NONE, events, count)
        write_hand(after, own_seat, events, count)
    elif after.cycle != before.cycle:
        write_point_card(after, events, count)
    if after.revealed and (new_hand or not before.revealed):
        seat = relative(after, own_seat, after.last_winner)
        event = new_act(Event.REVEAL, seat, events, count)
        event[ACTION_CARD] = after.action_card
        if after.action_card == ActionCard.RESTART_GAME and after.move_points:
            write_point_card(after, events, count)
    if after.phase == Phase.PLAY and (before.phase != Phase.PLAY or trick_is_over(before, after)):
        write_led(after, own_seat, events, count)
    if after.phase == Phase.OVER:
        write_end(after, own_seat, events, count)


@inlined
def seat_of(state, viewer):
    """Return the seat of a player; NOBODY for NOBODY."""
    return state.seat_of[viewer] if viewer >= 0 else NOBODY


@compiled
def write_hand(state, own_seat, events, count):
    """Write the hand that is dealt, and its point card."""
    event = new_act(Event.HAND, relative(state, own_seat, state.dealer), events, count)
    event[POINT_CARD] = state.point_card
    event[COUNT] = min(state.hands, MOST)


@compiled
def write_point_card(state, events, count):
    """Write the point card that is revealed."""
    event = new_act(Event.NEW_POINT, NONE, events, count)
    event[POINT_CARD] = state.point_card


ACTS = np.array(
    [
        *(Event.CALL, Event.DRAW, Event.RETURN, Event.PERFORM, Event.STEAL),
        *(Event.PICK, Event.KEEP, Event.TAKE, Event.GIVE, Event.CARD),
    ]
)
"""The event of a decision, by its phase, if the player neither passes nor declines."""


@compiled
def write_decision(before, action, after, own_seat, events, count):
    """Write a decision; a card that changes hands shows to those who see it."""
    phase = before.phase
    event = new_act(ACTS[phase], relative(before, own_seat, before.asked), events, count)
    event[PHASE] = phase
    if action == PASS:
        event[KIND] = Event.PASS
    elif action == DECLINE:
        event[KIND] = Event.DECLINE
    elif phase == Phase.PICK:
        target = seat_at(before, before.asked, steps_of(action))
        event[TARGET_SEAT] = relative(before, own_seat, target)
    elif phase == Phase.STEAL:
        event[POINT_CARD] = point_of(action)
    elif phase != Phase.DECIDE and phase != Phase.SOCIAL:
        is_gecko = phase == Phase.GECKO_OFFER or phase == Phase.GECKO_GIVE
        holds = own_seat == before.asked or (is_gecko and own_seat == before.dealer)
        if phase == Phase.PLAY or holds:
            event[CARD] = after.drawn if action == ACCEPT else action


@compiled
def write_laid(state, seat, card, own_seat, events, count):
    """Write a card that a ghost or an unseen hand played by itself."""
    event = new_act(Event.CARD, relative(state, own_seat, seat), events, count)
    event[CARD] = card
    event[BY_ITSELF] = 1


@compiled
def write_led(state, own_seat, events, count):
    """Write the cards that were played without asking at the beginning of a trick."""
    for steps in range(state.trick_size):
        seat = seat_in_play(state, state.leader, steps)
        write_laid(state, seat, state.trick_card[seat], own_seat, events, count)


@compiled
def write_trick(before, action, after, own_seat, events, count):
    """Write the cards that followed without asking, the winner of the trick, and the award."""
    trick, seat = before.trick_card.copy(), before.asked
    trick[seat] = action
    for _ in range(before.num_seats - before.trick_size - 1):
        seat = seat_in_play(before, seat, 1)
        if before.player_at[seat] != NOBODY and not before.blind[seat]:
            break
        trick[seat] = card_laid(before, after, seat)
        write_laid(before, seat, trick[seat], own_seat, events, count)
    if trick_is_over(before, after):
        best = best_seat(before, trick)
        event = new_act(Event.TRICK, relative(before, own_seat, best), events, count)
        event[CARD] = trick[best]
        if before.tricks_won.sum() == HAND_CARDS - 1:
            for point in range(NUM_POINTS):
                if after.last_award[point]:
                    winner = relative(after, own_seat, after.last_winner)
                    event = new_act(Event.AWARD, winner, events, count)
                    event[POINT_CARD] = point


@compiled
def trick_is_over(before, after):
    """Return whether the card played, with those that followed without asking, ended a trick."""
    return after.hands != before.hands or after.tricks_won.sum() > before.tricks_won.sum()


@compiled
def card_laid(before, after, seat):
    """Return the card that a seat played without being asked to the current trick of `before`."""
    held = before.hand[seat].sum()
    for card in range(NUM_CARDS):
        is_gone = before.hand[seat, card] > after.hand[seat, card]
        is_led = trick_is_over(before, after) and card == after.trick_card[seat]
        if before.hand[seat, card] and (held == 1 or (is_gone and not is_led)):
            return card
    return NONE


@compiled
def best_seat(state, trick):
    """Return the seat that takes a complete trick, int[MAX_SEATS]."""
    best = 0
    for seat in range(1, state.num_seats):
        if RANK[state.point_card, trick[seat]] > RANK[state.point_card, trick[best]]:
            best = seat
    return best


@compiled
def write_end(state, own_seat, events, count):
    """Write the score of each player and who has won; nobody has in a game that was cut off."""
    for seat in range(state.num_seats):
        is_player = state.player_at[seat] != NOBODY
        won = NONE if state.truncated else state.won[seat]
        if is_player or won == 1:
            event = new_act(Event.OVER, relative(state, own_seat, seat), events, count)
            event[COUNT] = points(state, seat) if is_player else NONE
            event[WON] = won


history = History(SLICES, write_events, most_events=4 * MAX_SEATS + NUM_POINTS + 8)
