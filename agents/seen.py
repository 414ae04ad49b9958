"""What an observation says, by name: small compiled rules that read one observation vector.

Seats are relative: 0 is the viewer, 1 the next clockwise. Every number comes back as an int64, so
that nothing overflows in arithmetic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gubs_env.games.compilation import inlined, rule
from gubs_env.games.generator import random_below
from gubs_env.games.gubs.cards import (
    LYING_THINGS,
    NUM_COLONY_KINDS,
    NUM_KINDS,
    Card,
    Thing,
)
from gubs_env.games.gubs.observation import NUM_PHASES, observation_slices
from gubs_env.games.gubs.rules import MAX_PLAYERS, MAX_SLOTS


class Seen(NamedTuple):
    """One observation and the size of its table."""

    numbers: np.ndarray
    """int8[observation_size]"""
    num_players: int


def starts(name: str) -> np.ndarray:
    """Where a slice of the observation begins, by number of players: int64[MAX_PLAYERS + 1]."""
    sizes = range(2, MAX_PLAYERS + 1)
    return np.array([0, 0] + [observation_slices(n)[name].start for n in sizes])


HAND = starts("hand")
HAND_SIZES = starts("hand_sizes")
COLONIES = starts("colonies")
POINTS = starts("points")
LETTERS_OUT = starts("letters")
DECK_SIZE = starts("deck_size")
TURN = starts("turn")
DECISION = starts("decision")
PLAYED_AS = starts("played_as")
TARGET_SEATS = starts("target_seats")
TARGET_PLACES = starts("target_places")
TARGET_CARD = starts("target_card")
ORDERED = starts("ordered")

# ------------------------------------------------------------------------------------ single facts


@inlined
def number(seen, begins, offset):
    """The entry `offset` places into the slice that begins at `begins[num_players]`."""
    return int(seen.numbers[begins[seen.num_players] + offset])


@inlined
def in_hand(seen, kind):
    return number(seen, HAND, kind)


@inlined
def hand_size(seen, seat):
    return number(seen, HAND_SIZES, seat)


@inlined
def lying(seen, seat, slot, kind):
    """Cards of a kind at a place of a colony."""
    return number(seen, COLONIES, (seat * MAX_SLOTS + slot) * NUM_COLONY_KINDS + kind)


@inlined
def points(seen, seat):
    return number(seen, POINTS, seat)


@inlined
def letters_out(seen):
    return (
        number(seen, LETTERS_OUT, 0) + number(seen, LETTERS_OUT, 1) + number(seen, LETTERS_OUT, 2)
    )


@inlined
def deck_size(seen):
    return number(seen, DECK_SIZE, 0)


@inlined
def is_own_turn(seen):
    return number(seen, TURN, 0) == 1


@inlined
def ordered(seen):
    """Cards put back so far with the Scout."""
    return number(seen, ORDERED, 0)


@inlined
def first_mark(seen, begins, length):
    """Which entry of a one-hot slice is marked; its length where none is."""
    at = 0
    while at < length and number(seen, begins, at) == 0:
        at += 1
    return at


@inlined
def phase_of(seen):
    return first_mark(seen, DECISION, NUM_PHASES)


@inlined
def played_as(seen):
    """The kind that the card being played counts as."""
    return first_mark(seen, PLAYED_AS, NUM_KINDS)


@inlined
def card_meant(seen):
    """The kind meant at the place aimed at."""
    return first_mark(seen, TARGET_CARD, NUM_COLONY_KINDS)


# ------------------------------------------------------------------------------------------ places


@inlined
def is_taken(seen, seat, slot):
    """Whether a place holds a Gub or the Elder; those that do come first."""
    return lying(seen, seat, slot, Card.GUB) + lying(seen, seat, slot, Card.ESTEEMED_ELDER) > 0


@inlined
def barricades(seen, seat, slot):
    return (
        lying(seen, seat, slot, Card.MUSHROOM)
        + lying(seen, seat, slot, Card.TOAD_RIDER)
        + lying(seen, seat, slot, Card.VELVET_MOTH)
    )


@inlined
def ring_size(seen, seat, slot):
    """How many Gubs lie beneath the Ring at a place; 0 where there is none."""
    return (
        lying(seen, seat, slot, Card.SINGLE_RING)
        + 2 * lying(seen, seat, slot, Card.DOUBLE_RING)
        + 3 * lying(seen, seat, slot, Card.TRIPLE_RING)
    )


@rule
def things_at(seen, seat, slot):
    """What lies at a taken place: `Thing` bits."""
    things = 0
    for kind in range(NUM_COLONY_KINDS):
        things |= LYING_THINGS[kind] if lying(seen, seat, slot, kind) > 0 else 0
    return things if things > 0 else things | Thing.FREE_GUB


@inlined
def is_any(seen, seat, slot, things):
    """Whether a taken place is, or holds, any of these things."""
    return (things_at(seen, seat, slot) & things) != 0


@rule
def count(seen, seat, things):
    """How many places of a colony are, or hold, any of these things (`Thing` bits)."""
    found = 0
    slot = 0
    while slot < MAX_SLOTS and is_taken(seen, seat, slot):
        found += 1 if is_any(seen, seat, slot, things) else 0
        slot += 1
    return found


@rule
def count_of_others(seen, things):
    """`count` of all opponents together."""
    found = 0
    for seat in range(1, seen.num_players):
        found += count(seen, seat, things)
    return found


@rule
def most_of_others(seen, things):
    """`count` of the opponent that has most."""
    most = 0
    for seat in range(1, seen.num_players):
        most = max(most, count(seen, seat, things))
    return most


@inlined
def is_aimed_at(seen, seat, slot):
    """Whether the card being played is aimed at this place."""
    return number(seen, TARGET_PLACES, seat * MAX_SLOTS + slot) > 0


@inlined
def is_seat_aimed_at(seen, seat):
    """Whether the card being played is aimed at this seat as a whole."""
    return number(seen, TARGET_SEATS, seat) > 0


# --------------------------------------------------------------------------------------- standings


@inlined
def rank(seen, seat):
    """A number that orders the seats as the rules do: points, the Elder, fewest cards held."""
    elder = count(seen, seat, Thing.ELDER)
    return 1000 * points(seen, seat) + 500 * elder - hand_size(seen, seat)


@rule
def is_behind(seen):
    """Whether another seat would win if the game ended now."""
    best = rank(seen, 1)
    for seat in range(2, seen.num_players):
        best = max(best, rank(seen, seat))
    return best > rank(seen, 0)


# ---------------------------------------------------------------------------------------- choosing


@inlined
def best_action(seen, mask, weights, score, chooser):
    """The legal action with the highest `score(seen, phase, action, weights)`; ties by lot.

    Args:
        mask: int8[num_actions], at least one of them legal.
        chooser: int64[4], the generator that breaks ties.
    """
    phase = phase_of(seen)
    best, best_score, tied = -1, -np.inf, 0
    for action in range(len(mask)):
        if mask[action]:
            value = score(seen, phase, action, weights)
            if value > best_score:
                best, best_score, tied = action, value, 1
            elif value == best_score:
                tied += 1
                if random_below(chooser, tied) == 0:
                    best = action
    return best
