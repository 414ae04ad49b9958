"""Determinization: a complete state, drawn at random, that fits what a seat knows.

Every way to lay the unseen cards at the unknown places is equally likely, as long as no Event is in
a hand and every Letter lies where it can (section 8). The term is from Cowling, Powley and
Whitehouse, "Information set Monte Carlo tree search" (2012).
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.cards import list_cards
from gubs_env.engine.compilation import compiled
from gubs_env.engine.rng import random_below, spawn_into
from gubs_env.engine.seats import seat_at, steps_to
from gubs_env.games.gubs.cards import (
    LETTERS,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    PLACES,
    Card,
)
from gubs_env.games.gubs.rules import MAX_CARDS
from gubs_env.games.gubs.state import UNKNOWN_CARD, Phase


@compiled
def determinize_row(state, rng):
    """Complete a view of the acting player at random, from an RNG, int64[4].

    The memory of the other players stays empty, because the acting player cannot know it.
    """
    viewer = state.actor
    unseen = count_unseen(state, viewer)
    places = state.deck_size - state.known_top[viewer]
    lay_letters(state, unseen, places, rng)
    pool = np.empty(MAX_CARDS, np.int8)
    pool_size = list_cards(unseen, 0, NUM_HAND_KINDS, pool, 0)
    pool_size = fill_hands(state, viewer, pool, pool_size, rng)
    pool_size = list_cards(unseen, NUM_HAND_KINDS, Card.LETTER_G, pool, pool_size)
    for place in range(places):
        if state.deck[place] == UNKNOWN_CARD:
            state.deck[place] = take(pool, pool_size, rng)
            pool_size -= 1
    state.deck[state.deck_size :] = 0
    if state.phase == Phase.MERCHANT:
        pick_for_merchant(state, viewer, rng)
    spawn_into(rng, state.rng)


@compiled
def count_unseen(state, viewer):
    """Return how many cards of each kind the viewer cannot locate, int64[NUM_KINDS]."""
    unseen = np.zeros(NUM_KINDS, np.int64)
    for kind in range(NUM_KINDS):
        unseen[kind] = state.composition[kind] - state.discard_pile[kind]
    for kind in range(NUM_HAND_KINDS):
        unseen[kind] -= state.hand[viewer, kind]
        for seat in range(state.num_players):
            if seat != viewer:
                unseen[kind] -= state.known[viewer, seat, kind]
    for kind in range(NUM_COLONY_KINDS):
        laid = 0
        for seat in range(state.num_players):
            for slot in range(state.colony_size[seat]):
                laid += state.colony[seat, slot, kind]
        unseen[kind] -= laid // PLACES[kind]
    for letter in LETTERS:
        unseen[letter] -= state.letters[letter - Card.LETTER_G]
    if state.announced:
        unseen[state.played] -= 1
    for depth in range(state.known_top[viewer]):
        unseen[state.deck[state.deck_size - 1 - depth]] -= 1
    return unseen


# ------------------------------------------------------------------------------------- the Letters


@compiled
def lay_letters(state, unseen, places, rng):
    """Lay the unseen Letters below `places`; those of thirds in their ranges and in order."""
    thirds, count = order_letters(state, unseen, rng)
    while not try_letters(state, unseen, places, thirds, count, rng):
        for place in range(places):
            state.deck[place] = UNKNOWN_CARD


@compiled
def order_letters(state, unseen, rng):
    """Assign the unseen Letters to thirds at random; return (int64[3], lowest first; how many)."""
    thirds = np.zeros(3, np.int64)
    count = 0
    for letter in LETTERS:
        if unseen[letter] > 0 and not state.letter_loose[letter - Card.LETTER_G]:
            other = random_below(rng, count + 1)
            thirds[count] = thirds[other]
            thirds[other] = letter
            count += 1
    return thirds, count


@compiled
def try_letters(state, unseen, places, thirds, count, rng):
    """Lay each Letter at random in its range; return whether the result is possible.

    It is possible if no two Letters share a place and those of thirds lie in order.
    """
    laid, above = 0, 0
    for third in range(3):
        if state.third_end[third] > 0 and laid < count:
            start, end = state.third_start[third], min(state.third_end[third], places)
            place = start + random_below(rng, end - start)
            if place < above:
                return False
            state.deck[place] = thirds[laid]
            laid += 1
            above = place + 1
    for letter in LETTERS:
        if unseen[letter] > 0 and state.letter_loose[letter - Card.LETTER_G]:
            place = random_below(rng, places)
            if state.deck[place] != UNKNOWN_CARD:
                return False
            state.deck[place] = letter
    return True


# --------------------------------------------------------------------------------- all other cards


@compiled
def take(pool, size, rng):
    """Return a random card of a pool, and remove it; the caller takes 1 off `size`."""
    index = random_below(rng, size)
    kind = pool[index]
    pool[index] = pool[size - 1]
    return kind


@compiled
def fill_hands(state, viewer, pool, size, rng):
    """Fill the other hands: the cards known to be there, then the pool; return its new size."""
    for seat in range(state.num_players):
        if seat != viewer:
            state.hand[seat, :] = state.known[viewer, seat, :]
            for _ in range(state.hand_size[seat] - state.hand[seat].sum()):
                state.hand[seat, take(pool, size, rng)] += 1
                size -= 1
    return size


@compiled
def pick_for_merchant(state, viewer, rng):
    """Pick a random card for each player whom the Merchant asked before the viewer."""
    for steps in range(steps_to(state, state.turn, viewer)):
        seat = seat_at(state, state.turn, steps)
        if state.hand_size[seat] > 0:
            skip = random_below(rng, state.hand_size[seat])
            kind = 0
            while skip >= state.hand[seat, kind]:
                skip -= state.hand[seat, kind]
                kind += 1
            state.kept[seat] = kind
