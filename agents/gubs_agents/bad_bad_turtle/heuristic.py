"""The best hand-written player: what each outcome of a decision is worth in chances of winning.

With k players living, a seat counts for 1/k of the win. A turtle that stands is worth the rest of
it to its owner, a gecko costs its owner all, and a set-aside card is worth what WEIGHTS says. A
decision is judged by the difference it makes to that, one reveal ahead. Every idea can be switched
off by its number (benchmarks/ideas_bad_bad_turtle.py).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gubs_agents.bad_bad_turtle.seen import (
    AT_PENDING,
    aim,
    answered,
    holds,
    is_looking,
    is_played,
    is_reaction,
    may_be_revealed,
    next_reveal,
    next_turn,
    num_living,
    num_unseen,
    owner,
    pending,
    target,
)
from gubs_agents.common.scripted import WeightedAgent
from gubs_agents.common.seen import Seen
from gubs_env.engine.arrays import borrowed
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compilation import compiled, inlined
from gubs_env.games.bad_bad_turtle.actions import (
    FIRST_PICK,
    FIRST_SHIELD,
    PERFORM,
    PLAY_NEVER_HAPPENED,
    PLAY_NO_WAY,
    PLAY_NO_WAY_ON_NEVER_HAPPENED,
    PLAY_NO_WAY_ON_SHIELD,
)
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    NUM_ACTION_CARDS,
    REACTIONS,
    Card,
)


class Weight(IntEnum):
    """The entries of WEIGHTS; the first three in chances of winning against one opponent."""

    NEVER_HAPPENED = 0  # the worth of this card, set aside
    NO_WAY = 1
    SHIELD = 2
    TURN = 3  # whether it counts who takes the next turn
    NEW_GAME = 4  # whether Restart Game is judged by what everybody gains or loses by it
    LOOK = 5  # whether what Peek shows counts


FIRST_WORTH = int(Weight.NEVER_HAPPENED)  # the worths of the reactions, in the order of `Card`
WEIGHTS = np.zeros(len(Weight))
WEIGHTS[Weight.NEVER_HAPPENED] = 0.15
WEIGHTS[Weight.NO_WAY] = 0.25
WEIGHTS[Weight.SHIELD] = 0.2
WEIGHTS[Weight.TURN] = 1
WEIGHTS[Weight.NEW_GAME] = 1
WEIGHTS[Weight.LOOK] = 1


class Chances(NamedTuple):
    """What is judged by, the same for all actions of a decision."""

    weights: np.ndarray
    share: float
    """What a seat counts for before anything happens: one by the number of living players."""
    others: float
    """What an opponent's loss of 1 is worth."""


@inlined
def chances_of(seen, weights):
    living = num_living(seen)
    return Chances(weights, 1 / living, 1 / (living - 1))


# ---------------------------------------------------------------------------- what things are worth


@inlined
def for_me(chances, seat, gain):
    """What a seat's gain is worth to the viewer: its own, or a share of the others' loss."""
    return gain if seat == 0 else -gain * chances.others


@inlined
def worth(chances, reaction):
    """What a set-aside card is worth to its holder."""
    return chances.weights[FIRST_WORTH + reaction - FIRST_REACTION] * 2 * chances.share


@compiled
def new_game(seen, chances):
    """What Restart Game gains: the eliminated come back, and nobody keeps a set-aside card."""
    gain = 1 / seen.num_players - chances.share
    for reaction in REACTIONS:
        for seat in range(seen.num_players):
            if holds(seen, seat, reaction):
                gain -= for_me(chances, seat, worth(chances, reaction))
    return gain * chances.weights[Weight.NEW_GAME]


@compiled
def stands(seen, chances, card, seat):
    """What the viewer gains when a revealed card takes effect on a seat."""
    if card == Card.TURTLE:
        return for_me(chances, seat, 1 - chances.share)
    if card == Card.ELIMINATED:
        return for_me(chances, seat, -chances.share)
    if is_reaction(card):
        return for_me(chances, seat, worth(chances, card))
    if card == Card.RESTART_GAME:
        return new_game(seen, chances)
    return 0.0


@compiled
def turn_of(seen, chances, seat):
    """What a seat's turn is worth to the viewer: what it may reveal, each unseen card alike."""
    if seat == 0 and is_looking(seen) and chances.weights[Weight.LOOK] > 0:
        return stands(seen, chances, next_reveal(seen), 0) * chances.weights[Weight.TURN]
    gain = 0.0
    for card in range(FIRST_REACTION, NUM_ACTION_CARDS):  # set aside, the gecko, the turtle
        if may_be_revealed(seen, card):
            gain += stands(seen, chances, card, seat)
    return gain / max(num_unseen(seen), 1) * chances.weights[Weight.TURN]


# -------------------------------------------------------------------------------- what answers do


@inlined
def aside_lost(seen, chances, reaction):
    """What the viewer gains when No Way hits a card that somebody has set aside."""
    seat = 0
    while not holds(seen, seat, reaction):
        seat += 1
    return -for_me(chances, seat, worth(chances, reaction))


@compiled
def first_settled(seen, chances, reaction, works):
    """What the viewer gains when a reaction that answers no other is settled."""
    aimed_at = aim(seen, reaction)
    if aimed_at != AT_PENDING:
        return aside_lost(seen, chances, aimed_at) if works else 0.0
    if not works:
        return stands(seen, chances, pending(seen), owner(seen))
    if reaction == Card.SHIELD:
        return stands(seen, chances, pending(seen), target(seen, Card.SHIELD))
    return 0.0


@compiled
def settled(seen, chances, reaction, works):
    """What the viewer gains when the reaction played last is settled."""
    aimed_at = aim(seen, reaction)
    if aimed_at != AT_PENDING and is_played(seen, aimed_at):
        return first_settled(seen, chances, aimed_at, not works)
    return first_settled(seen, chances, reaction, works)


@compiled
def cancelling(seen, chances):
    """What the viewer gains by cancelling the card in question."""
    reaction = answered(seen)
    if reaction == AT_PENDING:
        return -stands(seen, chances, pending(seen), owner(seen))
    return settled(seen, chances, reaction, False) - settled(seen, chances, reaction, True)


@compiled
def shielding(seen, chances, seat):
    """What the viewer gains by forcing the revealed card on a seat, which has the next turn."""
    card = pending(seen)
    gain = stands(seen, chances, card, seat) - stands(seen, chances, card, owner(seen))
    if card != Card.ELIMINATED and card != Card.RESTART_GAME:
        gain += turn_of(seen, chances, seat) - turn_of(seen, chances, next_turn(seen))
    return gain - worth(chances, Card.SHIELD)


# ------------------------------------------------------------------------------------- the decision


@inlined
def score(seen, action, chances):
    """What the viewer gains by an action, against doing nothing."""
    if action >= FIRST_PICK:
        return turn_of(seen, chances, action - FIRST_PICK)
    if action >= FIRST_SHIELD:
        return shielding(seen, chances, action - FIRST_SHIELD)
    if action == PERFORM:
        return turn_of(seen, chances, 0)
    if action == PLAY_NEVER_HAPPENED:
        return cancelling(seen, chances) - worth(chances, Card.NEVER_HAPPENED)
    if action == PLAY_NO_WAY:
        return cancelling(seen, chances) - worth(chances, Card.NO_WAY)
    if action == PLAY_NO_WAY_ON_NEVER_HAPPENED:
        return aside_lost(seen, chances, Card.NEVER_HAPPENED) - worth(chances, Card.NO_WAY)
    if action == PLAY_NO_WAY_ON_SHIELD:
        return aside_lost(seen, chances, Card.SHIELD) - worth(chances, Card.NO_WAY)
    return 0.0  # to pass, to decline, to take a turn as it is


@inlined
def weighed_action(observation, mask, num_players, rng, weights):
    """The action with these weights, float64[6]."""
    seen = Seen(borrowed(observation), num_players)
    return choose_best(rng, mask, score, seen, chances_of(seen, weights))


@inlined
def heuristic_action(observation, mask, num_players, rng):
    """Choose as the heuristic agent does (`ScriptedAgent.choose_action`)."""
    return weighed_action(observation, mask, num_players, rng, WEIGHTS)


class Heuristic(WeightedAgent):
    """Judges each outcome by the chances of winning, one reveal ahead."""

    choose_action = staticmethod(weighed_action)
    weights = (WEIGHTS,)
