"""The action space: take a turn, play a set-aside card, or pick a seat.

Seats in actions are relative to the acting player: 0 is their own, 1 the next clockwise, whatever
the direction of play. The space is that of eight players for any number of players.
"""

from __future__ import annotations

from gubs_env.games.bad_bad_turtle.cards import Card
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS

TAKE_TURN = 0
PERFORM = 1
DECLINE = 2
PASS = 3
PLAY_NEVER_HAPPENED = 4
PLAY_NO_WAY = 5
PLAY_NO_WAY_ON_NEVER_HAPPENED = 6
PLAY_NO_WAY_ON_SHIELD = 7
NO_WAY_ASIDE = {
    Card.NEVER_HAPPENED: PLAY_NO_WAY_ON_NEVER_HAPPENED,
    Card.SHIELD: PLAY_NO_WAY_ON_SHIELD,
}
"""The action that plays No Way on each card that another player has set aside."""
FIRST_SHIELD = 8
FIRST_PICK = FIRST_SHIELD + MAX_PLAYERS

NAMES = (
    "TAKE_TURN",
    "PERFORM",
    "DECLINE",
    "PASS",
    "NEVER_HAPPENED",
    "NO_WAY",
    *(f"NO_WAY[{card.title}]" for card in NO_WAY_ASIDE),
    *(f"SHIELD[{steps}]" for steps in range(MAX_PLAYERS)),
    *(f"PICK[{steps}]" for steps in range(MAX_PLAYERS)),
)


def num_actions(num_players: int) -> int:
    """Return the size of the action space: 24 for any number of players."""
    return len(NAMES)


def action_name(action: int, num_players: int) -> str:
    """Return the name of an action, as `SHIELD[2]`.

    Raises ValueError for an action that is not in the space.
    """
    if not 0 <= action < len(NAMES):
        raise ValueError(f"action {action}: allowed are 0 to {len(NAMES) - 1}")
    return NAMES[action]


def action_index(name: str, num_players: int) -> int:
    """Return the action of a name, the inverse of `action_name`; ValueError if there is none."""
    if name not in NAMES:
        raise ValueError(f"no action is called {name!r}: names are {', '.join(NAMES)}")
    return NAMES.index(name)
