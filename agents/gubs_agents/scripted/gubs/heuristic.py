"""The heuristic for Gubs: play a card if its gain now reaches the threshold of the card.

Gains and losses are in points of the final score. The thresholds are in one table, WEIGHTS, which
is an argument of the compiled function. Therefore the numbers can be tuned without compiling again,
and a change of its number switches an idea off (experiments/ideas_gubs.py).
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from gubs_agents.common.scripted import WeightedAgent
from gubs_agents.common.sight import Sight
from gubs_agents.scripted.gubs import facts
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compiling import borrowed, compiled, inlined
from gubs_env.games.gubs.actions import DECK, FIRST_SEAT, PASS, card_of, slot_of, steps_of
from gubs_env.games.gubs.cards import NUM_COLONY_KINDS, NUM_HAND_KINDS, NUM_KINDS, Card
from gubs_env.games.gubs.rules import MAX_SLOTS
from gubs_env.games.gubs.state import Phase


class Weight(IntEnum):
    """The rows of WEIGHTS: four with a number for each kind of card, HABIT with one for each Habit.

    A card *pays* if its gain, or for an Interrupt the loss that it prevents, reaches its threshold.
    """

    PRIORITY = 0  # the card with the highest priority among those that pay is played first
    EARLY = 1  # threshold while the game cannot end
    LATE = 2  # threshold once the next draw may be the last Letter, and with a full hand
    KEEP = 3  # worth of a card in the hand
    HABIT = 4


class Habit(IntEnum):
    """Single numbers: the columns of WEIGHTS[Weight.HABIT]."""

    DRAW = 0  # score of drawing; skipping scores 0
    SKIP_WHEN_BEHIND = 1  # deck size up to which a losing agent does not draw the last Letter
    LAST_CARDS = 2  # deck size up to which the last Letter is expected at any draw
    BARE_GUB = 3  # gain of laying a Gub without a Barricade to put on it
    FULL_HAND = 4  # hand size from which cards are no longer saved
    STACK = 5  # gain of a second Barricade on a Gub
    EXPOSE = 6  # gain of removing a Barricade, with a Lure in the hand
    BARRICADE = 7  # worth of a Barricade in play
    HAND_CARD = 8  # worth of a card in a hand
    PROTECTED_PREY = 9  # score for each Barricade on a Gub that the Thief can take
    LEADER = 10  # score for each point of the owner of a target
    ORDER_DECK = 11  # 1: the Scout leaves the worst cards to opponents; 0: at random


# Columns: PRIORITY, EARLY, LATE, KEEP
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
    """Return TABLE and HABITS as one array, float64[5, NUM_KINDS]."""
    weights = np.zeros((len(Weight), NUM_KINDS))
    for kind, row in TABLE.items():
        weights[: len(row), kind] = row
    weights[Weight.HABIT, list(HABITS)] = list(HABITS.values())
    return weights


WEIGHTS = make_weights()


@inlined
def habit(weights, which):
    return weights[Weight.HABIT, which]


# ------------------------------------------------------------------------------ state of the game


@inlined
def may_end(sight, weights):
    """Return whether the next draw may end the game: two Letters are out and the deck is low."""
    is_low = facts.deck_size(sight) <= habit(weights, Habit.LAST_CARDS)
    return facts.letters_out(sight) == 2 and is_low


@inlined
def is_crowded(sight, weights):
    """Return whether the hand is so full that saved cards would soon be discarded."""
    return facts.hand_size(sight, 0) >= habit(weights, Habit.FULL_HAND)


@compiled
def would_lose_by_drawing(sight, weights):
    """Return whether drawing would lose: the viewer is behind and the last Letter comes next."""
    return (
        facts.letters_out(sight) == 2
        and facts.deck_size(sight) <= habit(weights, Habit.SKIP_WHEN_BEHIND)
        and facts.is_behind(sight)
    )


@compiled
def barricades_in_hand(sight):
    return (
        facts.in_hand(sight, Card.MUSHROOM)
        + facts.in_hand(sight, Card.TOAD_RIDER)
        + facts.in_hand(sight, Card.VELVET_MOTH)
    )


# ------------------------------------------------------------------------------- gains of a card


@compiled
def gain_of_gub(sight, sides, weights):
    """Return one point, or less if no Barricade in the hand can protect the Gub."""
    covered = barricades_in_hand(sight) > sides.viewer.free
    return 1.0 if covered else habit(weights, Habit.BARE_GUB)


@compiled
def can_expose(sight, sides, kind):
    """Return whether this card can make a Gub Free for a Lure in the hand, and none is Free yet."""
    if facts.in_hand(sight, Card.LURE) == 0 or sides.others.free > 0:
        return False
    if kind == Card.MUSHROOM:
        return sides.others.thin_mushrooms > 0
    return kind == Card.TOAD_RIDER and sides.others.thin > 0


@compiled
def gain_of_barricade(sight, sides, kind, weights):
    """Return the gain of protecting a Gub, exposing one to a Lure, or protecting one twice."""
    if sides.viewer.free > 0:
        return 1.0
    if can_expose(sight, sides, kind):
        return habit(weights, Habit.EXPOSE)
    return 1.0 if is_crowded(sight, weights) else habit(weights, Habit.STACK)


@compiled
def gain_of_trap(sight, sides, places):
    """Return the number of opponents' Gubs trapped; −1 if the viewer's own would be trapped too."""
    return float(places) if sides.others.free >= places else -1.0


@compiled
def gain_of_thief(sight, sides):
    """Return the gain of Smahl Thief: 2 for a Free or Protected Gub, 1 for one under Sud Spout."""
    if sides.others.lurable > 0:
        return 2.0
    return 1.0 if sides.others.spouted > 0 else 0.0


@compiled
def gain_of_lightning(sight, sides, weights):
    """Return the gain of striking an Elder in play or the largest hand."""
    gain = 1.2 if sides.others.elders > 0 else 0.0
    for seat in range(1, sight.num_players):
        gain = max(gain, habit(weights, Habit.HAND_CARD) * facts.hand_size(sight, seat))
    return gain


@compiled
def gain_of_flute(sight, sides):
    """Return the number of Gubs beneath the largest Ring in play."""
    return float(max(sides.viewer.largest_ring, sides.most.largest_ring))


@compiled
def gain_of_spear(sight, sides, weights):
    """Return the gain of freeing a Gub from a Sud Spout, killing a Gub or breaking a Barricade."""
    if sides.viewer.spouted + sides.others.free > 0:
        return 1.0
    if facts.in_hand(sight, Card.LURE) > 0 and sides.others.thin > 0:
        return habit(weights, Habit.EXPOSE)
    return habit(weights, Habit.BARRICADE) if sides.others.protected > 0 else 0.0


@compiled
def gain_of_cyclone(sight, sides, weights):
    """Return the worth of one opponent's Barricades, and of the Gubs that Lures can then take."""
    exposed = sides.most.protected
    lured = min(facts.in_hand(sight, Card.LURE), exposed) if sides.others.free == 0 else 0
    return habit(weights, Habit.BARRICADE) * exposed + lured


@compiled
def gain(sight, sides, kind, weights):
    """Return the gain of playing a card of this kind now, in points."""
    if kind == Card.GUB:
        return gain_of_gub(sight, sides, weights)
    if facts.is_barricade(kind):
        return gain_of_barricade(sight, sides, kind, weights)
    if kind == Card.SUD_SPOUT or kind == Card.SINGLE_RING:
        return gain_of_trap(sight, sides, 1)
    if kind == Card.DOUBLE_RING:
        return gain_of_trap(sight, sides, 2)
    if kind == Card.TRIPLE_RING:
        return gain_of_trap(sight, sides, 3)
    if kind == Card.LURE:
        return 2.0
    if kind == Card.SUPER_LURE:
        return 2.0 * sides.most.lurable
    if kind == Card.CYCLONE:
        return gain_of_cyclone(sight, sides, weights)
    if kind == Card.LIGHTNING:
        return gain_of_lightning(sight, sides, weights)
    if kind == Card.SMAHL_THIEF:
        return gain_of_thief(sight, sides)
    if kind == Card.OMEN_BEETLE:
        return float(sides.most.mushrooms - sides.viewer.mushrooms)
    if kind == Card.HAKI_FLUTE:
        return gain_of_flute(sight, sides)
    if kind == Card.SPEAR:
        return gain_of_spear(sight, sides, weights)
    if kind == Card.RETREAT:
        return float(sides.viewer.trapped)
    if kind == Card.CRICKET_SONG:
        return gain_of_song(sight, sides, weights)
    return 1.0


@compiled
def gain_of_song(sight, sides, weights):
    """Return the largest gain of the cards that Cricket Song can stand for."""
    most = 2.0 if sides.others.free > 0 else 0.0
    most = max(most, 2.0 * sides.most.lurable)
    return max(most, gain_of_flute(sight, sides))


@compiled
def score_play(sight, sides, kind, weights):
    """Return the card's priority if it pays, else −1, which is less than passing."""
    is_urgent = may_end(sight, weights) or is_crowded(sight, weights)  # saving cards is useless
    row = Weight.LATE if is_urgent else Weight.EARLY
    pays = gain(sight, sides, kind, weights) >= weights[row, kind]
    return weights[Weight.PRIORITY, kind] if pays else -1.0


# -------------------------------------------------------------------------------- choice of target


@inlined
def standing(sight, seat, weights):
    """Return the score of hitting this opponent: their points, then the size of their hand."""
    worth = facts.points(sight, seat) + 0.1 * facts.hand_size(sight, seat)
    return habit(weights, Habit.LEADER) * worth


@compiled
def score_own_place(sight, slot, kind):
    """Return the score of a place of the viewer: protect Gubs, bare ones first, or free them."""
    if facts.is_barricade(kind):
        stack = facts.barricades(sight, 0, slot)
        return 10.0 if facts.is_free(sight, 0, slot) else 1.0 - 0.1 * stack
    if kind == Card.HAKI_FLUTE:
        return 10.0 * facts.ring_size(sight, 0, slot)
    return 50.0 if facts.is_spouted(sight, 0, slot) else -50.0


@compiled
def score_their_place(sight, sides, seat, slot, kind, weights):
    """Return the score of an opponent's place: the leader's bare Gubs, or for the Flute, Rings."""
    if facts.is_barricade(kind):
        thin = facts.barricades(sight, seat, slot) == 1
        return 5.0 if thin and can_expose(sight, sides, kind) else -5.0
    if kind == Card.HAKI_FLUTE:
        return 10.0 * facts.ring_size(sight, seat, slot) + 1.0
    worth = standing(sight, seat, weights)
    if facts.has_elder(sight, seat, slot):
        return worth + 5.0
    if kind == Card.SMAHL_THIEF:
        prey = habit(weights, Habit.PROTECTED_PREY) * facts.barricades(sight, seat, slot)
        return worth + prey - (1.0 if facts.is_spouted(sight, seat, slot) else 0.0)
    if facts.is_spouted(sight, seat, slot):
        return worth - 100.0
    return worth - 0.1 * facts.barricades(sight, seat, slot)


@compiled
def score_target(sight, sides, action, weights):
    """Return the score of a target: the deck for the Scout, else by the owner of the place."""
    if action < FIRST_SEAT:
        return 100.0 if action == DECK else 0.0
    seat, slot, kind = steps_of(action), slot_of(action), facts.played_as(sight)
    if slot < 0:
        return standing(sight, seat, weights)
    if seat == 0:
        return score_own_place(sight, slot, kind)
    return score_their_place(sight, sides, seat, slot, kind, weights)


# ------------------------------------------------------------------------------- losses by a card


@compiled
def loss_by_event(sight, sides, kind, weights):
    """Return the viewer's loss by the Event just drawn, less the loss of an opponent."""
    if kind >= Card.LETTER_G:
        return 100.0 if facts.letters_out(sight) == 2 and facts.is_behind(sight) else -1.0
    if kind == Card.FLASH_FLOOD:
        return float(sides.viewer.free - sides.most.free)
    if kind == Card.RUMOR_OF_WASPS:
        return float(sides.viewer.toad_riders - sides.most.toad_riders)
    if kind == Card.DANGEROUS_ALCHEMY:
        return float(facts.points(sight, 0)) if facts.is_own_turn(sight) else -1.0
    if kind == Card.GARGOK_PLAGUE:
        return habit(weights, Habit.HAND_CARD) * facts.hand_size(sight, 0)
    return 0.0


@compiled
def loss_of_places(sight, kind, weights):
    """Return the loss by a card aimed at places; it counts twice if an opponent gets the Gub."""
    places = 0.0
    for slot in range(MAX_SLOTS):
        places += 1.0 if facts.is_aimed_at(sight, 0, slot) else 0.0
    meant = facts.card_meant(sight)
    if meant < NUM_COLONY_KINDS and meant != Card.GUB and meant != Card.ESTEEMED_ELDER:
        return habit(weights, Habit.BARRICADE) * places
    return 2.0 * places if kind == Card.LURE or kind == Card.SMAHL_THIEF else places


@compiled
def loss(sight, sides, weights):
    """Return the viewer's loss by the announced card, in points."""
    kind = facts.played_as(sight)
    if kind >= NUM_HAND_KINDS:
        return loss_by_event(sight, sides, kind, weights)
    if kind == Card.OMEN_BEETLE:
        return float(sides.viewer.mushrooms - sides.most.mushrooms)
    if not facts.is_seat_aimed_at(sight, 0):
        return loss_of_places(sight, kind, weights)
    if kind == Card.SUPER_LURE:
        return 2.0 * sides.viewer.lurable
    if kind == Card.CYCLONE:
        return habit(weights, Habit.BARRICADE) * sides.viewer.protected
    return habit(weights, Habit.HAND_CARD) * facts.hand_size(sight, 0)


@compiled
def score_answer(sight, sides, kind, weights):
    """Return the score of an Interrupt: the least valuable that pays is best; −1 if none pays."""
    row = Weight.LATE if may_end(sight, weights) else Weight.EARLY
    pays = loss(sight, sides, weights) >= weights[row, kind]
    return 100.0 - weights[Weight.KEEP, kind] if pays else -1.0


# ------------------------------------------------------------------------------------- the decision


@compiled
def score_order(sight, kind, weights):
    """Return the score of a card for the next place in the deck: bad for opponents, good for us."""
    keep = weights[Weight.KEEP, kind] if kind < NUM_HAND_KINDS else -5.0
    is_ours = (facts.ordered(sight) + 1) % sight.num_players == 0
    return (keep if is_ours else -keep) * habit(weights, Habit.ORDER_DECK)


@inlined
def score(sight, action, known):
    """Return the score of an action; passing scores 0."""
    phase, sides, weights = known
    if phase == Phase.TARGET:
        return score_target(sight, sides, action, weights)
    if action == PASS:
        return 0.0
    if phase == Phase.DRAW:
        return -1.0 if would_lose_by_drawing(sight, weights) else habit(weights, Habit.DRAW)
    if action == DECK or action >= FIRST_SEAT:
        return 0.0
    kind = card_of(action)
    if phase == Phase.PLAY:
        return score_play(sight, sides, kind, weights)
    if phase == Phase.NAME:
        return gain(sight, sides, kind, weights)
    if phase == Phase.MEANT:
        return 5.0 if kind == Card.GUB else 1.0  # the Gub before the cards that lie on it
    if phase == Phase.ANSWER:
        return score_answer(sight, sides, kind, weights)
    if phase == Phase.ORDER:
        return score_order(sight, kind, weights)
    keep = weights[Weight.KEEP, kind]
    if phase == Phase.MERCHANT:
        return keep
    if phase == Phase.DISCARD:
        return -keep
    return 1.0 if facts.hand_size(sight, 0) >= 4 else -1.0  # Phase.CURE: not for a small hand


@inlined
def heuristic_action(observation, mask, num_players, rng, weights):
    """Return the action of the heuristic with these weights, float64[5, NUM_KINDS]."""
    sight = Sight(borrowed(observation), num_players)
    known = facts.phase_of(sight), facts.sides_of(sight), weights
    return choose_best(rng, mask, score, sight, known)


class Heuristic(WeightedAgent):
    """Plays each card that gains enough points now, and saves the strongest."""

    choose_action = staticmethod(heuristic_action)
    game = "gubs_v0"
    weights = (WEIGHTS,)
