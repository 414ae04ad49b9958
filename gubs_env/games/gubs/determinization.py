"""Determinization: a complete state, drawn at random, that fits what a seat knows.

The hands are filled first: every way to fill them with unseen cards that are no Events is equally
likely. Then the deck is drawn by the classes of its cards (module `classes`): how many of them are
originals, where these lie, and which of them are the Letters of thirds and the other Events. The
term is from Cowling, Powley and Whitehouse, "Information set Monte Carlo tree search" (2012).
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.cards import list_cards
from gubs_env.engine.compiling import compiled
from gubs_env.engine.rng import WORD, next_word, random_below, spawn_into
from gubs_env.engine.seats import seat_at, steps_to
from gubs_env.games.gubs.cards import LETTERS, NUM_COLONY_KINDS, NUM_HAND_KINDS, NUM_KINDS, Card
from gubs_env.games.gubs.classes import THIRDS, count_others, third_floor, weigh_originals
from gubs_env.games.gubs.rules import MAX_CARDS
from gubs_env.games.gubs.state import UNKNOWN_CARD, Phase
from gubs_env.games.gubs.table import count_on_side


@compiled
def determinize_row(state, rng):
    """Complete a view of the acting player at random, from an RNG, int64[4].

    The memory of the other players stays empty, because the acting player cannot know it.
    """
    viewer = state.actor
    unseen = count_unseen(state, viewer)
    pool = np.empty(MAX_CARDS, np.int8)
    size = list_cards(unseen, 0, NUM_HAND_KINDS, pool, 0)
    size = fill_hands(state, viewer, pool, size, rng)
    fill_deck(state, viewer, unseen, pool, size, rng)
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
        for seat in range(state.num_players):
            unseen[kind] -= count_on_side(state, seat, kind)
    for letter in LETTERS:
        unseen[letter] -= state.letters[letter - Card.LETTER_G]
    if state.announced:
        unseen[state.played] -= 1
    for depth in range(state.known_top[viewer]):
        unseen[state.deck[state.deck_size - 1 - depth]] -= 1
    return unseen


# -------------------------------------------------------------------------------------- the hands


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


# ---------------------------------------------------------------------------------------- the deck


@compiled
def fill_deck(state, viewer, unseen, pool, size, rng):
    """Fill the unknown places of the deck.

    Args:
        state: the view, with all hands filled.
        viewer: whose view it is.
        unseen: int64[NUM_KINDS], of which the Events lie at these places.
        pool: int8[…], whose first `size` cards, no Events, lie there too; changed.
        size: see `pool`.
        rng: int64[4].
    """
    places = np.arange(state.deck_size - state.known_top[viewer])
    letters, count = order_letters(state, unseen, rng)
    events_loose = state.events_loose.copy()
    originals = 0  # without the Letter of a third, all places are alike
    if count > 0:
        weights = np.empty(MAX_CARDS + 1)
        weigh_originals(state, viewer, unseen, events_loose, weights)
        originals = draw_index(weights, rng)
        divide_places(places, originals, rng)
        if not lay_in_classes(state, places, originals, letters[:count], rng):
            lay_in_ranges(state, len(places), letters[:count], rng)
            originals = count
        places, originals = places[state.deck[places] == UNKNOWN_CARD], originals - count
    lay_events(state, unseen, events_loose, places, originals, rng)
    for place in range(state.deck_size - state.known_top[viewer]):
        if state.deck[place] == UNKNOWN_CARD:
            state.deck[place] = take(pool, size, rng)
            size -= 1


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
def draw_index(weights, rng):
    """Draw an index with a probability proportional to its weight; −1 if all are 0."""
    left = next_word(rng) / (WORD + 1) * weights.sum()
    drawn = -1
    for index in range(len(weights)):
        if weights[index] > 0 and left >= 0:
            drawn = index
        left -= weights[index]
    return drawn


@compiled
def divide_places(places, originals, rng):
    """Put the places of originals first, drawn at random and lowest first, then the others."""
    others = places.copy()
    first, second = 0, 0
    for place in range(len(places)):
        wanted, left = originals - first, len(places) - place
        if wanted == left or (wanted > 0 and random_below(rng, left) < wanted):
            places[first] = place
            first += 1
        else:
            others[second] = place
            second += 1
    places[first:] = others[:second]


@compiled
def lay_in_classes(state, places, originals, letters, rng):
    """Lay the Letter of each third at one of its originals; return whether that is possible.

    Args:
        state: the view.
        places: int64[…], those of the originals first.
        originals: number of originals; −1 if nothing is known about them.
        letters: int64[…], those of the lowest thirds.
        rng: int64[4].
    """
    others = count_others(state)
    for third in range(len(letters)):
        floor = third_floor(others, third)
        top = min(originals, third_floor(others, third + 1))
        if top <= floor:
            return False
        place = places[floor + random_below(rng, top - floor)]
        if not state.third_start[third] <= place < state.third_end[third]:
            return False
        state.deck[place] = letters[third]
    return True


@compiled
def lay_in_ranges(state, places, letters, rng):
    """Lay the Letter of each third anywhere in its range, in order, below `places`."""
    fits = False
    while not fits:
        state.deck[:places] = UNKNOWN_CARD
        fits = try_ranges(state, places, letters, rng)


@compiled
def try_ranges(state, places, letters, rng):
    """Lay each Letter at random in its range; return whether they lie in order."""
    laid, above = 0, 0
    for third in range(THIRDS):
        if state.third_end[third] > 0 and laid < len(letters):
            start, end = state.third_start[third], min(state.third_end[third], places)
            place = start + random_below(rng, end - start)
            if place < above:
                return False
            state.deck[place] = letters[laid]
            laid += 1
            above = place + 1
    return True


@compiled
def lay_events(state, unseen, events_loose, places, originals, rng):
    """Lay all Events but the Letters of thirds, each at a random free place of its class.

    Args:
        state: the view.
        unseen: int64[NUM_KINDS].
        events_loose: int8[…], how many of each Event were shuffled in.
        places: int64[…], the free places, those of the originals first; reordered.
        originals: number of these; 0 if all free places are alike.
        rng: int64[4].
    """
    ends = [originals, len(places)]
    for kind in range(NUM_HAND_KINDS, NUM_KINDS):
        is_letter = kind >= Card.LETTER_G
        loose = unseen[kind]
        if is_letter:
            loose *= state.letter_loose[kind - Card.LETTER_G]
        elif originals > 0:
            loose = events_loose[kind - NUM_HAND_KINDS]
        for number in range(loose if is_letter else unseen[kind]):
            start, of_class = (originals, 1) if number < loose else (0, 0)
            index = start + random_below(rng, ends[of_class] - start)
            ends[of_class] -= 1
            last = ends[of_class]
            places[index], places[last] = places[last], places[index]
            state.deck[places[last]] = kind
