"""How a game ended."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Outcome(NamedTuple):
    """The result of a game, by player."""

    scores: tuple[int, ...]
    """Points of each player; partners have the same points."""
    winners: tuple[int, ...]
    """The players that won or share the win; none where the game was cut off or ghosts won."""
    decided_by: Enum
    """The criterion between the winner and the best of the others: a `Decided` of the game."""
