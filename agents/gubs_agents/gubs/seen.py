"""What an observation of Gubs says, by name: small compiled rules that read one vector."""

from __future__ import annotations

from typing import NamedTuple

from gubs_agents.common.seen import first_mark, number, starts_of
from gubs_env.engine.compilation import compiled, inlined
from gubs_env.games.gubs.cards import NUM_COLONY_KINDS, NUM_KINDS, Card
from gubs_env.games.gubs.observation import NUM_PHASES, observation_slices
from gubs_env.games.gubs.rules import MAX_PLAYERS, MAX_SLOTS

STARTS = starts_of(observation_slices, MAX_PLAYERS)
HAND = STARTS["hand"]
HAND_SIZES = STARTS["hand_sizes"]
COLONIES = STARTS["colonies"]
POINTS = STARTS["points"]
LETTERS_OUT = STARTS["letters"]
DECK_SIZE = STARTS["deck_size"]
TURN = STARTS["turn"]
DECISION = STARTS["decision"]
PLAYED_AS = STARTS["played_as"]
TARGET_SEATS = STARTS["target_seats"]
TARGET_PLACES = STARTS["target_places"]
TARGET_CARD = STARTS["target_card"]
ORDERED = STARTS["ordered"]

# ------------------------------------------------------------------------------------ single facts


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


@inlined
def has_elder(seen, seat, slot):
    return lying(seen, seat, slot, Card.ESTEEMED_ELDER) > 0


@inlined
def is_spouted(seen, seat, slot):
    return lying(seen, seat, slot, Card.SUD_SPOUT) > 0


@inlined
def is_trapped(seen, seat, slot):
    return is_spouted(seen, seat, slot) or ring_size(seen, seat, slot) > 0


@inlined
def is_free(seen, seat, slot):
    """A Gub with nothing on it."""
    return (
        lying(seen, seat, slot, Card.GUB) > 0
        and barricades(seen, seat, slot) == 0
        and not is_trapped(seen, seat, slot)
    )


@inlined
def is_aimed_at(seen, seat, slot):
    """Whether the card being played is aimed at this place."""
    return number(seen, TARGET_PLACES, seat * MAX_SLOTS + slot) > 0


@inlined
def is_seat_aimed_at(seen, seat):
    """Whether the card being played is aimed at this seat as a whole."""
    return number(seen, TARGET_SEATS, seat) > 0


# ------------------------------------------------------------------------------ sides of the table


class Side(NamedTuple):
    """How many Gubs, and what on them, one side of the table has."""

    free: int
    protected: int
    lurable: int  # Free or Protected
    spouted: int
    trapped: int
    mushrooms: int
    toad_riders: int
    thin: int  # protected by a single Barricade
    thin_mushrooms: int  # that is a Mushroom
    elders: int
    largest_ring: int


class Sides(NamedTuple):
    """What lies where, in numbers."""

    own: Side
    others: Side
    """All opponents together."""
    most: Side
    """The most that any one opponent has, number by number."""


@compiled
def nothing():
    return Side(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@compiled
def place_side(seen, seat, slot):
    """One taken place as a side."""
    mushroom = 1 if lying(seen, seat, slot, Card.MUSHROOM) > 0 else 0
    toad_rider = 1 if lying(seen, seat, slot, Card.TOAD_RIDER) > 0 else 0
    spouted = 1 if is_spouted(seen, seat, slot) else 0
    elder = 1 if has_elder(seen, seat, slot) else 0
    ring = ring_size(seen, seat, slot)
    stack = barricades(seen, seat, slot)
    protected = 1 if stack > 0 else 0
    thin = 1 if stack == 1 else 0
    trapped = 1 if spouted + ring > 0 else 0
    free = 1 - max(protected, trapped, elder)
    return Side(
        free,
        protected,
        free + protected,
        spouted,
        trapped,
        mushroom,
        toad_rider,
        thin,
        thin * mushroom,
        elder,
        ring,
    )


@compiled
def added(a, b):
    return Side(
        a.free + b.free,
        a.protected + b.protected,
        a.lurable + b.lurable,
        a.spouted + b.spouted,
        a.trapped + b.trapped,
        a.mushrooms + b.mushrooms,
        a.toad_riders + b.toad_riders,
        a.thin + b.thin,
        a.thin_mushrooms + b.thin_mushrooms,
        a.elders + b.elders,
        max(a.largest_ring, b.largest_ring),
    )


@compiled
def larger(a, b):
    """The larger of each number."""
    return Side(
        max(a.free, b.free),
        max(a.protected, b.protected),
        max(a.lurable, b.lurable),
        max(a.spouted, b.spouted),
        max(a.trapped, b.trapped),
        max(a.mushrooms, b.mushrooms),
        max(a.toad_riders, b.toad_riders),
        max(a.thin, b.thin),
        max(a.thin_mushrooms, b.thin_mushrooms),
        max(a.elders, b.elders),
        max(a.largest_ring, b.largest_ring),
    )


@compiled
def side_of(seen, seat):
    side = nothing()
    slot = 0
    while slot < MAX_SLOTS and is_taken(seen, seat, slot):
        side = added(side, place_side(seen, seat, slot))
        slot += 1
    return side


@compiled
def sides_of(seen):
    own, others, most = nothing(), nothing(), nothing()
    for seat in range(seen.num_players):
        side = side_of(seen, seat)
        if seat == 0:
            own = side
        else:
            others = added(others, side)
            most = larger(most, side)
    return Sides(own, others, most)


# --------------------------------------------------------------------------------------- standings


@compiled
def rank(seen, seat):
    """A number that orders the seats as the rules do: points, the Elder, fewest cards held."""
    number_of_points = 1000 * points(seen, seat) - hand_size(seen, seat)
    for slot in range(MAX_SLOTS):
        number_of_points += 500 if has_elder(seen, seat, slot) else 0
    return number_of_points


@compiled
def is_behind(seen):
    """Whether another seat would win if the game ended now."""
    best = rank(seen, 1)
    for seat in range(2, seen.num_players):
        best = max(best, rank(seen, seat))
    return best > rank(seen, 0)
