"""The action space: what to do with a turn, a set-aside card to play, or a seat to pick.

Seats in actions are relative to the one who acts: 0 is oneself, 1 the next clockwise, whatever the
direction of play. The space is that of eight players at every table.
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
"""No Way on a card that another player has set aside, by that card."""
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
    """Size of the action space: 24 at every table."""
    return len(NAMES)


def action_name(action: int, num_players: int) -> str:
    """The name of an action, as `SHIELD[2]`.

    Raises ValueError for an action that is not in the space.
    """
    if not 0 <= action < len(NAMES):
        raise ValueError(f"action {action}: allowed are 0 to {len(NAMES) - 1}")
    return NAMES[action]


def action_index(name: str, num_players: int) -> int:
    """The action of this name: the inverse of `action_name`. Raises ValueError for any other."""
    if name not in NAMES:
        raise ValueError(f"no action is called {name!r}: names are {', '.join(NAMES)}")
    return NAMES.index(name)
