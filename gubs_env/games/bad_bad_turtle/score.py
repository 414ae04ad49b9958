"""The winner and the payoffs (section 10)."""

from __future__ import annotations

from enum import Enum
from typing import Any

from gubs_env.engine.compiling import inlined
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.seats import NOBODY
from gubs_env.games.bad_bad_turtle.cards import Card
from gubs_env.games.bad_bad_turtle.state import Phase


@inlined
def write_payoffs(state, payoffs):
    """Write the payoffs by seat, float32[num_players]: 1 for the winner, −1/(n − 1) for the others.

    Zeros if nobody has won.
    """
    n = state.num_players
    for seat in range(n):
        payoffs[seat] = 0.0 if state.winner == NOBODY else -1 / (n - 1)
    if state.winner != NOBODY:
        payoffs[state.winner] = 1.0


@inlined
def is_truncated(state):
    """Return whether a game was cut off after `max_cycles` decisions (T33)."""
    return state.phase == Phase.OVER and state.winner == NOBODY


class Decided(Enum):
    """The criterion that decided a game."""

    TURTLE = "turtle"
    LAST_PLAYER = "last player"
    CUT_OFF = "cut off"


def outcome(state: Any) -> Outcome:
    """Return the outcome; a game that nobody has won counts as cut off now."""
    seats = range(state.num_players)
    if state.winner == NOBODY:
        return Outcome((0,) * len(seats), (), Decided.CUT_OFF)
    winner = int(state.winner)
    top = state.reveal_size[winner] - 1
    by_turtle = top >= 0 and state.reveal_pile[winner, top] == Card.TURTLE
    decided_by = Decided.TURTLE if by_turtle else Decided.LAST_PLAYER
    return Outcome(tuple(int(seat == winner) for seat in seats), (winner,), decided_by)
