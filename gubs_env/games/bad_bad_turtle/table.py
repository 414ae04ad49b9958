"""Moves of cards between stacks, discard piles and reveal piles, and dealing anew.

All other modules move cards with these functions. They also mark the cards that everybody saw go
face down.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.cards import list_cards
from gubs_env.engine.compiling import compiled
from gubs_env.engine.fields import one_more
from gubs_env.engine.rng import shuffle
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.bad_bad_turtle.cards import MAX_CARDS, NO_CARD, NUM_KINDS
from gubs_env.games.bad_bad_turtle.state import clear_pending, clear_reactions, next_living

# ----------------------------------------------------------------------------------------- stacks


@compiled
def into_stack(state, seat, kind):
    """Put a card on top of a stack."""
    state.stack[seat, state.stack_size[seat]] = kind
    state.stack_size[seat] += 1


@compiled
def out_of_stack(state, seat):
    """Take the top card off a stack; return its kind."""
    state.stack_size[seat] -= 1
    kind = int(state.stack[seat, state.stack_size[seat]])
    state.stack[seat, state.stack_size[seat]] = 0
    return kind


@compiled
def pass_stacks(state, direction):
    """Pass every living player's stack to the next one in a direction, all at once (T27)."""
    stacks, sizes = state.stack.copy(), state.stack_size.copy()
    for seat in range(state.num_players):
        if state.living[seat]:
            receiver = next_living(state, seat, direction)
            state.stack[receiver, :] = stacks[seat, :]
            state.stack_size[receiver] = sizes[seat]


# ----------------------------------------------------------------------------------- discard piles


@compiled
def into_discard(state, seat, kind, is_seen):
    """Put a card on a discard pile, face down; `is_seen` is 1 if everybody knows which it is."""
    place = state.discard_size[seat]
    state.discard_pile[seat, place] = kind
    state.discard_seen[seat] |= is_seen << place
    state.discard_size[seat] += 1


@compiled
def out_of_discard(state, seat):
    """Take the top card off a discard pile; return its kind."""
    state.discard_size[seat] -= 1
    place = state.discard_size[seat]
    state.discard_seen[seat] &= ~(1 << place)
    kind = int(state.discard_pile[seat, place])
    state.discard_pile[seat, place] = 0
    return kind


@compiled
def discard_unseen(state, seat, count):
    """Discard `count` cards from the top of the stack, one by one, unseen."""
    for _ in range(count):
        into_discard(state, seat, out_of_stack(state, seat), 0)


# ------------------------------------------------------------------------------------ reveal piles


@compiled
def into_reveal_pile(state, seat, kind):
    """Put a card on top of a reveal pile, face up."""
    state.reveal_pile[seat, state.reveal_size[seat]] = kind
    state.reveal_size[seat] += 1


@compiled
def discard_revealed(state, seat, count):
    """Discard the lowest `count` cards of a reveal pile, in their order (T22)."""
    for place in range(count):
        into_discard(state, seat, state.reveal_pile[seat, place], 1)
    drop_revealed(state, seat, count)


@compiled
def stack_revealed(state, seat, count):
    """Put the lowest `count` cards of a reveal pile into the stack, and shuffle it."""
    for place in range(count):
        into_stack(state, seat, state.reveal_pile[seat, place])
    drop_revealed(state, seat, count)
    shuffle(state.rng, state.stack[seat], state.stack_size[seat])


@compiled
def drop_revealed(state, seat, count):
    """Drop the lowest cards of a reveal pile, which the caller moved; the others move down."""
    for place in range(count, state.reveal_size[seat]):
        state.reveal_pile[seat, place - count] = state.reveal_pile[seat, place]
    state.reveal_size[seat] -= count
    state.reveal_pile[seat, state.reveal_size[seat] :] = 0


# ----------------------------------------------------------------------------------------- dealing


@compiled
def deal_cards(state, cards, count, first):
    """Shuffle cards and deal them one at a time to the living, clockwise from `first`."""
    state.deals = one_more(state.deals)
    shuffle(state.rng, cards, count)
    state.stack[:] = 0
    state.stack_size[:] = 0
    state.discard_pile[:] = 0
    state.discard_size[:] = 0
    state.discard_seen[:] = 0
    seat = first
    for place in range(count):
        into_stack(state, seat, cards[place])
        seat = next_living(state, seat, 1)


@compiled
def redeal(state, first):
    """Shuffle all cards that lie face down and deal them anew (section 6).

    The cards are gathered from `first` on, so that relabelled seats play the relabelled game.
    """
    cards = np.empty(MAX_CARDS, np.int8)
    count = 0
    for steps in range(state.num_players):
        seat = seat_at(state, first, steps)
        for place in range(state.stack_size[seat]):
            cards[count] = state.stack[seat, place]
            count += 1
        for place in range(state.discard_size[seat]):
            cards[count] = state.discard_pile[seat, place]
            count += 1
    deal_cards(state, cards, count, first)


@compiled
def deal_everything(state):
    """Deal a new game with the same dealer: all live, all cards are in stacks (section 2, T28)."""
    state.living[:] = 0
    state.living[: state.num_players] = 1
    state.peeking[:] = 0
    state.direction = 1
    state.next_modifier = NO_CARD
    state.aside[:] = NOBODY
    state.reveal_pile[:] = 0
    state.reveal_size[:] = 0
    clear_pending(state)
    clear_reactions(state)
    cards = np.empty(MAX_CARDS, np.int8)
    count = list_cards(state.composition, 0, NUM_KINDS, cards, 0)
    state.next_turn = seat_at(state, state.dealer, 1)
    deal_cards(state, cards, count, state.next_turn)
