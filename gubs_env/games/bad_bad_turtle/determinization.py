"""A complete game that fits what a seat knows: every secret of a view drawn at random.

Stacks and discard piles were dealt by shuffling and are filled unseen, so each way to lay the cards
that are not accounted for at the places that the seat does not know is equally likely.
"""

from __future__ import annotations

import numpy as np

from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    MAX_CARDS,
    NO_CARD,
    NUM_KINDS,
    NUM_REACTIONS,
)
from gubs_env.games.bad_bad_turtle.state import NOBODY, UNKNOWN_CARD
from gubs_env.games.compilation import rule
from gubs_env.games.generator import next_word, shuffle


@rule
def determinize_row(game, chooser):
    """Fill in a view, by chance from a generator, int64[4]."""
    cards = np.empty(MAX_CARDS, np.int8)
    count = gather_unseen(game, cards)
    shuffle(chooser, cards, count)
    for seat in range(game.num_players):
        count = fill_in(game.stack[seat], game.stack_size[seat], cards, count)
        count = fill_in(game.discard_pile[seat], game.discard_size[seat], cards, count)
    for word in range(4):
        game.rng[word] = next_word(chooser)


@rule
def fill_in(pile, size, cards, count):
    """Lay the last of `count` cards at the unknown places of a pile; returns how many are left."""
    for place in range(size):
        if pile[place] == UNKNOWN_CARD:
            count -= 1
            pile[place] = cards[count]
    return count


@rule
def gather_unseen(game, cards):
    """Write the cards that lie nowhere in a view; returns how many they are."""
    unseen = np.zeros(NUM_KINDS, np.int64)
    for kind in range(NUM_KINDS):
        unseen[kind] = game.composition[kind]
    for seat in range(game.num_players):
        count_out(unseen, game.stack[seat], game.stack_size[seat])
        count_out(unseen, game.discard_pile[seat], game.discard_size[seat])
        count_out(unseen, game.reveal_pile[seat], game.reveal_size[seat])
    if game.pending != NO_CARD:
        unseen[game.pending] -= 1
    for level in range(game.depth):
        unseen[game.reaction[level]] -= 1
    for card in range(NUM_REACTIONS):
        if game.aside[card] != NOBODY:
            unseen[FIRST_REACTION + card] -= 1
    count = 0
    for kind in range(NUM_KINDS):
        for _ in range(unseen[kind]):
            cards[count] = kind
            count += 1
    return count


@rule
def count_out(unseen, pile, size):
    """Take the known cards of a pile off the counts."""
    for place in range(size):
        if pile[place] != UNKNOWN_CARD:
            unseen[pile[place]] -= 1
