"""The action space: PASS, DECK, CARD[kind], and for each seat SEAT[k] and its PLACE[k, slot].

Seats in actions are relative to the acting player: 0 is their own, 1 the next clockwise. An action
means the same for any number of players; more players only add actions at the end.
"""

from __future__ import annotations

from typing import Any

from gubs_env.engine.compiling import inlined
from gubs_env.games.gubs.cards import NUM_KINDS, Card
from gubs_env.games.gubs.rules import MAX_PLAYERS, MAX_SLOTS

PASS = 0
DECK = 1
FIRST_CARD = 2
FIRST_SEAT = FIRST_CARD + NUM_KINDS
ACTIONS_PER_SEAT = 1 + MAX_SLOTS
NAMES = (
    *("PASS", "DECK", *(f"CARD[{card.title}]" for card in Card)),
    *(
        name
        for steps in range(MAX_PLAYERS)
        for name in (f"SEAT[{steps}]", *(f"PLACE[{steps}, {slot}]" for slot in range(MAX_SLOTS)))
    ),
)


def action_names(num_players: int, rules: Any = None) -> tuple[str, ...]:
    """Return the names of all actions in order: 34, and 15 more for each player."""
    return NAMES[: FIRST_SEAT + ACTIONS_PER_SEAT * num_players]


@inlined
def card_action(kind):
    return FIRST_CARD + kind


@inlined
def seat_action(steps):
    return FIRST_SEAT + ACTIONS_PER_SEAT * steps


@inlined
def place_action(steps, slot):
    return FIRST_SEAT + ACTIONS_PER_SEAT * steps + 1 + slot


@inlined
def card_of(action):
    """Return the kind that an action CARD[kind] names."""
    return action - FIRST_CARD


@inlined
def steps_of(action):
    """Return the relative seat that an action SEAT or PLACE names."""
    return (action - FIRST_SEAT) // ACTIONS_PER_SEAT


@inlined
def slot_of(action):
    """Return the slot that an action PLACE names; −1 for SEAT."""
    return (action - FIRST_SEAT) % ACTIONS_PER_SEAT - 1
