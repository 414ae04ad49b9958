"""Determinization: a complete state, drawn at random, that fits what a seat knows.

Stacks were shuffled and discard piles filled unseen, so every way to lay the unseen cards at the
unknown places is equally likely.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.cards import list_cards
from gubs_env.engine.compiling import compiled
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
    """Complete a view at random, from an RNG, int64[4]."""
    cards = np.empty(MAX_CARDS, np.int8)
    count = list_cards(count_unseen(state), 0, NUM_KINDS, cards, 0)
    shuffle(rng, cards, count)
    for seat in range(state.num_players):
        count = fill_in(state.stack[seat], state.stack_size[seat], cards, count)
        count = fill_in(state.discard_pile[seat], state.discard_size[seat], cards, count)
    for seat in range(len(state.living)):
        state.stack[seat, state.stack_size[seat] :] = 0
        state.discard_pile[seat, state.discard_size[seat] :] = 0
        state.reveal_pile[seat, state.reveal_size[seat] :] = 0
    spawn_into(rng, state.rng)


@compiled
def fill_in(pile, size, cards, count):
    """Lay the last of `count` cards at the unknown places of a pile; return how many are left."""
    for place in range(size):
        if pile[place] == UNKNOWN_CARD:
            count -= 1
            pile[place] = cards[count]
    return count


@compiled
def count_unseen(state):
    """Return how many cards of each kind a view does not show, int64[NUM_KINDS]."""
    unseen = np.zeros(NUM_KINDS, np.int64)
    for kind in range(NUM_KINDS):
        unseen[kind] = state.composition[kind]
    for seat in range(state.num_players):
        count_out(unseen, state.stack[seat], state.stack_size[seat])
        count_out(unseen, state.discard_pile[seat], state.discard_size[seat])
        count_out(unseen, state.reveal_pile[seat], state.reveal_size[seat])
    if state.pending != NO_CARD:
        unseen[state.pending] -= 1
    for number in range(NUM_REACTIONS):
        if state.reaction[number] != NO_CARD:
            unseen[state.reaction[number]] -= 1
        if state.aside[number] != NOBODY:
            unseen[FIRST_REACTION + number] -= 1
    return unseen


@compiled
def count_out(unseen, pile, size):
    """Subtract the known cards of a pile from the counts."""
    for place in range(size):
        if pile[place] != UNKNOWN_CARD:
            unseen[pile[place]] -= 1
