"""The action space, the same for every mode: CARD[c], PLAY, PASS, ACCEPT, DECLINE, SEAT, STEAL.

Seats in actions are relative to the acting player: 1 is the next clockwise.
"""

from __future__ import annotations

from typing import Any

from gubs_env.engine.compiling import inlined
from gubs_env.games.fubnub.cards import NUM_CARDS, NUM_POINTS, NUMBER_TITLES, POINT_TITLES

PLAY = NUM_CARDS
PASS = NUM_CARDS + 1
ACCEPT = NUM_CARDS + 2
DECLINE = NUM_CARDS + 3
FIRST_SEAT = NUM_CARDS + 4  # SEAT[1]
NUM_SEATS_NAMED = 3
FIRST_STEAL = FIRST_SEAT + NUM_SEATS_NAMED
NUM_ACTIONS = FIRST_STEAL + NUM_POINTS

NAMES = (
    *(f"CARD[{title}]" for title in NUMBER_TITLES),
    *("PLAY", "PASS", "ACCEPT", "DECLINE"),
    *(f"SEAT[{steps}]" for steps in range(1, NUM_SEATS_NAMED + 1)),
    *(f"STEAL[{title}]" for title in POINT_TITLES),
)


def action_names(num_players: int, rules: Any = None) -> tuple[str, ...]:
    """Return the names of all actions in order, the same for any number of players."""
    return NAMES


@inlined
def steps_of(action):
    """Return the relative seat that an action SEAT names."""
    return action - FIRST_SEAT + 1


@inlined
def point_of(action):
    """Return the point card that an action STEAL names."""
    return action - FIRST_STEAL
