"""Reading an observation of Gubs: a compiled function for each fact."""

from __future__ import annotations

from typing import NamedTuple

from gubs_agents.common.sight import first_mark, number, starts_of
from gubs_env.engine.compiling import compiled, inlined
from gubs_env.games.gubs.cards import NUM_COLONY_KINDS, NUM_KINDS, Card
from gubs_env.games.gubs.observation import NUM_PHASES, observation_slices
from gubs_env.games.gubs.rules import MAX_PLAYERS, MAX_SLOTS

AT = starts_of(observation_slices, MAX_PLAYERS)
"""The start of each slice of the observation."""

# ------------------------------------------------------------------------------------ single facts


@inlined
def in_hand(sight, kind):
    """Return the number of cards of a kind in the viewer's hand."""
    return number(sight, AT.hand, kind)


@inlined
def hand_size(sight, seat):
    return number(sight, AT.hand_sizes, seat)


@inlined
def lying(sight, seat, slot, kind):
    """Return the number of cards of a kind at a place of a colony."""
    return number(sight, AT.colonies, (seat * MAX_SLOTS + slot) * NUM_COLONY_KINDS + kind)


@inlined
def points(sight, seat):
    return number(sight, AT.points, seat)


@inlined
def letters_out(sight):
    return (
        number(sight, AT.letters, 0) + number(sight, AT.letters, 1) + number(sight, AT.letters, 2)
    )


@inlined
def deck_size(sight):
    return number(sight, AT.deck_size, 0)


@inlined
def is_own_turn(sight):
    return number(sight, AT.turn, 0) == 1


@inlined
def ordered(sight):
    """Return the number of cards that the Scout has put back so far."""
    return number(sight, AT.ordered, 0)


@inlined
def phase_of(sight):
    """Return the `Phase` of the viewer's decision."""
    return first_mark(sight, AT.decision, NUM_PHASES)


@inlined
def played_as(sight):
    """Return the kind that the card being played counts as."""
    return first_mark(sight, AT.played_as, NUM_KINDS)


@inlined
def card_meant(sight):
    """Return the kind of the card that is meant at the target place."""
    return first_mark(sight, AT.target_card, NUM_COLONY_KINDS)


# ------------------------------------------------------------------------------------------ places


@inlined
def is_taken(sight, seat, slot):
    """Return whether a place holds a Gub or the Elder; taken places come first."""
    return lying(sight, seat, slot, Card.GUB) + lying(sight, seat, slot, Card.ESTEEMED_ELDER) > 0


@inlined
def is_barricade(kind):
    return kind == Card.MUSHROOM or kind == Card.TOAD_RIDER or kind == Card.VELVET_MOTH


@inlined
def barricades(sight, seat, slot):
    return (
        lying(sight, seat, slot, Card.MUSHROOM)
        + lying(sight, seat, slot, Card.TOAD_RIDER)
        + lying(sight, seat, slot, Card.VELVET_MOTH)
    )


@inlined
def ring_size(sight, seat, slot):
    """Return the number of Gubs beneath the Ring at a place; 0 without a Ring."""
    return (
        lying(sight, seat, slot, Card.SINGLE_RING)
        + 2 * lying(sight, seat, slot, Card.DOUBLE_RING)
        + 3 * lying(sight, seat, slot, Card.TRIPLE_RING)
    )


@inlined
def has_elder(sight, seat, slot):
    return lying(sight, seat, slot, Card.ESTEEMED_ELDER) > 0


@inlined
def is_spouted(sight, seat, slot):
    return lying(sight, seat, slot, Card.SUD_SPOUT) > 0


@inlined
def is_trapped(sight, seat, slot):
    return is_spouted(sight, seat, slot) or ring_size(sight, seat, slot) > 0


@inlined
def is_free(sight, seat, slot):
    """Return whether a place holds a Free Gub, with nothing on it."""
    return (
        lying(sight, seat, slot, Card.GUB) > 0
        and barricades(sight, seat, slot) == 0
        and not is_trapped(sight, seat, slot)
    )


@inlined
def is_aimed_at(sight, seat, slot):
    """Return whether the card being played is aimed at this place."""
    return number(sight, AT.target_places, seat * MAX_SLOTS + slot) > 0


@inlined
def is_seat_aimed_at(sight, seat):
    """Return whether the card being played is aimed at this seat as a whole."""
    return number(sight, AT.target_seats, seat) > 0


# ------------------------------------------------------------------------------ sides of the table


class Side(NamedTuple):
    """Counts of the Gubs of one or more seats, and of the cards on them."""

    free: int
    protected: int
    lurable: int  # Free or Protected
    spouted: int
    trapped: int
    mushrooms: int
    toad_riders: int
    thin: int  # protected by a single Barricade
    thin_mushrooms: int  # protected by a single Barricade that is a Mushroom
    elders: int
    largest_ring: int


class Sides(NamedTuple):
    """The counts of the viewer and of the opponents."""

    viewer: Side
    others: Side
    """Sums over all opponents."""
    most: Side
    """The maximum over all opponents, count by count."""


@compiled
def nothing():
    return Side(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@compiled
def place_side(sight, seat, slot):
    """Return the counts of one taken place."""
    mushroom = 1 if lying(sight, seat, slot, Card.MUSHROOM) > 0 else 0
    toad_rider = 1 if lying(sight, seat, slot, Card.TOAD_RIDER) > 0 else 0
    spouted = 1 if is_spouted(sight, seat, slot) else 0
    elder = 1 if has_elder(sight, seat, slot) else 0
    ring = ring_size(sight, seat, slot)
    stack = barricades(sight, seat, slot)
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


@inlined
def total(a, b):
    return a + b


@inlined
def larger(a, b):
    return max(a, b)


@inlined
def joined(a, b, each):
    """Return the counts of two sides, joined by `each`: the total, or the larger count.

    Of the largest Rings it is always the larger.
    """
    return Side(
        each(a.free, b.free),
        each(a.protected, b.protected),
        each(a.lurable, b.lurable),
        each(a.spouted, b.spouted),
        each(a.trapped, b.trapped),
        each(a.mushrooms, b.mushrooms),
        each(a.toad_riders, b.toad_riders),
        each(a.thin, b.thin),
        each(a.thin_mushrooms, b.thin_mushrooms),
        each(a.elders, b.elders),
        max(a.largest_ring, b.largest_ring),
    )


@compiled
def side_of(sight, seat):
    side = nothing()
    slot = 0
    while slot < MAX_SLOTS and is_taken(sight, seat, slot):
        side = joined(side, place_side(sight, seat, slot), total)
        slot += 1
    return side


@compiled
def sides_of(sight):
    viewer, others, most = nothing(), nothing(), nothing()
    for seat in range(sight.num_players):
        side = side_of(sight, seat)
        if seat == 0:
            viewer = side
        else:
            others = joined(others, side, total)
            most = joined(most, side, larger)
    return Sides(viewer, others, most)


# --------------------------------------------------------------------------------------- standings


@compiled
def rank(sight, seat):
    """Return a number that ranks a seat as the rules do: points, the Elder, fewest cards held."""
    number_of_points = 1000 * points(sight, seat) - hand_size(sight, seat)
    for slot in range(MAX_SLOTS):
        number_of_points += 500 if has_elder(sight, seat, slot) else 0
    return number_of_points


@compiled
def is_behind(sight):
    """Return whether another seat would win if the game ended now."""
    best = rank(sight, 1)
    for seat in range(2, sight.num_players):
        best = max(best, rank(sight, seat))
    return best > rank(sight, 0)
