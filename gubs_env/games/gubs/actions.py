"""The action space: PASS, DECK, CARD[kind], and for each seat SEAT[k] and its PLACE[k, slot].

Seats in actions are relative to the acting player: 0 is their own, 1 the next clockwise. An action
means the same for any number of players; more players only add actions at the end.
"""

from __future__ import annotations

import re

from gubs_env.engine.compilation import inlined
from gubs_env.games.gubs.cards import NUM_KINDS, Card
from gubs_env.games.gubs.rules import MAX_SLOTS, card_named

PASS = 0
DECK = 1
FIRST_CARD = 2
FIRST_SEAT = FIRST_CARD + NUM_KINDS
ACTIONS_PER_SEAT = 1 + MAX_SLOTS


def num_actions(num_players: int) -> int:
    """Return the size of the action space: 34, and 15 more for each player."""
    return FIRST_SEAT + ACTIONS_PER_SEAT * num_players


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


def action_name(action: int, num_players: int) -> str:
    """Return the name of an action, as `PASS`, `CARD[Lure]`, `SEAT[1]` or `PLACE[1, 3]`.

    Raises ValueError for an action that is not in the space.
    """
    if not 0 <= action < num_actions(num_players):
        raise ValueError(f"action {action}: allowed are 0 to {num_actions(num_players) - 1}")
    if action < FIRST_CARD:
        return ("PASS", "DECK")[action]
    if action < FIRST_SEAT:
        return f"CARD[{Card(card_of(action)).title}]"
    if slot_of(action) < 0:
        return f"SEAT[{steps_of(action)}]"
    return f"PLACE[{steps_of(action)}, {slot_of(action)}]"


def action_index(name: str, num_players: int) -> int:
    """Return the action of a name, the inverse of `action_name`; ValueError if there is none."""
    if name in ("PASS", "DECK"):
        return (PASS, DECK)[name == "DECK"]
    if match := re.fullmatch(r"CARD\[(.+)\]", name):
        return card_action(int(card_named(match[1])))
    if match := re.fullmatch(r"SEAT\[(\d+)\]", name):
        steps, slot = int(match[1]), -1
    elif match := re.fullmatch(r"PLACE\[(\d+), ?(\d+)\]", name):
        steps, slot = int(match[1]), int(match[2])
    else:
        raise ValueError(
            f"no action is called {name!r}: names are PASS, DECK, CARD[kind], SEAT[k], "
            "PLACE[k, slot]"
        )
    if steps >= num_players or slot >= MAX_SLOTS:
        raise ValueError(
            f"action {name!r}: allowed are seats 0 to {num_players - 1}, slots 0 to {MAX_SLOTS - 1}"
        )
    return place_action(steps, slot)
