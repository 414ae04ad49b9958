"""Greedy for FUBNUB: it takes the trick if it can, and throws its lowest card if it cannot."""

from __future__ import annotations

from gubs_agents.common.scripted import ScriptedAgent
from gubs_agents.scripted.fubnub import facts
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compiling import compiled, inlined
from gubs_env.games.fubnub import actions
from gubs_env.games.fubnub.cards import NUM_CARDS
from gubs_env.games.fubnub.state import Phase

ENOUGH_FAVOURED = 2
"""Number of favoured cards in the hand from which the agent puts the point card in play."""


@compiled
def favoured_in_hand(sight):
    """Return the number of favoured cards in the viewer's hand."""
    count = 0
    for card in range(NUM_CARDS):
        count += 1 if facts.holds(sight, card) and facts.is_favoured(sight, card) else 0
    return count


@inlined
def score(sight, action, known):
    """Return the score of an action: the highest card that takes the trick, else the lowest."""
    phase, rank, highest = known
    if action == actions.PLAY:
        return 1.0 if favoured_in_hand(sight) >= ENOUGH_FAVOURED else -1.0
    if action in (actions.PASS, actions.DECLINE):
        return 0.0
    if action == actions.ACCEPT:
        return 1.0
    if action >= actions.FIRST_STEAL:
        return float(facts.points(sight, facts.owner(sight, actions.point_of(action))))
    if action >= NUM_CARDS:
        return -float(facts.points(sight, actions.steps_of(action)))
    value = float(rank[action])
    wanted = phase == Phase.KEEP or (phase == Phase.PLAY and value > highest)
    return value if wanted else -value


@inlined
def greedy_action(observation, mask, num_players, rng):
    """Return the action of the greedy agent; see `ScriptedAgent.choose_action`."""
    rank = facts.ranks(observation)
    ours, theirs = facts.best_in_trick(observation, rank)
    known = facts.phase_of(observation), rank, max(ours, theirs)
    return choose_best(rng, mask, score, observation, known)


class Greedy(ScriptedAgent):
    """Takes every trick it can, with its highest card."""

    choose_action = staticmethod(greedy_action)
    game = "fubnub_v0"
