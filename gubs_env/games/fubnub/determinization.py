"""A complete game that fits what a player knows: every secret of a view drawn at random.

Each way to lay the number cards that the player has not seen at the places it does not know is
equally likely. Decks have no order (see `state`), so that nothing else is secret. The term is that
of Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012).
"""

from __future__ import annotations

import numpy as np

from gubs_env.games.choosing import choose
from gubs_env.games.compilation import rule
from gubs_env.games.fubnub.cards import NUM_CARDS
from gubs_env.games.fubnub.state import UNDEALT
from gubs_env.games.generator import next_word


@rule
def determinize_row(game, chooser):
    """Fill in a view of the player that is to decide, by chance from a generator, int64[4].

    What others remember stays blank; nobody but they could know it.
    """
    viewer = game.asked
    unseen = unseen_cards(game, viewer)
    for seat in range(game.num_seats):
        if seat != viewer:
            game.hand[seat, :] = game.known[viewer, seat]
            for _ in range(game.hand_size[seat] - game.hand[seat].sum()):
                game.hand[seat, take(unseen, chooser)] = 1
    for _ in range(game.num_under - game.under.sum()):
        game.under[take(unseen, chooser)] = 1
    game.undealt[:] |= unseen
    for word in range(4):
        game.rng[word] = next_word(chooser)


@rule
def take(cards, chooser):
    """A random one out of flags of cards."""
    card = choose(chooser, cards)
    cards[card] = 0
    return card


@rule
def unseen_cards(game, viewer):
    """Flags of the number cards that lie where the viewer does not know: int8[24]."""
    unseen = np.ones(NUM_CARDS, np.int8)
    for card in range(NUM_CARDS):
        seen = game.hand[viewer, card] | game.known[viewer, UNDEALT, card]
        for seat in range(game.num_seats):
            seen |= game.trick[seat, card] | game.played[seat, card]
            seen |= game.known[viewer, seat, card]
        unseen[card] -= seen
    return unseen
