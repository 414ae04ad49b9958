"""How cards change places: hands, undealt cards, tricks, piles, with all that a seat sees of it.

Number cards that nobody has seen are drawn at random when they are turned up (see `state`).
"""

from __future__ import annotations

import numpy as np

from gubs_env.games.choosing import choose
from gubs_env.games.compilation import inlined, rule
from gubs_env.games.fubnub.cards import HAND_CARDS, NO_CARD, NUM_CARDS, NUM_POINTS
from gubs_env.games.fubnub.state import UNDEALT, seat_at
from gubs_env.games.generator import random_below

# ---------------------------------------------------------------------------------- number cards


@inlined
def into_hand(game, seat, card):
    game.hand[seat, card] = 1
    game.hand_size[seat] += 1


@inlined
def out_of_hand(game, seat, card):
    game.hand[seat, card] = 0
    game.hand_size[seat] -= 1
    for viewer in range(game.num_seats):
        game.known[viewer, seat, card] = 0


@rule
def deal_number_cards(game):
    """Five cards to each seat from the left of the dealer on; the rest are undealt."""
    game.undealt[:] = 1
    for steps in range(1, game.num_seats + 1):
        fill_hand(game, seat_at(game, game.dealer, steps))


@rule
def fill_hand(game, seat):
    """Five undealt cards to an empty hand."""
    deck = np.empty(NUM_CARDS, np.int8)
    size = 0
    for card in range(NUM_CARDS):
        deck[size] = card
        size += int(game.undealt[card])
    for _ in range(HAND_CARDS):
        place = random_below(game.rng, size)
        size -= 1
        card = deck[place]
        deck[place] = deck[size]
        game.undealt[card] = 0
        into_hand(game, seat, card)


@rule
def draw_undealt(game, seat):
    """The top of the undealt cards to a hand; returns the card."""
    card = choose(game.rng, game.undealt)
    game.undealt[card] = 0
    for viewer in range(game.num_seats):
        game.known[viewer, UNDEALT, card] = 0
    into_hand(game, seat, card)
    return card


@rule
def return_under(game, seat, card):
    """A card of a hand goes beneath the undealt ones, where its seat knows it to be (F10)."""
    out_of_hand(game, seat, card)
    game.under[card] = 1
    game.num_under += 1
    game.known[seat, UNDEALT, card] = 1


@rule
def recover_swapped(game):
    """The dealer's last swap is undone: its cards change places again (F27)."""
    dealer, drawn, returned = game.dealer, game.swap_drawn, game.swap_returned
    out_of_hand(game, dealer, drawn)
    game.undealt[drawn] = 1
    game.known[dealer, UNDEALT, drawn] = 1
    game.under[returned] = 0
    game.num_under -= 1
    game.known[dealer, UNDEALT, returned] = 0
    into_hand(game, dealer, returned)


@rule
def mix_with_undealt(game, seat):
    """A hand and all undealt cards are shuffled, and five dealt from them to that seat (F28).

    The seat knows where its old cards are: those that it did not get again are undealt. What others
    knew of any of these cards is void.
    """
    for card in range(NUM_CARDS):
        mine = game.hand[seat, card]
        game.known[seat, UNDEALT, card] |= mine
        game.undealt[card] |= mine | game.under[card]
    game.under[:] = 0
    game.num_under = 0
    game.hand[seat, :] = 0
    game.hand_size[seat] = 0
    for viewer in range(game.num_seats):
        if viewer != seat:
            game.known[viewer, UNDEALT, :] = 0
            game.known[viewer, seat, :] = 0
    fill_hand(game, seat)
    for card in range(NUM_CARDS):
        game.known[seat, UNDEALT, card] &= game.undealt[card]


@rule
def exchange_with_undealt(game, seat, kept):
    """All of a hand but one card changes places with the undealt cards (Do Over)."""
    for card in range(NUM_CARDS):
        there = game.undealt[card] | game.under[card]
        mine = game.hand[seat, card]
        if mine and card != kept:
            game.hand[seat, card] = 0
            game.undealt[card] = 1
            game.known[seat, UNDEALT, card] = 1
        elif there:
            game.hand[seat, card] = 1
            game.undealt[card] = 0
            for viewer in range(game.num_seats):
                game.known[viewer, seat, card] = game.known[viewer, UNDEALT, card]
                game.known[viewer, UNDEALT, card] = 0
    game.known[seat, seat, :] = 0
    game.under[:] = 0
    game.num_under = 0


@rule
def take_blindly(game, seat, holder):
    """A random card of a hand to another seat; both see it, the others only that it happened."""
    card = choose(game.rng, game.hand[holder])
    for viewer in range(game.num_seats):
        if viewer != holder and viewer != seat:
            game.known[viewer, holder, :] = 0
    out_of_hand(game, holder, card)
    into_hand(game, seat, card)
    game.known[holder, seat, card] = 1
    return card


@rule
def hand_over(game, seat, taker, card):
    """A card of a hand to another seat; both see it."""
    out_of_hand(game, seat, card)
    into_hand(game, taker, card)
    game.known[seat, taker, card] = 1


@rule
def pass_hands(game, steps):
    """Every hand goes to the seat so many places on, and what is known of it goes with it."""
    hands, known = game.hand.copy(), game.known.copy()
    for seat in range(game.num_seats):
        receiver = seat_at(game, seat, steps)
        game.hand[receiver] = hands[seat]
        for viewer in range(game.num_seats):
            game.known[viewer, receiver] = hands[seat] if viewer == seat else known[viewer, seat]
    for viewer in range(game.num_seats):
        game.known[viewer, viewer, :] = 0


@inlined
def play_to_trick(game, seat, card):
    out_of_hand(game, seat, card)
    game.trick[seat, card] = 1
    game.trick_card[seat] = card
    game.trick_size += 1


@inlined
def put_trick_aside(game):
    """The cards of the trick join those played before; a new one begins."""
    for seat in range(game.num_seats):
        card = game.trick_card[seat]
        game.played[seat, card] = 1
        game.trick[seat, card] = 0
        game.trick_card[seat] = NO_CARD
    game.trick_size = 0


# ----------------------------------------------------------------------------------- point cards


@rule
def reveal_point_card(game):
    """The top of the point deck is revealed."""
    game.point_card = choose(game.rng, game.point_deck)
    game.point_deck[game.point_card] = 0


@rule
def return_point_card(game):
    """The card revealed is shuffled into the point deck again."""
    game.point_deck[game.point_card] = 1
    game.point_card = NO_CARD


@inlined
def num_owned(game, pile):
    return game.owned[pile].sum()


@rule
def award_limbo(game, pile):
    """All cards in limbo to a pile."""
    for point in range(NUM_POINTS):
        game.owned[pile, point] |= game.limbo[point]
    game.limbo[:] = 0


@rule
def put_last_award_in_limbo(game):
    """What was won by the hand before goes to the winner of this one instead (F22)."""
    for point in range(NUM_POINTS):
        if game.last_award[point]:
            game.owned[game.last_winner, point] = 0
            game.limbo[point] = 1


@rule
def pass_piles(game, steps):
    """Every pile of point cards goes to the seat so many places on."""
    piles = game.owned.copy()
    for seat in range(game.num_seats):
        game.owned[seat_at(game, seat, steps)] = piles[seat]


@rule
def deal_piles_anew(game):
    """All earned point cards are dealt again, one by one, from the left of the dealer on."""
    pool = np.zeros(NUM_POINTS, np.int8)
    for seat in range(game.num_seats):
        pool += game.owned[seat]
    game.owned[:] = 0
    receiver = game.dealer
    for _ in range(pool.sum()):
        receiver = seat_at(game, receiver, 1)
        point = choose(game.rng, pool)
        pool[point] = 0
        game.owned[receiver, point] = 1


@rule
def return_all_points(game):
    """Earned cards, those in limbo and the one in play go back to the point deck."""
    game.point_deck[:] = 1 - game.absent
    game.owned[:] = 0
    game.limbo[:] = 0
    game.point_card = NO_CARD
