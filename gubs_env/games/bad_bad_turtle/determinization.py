"""A complete game that fits what a seat knows: every secret of a view drawn at random.

Stacks and discard piles were dealt by shuffling and are filled unseen, so each way to lay the cards
that are not accounted for at the places that the seat does not know is equally likely.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.cards import list_cards
from gubs_env.engine.compilation import compiled
from gubs_env.engine.rng import shuffle, spawn_into
from gubs_env.engine.seats import NOBODY
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    MAX_CARDS,
    NO_CARD,
    NUM_KINDS,
    NUM_REACTIONS,
)
from gubs_env.games.bad_bad_turtle.state import UNKNOWN_CARD


@compiled
def determinize_row(state, rng):
    """Fill in a view, by chance from a generator, int64[4]."""
    cards = np.empty(MAX_CARDS, np.int8)
    count = gather_unseen(state, cards)
    shuffle(rng, cards, count)
    for seat in range(state.num_players):
        count = fill_in(state.stack[seat], state.stack_size[seat], cards, count)
        count = fill_in(state.discard_pile[seat], state.discard_size[seat], cards, count)
    spawn_into(rng, state.rng)


@compiled
def fill_in(pile, size, cards, count):
    """Lay the last of `count` cards at the unknown places of a pile; returns how many are left."""
    for place in range(size):
        if pile[place] == UNKNOWN_CARD:
            count -= 1
            pile[place] = cards[count]
    return count


@compiled
def gather_unseen(state, cards):
    """Write the cards that lie nowhere in a view; returns how many they are."""
    unseen = np.zeros(NUM_KINDS, np.int64)
    for kind in range(NUM_KINDS):
        unseen[kind] = state.composition[kind]
    for seat in range(state.num_players):
        count_out(unseen, state.stack[seat], state.stack_size[seat])
        count_out(unseen, state.discard_pile[seat], state.discard_size[seat])
        count_out(unseen, state.reveal_pile[seat], state.reveal_size[seat])
    if state.pending != NO_CARD:
        unseen[state.pending] -= 1
    for level in range(state.depth):
        unseen[state.reaction[level]] -= 1
    for card in range(NUM_REACTIONS):
        if state.aside[card] != NOBODY:
            unseen[FIRST_REACTION + card] -= 1
    return list_cards(unseen, 0, NUM_KINDS, cards, 0)


@compiled
def count_out(unseen, pile, size):
    """Take the known cards of a pile off the counts."""
    for place in range(size):
        if pile[place] != UNKNOWN_CARD:
            unseen[pile[place]] -= 1
