"""The heuristic for FUBNUB: weigh the chance of this trick against the card's later worth.

It counts the cards that are out and estimates the cards that each player yet to play may hold. Its
numbers are in one table, HABITS, which is an argument of the compiled function. Therefore they can
be tuned without compiling again, and every idea can be switched off (experiments/ideas_fubnub.py).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gubs_agents.common.scripted import WeightedAgent
from gubs_agents.scripted.fubnub import facts
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compiling import compiled, inlined
from gubs_env.games.fubnub import actions
from gubs_env.games.fubnub.cards import NO_CARD, NUM_CARDS
from gubs_env.games.fubnub.rules import MAX_SEATS
from gubs_env.games.fubnub.state import UNDEALT, Phase


class Habit(IntEnum):
    """The entries of HABITS."""

    KEEP = 0  # worth of a later trick; a trick now is worth 1
    DECAY = 1  # factor to a card's worth for each higher card that an opponent holds
    FOE = 2  # probability that an opponent yet to play plays a higher card that they hold
    FRIEND = 3  # the same for a partner yet to play
    CALL = 4  # worth of a hand from which the point card is put in play
    DEAL = 5  # worth of being the dealer to the dealer's side
    SWAP = 6  # worth below which a card is swapped


# Columns: in teams, each alone
HABITS = {
    Habit.KEEP: (0.93, 1.3),
    Habit.DECAY: (0.55, 0.57),
    Habit.FOE: (0.55, 0.7),
    Habit.FRIEND: (1.0, 0.0),
    Habit.CALL: (1.15, 0.0),
    Habit.DEAL: (0.2, 0.0),
    Habit.SWAP: (0.5, 0.5),
}


def make_weights() -> np.ndarray:
    """Return HABITS as an array, float64[2, len(Habit)]: in teams, then each alone."""
    weights = np.zeros((2, len(Habit)))
    weights[:, list(HABITS)] = np.array(list(HABITS.values())).T
    return weights


WEIGHTS = make_weights()


class Outlook(NamedTuple):
    """The probabilities of other players' cards, by rank: 0 is the lowest card, 23 the highest."""

    rank: np.ndarray
    """int8[24]: the rank of each card."""
    foes_now: np.ndarray
    """float64[24]: probability that an opponent yet to play in this trick plays the card."""
    friend_now: np.ndarray
    """float64[24]: probability that a partner yet to play in this trick plays the card."""
    foes_later: np.ndarray
    """float64[24]: probability that an opponent holds the card."""
    best_ours: int
    """Highest rank of the viewer's side in the trick, or −1."""
    best_theirs: int
    """Highest rank of the other sides in the trick, or −1."""


# ------------------------------------------------------------------------- where the cards may be


@compiled
def known_holder(sight, card):
    """Return the seat that is known to hold a card, or UNDEALT; 0 if nothing is known of it."""
    for holder in range(1, UNDEALT + 1):
        if facts.is_known(sight, holder, card):
            return holder
    return 0


@compiled
def is_unseen(sight, card):
    """Return whether the viewer does not know where a card is."""
    is_seen = facts.holds(sight, card) or facts.is_out(sight, card)
    return not is_seen and known_holder(sight, card) == 0


@compiled
def share_of_unseen(sight, seat):
    """Return the probability that a seat holds any one of the unseen cards."""
    unseen, known = 0, 0
    for card in range(NUM_CARDS):
        unseen += 1 if is_unseen(sight, card) else 0
        known += 1 if facts.is_known(sight, seat, card) else 0
    return (facts.hand_size(sight, seat) - known) / max(1, unseen)


@compiled
def add_chances(sight, seat, rank, chances, factor):
    """Add the probabilities that a seat plays each card, times `factor`, to `chances` by rank."""
    share = share_of_unseen(sight, seat) * factor
    if facts.plays_at_random(sight, seat):
        share /= max(1, facts.hand_size(sight, seat))
    for card in range(NUM_CARDS):
        if facts.is_known(sight, seat, card):
            chances[rank[card]] += factor
        elif is_unseen(sight, card):
            chances[rank[card]] += share


@compiled
def outlook_of(sight, weights):
    """Return the `Outlook` of an observation."""
    rank = facts.ranks(sight)
    foes_now, friend_now = np.zeros(NUM_CARDS), np.zeros(NUM_CARDS)
    foes_later = np.zeros(NUM_CARDS)
    for seat in range(1, MAX_SEATS):
        if not facts.is_there(sight, seat):
            continue
        is_to_play = facts.card_in_trick(sight, seat) == NO_CARD
        if facts.is_friend(sight, seat):
            if is_to_play:
                add_chances(sight, seat, rank, friend_now, weights[Habit.FRIEND])
        else:
            add_chances(sight, seat, rank, foes_later, 1.0)
            if is_to_play:
                add_chances(sight, seat, rank, foes_now, weights[Habit.FOE])
    ours, theirs = facts.best_in_trick(sight, rank)
    return Outlook(rank, foes_now, friend_now, foes_later, ours, theirs)


# ----------------------------------------------------------------------------------- the tricks


@compiled
def chance_of_trick(outlook, card):
    """Return the probability that the viewer's side takes the trick if the viewer plays this card.

    The players yet to play take the trick with a higher card if they can, by the probabilities of
    the outlook.
    """
    ours = max(int(outlook.rank[card]), outlook.best_ours)
    open_chance, won = 1.0, 0.0
    for higher in range(NUM_CARDS - 1, max(ours, outlook.best_theirs), -1):
        won += open_chance * outlook.friend_now[higher]
        open_chance *= max(0.0, 1.0 - outlook.friend_now[higher] - outlook.foes_now[higher])
    return won + open_chance if ours > outlook.best_theirs else won


@compiled
def worth(outlook, card, weights):
    """Return the worth of a card in the hand: 1 if no opponent can hold a higher one."""
    higher = 0.0
    for rank in range(outlook.rank[card] + 1, NUM_CARDS):
        higher += outlook.foes_later[rank]
    return weights[Habit.DECAY] ** higher


@compiled
def score_card(outlook, card, weights):
    """Return the chance of this trick less the later worth of the card; ties go to the lowest."""
    later = weights[Habit.KEEP] * worth(outlook, card, weights)
    return chance_of_trick(outlook, card) - later - 1e-6 * outlook.rank[card]


# ------------------------------------------------------------------------------ other decisions


@compiled
def worths_of_hand(sight, outlook, weights):
    """Return the sum of the worths of the cards in the hand, and the least of them."""
    total, least = 0.0, 1.0
    for card in range(NUM_CARDS):
        if facts.holds(sight, card):
            value = worth(outlook, card, weights)
            total, least = total + value, min(least, value)
    return total, least


@compiled
def score_call(sight, outlook, weights):
    """Return the score of putting the point card in play: the worth of the hand, and who deals."""
    is_ours, deals = facts.is_friend(sight, facts.dealer(sight)), weights[Habit.DEAL]
    deals = deals if is_ours else -deals
    return worths_of_hand(sight, outlook, weights)[0] + deals - weights[Habit.CALL]


@inlined
def score(sight, action, known):
    """Return the score of an action; passing and declining score 0."""
    phase, outlook, weights = known
    if phase == Phase.PLAY and action < NUM_CARDS:
        return score_card(outlook, action, weights)
    if action in (actions.PASS, actions.DECLINE):
        return 0.0
    if action == actions.PLAY:
        return score_call(sight, outlook, weights)
    if action == actions.ACCEPT:
        if phase == Phase.SOCIAL:
            return 1.0
        return weights[Habit.SWAP] - worths_of_hand(sight, outlook, weights)[1]
    if action >= actions.FIRST_STEAL:
        return 1.0 + facts.points(sight, facts.owner(sight, actions.point_of(action)))
    if action >= NUM_CARDS:
        return -float(facts.points(sight, actions.steps_of(action)))
    rank = float(outlook.rank[action])
    return rank if phase == Phase.KEEP else -rank


@inlined
def heuristic_action(observation, mask, num_players, rng, weights):
    """Return the action of the heuristic with these weights, float64[2, len(Habit)]."""
    habits = weights[0 if facts.in_teams(observation) else 1]
    known = facts.phase_of(observation), outlook_of(observation, habits), habits
    return choose_best(rng, mask, score, observation, known)


class Heuristic(WeightedAgent):
    """Weighs the trick that a card may win now against the tricks that it may win later."""

    choose_action = staticmethod(heuristic_action)
    game = "fubnub_v0"
    weights = (WEIGHTS,)
