"""Moves of cards between hands, undealt cards, tricks and piles, and what seats see of them.

Number cards that nobody has seen are drawn at random when they are turned up (see `state`).
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.choosing import choose
from gubs_env.engine.compiling import compiled, inlined
from gubs_env.engine.rng import random_below
from gubs_env.engine.seats import seat_at
from gubs_env.games.fubnub.cards import HAND_CARDS, NO_CARD, NUM_CARDS, NUM_POINTS
from gubs_env.games.fubnub.state import UNDEALT

# ---------------------------------------------------------------------------------- number cards


@inlined
def into_hand(state, seat, card):
    state.hand[seat, card] = 1
    state.hand_size[seat] += 1


@inlined
def out_of_hand(state, seat, card):
    state.hand[seat, card] = 0
    state.hand_size[seat] -= 1
    for viewer in range(state.num_seats):
        state.known[viewer, seat, card] = 0


@compiled
def deal_number_cards(state):
    """Deal five cards to each seat, from the left of the dealer on; the rest are undealt."""
    state.undealt[:] = 1
    for steps in range(1, state.num_seats + 1):
        fill_hand(state, seat_at(state, state.dealer, steps))


@compiled
def fill_hand(state, seat):
    """Deal five undealt cards to an empty hand."""
    deck = np.empty(NUM_CARDS, np.int8)
    size = 0
    for card in range(NUM_CARDS):
        deck[size] = card
        size += int(state.undealt[card])
    for _ in range(HAND_CARDS):
        place = random_below(state.rng, size)
        size -= 1
        card = deck[place]
        deck[place] = deck[size]
        state.undealt[card] = 0
        into_hand(state, seat, card)


@compiled
def draw_undealt(state, seat):
    """Draw the top undealt card into a hand; return the card."""
    card = choose(state.rng, state.undealt)
    state.undealt[card] = 0
    for viewer in range(state.num_seats):
        state.known[viewer, UNDEALT, card] = 0
    into_hand(state, seat, card)
    return card


@compiled
def return_under(state, seat, card):
    """Put a card of a hand beneath the undealt cards, and record that its seat knows this (F10)."""
    out_of_hand(state, seat, card)
    state.under[card] = 1
    state.num_under += 1
    state.known[seat, UNDEALT, card] = 1


@compiled
def recover_swapped(state):
    """Undo the dealer's last swap: its two cards change places back (F27)."""
    dealer, drawn, returned = state.dealer, state.swap_drawn, state.swap_returned
    out_of_hand(state, dealer, drawn)
    state.undealt[drawn] = 1
    state.known[dealer, UNDEALT, drawn] = 1
    state.under[returned] = 0
    state.num_under -= 1
    state.known[dealer, UNDEALT, returned] = 0
    into_hand(state, dealer, returned)


@compiled
def mix_with_undealt(state, seat):
    """Shuffle a hand and all undealt cards, and deal five of them to that seat (F28).

    The seat knows where its old cards are: those that it did not get again are undealt. Other seats
    forget what they knew about any of these cards.
    """
    for card in range(NUM_CARDS):
        mine = state.hand[seat, card]
        state.known[seat, UNDEALT, card] |= mine
        state.undealt[card] |= mine | state.under[card]
    state.under[:] = 0
    state.num_under = 0
    state.hand[seat, :] = 0
    state.hand_size[seat] = 0
    for viewer in range(state.num_seats):
        if viewer != seat:
            state.known[viewer, UNDEALT, :] = 0
            state.known[viewer, seat, :] = 0
    fill_hand(state, seat)
    for card in range(NUM_CARDS):
        state.known[seat, UNDEALT, card] &= state.undealt[card]


@compiled
def exchange_with_undealt(state, seat, kept):
    """Exchange all cards of a hand but one for the undealt cards (Do Over)."""
    for card in range(NUM_CARDS):
        there = state.undealt[card] | state.under[card]
        mine = state.hand[seat, card]
        if mine and card != kept:
            state.hand[seat, card] = 0
            state.undealt[card] = 1
            state.known[seat, UNDEALT, card] = 1
        elif there:
            state.hand[seat, card] = 1
            state.undealt[card] = 0
            for viewer in range(state.num_seats):
                state.known[viewer, seat, card] = state.known[viewer, UNDEALT, card]
                state.known[viewer, UNDEALT, card] = 0
    state.known[seat, seat, :] = 0
    state.under[:] = 0
    state.num_under = 0


@compiled
def take_blindly(state, seat, holder):
    """Move a random card of a hand to another seat, and return it; only these two see which."""
    card = choose(state.rng, state.hand[holder])
    for viewer in range(state.num_seats):
        if viewer != holder and viewer != seat:
            state.known[viewer, holder, :] = 0
    out_of_hand(state, holder, card)
    into_hand(state, seat, card)
    state.known[holder, seat, card] = 1
    return card


@compiled
def hand_over(state, seat, taker, card):
    """Move a card of a hand to another seat; only these two see which."""
    out_of_hand(state, seat, card)
    into_hand(state, taker, card)
    state.known[seat, taker, card] = 1


@compiled
def pass_hands(state, steps):
    """Pass every hand `steps` places clockwise, and the knowledge about it too."""
    hands, known = state.hand.copy(), state.known.copy()
    for seat in range(state.num_seats):
        receiver = seat_at(state, seat, steps)
        state.hand[receiver] = hands[seat]
        for viewer in range(state.num_seats):
            state.known[viewer, receiver] = hands[seat] if viewer == seat else known[viewer, seat]
    for viewer in range(state.num_seats):
        state.known[viewer, viewer, :] = 0


@inlined
def play_to_trick(state, seat, card):
    out_of_hand(state, seat, card)
    state.trick[seat, card] = 1
    state.trick_card[seat] = card
    state.trick_size += 1


@inlined
def put_trick_aside(state, winner):
    """Add the trick to those played before, as one that a seat has won; a new trick begins."""
    number = state.tricks_won.sum()
    state.trick_winner[number] = winner
    state.tricks_won[winner] += 1
    for seat in range(state.num_seats):
        card = state.trick_card[seat]
        state.tricks[number, card] = 1
        state.played[seat, card] = 1
        state.trick[seat, card] = 0
        state.trick_card[seat] = NO_CARD
    state.trick_size = 0


# ----------------------------------------------------------------------------------- point cards


@compiled
def reveal_point_card(state):
    """Reveal the top card of the point deck."""
    state.point_card = choose(state.rng, state.point_deck)
    state.point_deck[state.point_card] = 0


@compiled
def return_point_card(state):
    """Shuffle the revealed card back into the point deck."""
    state.point_deck[state.point_card] = 1
    state.point_card = NO_CARD


@compiled
def award_limbo(state, pile):
    """Move all cards in limbo to a pile."""
    for point in range(NUM_POINTS):
        state.owned[pile, point] |= state.limbo[point]
    state.limbo[:] = 0


@compiled
def put_last_award_in_limbo(state):
    """Move the cards won by the hand before into limbo, for the winner of this hand (F22)."""
    for point in range(NUM_POINTS):
        if state.last_award[point]:
            state.owned[state.last_winner, point] = 0
            state.limbo[point] = 1


@compiled
def pass_piles(state, steps):
    """Pass every pile of point cards `steps` places clockwise."""
    piles = state.owned.copy()
    for seat in range(state.num_seats):
        state.owned[seat_at(state, seat, steps)] = piles[seat]


@compiled
def deal_piles_anew(state):
    """Deal all earned point cards again, one by one, from the left of the dealer on."""
    pool = np.zeros(NUM_POINTS, np.int8)
    for seat in range(state.num_seats):
        pool += state.owned[seat]
    state.owned[:] = 0
    receiver = state.dealer
    for _ in range(pool.sum()):
        receiver = seat_at(state, receiver, 1)
        point = choose(state.rng, pool)
        pool[point] = 0
        state.owned[receiver, point] = 1


@compiled
def return_all_points(state):
    """Return the earned cards, those in limbo and the one in play to the point deck."""
    state.point_deck[:] = 1 - state.absent
    state.owned[:] = 0
    state.limbo[:] = 0
    state.point_card = NO_CARD
