"""The heuristic for Bad, Bad, Turtle: judge each decision by the chances of winning.

With k players alive, each starts with a chance of 1/k. A turtle that takes effect gives its owner
the rest of the win, a gecko that takes effect costs its owner their whole chance, and WEIGHTS holds
the worth of each set-aside card. A decision is judged by its change of these chances, one reveal
ahead. For example, with four players alive a turtle is worth 3/4 to its owner and a gecko −1/4. A
change of a number in WEIGHTS switches an idea off (experiments/ideas_bad_bad_turtle.py).
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gubs_agents.common.scripted import WeightedAgent
from gubs_agents.common.sight import Sight
from gubs_agents.scripted.bad_bad_turtle import facts
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compiling import borrowed, compiled, inlined
from gubs_env.games.bad_bad_turtle import actions
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, NUM_ACTION_CARDS, REACTIONS, Card


class Weight(IntEnum):
    """The entries of WEIGHTS; the first three are chances of winning against one opponent."""

    NEVER_HAPPENED = 0  # worth of this card, set aside
    NO_WAY = 1  # worth of this card, set aside
    SHIELD = 2  # worth of this card, set aside
    TURN = 3  # 1: the player of the next turn counts; 0: ignored
    NEW_GAME = 4  # 1: gains and losses by Restart Game count; 0: ignored
    LOOK = 5  # 1: the cards that Peek shows count; 0: ignored


FIRST_WORTH = int(Weight.NEVER_HAPPENED)  # first of the reactions' worths, in the order of `Card`
WEIGHTS = np.array([0.15, 0.25, 0.2, 1, 1, 1])
"""The weights in the order of `Weight`."""


class Chances(NamedTuple):
    """The numbers that are the same for all actions of a decision."""

    weights: np.ndarray
    share: float
    """A player's chance of winning before anything happens: 1 / number of players alive."""
    others: float
    """The viewer's gain from an opponent's loss of 1."""


@inlined
def chances_of(sight, weights):
    living = facts.num_living(sight)
    return Chances(weights, 1 / max(living, 1), 1 / max(living - 1, 1))


# ------------------------------------------------------------------------------- worths and gains


@inlined
def for_me(chances, seat, gain):
    """Return the viewer's gain from a seat's gain: all of it if their own, else minus a share."""
    return gain if seat == 0 else -gain * chances.others


@inlined
def worth(chances, reaction):
    """Return the worth of a set-aside card to its holder."""
    return chances.weights[FIRST_WORTH + reaction - FIRST_REACTION] * 2 * chances.share


@compiled
def new_game(sight, chances):
    """Return the gain of Restart Game: the eliminated come back, and set-aside cards are lost."""
    gain = 1 / sight.num_players - chances.share
    for reaction in REACTIONS:
        for seat in range(sight.num_players):
            if facts.holds(sight, seat, reaction):
                gain -= for_me(chances, seat, worth(chances, reaction))
    return gain * chances.weights[Weight.NEW_GAME]


@compiled
def stands(sight, chances, card, seat):
    """Return the viewer's gain if a revealed card takes effect on a seat."""
    if card == Card.TURTLE:
        return for_me(chances, seat, 1 - chances.share)
    if card == Card.ELIMINATED:
        return for_me(chances, seat, -chances.share)
    if facts.is_reaction(card):
        return for_me(chances, seat, worth(chances, card))
    if card == Card.RESTART_GAME:
        return new_game(sight, chances)
    return 0.0


@compiled
def turn_of(sight, chances, seat):
    """Return the viewer's gain from a seat's turn: the mean over the cards it may reveal."""
    if seat == 0 and facts.is_looking(sight) and chances.weights[Weight.LOOK] > 0:
        return stands(sight, chances, facts.next_reveal(sight), 0) * chances.weights[Weight.TURN]
    gain = 0.0
    for card in range(FIRST_REACTION, NUM_ACTION_CARDS):  # set aside, the gecko, the turtle
        if facts.may_be_revealed(sight, card):
            gain += stands(sight, chances, card, seat)
    return gain / max(facts.num_unseen(sight), 1) * chances.weights[Weight.TURN]


# ------------------------------------------------------------------------------- gains of answers


@inlined
def aside_lost(sight, chances, reaction):
    """Return the viewer's gain if No Way removes a card that a player has set aside."""
    for seat in range(sight.num_players):
        if facts.holds(sight, seat, reaction):
            return -for_me(chances, seat, worth(chances, reaction))
    return 0.0


@compiled
def first_settled(sight, chances, reaction, works):
    """Return the viewer's gain when a reaction settles that answers no other reaction."""
    aimed_at = facts.aim(sight, reaction)
    if aimed_at != facts.AT_PENDING:
        return aside_lost(sight, chances, aimed_at) if works else 0.0
    if not works:
        return stands(sight, chances, facts.pending(sight), facts.owner(sight))
    if reaction == Card.SHIELD:
        return stands(sight, chances, facts.pending(sight), facts.target(sight, Card.SHIELD))
    return 0.0


@compiled
def settled(sight, chances, reaction, works):
    """Return the viewer's gain when the last reaction played settles."""
    aimed_at = facts.aim(sight, reaction)
    if aimed_at != facts.AT_PENDING and facts.is_played(sight, aimed_at):
        return first_settled(sight, chances, aimed_at, not works)
    return first_settled(sight, chances, reaction, works)


@compiled
def cancelling(sight, chances):
    """Return the viewer's gain from cancelling the card that the window is about."""
    reaction = facts.answered(sight)
    if reaction == facts.AT_PENDING:
        return -stands(sight, chances, facts.pending(sight), facts.owner(sight))
    return settled(sight, chances, reaction, False) - settled(sight, chances, reaction, True)


@compiled
def shielding(sight, chances, seat):
    """Return the viewer's gain from forcing the revealed card, and the next turn, on a seat."""
    card = facts.pending(sight)
    gain = stands(sight, chances, card, seat) - stands(sight, chances, card, facts.owner(sight))
    if card != Card.ELIMINATED and card != Card.RESTART_GAME:
        gain += turn_of(sight, chances, seat) - turn_of(sight, chances, facts.next_turn(sight))
    return gain - worth(chances, Card.SHIELD)


# ------------------------------------------------------------------------------------- the decision


@inlined
def score(sight, action, chances):
    """Return the viewer's gain from an action; doing nothing scores 0."""
    if action >= actions.FIRST_PICK:
        return turn_of(sight, chances, action - actions.FIRST_PICK)
    if action >= actions.FIRST_SHIELD:
        return shielding(sight, chances, action - actions.FIRST_SHIELD)
    if action == actions.PERFORM:
        return turn_of(sight, chances, 0)
    if action == actions.PLAY_NEVER_HAPPENED:
        return cancelling(sight, chances) - worth(chances, Card.NEVER_HAPPENED)
    if action == actions.PLAY_NO_WAY:
        return cancelling(sight, chances) - worth(chances, Card.NO_WAY)
    if action == actions.PLAY_NO_WAY_ON_NEVER_HAPPENED:
        return aside_lost(sight, chances, Card.NEVER_HAPPENED) - worth(chances, Card.NO_WAY)
    if action == actions.PLAY_NO_WAY_ON_SHIELD:
        return aside_lost(sight, chances, Card.SHIELD) - worth(chances, Card.NO_WAY)
    return 0.0  # pass, decline, or a normal turn


@inlined
def heuristic_action(observation, mask, num_players, rng, weights):
    """Return the action of the heuristic with these weights, float64[6]."""
    sight = Sight(borrowed(observation), num_players)
    return choose_best(rng, mask, score, sight, chances_of(sight, weights))


class Heuristic(WeightedAgent):
    """Judges each outcome by the chances of winning, one reveal ahead."""

    choose_action = staticmethod(heuristic_action)
    game = "bad_bad_turtle_v0"
    weights = (WEIGHTS,)
