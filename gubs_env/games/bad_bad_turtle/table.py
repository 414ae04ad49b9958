"""How cards change places: stacks, discard piles, reveal piles, and dealing anew.

Everything else is told in these words. What everybody sees go face down is marked here.
"""

from __future__ import annotations

import numpy as np

from gubs_env.games.bad_bad_turtle.cards import MAX_CARDS, NO_CARD, NUM_KINDS
from gubs_env.games.bad_bad_turtle.state import (
    NOBODY,
    clear_pending,
    clear_reactions,
    next_living,
    seat_at,
)
from gubs_env.games.compilation import rule
from gubs_env.games.generator import shuffle

# ----------------------------------------------------------------------------------------- stacks


@rule
def into_stack(game, seat, kind):
    """A card to the top of a stack."""
    game.stack[seat, game.stack_size[seat]] = kind
    game.stack_size[seat] += 1


@rule
def out_of_stack(game, seat):
    """Take the top card off a stack and return its kind."""
    game.stack_size[seat] -= 1
    return int(game.stack[seat, game.stack_size[seat]])


@rule
def pass_stacks(game, direction):
    """Every living player hands the stack to the next one in a direction, all at once (T27)."""
    stacks, sizes = game.stack.copy(), game.stack_size.copy()
    for seat in range(game.num_players):
        if game.living[seat]:
            receiver = next_living(game, seat, direction)
            game.stack[receiver, :] = stacks[seat, :]
            game.stack_size[receiver] = sizes[seat]


# ----------------------------------------------------------------------------------- discard piles


@rule
def into_discard(game, seat, kind, seen):
    """A card to the top of a discard pile, face down; seen: everybody knows which it is."""
    place = game.discard_size[seat]
    game.discard_pile[seat, place] = kind
    game.discard_seen[seat] |= seen << place
    game.discard_size[seat] += 1


@rule
def out_of_discard(game, seat):
    """Take the top card off a discard pile and return its kind."""
    game.discard_size[seat] -= 1
    place = game.discard_size[seat]
    game.discard_seen[seat] &= ~(1 << place)
    return int(game.discard_pile[seat, place])


@rule
def discard_unseen(game, seat, count):
    """So many cards from the top of the stack to the discard pile, one by one."""
    for _ in range(count):
        into_discard(game, seat, out_of_stack(game, seat), 0)


# ------------------------------------------------------------------------------------ reveal piles


@rule
def into_reveal_pile(game, seat, kind):
    """A card to the top of a reveal pile, face up."""
    game.reveal_pile[seat, game.reveal_size[seat]] = kind
    game.reveal_size[seat] += 1


@rule
def discard_revealed(game, seat, count):
    """The lowest cards of a reveal pile to the discard pile, in their order (T22)."""
    for place in range(count):
        into_discard(game, seat, game.reveal_pile[seat, place], 1)
    drop_revealed(game, seat, count)


@rule
def stack_revealed(game, seat, count):
    """The lowest cards of a reveal pile into the stack, which is shuffled."""
    for place in range(count):
        into_stack(game, seat, game.reveal_pile[seat, place])
    drop_revealed(game, seat, count)
    shuffle(game.rng, game.stack[seat], game.stack_size[seat])


@rule
def drop_revealed(game, seat, count):
    """The lowest cards of a reveal pile are elsewhere already; the others move down."""
    for place in range(count, game.reveal_size[seat]):
        game.reveal_pile[seat, place - count] = game.reveal_pile[seat, place]
    game.reveal_size[seat] -= count


# ----------------------------------------------------------------------------------------- dealing


@rule
def deal_cards(game, cards, count, first):
    """Shuffle cards and deal them singly to the living, clockwise from `first`."""
    game.deals += 1
    shuffle(game.rng, cards, count)
    game.stack_size[:] = 0
    game.discard_size[:] = 0
    game.discard_seen[:] = 0
    seat = first
    for place in range(count):
        into_stack(game, seat, cards[place])
        seat = next_living(game, seat, 1)


@rule
def redeal(game, first):
    """All that lies face down is shuffled and dealt anew (section 6).

    It is gathered from `first` on, so that to relabel the seats is to relabel the game.
    """
    cards = np.empty(MAX_CARDS, np.int8)
    count = 0
    for steps in range(game.num_players):
        seat = seat_at(game, first, steps)
        for place in range(game.stack_size[seat]):
            cards[count] = game.stack[seat, place]
            count += 1
        for place in range(game.discard_size[seat]):
            cards[count] = game.discard_pile[seat, place]
            count += 1
    deal_cards(game, cards, count, first)


@rule
def deal_everything(game):
    """A new game but for the dealer: all live, all cards are in stacks (section 2, T28)."""
    game.living[:] = 0
    game.living[: game.num_players] = 1
    game.peeking[:] = 0
    game.direction = 1
    game.next_modifier = NO_CARD
    game.aside[:] = NOBODY
    game.reveal_size[:] = 0
    clear_pending(game)
    clear_reactions(game)
    cards = np.empty(MAX_CARDS, np.int8)
    count = 0
    for kind in range(NUM_KINDS):
        for _ in range(game.composition[kind]):
            cards[count] = kind
            count += 1
    game.next_turn = seat_at(game, game.dealer, 1)
    deal_cards(game, cards, count, game.next_turn)
