"""The best hand-written player: what each card would gain now, and what that must be to play it.

Gains and losses are in points of the final score. What they are weighed against stands in one
table, WEIGHTS, so that every idea can be switched off by its number (benchmarks/ideas_gubs.py) and
the numbers be tuned without compiling anew.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from gubs_agents.common.scripted import WeightedAgent
from gubs_agents.common.seen import Seen
from gubs_agents.gubs.seen import (
    barricades,
    card_meant,
    deck_size,
    hand_size,
    has_elder,
    in_hand,
    is_aimed_at,
    is_behind,
    is_free,
    is_own_turn,
    is_seat_aimed_at,
    is_spouted,
    letters_out,
    ordered,
    phase_of,
    played_as,
    points,
    ring_size,
    sides_of,
)
from gubs_env.engine.arrays import borrowed
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compilation import compiled, inlined
from gubs_env.games.gubs.actions import DECK, PASS, card_of, slot_of, steps_of
from gubs_env.games.gubs.cards import (
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    Card,
)
from gubs_env.games.gubs.rules import MAX_SLOTS
from gubs_env.games.gubs.state import Phase


class Weight(IntEnum):
    """The rows of WEIGHTS; the first four hold a number for each kind, HABIT one for each Habit."""

    PRIORITY = 0  # of the cards that pay, the highest is played first
    EARLY = 1  # the gain (of an Interrupt: the loss averted) from which a card pays …
    LATE = 2  # … once any draw may be the last Letter; for one's own cards also with a full hand
    KEEP = 3  # what a card is worth in the hand
    HABIT = 4


class Habit(IntEnum):
    """Single numbers: the columns of WEIGHTS[Weight.HABIT]."""

    DRAW = 0  # the worth of drawing, against 0 of skipping
    SKIP_WHEN_BEHIND = 1  # skips when behind and the last Letter is among so few cards
    LAST_CARDS = 2  # the last Letter is thought to be among so many
    BARE_GUB = 3  # the gain of laying a Gub without a Barricade to put on it
    FULL_HAND = 4  # hands of so many cards are played out
    STACK = 5  # the gain of a second Barricade on a Gub
    EXPOSE = 6  # the gain of removing a Barricade, with a Lure in the hand
    BARRICADE = 7  # the worth of a Barricade in play
    HAND_CARD = 8  # the worth of a card in a hand
    PROTECTED_PREY = 9  # how much rather the Thief takes a Protected Gub
    LEADER = 10  # how much rather the leader is hit
    ORDER_DECK = 11  # whether the Scout gives opponents the worst


# PRIORITY, EARLY, LATE, KEEP
TABLE = {
    Card.GUB: (23, 0.5, 0, 6.0),
    Card.ESTEEMED_ELDER: (30, 0.1, 0.1, 9.0),
    Card.MUSHROOM: (22, 0.5, 0.1, 4.0),
    Card.TOAD_RIDER: (22, 0.5, 0.1, 4.2),
    Card.VELVET_MOTH: (22, 0.5, 0.1, 3.5),
    Card.SUD_SPOUT: (19, 0.5, 0.5, 3.0),
    Card.SINGLE_RING: (24, 0.5, 0.5, 4.0),
    Card.DOUBLE_RING: (24, 0.5, 0.5, 5.0),
    Card.TRIPLE_RING: (24, 0.5, 0.5, 5.0),
    Card.LURE: (26, 0.5, 0.5, 5.0),
    Card.SUPER_LURE: (27, 8, 4, 8.0),
    Card.CYCLONE: (32, 0.8, 0.4, 2.5),
    Card.LIGHTNING: (18, 0.8, 0.1, 6.5),
    Card.SMAHL_THIEF: (25, 0.5, 0.5, 5.5),
    Card.OMEN_BEETLE: (21, 0.5, 0.5, 2.0),
    Card.HAKI_FLUTE: (28, 0.5, 0.5, 3.0),
    Card.SPEAR: (20, 0.3, 0.3, 3.8),
    Card.SCOUT: (15, 0.1, 0.1, 1.5),
    Card.RETREAT: (31, 1.5, 0.5, 1.0),
    Card.AGE_OLD_CURE: (29, 0.1, 0.1, 3.2),
    Card.FEATHER: (0, 1.5, 0.5, 5.0),
    Card.BLINDFOLD: (0, 2.5, 0.5, 4.5),
    Card.FLOP_BOAT: (0, 1.5, 1.5, 4.5),
    Card.CRICKET_SONG: (14, 8, 4, 6.2),
}
HABITS = {
    Habit.DRAW: 1,
    Habit.SKIP_WHEN_BEHIND: 1,
    Habit.LAST_CARDS: 23,
    Habit.BARE_GUB: 0,
    Habit.FULL_HAND: 7,
    Habit.STACK: 0,
    Habit.EXPOSE: 1,
    Habit.BARRICADE: 0.4,
    Habit.HAND_CARD: 0.2,
    Habit.PROTECTED_PREY: -0.1,
    Habit.LEADER: 1,
    Habit.ORDER_DECK: 1,
}


def make_weights() -> np.ndarray:
    """TABLE and HABITS as one array: float64[5, NUM_KINDS]."""
    weights = np.zeros((len(Weight), NUM_KINDS))
    for kind, row in TABLE.items():
        weights[: len(row), kind] = row
    weights[Weight.HABIT, list(HABITS)] = list(HABITS.values())
    return weights


WEIGHTS = make_weights()


@inlined
def habit(weights, which):
    return weights[Weight.HABIT, which]


# ------------------------------------------------------------------------------ how the game stands


@inlined
def may_end(seen, weights):
    """Whether the next draw may be the last Letter: two are out, and the last third has come."""
    return letters_out(seen) == 2 and deck_size(seen) <= habit(weights, Habit.LAST_CARDS)


@inlined
def is_crowded(seen, weights):
    """Whether the hand is so full that what is saved is soon discarded."""
    return hand_size(seen, 0) >= habit(weights, Habit.FULL_HAND)


@compiled
def is_urgent(seen, weights):
    """Whether saving a card for later is no use: the game may end, or the hand is full."""
    return may_end(seen, weights) or is_crowded(seen, weights)


@compiled
def would_lose_by_drawing(seen, weights):
    """Whether one is behind and the last Letter is about to come: first to play, then to draw."""
    return (
        letters_out(seen) == 2
        and deck_size(seen) <= habit(weights, Habit.SKIP_WHEN_BEHIND)
        and is_behind(seen)
    )


@inlined
def is_barricade(kind):
    return kind == Card.MUSHROOM or kind == Card.TOAD_RIDER or kind == Card.VELVET_MOTH


@compiled
def barricades_in_hand(seen):
    return (
        in_hand(seen, Card.MUSHROOM)
        + in_hand(seen, Card.TOAD_RIDER)
        + in_hand(seen, Card.VELVET_MOTH)
    )


# ----------------------------------------------------------------------- what a card would gain now


@compiled
def gain_of_gub(seen, sides, weights):
    """A point; less while no Barricade is there for it, when it is safer in the hand."""
    covered = barricades_in_hand(seen) > sides.own.free
    return 1.0 if covered else habit(weights, Habit.BARE_GUB)


@compiled
def can_expose(seen, sides, kind):
    """Whether this card could make a Gub Free for a Lure in the hand, and none is Free yet."""
    if in_hand(seen, Card.LURE) == 0 or sides.others.free > 0:
        return False
    if kind == Card.MUSHROOM:
        return sides.others.thin_mushrooms > 0
    return kind == Card.TOAD_RIDER and sides.others.thin > 0


@compiled
def gain_of_barricade(seen, sides, kind, weights):
    """A Gub protected, a Gub exposed to a Lure in the hand, or a Gub protected doubly."""
    if sides.own.free > 0:
        return 1.0
    if can_expose(seen, sides, kind):
        return habit(weights, Habit.EXPOSE)
    return 1.0 if is_crowded(seen, weights) else habit(weights, Habit.STACK)


@compiled
def gain_of_trap(seen, sides, places):
    """The Gubs of opponents that are lost to them; none if one's own had to be trapped too."""
    return float(places) if sides.others.free >= places else -1.0


@compiled
def gain_of_thief(seen, sides):
    """A Gub gained and one lost to its owner; half of that if it was Trapped."""
    if sides.others.lurable > 0:
        return 2.0
    return 1.0 if sides.others.spouted > 0 else 0.0


@compiled
def gain_of_lightning(seen, sides, weights):
    """The Elder in play, or the largest hand."""
    gain = 1.2 if sides.others.elders > 0 else 0.0
    for seat in range(1, seen.num_players):
        gain = max(gain, habit(weights, Habit.HAND_CARD) * hand_size(seen, seat))
    return gain


@compiled
def gain_of_flute(seen, sides):
    """The Gubs beneath the largest Ring in play."""
    return float(max(sides.own.largest_ring, sides.most.largest_ring))


@compiled
def gain_of_spear(seen, sides, weights):
    """An own Gub freed from a Sud Spout, a Free Gub of an opponent killed, or a Barricade less."""
    if sides.own.spouted + sides.others.free > 0:
        return 1.0
    if in_hand(seen, Card.LURE) > 0 and sides.others.thin > 0:
        return habit(weights, Habit.EXPOSE)
    return habit(weights, Habit.BARRICADE) if sides.others.protected > 0 else 0.0


@compiled
def gain_of_cyclone(seen, sides, weights):
    """The Barricades of one opponent, and what Lures in the hand then find."""
    exposed = sides.most.protected
    lured = min(in_hand(seen, Card.LURE), exposed) if sides.others.free == 0 else 0
    return habit(weights, Habit.BARRICADE) * exposed + lured


@compiled
def gain(seen, sides, kind, weights):
    """What playing a card of this kind would gain now, in points."""
    if kind == Card.GUB:
        return gain_of_gub(seen, sides, weights)
    if is_barricade(kind):
        return gain_of_barricade(seen, sides, kind, weights)
    if kind == Card.SUD_SPOUT or kind == Card.SINGLE_RING:
        return gain_of_trap(seen, sides, 1)
    if kind == Card.DOUBLE_RING:
        return gain_of_trap(seen, sides, 2)
    if kind == Card.TRIPLE_RING:
        return gain_of_trap(seen, sides, 3)
    if kind == Card.LURE:
        return 2.0
    if kind == Card.SUPER_LURE:
        return 2.0 * sides.most.lurable
    if kind == Card.CYCLONE:
        return gain_of_cyclone(seen, sides, weights)
    if kind == Card.LIGHTNING:
        return gain_of_lightning(seen, sides, weights)
    if kind == Card.SMAHL_THIEF:
        return gain_of_thief(seen, sides)
    if kind == Card.OMEN_BEETLE:
        return float(sides.most.mushrooms - sides.own.mushrooms)
    if kind == Card.HAKI_FLUTE:
        return gain_of_flute(seen, sides)
    if kind == Card.SPEAR:
        return gain_of_spear(seen, sides, weights)
    if kind == Card.RETREAT:
        return float(sides.own.trapped)
    if kind == Card.CRICKET_SONG:
        return gain_of_song(seen, sides, weights)
    return 1.0


@compiled
def gain_of_song(seen, sides, weights):
    """The most of what it could stand for."""
    most = 2.0 if sides.others.free > 0 else 0.0
    most = max(most, 2.0 * sides.most.lurable)
    return max(most, gain_of_flute(seen, sides))


@compiled
def score_play(seen, sides, kind, weights):
    """The card's priority if it pays, else less than passing."""
    row = Weight.LATE if is_urgent(seen, weights) else Weight.EARLY
    pays = gain(seen, sides, kind, weights) >= weights[row, kind]
    return weights[Weight.PRIORITY, kind] if pays else -1.0


# ---------------------------------------------------------------------------------- where to aim it


@inlined
def standing(seen, seat, weights):
    """How much rather this opponent is hit than another: by its points, then its hand."""
    return habit(weights, Habit.LEADER) * (points(seen, seat) + 0.1 * hand_size(seen, seat))


@compiled
def score_own_place(seen, slot, kind):
    """Own Gubs are protected, the bare ones first, and freed; nothing else is done to them."""
    if is_barricade(kind):
        return 10.0 if is_free(seen, 0, slot) else 1.0 - 0.1 * barricades(seen, 0, slot)
    if kind == Card.HAKI_FLUTE:
        return 10.0 * ring_size(seen, 0, slot)
    return 50.0 if is_spouted(seen, 0, slot) else -50.0


@compiled
def score_their_place(seen, sides, seat, slot, kind, weights):
    """The leader's best: bare Gubs for most cards, large Rings for the Flute."""
    if is_barricade(kind):
        thin = barricades(seen, seat, slot) == 1
        return 5.0 if thin and can_expose(seen, sides, kind) else -5.0
    if kind == Card.HAKI_FLUTE:
        return 10.0 * ring_size(seen, seat, slot) + 1.0
    worth = standing(seen, seat, weights)
    if has_elder(seen, seat, slot):
        return worth + 5.0
    if kind == Card.SMAHL_THIEF:
        prey = habit(weights, Habit.PROTECTED_PREY) * barricades(seen, seat, slot)
        return worth + prey - (1.0 if is_spouted(seen, seat, slot) else 0.0)
    if is_spouted(seen, seat, slot):
        return worth - 100.0
    return worth - 0.1 * barricades(seen, seat, slot)


@compiled
def score_target(seen, sides, action, weights):
    """The Scout looks at the deck; the rest depends on whose side a place is on."""
    if action == DECK:
        return 100.0
    seat, slot, kind = steps_of(action), slot_of(action), played_as(seen)
    if slot < 0:
        return standing(seen, seat, weights)
    if seat == 0:
        return score_own_place(seen, slot, kind)
    return score_their_place(seen, sides, seat, slot, kind, weights)


@compiled
def score_meant(kind):
    """The Gub itself before what lies on it."""
    return 5.0 if kind == Card.GUB else 1.0


# ----------------------------------------------------------------------- what a card would cost now


@compiled
def own_places_aimed_at(seen):
    """How many of one's own places the card announced is aimed at."""
    aimed = 0
    for slot in range(MAX_SLOTS):
        aimed += 1 if is_aimed_at(seen, 0, slot) else 0
    return aimed


@compiled
def loss_by_event(seen, sides, kind, weights):
    """What the Event just drawn would cost, beyond what it costs an opponent."""
    if kind >= Card.LETTER_G:
        return 100.0 if letters_out(seen) == 2 and is_behind(seen) else -1.0
    if kind == Card.FLASH_FLOOD:
        return float(sides.own.free - sides.most.free)
    if kind == Card.RUMOR_OF_WASPS:
        return float(sides.own.toad_riders - sides.most.toad_riders)
    if kind == Card.DANGEROUS_ALCHEMY:
        return float(points(seen, 0)) if is_own_turn(seen) else -1.0
    if kind == Card.GARGOK_PLAGUE:
        return habit(weights, Habit.HAND_CARD) * hand_size(seen, 0)
    return 0.0


@compiled
def loss_of_places(seen, kind, weights):
    """What a card aimed at places would cost: twice as much if it gives the Gub to an opponent."""
    places = float(own_places_aimed_at(seen))
    meant = card_meant(seen)
    if meant < NUM_COLONY_KINDS and meant != Card.GUB and meant != Card.ESTEEMED_ELDER:
        return habit(weights, Habit.BARRICADE) * places
    return 2.0 * places if kind == Card.LURE or kind == Card.SMAHL_THIEF else places


@compiled
def loss(seen, sides, weights):
    """What the card announced would cost oneself, in points."""
    kind = played_as(seen)
    if kind >= NUM_HAND_KINDS:
        return loss_by_event(seen, sides, kind, weights)
    if kind == Card.OMEN_BEETLE:
        return float(sides.own.mushrooms - sides.most.mushrooms)
    if not is_seat_aimed_at(seen, 0):
        return loss_of_places(seen, kind, weights)
    if kind == Card.SUPER_LURE:
        return 2.0 * sides.own.lurable
    if kind == Card.CYCLONE:
        return habit(weights, Habit.BARRICADE) * sides.own.protected
    return habit(weights, Habit.HAND_CARD) * hand_size(seen, 0)


@compiled
def score_answer(seen, sides, kind, weights):
    """Of the Interrupts for which the loss is large enough, the least valuable."""
    row = Weight.LATE if may_end(seen, weights) else Weight.EARLY
    pays = loss(seen, sides, weights) >= weights[row, kind]
    return 100.0 - weights[Weight.KEEP, kind] if pays else -1.0


# ------------------------------------------------------------------------------------- the decision


@compiled
def score_order(seen, kind, weights):
    """The worst card for an opponent to draw, the best for oneself."""
    keep = weights[Weight.KEEP, kind] if kind < NUM_HAND_KINDS else -5.0
    own = (ordered(seen) + 1) % seen.num_players == 0
    return (keep if own else -keep) * habit(weights, Habit.ORDER_DECK)


@inlined
def score(seen, action, known):
    """How good an action seems; passing is worth 0."""
    phase, sides, weights = known
    if phase == Phase.TARGET:
        return score_target(seen, sides, action, weights)
    if action == PASS:
        return 0.0
    if phase == Phase.DRAW:
        return -1.0 if would_lose_by_drawing(seen, weights) else habit(weights, Habit.DRAW)
    kind = card_of(action)
    if phase == Phase.PLAY:
        return score_play(seen, sides, kind, weights)
    if phase == Phase.NAME:
        return gain(seen, sides, kind, weights)
    if phase == Phase.MEANT:
        return score_meant(kind)
    if phase == Phase.ANSWER:
        return score_answer(seen, sides, kind, weights)
    if phase == Phase.ORDER:
        return score_order(seen, kind, weights)
    keep = weights[Weight.KEEP, kind]
    if phase == Phase.MERCHANT:
        return keep
    if phase == Phase.DISCARD:
        return -keep
    return 1.0 if hand_size(seen, 0) >= 4 else -1.0  # Phase.CURE: a small hand is not worth it


@inlined
def weighed_action(observation, mask, num_players, rng, weights):
    """The action with these weights, float64[5, NUM_KINDS]."""
    seen = Seen(borrowed(observation), num_players)
    known = phase_of(seen), sides_of(seen), weights
    return choose_best(rng, mask, score, seen, known)


@inlined
def heuristic_action(observation, mask, num_players, rng):
    """Choose as the heuristic agent does (`ScriptedAgent.choose_action`)."""
    return weighed_action(observation, mask, num_players, rng, WEIGHTS)


class Heuristic(WeightedAgent):
    """Weighs what each card would gain or cost now, and saves the strongest."""

    choose_action = staticmethod(weighed_action)
    weights = (WEIGHTS,)
