"""The memory of each seat about other hands and about the deck (section 8 of the rules).

`state.known[viewer, holder, kind]` is a lower bound on the cards of a kind in a hand. It follows
from what the viewer saw, never from the true hand. `state.known_top[viewer]` is the number of cards
from the top of the deck that a seat knows. A number is enough, because only a Scout shows places of
the deck, and always the topmost ones.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.compiling import compiled
from gubs_env.engine.seats import seat_at
from gubs_env.games.gubs.cards import IS_EVENT, NUM_HAND_KINDS, Card
from gubs_env.games.gubs.classes import record_drawn, record_letter_drawn, record_shuffled
from gubs_env.games.gubs.rules import MAX_PLAYERS
from gubs_env.games.gubs.state import MOST_RETURNS


@compiled
def all_see_enter(state, holder, kind, count):
    """Record that everybody sees `count` cards of a kind enter a hand."""
    for viewer in range(state.num_players):
        if viewer != holder:
            state.known[viewer, holder, kind] += count


@compiled
def all_see_leave(state, holder, kind):
    """Record that everybody sees a card of this kind leave a hand."""
    for viewer in range(state.num_players):
        if state.known[viewer, holder, kind] > 0:
            state.known[viewer, holder, kind] -= 1


@compiled
def all_see_hand_lost(state, holder):
    """Record that everybody sees a player lose their whole hand."""
    for viewer in range(state.num_players):
        state.known[viewer, holder, :] = 0


@compiled
def see_hand(state, viewer, holder):
    """Record that the viewer looks at a whole hand."""
    state.known[viewer, holder, :] = state.hand[holder, :]


@compiled
def see_deck_top(state, viewer, depth):
    """Record that the viewer looks at the top of the deck, which nobody else knows any more.

    The viewer may reorder these cards. Nobody ever knows a place below the top three.
    """
    state.known_top[:] = 0
    state.known_top[viewer] = depth
    for third in range(3):
        if state.third_end[third] > state.deck_size - depth:
            state.third_end[third] = state.deck_size
            state.third_start[third] = min(state.third_start[third], state.deck_size - depth)


@compiled
def see_top_drawn(state, drawer, kind):
    """Record that the top card is drawn: known places move up by one.

    Whoever knew the card knows that the drawer has it now, unless it is an Event.
    """
    for viewer in range(state.num_players):
        if state.known_top[viewer] > 0:
            state.known_top[viewer] -= 1
            if viewer != drawer and not IS_EVENT[kind]:
                state.known[viewer, drawer, kind] += 1
    if kind >= Card.LETTER_G:
        see_letter_drawn(state, kind)
    else:
        record_drawn(state, kind)
    for third in range(3):
        state.third_end[third] = min(state.third_end[third], state.deck_size)


@compiled
def see_letter_drawn(state, kind):
    """Record that a Letter leaves the deck.

    A Letter that was shuffled in is loose. Any other one is the Letter of the highest third that
    still has its Letter, because cards that are shuffled in never change the order of the Letters.
    A Scout can exchange two Letters, but nobody knows which Letter lies in which third anyway.
    """
    if state.letter_loose[kind - Card.LETTER_G]:
        state.letter_loose[kind - Card.LETTER_G] = 0
        return
    for third in range(2, -1, -1):
        if state.third_end[third] > 0:
            state.third_start[third] = 0
            state.third_end[third] = 0
            break
    record_letter_drawn(state)


@compiled
def see_shuffled(state, kind):
    """Record that a card went to a random place of the deck.

    Nobody knows the place of any card from then on. The range of each Letter in its third grows by
    one place. A Letter that is shuffled in can lie anywhere (`letter_loose`).
    """
    state.known_top[:] = 0
    for third in range(3):
        if state.third_end[third] > 0:
            state.third_end[third] += 1
    if kind >= Card.LETTER_G:
        state.letter_loose[kind - Card.LETTER_G] = 1
    else:
        record_shuffled(state, kind)


@compiled
def see_returned(state, kind):
    """Record that an Event turned up in place of a card for a hand, and goes back [G17]."""
    event = kind - NUM_HAND_KINDS
    state.returned[event] = min(state.returned[event] + 1, MOST_RETURNS)


@compiled
def see_hands_pass(state):
    """Record the Traveling Merchant: hands go to the right. Call this before the cards move.

    All new bounds of a viewer are computed from the old ones. A giver keeps `kept` of the cards
    known to be there and passes `passed` to the right (section 8, Traveling Merchant).
    """
    bounds = np.zeros((MAX_PLAYERS, NUM_HAND_KINDS), np.int8)
    for viewer in range(state.num_players):
        bounds[:] = 0
        for steps in range(state.num_players):
            giver = seat_at(state, viewer, steps)
            receiver = seat_at(state, giver, state.num_players - 1)
            for kind in range(NUM_HAND_KINDS):
                kept, passed = _known_to_pass(state, viewer, giver, receiver, kind)
                bounds[giver, kind] += kept
                bounds[receiver, kind] += passed
        for holder in range(state.num_players):
            if holder != viewer:
                state.known[viewer, holder, :] = bounds[holder]


@compiled
def _known_to_pass(state, viewer, giver, receiver, kind):
    """Return how many cards of a kind a viewer knows a giver to keep and pass: (kept, passed)."""
    true_kept = 1 if state.kept[giver] == kind else 0
    true_passed = state.hand[giver, kind] - true_kept
    if viewer == giver:
        return true_kept, true_passed
    bound = state.known[viewer, giver, kind]
    if viewer == receiver:
        return max(0, bound - true_passed), true_passed
    kept = 1 if bound > 0 and bound == state.hand_size[giver] else 0
    return kept, max(0, bound - 1)
