"""The best hand-written player of FUBNUB: each card by the trick it may win now, or later.

It counts the cards that are out and reckons with what each player to come may hold. The numbers
that it weighs stand in one table, HABITS, so that every idea can be switched off and the numbers be
tuned without compiling anew.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gubs_agents.common.scripted import WeightedAgent
from gubs_agents.fubnub.seen import (
    card_in_trick,
    dealer,
    hand_size,
    holds,
    in_teams,
    is_friend,
    is_known,
    is_out,
    is_there,
    owner,
    phase_of,
    plays_at_random,
    points,
    ranks,
)
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compilation import compiled, inlined
from gubs_env.games.fubnub.actions import (
    ACCEPT,
    DECLINE,
    FIRST_STEAL,
    PASS,
    PLAY,
    point_of,
    steps_of,
)
from gubs_env.games.fubnub.cards import NO_CARD, NUM_CARDS
from gubs_env.games.fubnub.rules import MAX_SEATS
from gubs_env.games.fubnub.state import UNDEALT, Phase


class Habit(IntEnum):
    """The numbers of HABITS."""

    KEEP = 0  # what a trick later is worth, against one now
    DECAY = 1  # what a higher card with an opponent leaves of a card's worth
    FOE = 2  # how surely an opponent to come plays the card that beats
    FRIEND = 3  # how surely a partner to come does
    CALL = 4  # the worth of a hand from which the point card is put in play
    DEAL = 5  # what the dealer's advantage is worth to its side
    SWAP = 6  # a card of more worth is not swapped


# In teams, and each alone
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
    """HABITS as an array: float64[2, len(Habit)], first in teams, then each alone."""
    weights = np.zeros((2, len(Habit)))
    weights[:, list(HABITS)] = np.array(list(HABITS.values())).T
    return weights


WEIGHTS = make_weights()


class Outlook(NamedTuple):
    """What the cards not seen may do; by rank, 23 the highest."""

    rank: np.ndarray
    """int8[24], by card."""
    foes_now: np.ndarray
    """float64[24], the chance that an opponent yet to play in this trick plays the card."""
    friend_now: np.ndarray
    """float64[24], the same of a partner."""
    foes_later: np.ndarray
    """float64[24], the chance that an opponent holds it against a later card."""
    best_ours: int
    """The highest rank of one's own side in the trick; −1: none."""
    best_theirs: int


# ------------------------------------------------------------------------- where the cards may be


@compiled
def known_holder(seen, card):
    """The seat that is known to hold a card, or UNDEALT; 0: it is not known."""
    for holder in range(1, UNDEALT + 1):
        if is_known(seen, holder, card):
            return holder
    return 0


@compiled
def is_unseen(seen, card):
    return not holds(seen, card) and not is_out(seen, card) and known_holder(seen, card) == 0


@compiled
def share_of_unseen(seen, seat):
    """The chance that a seat holds a card that was not seen."""
    unseen, known = 0, 0
    for card in range(NUM_CARDS):
        unseen += 1 if is_unseen(seen, card) else 0
        known += 1 if is_known(seen, seat, card) else 0
    return (hand_size(seen, seat) - known) / max(1, unseen)


@compiled
def add_chances(seen, seat, rank, chances, factor):
    """Add to the chances, by rank, those that this seat plays each card."""
    share = share_of_unseen(seen, seat) * factor
    if plays_at_random(seen, seat):
        share /= max(1, hand_size(seen, seat))
    for card in range(NUM_CARDS):
        if is_known(seen, seat, card):
            chances[rank[card]] += factor
        elif is_unseen(seen, card):
            chances[rank[card]] += share


@compiled
def best_in_trick(seen, rank, of_friends):
    best = -1
    for seat in range(MAX_SEATS):
        card = card_in_trick(seen, seat)
        if card != NO_CARD and is_friend(seen, seat) == of_friends:
            best = max(best, int(rank[card]))
    return best


@compiled
def outlook_of(seen, weights):
    rank = ranks(seen)
    foes_now, friend_now = np.zeros(NUM_CARDS), np.zeros(NUM_CARDS)
    foes_later = np.zeros(NUM_CARDS)
    for seat in range(1, MAX_SEATS):
        if not is_there(seen, seat):
            continue
        is_to_play = card_in_trick(seen, seat) == NO_CARD
        if is_friend(seen, seat):
            if is_to_play:
                add_chances(seen, seat, rank, friend_now, weights[Habit.FRIEND])
        else:
            add_chances(seen, seat, rank, foes_later, 1.0)
            if is_to_play:
                add_chances(seen, seat, rank, foes_now, weights[Habit.FOE])
    return Outlook(
        rank,
        foes_now,
        friend_now,
        foes_later,
        best_in_trick(seen, rank, True),
        best_in_trick(seen, rank, False),
    )


# ----------------------------------------------------------------------------------- the tricks


@compiled
def chance_of_trick(outlook, card):
    """The chance that one's side takes the trick with this card, all to come playing high."""
    ours = max(int(outlook.rank[card]), outlook.best_ours)
    open_chance, won = 1.0, 0.0
    for higher in range(NUM_CARDS - 1, max(ours, outlook.best_theirs), -1):
        won += open_chance * outlook.friend_now[higher]
        open_chance *= max(0.0, 1.0 - outlook.friend_now[higher] - outlook.foes_now[higher])
    return won + open_chance if ours > outlook.best_theirs else won


@compiled
def worth(outlook, card, weights):
    """What a card is worth in the hand: 1 if nothing higher can be with an opponent."""
    higher = 0.0
    for rank in range(outlook.rank[card] + 1, NUM_CARDS):
        higher += outlook.foes_later[rank]
    return weights[Habit.DECAY] ** higher


@compiled
def score_card(outlook, card, weights):
    """The trick now against what the card could do later; of equals, the lowest."""
    later = weights[Habit.KEEP] * worth(outlook, card, weights)
    return chance_of_trick(outlook, card) - later - 1e-6 * outlook.rank[card]


# ------------------------------------------------------------------------------ other decisions


@compiled
def worth_of_hand(seen, outlook, weights):
    total = 0.0
    for card in range(NUM_CARDS):
        if holds(seen, card):
            total += worth(outlook, card, weights)
    return total


@compiled
def score_call(seen, outlook, weights):
    """A hand that is good enough, with the dealer's advantage or against it."""
    deals = weights[Habit.DEAL] if is_friend(seen, dealer(seen)) else -weights[Habit.DEAL]
    return worth_of_hand(seen, outlook, weights) + deals - weights[Habit.CALL]


@compiled
def least_worth(seen, outlook, weights):
    least = 1.0
    for card in range(NUM_CARDS):
        if holds(seen, card):
            least = min(least, worth(outlook, card, weights))
    return least


@inlined
def score(seen, action, known):
    """How good an action seems; passing and declining are worth 0."""
    phase, outlook, weights = known
    if phase == Phase.PLAY:
        return score_card(outlook, action, weights)
    if action in (PASS, DECLINE):
        return 0.0
    if action == PLAY:
        return score_call(seen, outlook, weights)
    if action == ACCEPT:
        if phase == Phase.SOCIAL:
            return 1.0
        return weights[Habit.SWAP] - least_worth(seen, outlook, weights)
    if action >= FIRST_STEAL:
        return 1.0 + points(seen, owner(seen, point_of(action)))
    if action >= NUM_CARDS:
        return -float(points(seen, steps_of(action)))
    rank = float(outlook.rank[action])
    return rank if phase == Phase.KEEP else -rank


@inlined
def weighed_action(observation, mask, num_players, rng, weights):
    """The action with these weights, float64[2, len(Habit)]."""
    habits = weights[0 if in_teams(observation) else 1]
    known = phase_of(observation), outlook_of(observation, habits), habits
    return choose_best(rng, mask, score, observation, known)


@inlined
def heuristic_action(observation, mask, num_players, rng):
    """Choose as the heuristic agent does (`ScriptedAgent.choose_action`)."""
    return weighed_action(observation, mask, num_players, rng, WEIGHTS)


class Heuristic(WeightedAgent):
    """Reckons for each card with the trick it may win now, and with those it may win later."""

    choose_action = staticmethod(weighed_action)
    weights = (WEIGHTS,)
