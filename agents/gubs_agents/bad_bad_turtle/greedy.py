"""A first bot: takes every turn, stops others from winning, saves itself, and passes else."""

from __future__ import annotations

from gubs_agents.bad_bad_turtle.seen import AT_PENDING, answered, owner, pending
from gubs_agents.common.scripted import ScriptedAgent
from gubs_agents.common.seen import Seen
from gubs_env.engine.arrays import borrowed
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compilation import inlined
from gubs_env.games.bad_bad_turtle.actions import (
    DECLINE,
    FIRST_PICK,
    FIRST_SHIELD,
    PASS,
    PLAY_NEVER_HAPPENED,
    PLAY_NO_WAY,
)
from gubs_env.games.bad_bad_turtle.cards import Card


@inlined
def is_struck(seen):
    """Whether the gecko is about to eliminate oneself, or the turtle to let another win."""
    if answered(seen) != AT_PENDING:
        return False
    gecko, turtle = pending(seen) == Card.ELIMINATED, pending(seen) == Card.TURTLE
    return gecko if owner(seen) == 0 else turtle


@inlined
def score(seen, action, known):
    """The higher the better: a Shield on another, Never Happened, No Way, and to pass otherwise."""
    if action in (DECLINE, FIRST_SHIELD):
        return -1.0
    if action >= FIRST_PICK:
        return 1.0 if action == FIRST_PICK else 0.0
    if action <= PASS:
        return 0.0
    if not is_struck(seen):
        return -1.0
    if action >= FIRST_SHIELD:
        return 3.0
    return 2.0 if action == PLAY_NEVER_HAPPENED else 1.0 if action == PLAY_NO_WAY else -1.0


@inlined
def greedy_action(observation, mask, num_players, rng):
    """Choose as the greedy agent does (`ScriptedAgent.choose_action`)."""
    seen = Seen(borrowed(observation), num_players)
    return choose_best(rng, mask, score, seen, None)


class Greedy(ScriptedAgent):
    """Takes every turn, and saves set-aside cards for the turtle of others and its own gecko."""

    choose_action = staticmethod(greedy_action)
