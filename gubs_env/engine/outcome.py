"""How a game ended."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np


class Outcome(NamedTuple):
    """The result of a game, by player."""

    scores: tuple[int, ...]
    """Points of each player; partners have the same points."""
    winners: tuple[int, ...]
    """The players that won or share the win; none where the game was cut off or ghosts won."""
    decided_by: Enum
    """The criterion between the winner and the best of the others: a `Decided` of the game."""


def win_shares(winners: np.ndarray, sides: np.ndarray) -> np.ndarray:
    """Return each side's share of the win: sides with a winner share it equally.

    Args:
        winners: bool[games, num_players], the players that won.
        sides: int64[num_players], the side of each player.

    Returns:
        float64[games, num_sides], each 0 … 1; all zero where nobody won.
    """
    won = [winners[:, sides == side].any(1) for side in range(sides.max() + 1)]
    winning = np.stack(won, axis=1)
    shares: np.ndarray = winning / np.maximum(1, winning.sum(1, keepdims=True))
    return shares


def stake_share(payoffs: Any, most: Any, num_sides: int) -> Any:
    """Return payoffs as shares of what is at stake, in 0 … 2 / `num_sides`.

    A payoff of 0 is the fair share, 1 / `num_sides`. With two sides the shares add up to 1.

    Args:
        payoffs: a number or an array, each in −most … most.
        most: the most that the game pays (`Table.max_payoff`).
        num_sides: number of sides at the table.
    """
    return (1 + payoffs / most) / num_sides
