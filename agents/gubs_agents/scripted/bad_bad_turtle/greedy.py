"""Greedy for Bad, Bad, Turtle: it takes every turn, and answers only the gecko and the turtle."""

from __future__ import annotations

from gubs_agents.common.scripted import ScriptedAgent
from gubs_agents.common.sight import Sight
from gubs_agents.scripted.bad_bad_turtle import facts
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compiling import borrowed, inlined
from gubs_env.games.bad_bad_turtle import actions
from gubs_env.games.bad_bad_turtle.cards import Card


@inlined
def is_struck(sight):
    """Return whether the gecko would eliminate the viewer, or the turtle let another player win."""
    if facts.answered(sight) != facts.AT_PENDING:
        return False
    gecko, turtle = facts.pending(sight) == Card.ELIMINATED, facts.pending(sight) == Card.TURTLE
    return gecko if facts.owner(sight) == 0 else turtle


@inlined
def score(sight, action, known):
    """Return the score of an action.

    An answer scores if the viewer is threatened: Shield first, then Never Happened, then No Way.
    Otherwise passing is best.
    """
    if action in (actions.DECLINE, actions.FIRST_SHIELD):
        return -1.0
    if action >= actions.FIRST_PICK:
        return 1.0 if action == actions.FIRST_PICK else 0.0
    if action <= actions.PASS:
        return 0.0
    if not is_struck(sight):
        return -1.0
    if action >= actions.FIRST_SHIELD:
        return 3.0
    if action == actions.PLAY_NEVER_HAPPENED:
        return 2.0
    return 1.0 if action == actions.PLAY_NO_WAY else -1.0


@inlined
def greedy_action(observation, mask, num_players, rng):
    """Return the action of the greedy agent; see `ScriptedAgent.choose_action`."""
    sight = Sight(borrowed(observation), num_players)
    return choose_best(rng, mask, score, sight, None)


class Greedy(ScriptedAgent):
    """Takes every turn, and saves set-aside cards for others' turtle and its own gecko."""

    choose_action = staticmethod(greedy_action)
    game = "bad_bad_turtle_v0"
