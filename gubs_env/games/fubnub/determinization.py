"""Determinization: a complete state, drawn at random, that fits what a player knows.

Every way to lay the unseen number cards at the unknown places is equally likely. Nothing else is
secret, because decks have no order (see `state`). The term is from Cowling, Powley and
Whitehouse, "Information set Monte Carlo tree search" (2012).
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.choosing import choose
from gubs_env.engine.compiling import compiled
from gubs_env.engine.rng import spawn_into
from gubs_env.games.fubnub.cards import NO_CARD, NUM_CARDS
from gubs_env.games.fubnub.state import UNDEALT


@compiled
def determinize_row(state, rng):
    """Complete a view of the acting player at random, from an RNG, int64[4].

    The memory of the other players stays empty, because the acting player cannot know it.
    """
    viewer = state.asked
    unseen = unseen_cards(state, viewer)
    for seat in range(state.num_seats):
        if seat != viewer:
            state.hand[seat, :] = state.known[viewer, seat]
            for _ in range(state.hand_size[seat] - state.hand[seat].sum()):
                state.hand[seat, take(unseen, rng)] = 1
    for _ in range(state.num_under - state.under.sum()):
        state.under[take(unseen, rng)] = 1
    state.undealt[:] |= unseen
    if state.action_deck_used and not state.revealed:
        draw_swap(state, rng)
    spawn_into(rng, state.rng)


@compiled
def draw_swap(state, rng):
    """Draw the two cards of the dealer's swap, which No Trash would undo, if they are hidden."""
    dealer = state.dealer
    if state.swapped[dealer] > 0 and state.swap_drawn == NO_CARD:
        state.swap_drawn = choose(rng, state.hand[dealer])
        state.swap_returned = choose(rng, state.under)


@compiled
def take(cards, rng):
    """Return a random card out of flags of cards, and clear its flag."""
    card = choose(rng, cards)
    cards[card] = 0
    return card


@compiled
def unseen_cards(state, viewer):
    """Return flags of the number cards that the viewer cannot locate, int8[24]."""
    unseen = np.ones(NUM_CARDS, np.int8)
    for card in range(NUM_CARDS):
        known = state.hand[viewer, card] | state.known[viewer, UNDEALT, card]
        for seat in range(state.num_seats):
            known |= state.trick[seat, card] | state.played[seat, card]
            known |= state.known[viewer, seat, card]
        unseen[card] -= known
    return unseen
