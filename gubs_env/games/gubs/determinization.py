"""A complete game that fits what a seat knows: every secret of a view drawn at random.

Each way to lay the cards that the seat has not seen at the places it does not know is equally
likely, as long as no Event is in a hand and every Letter lies where it can (section 8). The term is
that of Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012).
"""

from __future__ import annotations

import numpy as np

from gubs_env.games.compilation import rule
from gubs_env.games.generator import next_word, random_below
from gubs_env.games.gubs.cards import (
    LETTERS,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    PLACES,
    Card,
)
from gubs_env.games.gubs.rules import MAX_CARDS
from gubs_env.games.gubs.state import UNKNOWN_CARD, Phase, seat_at, steps_to


@rule
def determinize_row(game, chooser):
    """Fill in a view of the seat that is to decide, by chance from a generator, int64[4].

    What others remember stays blank; nobody but they could know it.
    """
    viewer = game.actor
    unseen = count_unseen(game, viewer)
    places = game.deck_size - game.known_top[viewer]
    lay_letters(game, unseen, places, chooser)
    pool = np.empty(MAX_CARDS, np.int8)
    pool_size = add_to_pool(pool, 0, unseen, 0, NUM_HAND_KINDS)
    pool_size = fill_hands(game, viewer, pool, pool_size, chooser)
    pool_size = add_to_pool(pool, pool_size, unseen, NUM_HAND_KINDS, Card.LETTER_G)
    for place in range(places):
        if game.deck[place] == UNKNOWN_CARD:
            game.deck[place] = take(pool, pool_size, chooser)
            pool_size -= 1
    if game.phase == Phase.MERCHANT:
        pick_for_merchant(game, viewer, chooser)
    for word in range(4):
        game.rng[word] = next_word(chooser)


@rule
def count_unseen(game, viewer):
    """Cards of each kind that lie where the viewer does not know: int64[NUM_KINDS]."""
    unseen = np.zeros(NUM_KINDS, np.int64)
    for kind in range(NUM_KINDS):
        unseen[kind] = game.composition[kind] - game.discard_pile[kind]
    for kind in range(NUM_HAND_KINDS):
        unseen[kind] -= game.hand[viewer, kind]
        for seat in range(game.num_players):
            if seat != viewer:
                unseen[kind] -= game.known[viewer, seat, kind]
    for kind in range(NUM_COLONY_KINDS):
        laid = 0
        for seat in range(game.num_players):
            for slot in range(game.colony_size[seat]):
                laid += game.colony[seat, slot, kind]
        unseen[kind] -= laid // PLACES[kind]
    for letter in LETTERS:
        unseen[letter] -= game.letters[letter - Card.LETTER_G]
    if game.announced:
        unseen[game.played] -= 1
    for depth in range(game.known_top[viewer]):
        unseen[game.deck[game.deck_size - 1 - depth]] -= 1
    return unseen


# ------------------------------------------------------------------------------------- the Letters


@rule
def lay_letters(game, unseen, places, chooser):
    """The unseen Letters to places below `places`: those of thirds within them, in order."""
    thirds, count = order_letters(game, unseen, chooser)
    while not try_letters(game, unseen, places, thirds, count, chooser):
        for place in range(places):
            game.deck[place] = UNKNOWN_CARD


@rule
def order_letters(game, unseen, chooser):
    """Which unseen Letter is which third's, the lowest first, by lot: (int64[3], how many)."""
    thirds = np.zeros(3, np.int64)
    count = 0
    for letter in LETTERS:
        if unseen[letter] > 0 and not game.letter_loose[letter - Card.LETTER_G]:
            other = random_below(chooser, count + 1)
            thirds[count] = thirds[other]
            thirds[other] = letter
            count += 1
    return thirds, count


@rule
def try_letters(game, unseen, places, thirds, count, chooser):
    """Lay each Letter somewhere in its range; whether they lie apart, those of thirds in order."""
    laid, above = 0, 0
    for third in range(3):
        if game.third_end[third] > 0 and laid < count:
            start, end = game.third_start[third], min(game.third_end[third], places)
            place = start + random_below(chooser, end - start)
            if place < above:
                return False
            game.deck[place] = thirds[laid]
            laid += 1
            above = place + 1
    for letter in LETTERS:
        if unseen[letter] > 0 and game.letter_loose[letter - Card.LETTER_G]:
            place = random_below(chooser, places)
            if game.deck[place] != UNKNOWN_CARD:
                return False
            game.deck[place] = letter
    return True


# --------------------------------------------------------------------------------- all other cards


@rule
def add_to_pool(pool, size, unseen, first, end):
    """Add the unseen cards of the kinds from `first` up to `end`; returns the size of the pool."""
    for kind in range(first, end):
        for _ in range(unseen[kind]):
            pool[size] = kind
            size += 1
    return size


@rule
def take(pool, size, chooser):
    """A random card out of a pool, which is one smaller then."""
    index = random_below(chooser, size)
    kind = pool[index]
    pool[index] = pool[size - 1]
    return kind


@rule
def fill_hands(game, viewer, pool, size, chooser):
    """The hands of others: what is known to be there, and cards from the pool."""
    for seat in range(game.num_players):
        if seat != viewer:
            game.hand[seat, :] = game.known[viewer, seat, :]
            for _ in range(game.hand_size[seat] - game.hand[seat].sum()):
                game.hand[seat, take(pool, size, chooser)] += 1
                size -= 1
    return size


@rule
def pick_for_merchant(game, viewer, chooser):
    """Those asked before the viewer have picked a card each from their hands."""
    for steps in range(steps_to(game, game.turn, viewer)):
        seat = seat_at(game, game.turn, steps)
        if game.hand_size[seat] > 0:
            skip = random_below(chooser, game.hand_size[seat])
            kind = 0
            while skip >= game.hand[seat, kind]:
                skip -= game.hand[seat, kind]
                kind += 1
            game.kept[seat] = kind
