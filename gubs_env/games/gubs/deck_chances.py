"""How likely the next cards of the deck are Letters or other Events, given what a seat may know.

These are the exact chances of determinization (`determinization`, `classes`). They follow from the
view: the cards at the top that the seat knows, and what everybody saw.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.compilation import compiled
from gubs_env.games.gubs.cards import IS_EVENT, LETTERS, NUM_HAND_KINDS, NUM_KINDS, Card
from gubs_env.games.gubs.classes import (
    THIRDS,
    count_loose,
    count_others,
    third_floor,
    weigh_originals,
)
from gubs_env.games.gubs.rules import MAX_CARDS

NO_LETTERS = (0.0, 0.0, 0.0)
UNKNOWN = (0.0, 1.0, 0.0, 0.0, 1.0)
"""The chances of `top_two` where no card is unknown."""


@compiled
def write_chances(state, viewer, out, at):
    """Write deck_chances."""
    unseen = np.zeros(NUM_KINDS, np.int64)
    count_unseen_events(state, viewer, unseen)
    in_deck = unseen[Card.LETTER_G :].sum()
    for depth in range(state.known_top[viewer]):
        in_deck += state.deck[state.deck_size - 1 - depth] >= Card.LETTER_G
    letter, no_letter, two_letters, event, no_event = UNKNOWN
    if state.known_top[viewer] < 2:
        letter, no_letter, two_letters, event, no_event = chances_unknown(state, viewer, unseen)
    for depth in range(min(state.known_top[viewer], 2) - 1, -1, -1):
        kind = state.deck[state.deck_size - 1 - depth]
        first_letter = 1.0 if kind >= Card.LETTER_G else 0.0
        first_event = 1.0 if IS_EVENT[kind] else 0.0
        two_letters = first_letter * letter
        no_letter, no_event = (1 - first_letter) * (1 - letter), (1 - first_event) * (1 - event)
        letter, event = first_letter, first_event
    out[at] = percent(letter) if in_deck == 1 else 0
    out[at + 1] = percent(letter)
    out[at + 2] = percent(event)
    if in_deck == 1:
        out[at + 3] = percent(1 - no_letter)
    elif in_deck == 2:
        out[at + 3] = percent(two_letters)
    out[at + 4] = percent(1 - no_letter)
    out[at + 5] = percent(1 - no_event)
    return at + 6


@compiled
def percent(chance):
    """Return a chance as a whole percentage, 0 … 100."""
    return int(100 * min(1.0, max(0.0, chance)) + 0.5)


@compiled
def share(part, whole):
    """Return the chance that one of `whole` things is one of a part of them."""
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0


@compiled
def count_unseen_events(state, viewer, unseen):
    """Write how many of each Event lie at unknown places, int64[NUM_KINDS]."""
    for kind in range(NUM_HAND_KINDS, NUM_KINDS):
        unseen[kind] = state.composition[kind] - state.discard_pile[kind]
    for letter in LETTERS:
        unseen[letter] -= state.letters[letter - Card.LETTER_G]
    if state.announced:
        unseen[state.played] -= 1
    for depth in range(state.known_top[viewer]):
        unseen[state.deck[state.deck_size - 1 - depth]] -= 1


# ----------------------------------------------------------------------------- the unknown places


@compiled
def chances_unknown(state, viewer, unseen):
    """Return the chances of the topmost unknown places, as `top_two`."""
    places = state.deck_size - state.known_top[viewer]
    in_thirds = 0
    for letter in range(THIRDS):
        in_thirds += unseen[Card.LETTER_G + letter] > 0 and not state.letter_loose[letter]
    events = unseen[NUM_HAND_KINDS : Card.LETTER_G].sum()
    loose_letters = unseen[Card.LETTER_G :].sum() - in_thirds
    if in_thirds == 0:
        return top_two(places, 0, NO_LETTERS, (places, loose_letters, events), (0, 0, 0))
    events_loose = state.events_loose.copy()
    weights = np.empty(MAX_CARDS + 1)
    first, last = weigh(state, viewer, unseen, events_loose, weights)
    if first > last:
        on_top = letters_in_ranges(state, places, in_thirds)
        rest = (places - in_thirds, loose_letters, events)
        return top_two(places, in_thirds, on_top, rest, (0, 0, 0))
    others, events_in = count_others(state), events_loose.sum()
    total, letter, no_letter, two_letters, event, no_event = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for originals in range(first, last + 1):
        weight = weights[originals]
        if weight > 0:
            on_top = letters_on_top(others, in_thirds, originals)
            rest = (originals - in_thirds, 0, events - events_in)
            shuffled = (places - originals, loose_letters, events_in)
            chances = top_two(places, in_thirds, on_top, rest, shuffled)
            total += weight
            letter += weight * chances[0]
            no_letter += weight * chances[1]
            two_letters += weight * chances[2]
            event += weight * chances[3]
            no_event += weight * chances[4]
    return letter / total, no_letter / total, two_letters / total, event / total, no_event / total


@compiled
def weigh(state, viewer, unseen, events_loose, weights):
    """Write the weights of `weigh_originals`; return the first and the last that can be positive.

    Before a card for a hand was shuffled in, all that are not loose Events are originals.
    """
    if state.num_stages > 0 or state.known_top[viewer] > 0:
        weigh_originals(state, viewer, unseen, events_loose, weights)
        first, last = 0, MAX_CARDS
        while first <= last and weights[first] == 0:
            first += 1
        while last >= first and weights[last] == 0:
            last -= 1
        return first, last
    originals = state.deck_size - count_loose(unseen, state.letter_loose, events_loose)
    others = count_others(state)
    if not 0 < originals <= MAX_CARDS:
        return 1, 0
    for third in range(THIRDS):
        if state.third_end[third] > 0 and originals <= third_floor(others, third):
            return 1, 0
    weights[originals] = 1
    return originals, originals


@compiled
def letters_on_top(others, letters, originals):
    """Return how likely the highest original is the Letter of a third, the second one, and both."""
    floor = third_floor(others, letters - 1)
    count = min(originals, third_floor(others, letters)) - floor
    above = originals - floor - count
    chance = share(1, count)
    if above > 0:
        return 0.0, chance if above == 1 else 0.0, 0.0
    if count > 1 or letters == 1:
        return chance, chance if count > 1 else 0.0, 0.0
    below = share(1, floor - third_floor(others, letters - 2))
    return 1.0, below, below


@compiled
def letters_in_ranges(state, places, letters):
    """Return the same for Letters that lie anywhere in their ranges, in order, as `lay_in_ranges`.

    It counts the ways to lay them: `below[place]` of them leave the last Letter below a place.
    """
    below, before = np.ones(MAX_CARDS + 1), np.ones(MAX_CARDS + 1)
    laid, start, end, last_start, last_end = 0, 0, 0, 0, 0
    for third in range(THIRDS):
        if state.third_end[third] > 0 and laid < letters:
            last_start, last_end = start, end
            start, end = state.third_start[third], min(state.third_end[third], places)
            before[:] = below
            below[0] = 0
            for place in range(places):
                can_lie = start <= place < end
                below[place + 1] = below[place] + (before[place] if can_lie else 0.0)
            laid += 1
    total, top = below[places], places - 1
    first = share(below[places] - below[top], total)
    if top < 1:
        return first, 0.0, 0.0
    second = share(below[top] - below[top - 1], total)
    both = 0.0
    if laid > 1 and end == places and last_start <= top - 1 < last_end:
        both = share(before[top] - before[top - 1], total)
    return first, second + both, both


@compiled
def top_two(places, letters, on_top, rest, shuffled):
    """Return what the two topmost of some places hold.

    Args:
        places: number of places.
        letters: Letters of thirds, which are originals.
        on_top: how likely the highest original is such a Letter, the second one, and both.
        rest: the other originals: (how many, of these Letters, of these other Events).
        shuffled: the cards that were shuffled in, in the same way.

    Returns:
        How likely the topmost is a Letter; none of the two; both; and how likely the topmost is an
        Event, Letters included; none of the two.
    """
    if places < 1:
        return UNKNOWN
    originals = letters + rest[0]
    original = share(originals, places)
    first = on_top[0] + (1 - on_top[0]) * share(rest[1], rest[0])
    letter = original * first + (1 - original) * share(shuffled[1], shuffled[0])
    event = on_top[0] + (1 - on_top[0]) * share(rest[1] + rest[2], rest[0])
    event = original * event + (1 - original) * share(shuffled[1] + shuffled[2], shuffled[0])
    if places == 1:
        return letter, 1 - letter, 0.0, event, 1 - event
    both = original * share(originals - 1, places - 1)
    neither = (1 - original) * share(shuffled[0] - 1, places - 1)
    mixed = 1 - both - neither
    one_of_two = on_top[0] + on_top[1] - 2 * on_top[2]
    none_of_two = 1 - one_of_two - on_top[2]
    two_letters = on_top[2] + one_of_two * share(rest[1], rest[0])
    two_letters += none_of_two * share(rest[1], rest[0]) * share(rest[1] - 1, rest[0] - 1)
    two_letters = both * two_letters + mixed * first * share(shuffled[1], shuffled[0])
    two_letters += (
        neither * share(shuffled[1], shuffled[0]) * share(shuffled[1] - 1, shuffled[0] - 1)
    )
    mix = (both, mixed * (1 - on_top[0]), neither, none_of_two)
    no_letter = without(mix, rest[0], rest[0] - rest[1], shuffled[0], shuffled[0] - shuffled[1])
    no_event = without(
        mix,
        rest[0],
        rest[0] - rest[1] - rest[2],
        shuffled[0],
        shuffled[0] - shuffled[1] - shuffled[2],
    )
    return letter, no_letter, two_letters, event, no_event


@compiled
def without(mix, rest, rest_left, shuffled, shuffled_left):
    """Return how likely both cards on top are among those that are left of each class."""
    both, mixed, neither, none_of_two = mix
    one, other = share(rest_left, rest), share(shuffled_left, shuffled)
    return (
        both * none_of_two * one * share(rest_left - 1, rest - 1)
        + mixed * one * other
        + neither * other * share(shuffled_left - 1, shuffled - 1)
    )
