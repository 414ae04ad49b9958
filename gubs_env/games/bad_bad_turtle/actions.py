"""The action space: take a turn, play a set-aside card, or pick a seat.

Seats in actions are relative to the acting player: 0 is their own, 1 the next clockwise, whatever
the direction of play. The space is that of eight players for any number of players.
"""

from __future__ import annotations

from typing import Any

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


def action_names(num_players: int, rules: Any = None) -> tuple[str, ...]:
    """Return the names of all actions in order, the same for any number of players."""
    return NAMES
