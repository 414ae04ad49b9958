"""The winner and the payoffs (section 10)."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from gubs_env.games.bad_bad_turtle.cards import Card
from gubs_env.games.bad_bad_turtle.state import NOBODY, Phase
from gubs_env.games.compilation import inlined


@inlined
def write_payoffs(game, payoffs):
    """float32[num_players], by absolute seat: 1 for the winner, −1/(n − 1) for each of the others.

    Zeros if nobody has won.
    """
    n = game.num_players
    for seat in range(n):
        payoffs[seat] = 0.0 if game.winner == NOBODY else -1 / (n - 1)
    if game.winner != NOBODY:
        payoffs[game.winner] = 1.0


@inlined
def write_leads(game, leads):
    """Zeros, float32[num_players]: there are no points."""
    leads[:] = 0


@inlined
def is_truncated(game):
    """Whether a game was cut off after `max_cycles` decisions (T33)."""
    return game.phase == Phase.OVER and game.winner == NOBODY


class Decided(Enum):
    """What decided a game."""

    TURTLE = "turtle"
    LAST_PLAYER = "last player"
    CUT_OFF = "cut off"


class Outcome(NamedTuple):
    """How a game ended."""

    scores: tuple[int, ...]
    """1 for the seat that won, 0 for the others."""
    winners: tuple[int, ...]
    """The seat that won; all seats, who share alike, if the game was cut off."""
    decided_by: Decided


def outcome(game: Any) -> Outcome:
    """The outcome if the game ended as it stands now."""
    seats = range(game.num_players)
    if game.winner == NOBODY:
        return Outcome((0,) * len(seats), tuple(seats), Decided.CUT_OFF)
    winner = int(game.winner)
    top = game.reveal_size[winner] - 1
    by_turtle = top >= 0 and game.reveal_pile[winner, top] == Card.TURTLE
    decided_by = Decided.TURTLE if by_turtle else Decided.LAST_PLAYER
    return Outcome(tuple(int(seat == winner) for seat in seats), (winner,), decided_by)


def payoffs(game: Any) -> np.ndarray:
    """Payoffs of all seats, float32[num_players], if the game ended as it stands now."""
    result = np.zeros(game.num_players, np.float32)
    write_payoffs(game, result)
    return result
