"""What each seat remembers of the hands of others, and of the deck (section 8 of the rules).

`state.known[viewer, holder, kind]` is a lower bound; it rests on what the viewer saw, never on the
true hand. A seat knows `state.known_top[viewer]` cards from the top of the deck: only a Scout
shows deck places, always the topmost, so that a depth is all there is to remember.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.compilation import compiled
from gubs_env.engine.seats import seat_at
from gubs_env.games.gubs.cards import IS_EVENT, NUM_HAND_KINDS, Card
from gubs_env.games.gubs.rules import MAX_PLAYERS


@compiled
def all_see_enter(state, holder, kind, count):
    """Everybody sees `count` cards of a kind enter a hand."""
    for viewer in range(state.num_players):
        if viewer != holder:
            state.known[viewer, holder, kind] += count


@compiled
def all_see_leave(state, holder, kind):
    """Everybody sees a card of this kind leave a hand."""
    for viewer in range(state.num_players):
        if state.known[viewer, holder, kind] > 0:
            state.known[viewer, holder, kind] -= 1


@compiled
def all_see_hand_lost(state, holder):
    """Everybody sees a whole hand go."""
    for viewer in range(state.num_players):
        state.known[viewer, holder, :] = 0


@compiled
def see_hand(state, viewer, holder):
    """The viewer looks at a whole hand."""
    state.known[viewer, holder, :] = state.hand[holder, :]


@compiled
def see_deck_top(state, viewer, depth):
    """The viewer looks at the top of the deck and may change it: nobody else knows it any more.

    Nobody ever knows a place further down, since all knowledge is of the top three.
    """
    state.known_top[:] = 0
    state.known_top[viewer] = depth
    for third in range(3):
        if state.third_end[third] > state.deck_size - depth:
            state.third_end[third] = state.deck_size
            state.third_start[third] = min(state.third_start[third], state.deck_size - depth)


@compiled
def see_top_drawn(state, drawer, kind):
    """The top card is drawn: who knew it knows where it goes, and the places below it move up."""
    for viewer in range(state.num_players):
        if state.known_top[viewer] > 0:
            state.known_top[viewer] -= 1
            if viewer != drawer and not IS_EVENT[kind]:
                state.known[viewer, drawer, kind] += 1
    if kind >= Card.LETTER_G:
        see_letter_drawn(state, kind)
    for third in range(3):
        state.third_end[third] = min(state.third_end[third], state.deck_size)


@compiled
def see_letter_drawn(state, kind):
    """A Letter leaves the deck: that of the highest third that still has one, unless it is loose.

    What is shuffled in moves the Letters of the thirds up, never past each other. Should a Scout
    exchange two of them, it makes no difference: which Letter is which third's is not known.
    """
    if state.letter_loose[kind - Card.LETTER_G]:
        state.letter_loose[kind - Card.LETTER_G] = 0
        return
    for third in range(2, -1, -1):
        if state.third_end[third] > 0:
            state.third_end[third] = 0
            return


@compiled
def see_shuffled(state, kind):
    """A card went to a random place of the deck: no place is known any more.

    A Letter of a third above that place lies one higher now; a Letter shuffled in is loose.
    """
    state.known_top[:] = 0
    for third in range(3):
        if state.third_end[third] > 0:
            state.third_end[third] += 1
    if kind >= Card.LETTER_G:
        state.letter_loose[kind - Card.LETTER_G] = 1


@compiled
def see_hands_pass(state):
    """The Traveling Merchant: every hand but the picks goes to the right. Call before it moves.

    Bounds of a viewer are moved from the old values, all at once: a giver keeps `kept` of what was
    known to be there and passes `passed` to its right. See section 8, Traveling Merchant.
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
    """What a viewer knows a giver to keep and to pass on, of one kind: (kept, passed)."""
    true_kept = 1 if state.kept[giver] == kind else 0
    true_passed = state.hand[giver, kind] - true_kept
    if viewer == giver:
        return true_kept, true_passed
    bound = state.known[viewer, giver, kind]
    if viewer == receiver:
        return max(0, bound - true_passed), true_passed
    kept = 1 if bound > 0 and bound == state.hand_size[giver] else 0
    return kept, max(0, bound - 1)
