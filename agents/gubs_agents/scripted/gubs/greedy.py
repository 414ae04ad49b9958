"""Greedy for Gubs: every card has a fixed priority and is played as soon as it is legal."""

from __future__ import annotations

import numpy as np

from gubs_agents.common.scripted import ScriptedAgent
from gubs_agents.common.sight import Sight
from gubs_agents.scripted.gubs import facts
from gubs_env.engine.choosing import choose_best
from gubs_env.engine.compiling import borrowed, compiled, inlined
from gubs_env.games.gubs.actions import DECK, FIRST_SEAT, PASS, card_of, slot_of, steps_of
from gubs_env.games.gubs.cards import IS_EVENT, NUM_KINDS, Card
from gubs_env.games.gubs.rules import MAX_SLOTS
from gubs_env.games.gubs.state import Phase

# The priority of cards: the first is played first and discarded last.
ORDER = (
    Card.ESTEEMED_ELDER, Card.SUPER_LURE, Card.LURE, Card.GUB, Card.SMAHL_THIEF,
    Card.AGE_OLD_CURE, Card.HAKI_FLUTE, Card.TRIPLE_RING, Card.DOUBLE_RING, Card.SINGLE_RING,
    Card.MUSHROOM, Card.TOAD_RIDER, Card.VELVET_MOTH, Card.SPEAR, Card.SUD_SPOUT, Card.LIGHTNING,
    Card.CYCLONE, Card.OMEN_BEETLE, Card.CRICKET_SONG, Card.FEATHER, Card.BLINDFOLD,
    Card.FLOP_BOAT, Card.SCOUT, Card.RETREAT,
)  # fmt: skip
PRIORITY = np.zeros(NUM_KINDS)
PRIORITY[list(ORDER)] = np.arange(len(ORDER), 0, -1)


@inlined
def score_target(sight, action):
    """Return the score of a target.

    Barricades go on the viewer's own Free Gubs, other cards free the viewer's Trapped Gubs, and
    everything else is aimed at the leader.
    """
    if action < FIRST_SEAT:
        return 0.0
    seat, slot = steps_of(action), slot_of(action)
    helps = facts.is_barricade(facts.played_as(sight))
    if seat > 0:
        return -1.0 if helps else float(facts.points(sight, seat))
    if helps:
        return 2.0 if facts.is_free(sight, 0, slot) else 1.0
    return 20.0 if facts.is_trapped(sight, 0, slot) else -1.0


@compiled
def is_struck(sight):
    """Return whether the announced card is aimed at the viewer, or is an Event the viewer drew."""
    kind = facts.played_as(sight)
    is_event = kind < NUM_KINDS and IS_EVENT[kind]
    struck = facts.is_seat_aimed_at(sight, 0) or (is_event and facts.is_own_turn(sight))
    for slot in range(MAX_SLOTS):
        struck = struck or facts.is_aimed_at(sight, 0, slot)
    return struck


@inlined
def score(sight, action, known):
    """Return the score of an action: 0 for passing, its priority for a card."""
    phase, priority = known
    if phase == Phase.TARGET:
        return score_target(sight, action)
    if action == PASS:
        return 0.0
    if action == DECK or action >= FIRST_SEAT:
        return 1.0
    if phase == Phase.ANSWER and not is_struck(sight):
        return -1.0
    worth = priority[card_of(action)]
    return -worth if phase == Phase.DISCARD else worth


@inlined
def greedy_action(observation, mask, num_players, rng):
    """Return the action of the greedy agent; see `ScriptedAgent.choose_action`."""
    sight = Sight(borrowed(observation), num_players)
    return choose_best(rng, mask, score, sight, (facts.phase_of(sight), PRIORITY))


class Greedy(ScriptedAgent):
    """Plays every card as soon as it is legal, in a fixed order of priority."""

    choose_action = staticmethod(greedy_action)
    game = "gubs_v0"
