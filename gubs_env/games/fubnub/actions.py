"""The action space, the same for every mode: CARD[c], PLAY, PASS, ACCEPT, DECLINE, SEAT, STEAL.

Seats in actions are relative to the acting player: 1 is the next clockwise.
"""

from __future__ import annotations

import re

from gubs_env.engine.compilation import inlined
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


def num_actions(num_players: int) -> int:
    """Return the size of the action space: 46 for any number of players."""
    return NUM_ACTIONS


@inlined
def steps_of(action):
    """Return the relative seat that an action SEAT names."""
    return action - FIRST_SEAT + 1


@inlined
def point_of(action):
    """Return the point card that an action STEAL names."""
    return action - FIRST_STEAL


def action_name(action: int, num_players: int) -> str:
    """Return the name of an action, as `CARD[Gold 2]`, `PLAY`, `SEAT[1]` or `STEAL[Evens]`.

    Raises ValueError for an action that is not in the space.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action}: allowed are 0 to {NUM_ACTIONS - 1}")
    return NAMES[action]


def action_index(name: str, num_players: int) -> int:
    """Return the action of a name, the inverse of `action_name`; ValueError if there is none."""
    words = re.sub(r"\s+", " ", name).casefold()
    for action, known in enumerate(NAMES):
        if known.casefold() == words:
            return action
    raise ValueError(
        f"no action is called {name!r}: names are CARD[card], PLAY, PASS, ACCEPT, DECLINE, "
        "SEAT[k], STEAL[point card]"
    )
