"""The classes of the cards in the deck, from which follows where the Letters can lie.

An *original* is a card that never left the deck since its thirds were stacked; all others were
shuffled in. A card that is shuffled in goes to a random place. So for a given number of originals,
every order of the two classes is equally likely. The originals lie in the order of their thirds.
The Letter of a third is equally likely to be each of its originals that are left, and all other
originals are exchangeable; so are the cards that were shuffled in.

While only Events were shuffled in, the number of originals is known, because an Event that turns up
shows by its name which class it is of. A card for a hand does not. From the first time that such a
card is shuffled in, `stages` therefore records what everybody sees, and `count_ways` counts the
histories that leave each number of originals.

What is left out: the kinds of cards for hands, and two copies of an Event in one deck. Of these,
those that were shuffled in are taken to turn up first.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from gubs_env.engine.compiling import compiled
from gubs_env.games.gubs.cards import IS_EVENT, NUM_HAND_KINDS, Card
from gubs_env.games.gubs.rules import MAX_CARDS
from gubs_env.games.gubs.state import LETTER_DRAWN, MOST_STAGES

THIRDS = 3
"""Thirds of the deck; their originals are the classes 0, 1 and 2, the lowest first."""
FACTORIAL = np.array([float(factorial(number)) for number in range(MAX_CARDS + 1)])
SHUFFLED, HIDDEN, EVENTS = range(3)
"""The entries of a stage."""


@compiled
def third_floor(others, third):
    """Return how many cards of a deck that was just made lie below a third.

    Args:
        others: the cards of this deck that are no Letters.
        third: 0 … 3; the number 3 is the place above all thirds.
    """
    return others - (THIRDS - third) * others // THIRDS + third


@compiled
def count_others(state):
    """Return how many cards the deck that was dealt from held, Letters apart."""
    others = -state.num_players - THIRDS
    for copies in state.composition:
        others += copies
    return others


@compiled
def thirds_left(state):
    """Return how many thirds still have their Letter in the deck; they are the lowest ones."""
    left = 0
    for third in range(THIRDS):
        left += state.third_end[third] > 0
    return left


# ---------------------------------------------------------------------------- what everybody sees


@compiled
def record_drawn(state, kind):
    """Record that a card was drawn that is no Letter."""
    is_event = IS_EVENT[kind]
    if is_event and state.events_loose[kind - NUM_HAND_KINDS] > 0:
        state.events_loose[kind - NUM_HAND_KINDS] -= 1
    elif 0 < state.num_stages < MOST_STAGES:
        state.stages[state.num_stages - 1, EVENTS if is_event else HIDDEN] += 1


@compiled
def record_letter_drawn(state):
    """Record that the Letter of a third was drawn, which `third_end` no longer shows."""
    if thirds_left(state) == 0:
        forget_classes(state)
    elif state.num_stages > 0:
        begin_stage(state, LETTER_DRAWN)


@compiled
def record_shuffled(state, kind):
    """Record that a card was shuffled in that is no Letter."""
    if thirds_left(state) == 0:
        return
    if IS_EVENT[kind]:
        state.events_loose[kind - NUM_HAND_KINDS] += 1
        return
    last = state.stages[state.num_stages - 1]
    if state.num_stages > 0 and last[SHUFFLED] > 0 and last[HIDDEN] + last[EVENTS] == 0:
        last[SHUFFLED] += 1
    else:
        begin_stage(state, 1)


@compiled
def begin_stage(state, shuffled):
    """Begin a stage; the last one stands for all that there is no room for."""
    if state.num_stages < MOST_STAGES:
        state.num_stages += 1
    if state.num_stages < MOST_STAGES:
        state.stages[state.num_stages - 1, SHUFFLED] = shuffled


@compiled
def forget_classes(state):
    """Clear the record: no Letter of a third is left, and all places are alike."""
    state.events_loose[:] = 0
    state.num_stages = 0
    state.stages[:] = 0


# ---------------------------------------------------------------------- how many originals are left


@compiled
def weigh_originals(state, viewer, unseen, events_loose, weights):
    """Write how likely each number of originals is among the cards whose places are unknown.

    It is the exact posterior given the numbers of cards, Events and Letters that everybody saw and
    the cards at the top that the viewer knows. The kinds of the other cards are not used. All
    weights are 0 if a Scout has put the Letter of a third among cards of the next one, or if the
    deck was shuffled into more often than `stages` has room for.

    Args:
        state: a view.
        viewer: whose view it is.
        unseen: int64[NUM_KINDS], the cards at unknown places and in other hands.
        events_loose: a copy of those of the view; those at the top that the viewer knows are
            taken off.
        weights: float64[MAX_CARDS + 1], written; their sum is not 1.
    """
    others = count_others(state)
    count_ways(state, others, weights)
    letters = thirds_left(state)
    for depth in range(state.known_top[viewer]):
        kind = state.deck[state.deck_size - 1 - depth]
        if kind >= Card.LETTER_G:
            if not state.letter_loose[kind - Card.LETTER_G]:
                letters -= 1
                draw_letter(weights, others, letters)
        elif not IS_EVENT[kind]:
            draw_hidden(weights)
        elif events_loose[kind - NUM_HAND_KINDS] > 0:
            events_loose[kind - NUM_HAND_KINDS] -= 1
        else:
            draw_original(weights)
    loose = events_loose.sum()
    for letter in range(THIRDS):
        loose += state.letter_loose[letter] * unseen[Card.LETTER_G + letter]
    events = unseen[NUM_HAND_KINDS : Card.LETTER_G].sum() - events_loose.sum()
    places = state.deck_size - state.known_top[viewer]
    for originals in range(MAX_CARDS + 1):
        for_hands = originals - letters - events
        shuffled = places - originals - loose
        if for_hands < 0 or shuffled < 0 or weights[originals] == 0:
            weights[originals] = 0
            continue
        for third in range(letters):
            floor, end = third_floor(others, third), third_floor(others, third + 1)
            weights[originals] *= max(0, min(originals, end) - floor)
        weights[originals] *= FACTORIAL[originals - letters] / FACTORIAL[for_hands]
        weights[originals] /= FACTORIAL[originals] * FACTORIAL[shuffled]


@compiled
def count_ways(state, others, ways):
    """Write in how many ways each number of originals can be left in the deck, up to a factor.

    Args:
        state: a state or a view.
        others: the cards of the deck that is dealt from, Letters apart.
        ways: float64[MAX_CARDS + 1], written.
    """
    left, size = thirds_left(state), state.deck_size
    size -= state.events_loose.sum() + state.letter_loose.sum()  # cards of uncertain class
    for stage in state.stages[: state.num_stages]:
        left += stage[SHUFFLED] == LETTER_DRAWN
        size += stage[HIDDEN] + stage[EVENTS] - stage[SHUFFLED]  # LETTER_DRAWN is −1
    ways[:] = 0
    if state.num_stages == MOST_STAGES or left > THIRDS or not 0 <= size <= MAX_CARDS:
        return
    ways[size] = 1
    for stage in state.stages[: state.num_stages]:
        size += stage[SHUFFLED]
        if stage[SHUFFLED] == LETTER_DRAWN:
            left -= 1
            draw_letter(ways, others, left)
        else:
            shuffle_cards_in(ways, size, stage[SHUFFLED])
        for _ in range(stage[HIDDEN]):
            draw_hidden(ways)
        for _ in range(stage[EVENTS]):
            draw_original(ways)
        size -= stage[HIDDEN] + stage[EVENTS]


@compiled
def shuffle_cards_in(ways, size, count):
    """Change the ways as `count` cards of no known class are shuffled in, which makes `size`.

    The probability of each number of originals stays the same, while the cards below can be of more
    classes.
    """
    most = 0.0
    for originals in range(len(ways)):
        for shuffled in range(size - originals, size - originals - count, -1):
            ways[originals] *= max(0, shuffled)
        most = max(most, ways[originals])
    if most > 0:
        ways /= most


@compiled
def draw_hidden(ways):
    """Change the ways as a card is drawn that can be an original or not."""
    for originals in range(len(ways) - 1):
        ways[originals] = (ways[originals] + ways[originals + 1]) / 2
    ways[-1] /= 2


@compiled
def draw_original(ways):
    """Change the ways as an original is drawn."""
    ways[:-1] = ways[1:]
    ways[-1] = 0


@compiled
def draw_letter(ways, others, third):
    """Change the ways as the Letter of a third is drawn, which is one of its originals."""
    draw_original(ways)
    for originals in range(len(ways)):
        if not third_floor(others, third) <= originals < third_floor(others, third + 1):
            ways[originals] = 0
