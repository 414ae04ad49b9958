"""Moves of cards between deck, hands, colonies and discard pile, and what players see of them.

Effects are written with these functions. Where a function only takes a card away or only puts one
down, the caller does the other half.
"""

from __future__ import annotations

from gubs_env.engine.compiling import compiled
from gubs_env.engine.rng import random_below
from gubs_env.games.gubs import memory
from gubs_env.games.gubs.cards import (
    BARRICADES,
    FIRST_BARRICADE,
    FIRST_TRAP,
    IS_EVENT,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    PLACES,
    Card,
)

# ---------------------------------------------------------------------------------------- the deck


@compiled
def draw_top(state, drawer):
    """Take the top card off the deck for a player; return its kind."""
    state.deck_size -= 1
    kind = int(state.deck[state.deck_size])
    state.deck[state.deck_size] = 0  # as in every state where nothing lies there
    memory.see_top_drawn(state, drawer, kind)
    return kind


@compiled
def insert(state, place, kind):
    """Put a card into the deck, with `place` cards below it."""
    for above in range(state.deck_size, place, -1):
        state.deck[above] = state.deck[above - 1]
    state.deck[place] = kind
    state.deck_size += 1


@compiled
def shuffle_in(state, kind):
    """Put a card into one of the size + 1 gaps of the deck, at random; return its place."""
    place = random_below(state.rng, state.deck_size + 1)
    insert(state, place, kind)
    memory.see_shuffled(state, kind)
    return place


@compiled
def count_playable(state):
    """Return the number of cards in the deck that are no Events."""
    playable = 0
    for place in range(state.deck_size):
        if not IS_EVENT[state.deck[place]]:
            playable += 1
    return playable


@compiled
def draw_unseen(state, seat, count):
    """Draw `count` cards into a hand; an Event goes to a random place and is replaced.

    Stop early when only Events are left in the deck.
    """
    for _ in range(min(count, count_playable(state))):
        kind = draw_top(state, seat)
        while IS_EVENT[kind]:
            memory.see_returned(state, kind)
            shuffle_in(state, kind)
            kind = draw_top(state, seat)
        into_hand(state, seat, kind, 1)


# --------------------------------------------------------------------------------------- the hands


@compiled
def into_hand(state, seat, kind, count):
    """Put cards into a hand; the other players do not see which."""
    state.hand[seat, kind] += count
    state.hand_size[seat] += count


@compiled
def into_hand_openly(state, seat, kind, count):
    """Put cards into a hand while everybody watches."""
    into_hand(state, seat, kind, count)
    memory.all_see_enter(state, seat, kind, count)


@compiled
def out_of_hand(state, seat, kind):
    """Take a card out of a hand while everybody watches."""
    state.hand[seat, kind] -= 1
    state.hand_size[seat] -= 1
    memory.all_see_leave(state, seat, kind)


@compiled
def discard_from_hand(state, seat, kind):
    out_of_hand(state, seat, kind)
    state.discard_pile[kind] += 1


@compiled
def discard_hand(state, seat):
    for kind in range(NUM_HAND_KINDS):
        state.discard_pile[kind] += state.hand[seat, kind]
    lose_hand(state, seat)


@compiled
def shuffle_in_hand(state, seat):
    for kind in range(NUM_HAND_KINDS):
        for _ in range(state.hand[seat, kind]):
            shuffle_in(state, kind)
    lose_hand(state, seat)


@compiled
def lose_hand(state, seat):
    """Empty a hand, whose cards the caller has put elsewhere."""
    state.hand[seat, :] = 0
    state.hand_size[seat] = 0
    memory.all_see_hand_lost(state, seat)


# ---------------------------------------------------------------------------------------- colonies


@compiled
def is_trapped(state, seat, slot):
    place = state.colony[seat, slot]
    traps = 0
    for kind in range(FIRST_TRAP, NUM_COLONY_KINDS):
        traps += place[kind]
    return traps > 0


@compiled
def is_protected(state, seat, slot):
    place = state.colony[seat, slot]
    barricades = 0
    for kind in range(FIRST_BARRICADE, FIRST_TRAP):
        barricades += place[kind]
    return barricades > 0


@compiled
def is_free(state, seat, slot):
    """Return whether a Gub lies here with nothing on it; the Elder is never called Free."""
    return (
        state.colony[seat, slot, Card.GUB] == 1
        and not is_protected(state, seat, slot)
        and not is_trapped(state, seat, slot)
    )


@compiled
def add_place(state, seat, kind):
    """Add a Gub or the Elder to a colony, with nothing on it; return its slot."""
    slot = state.colony_size[seat]
    state.colony_size[seat] += 1
    state.colony[seat, slot, kind] = 1
    return slot


@compiled
def clear_place(state, seat, slot):
    """Empty a place, whose cards the caller moves; the gap stays until `close_gaps`."""
    state.colony[seat, slot, :] = 0


@compiled
def close_gaps(state, seat):
    """Move the remaining places of a colony up, in order of arrival."""
    kept = 0
    for slot in range(state.colony_size[seat]):
        if state.colony[seat, slot, Card.GUB] + state.colony[seat, slot, Card.ESTEEMED_ELDER] > 0:
            if kept < slot:
                state.colony[seat, kept, :] = state.colony[seat, slot, :]
                clear_place(state, seat, slot)
            kept += 1
    state.colony_size[seat] = kept


@compiled
def remove_card(state, seat, slot, kind):
    """Take one card off the Gub at a place; the caller puts it elsewhere."""
    state.colony[seat, slot, kind] -= 1


@compiled
def discard_card(state, seat, slot, kind):
    """Discard one card that lies on a Gub."""
    remove_card(state, seat, slot, kind)
    state.discard_pile[kind] += 1


@compiled
def return_barricades(state, seat, slot):
    """Return the Barricades at a place to the hand of the seat they lie at."""
    for kind in BARRICADES:
        count = state.colony[seat, slot, kind]
        if count > 0:
            state.colony[seat, slot, kind] = 0
            into_hand_openly(state, seat, kind, count)


@compiled
def discard_place(state, seat, slot):
    """Discard a Gub and all that lies on it. Not for Gubs beneath a Ring."""
    for kind in range(NUM_COLONY_KINDS):
        state.discard_pile[kind] += state.colony[seat, slot, kind]
    clear_place(state, seat, slot)


@compiled
def count_on_side(state, seat, kind):
    """Return the number of cards of a kind on a side; a Ring is one card, on however many Gubs."""
    count = 0
    for slot in range(state.colony_size[seat]):
        count += state.colony[seat, slot, kind]
    return count // PLACES[kind]


@compiled
def clear_side(state, seat):
    """Empty a side except for the Elder; the caller moves the cards."""
    for slot in range(state.colony_size[seat]):
        if state.colony[seat, slot, Card.ESTEEMED_ELDER] == 0:
            clear_place(state, seat, slot)
    close_gaps(state, seat)


# ------------------------------------------------------------------------------ the announced card


@compiled
def lay_announced(state, seat, slot):
    """Lay the announced card at a place, where it stays."""
    state.colony[seat, slot, state.played] += 1
    state.announced = 0


@compiled
def discard_announced(state):
    state.discard_pile[state.played] += 1
    state.announced = 0
