"""Seats around a table, and the distances between them.

A seat is a place at the table, 0 … num_seats − 1, clockwise. A player makes decisions, 0 …
num_players − 1. If every seat has a player, the two numbers are the same.
"""

from __future__ import annotations

from gubs_env.engine.compiling import inlined

NOBODY = -1
"""The value in place of a seat or player that says there is none."""
ANY_PLAYER = -1
"""The value in place of a starting player that lets the rules of the game choose."""


@inlined
def seat_at(state, seat, steps):
    """Return the seat `steps` places clockwise of another (0 … num_seats steps)."""
    other = seat + steps
    return other - state.num_seats if other >= state.num_seats else other


@inlined
def steps_to(state, viewer, seat):
    """Return how many places clockwise of `viewer` a seat is: the inverse of `seat_at`."""
    steps = seat - viewer
    return steps + state.num_seats if steps < 0 else steps
