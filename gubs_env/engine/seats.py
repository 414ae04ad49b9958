"""Seats around a table: who sits how many places from whom.

A seat is a place at the table, 0 … num_seats − 1, clockwise. A player is who is asked for
decisions, 0 … num_players − 1. They are the same wherever every seat has a player.
"""

from __future__ import annotations

from gubs_env.engine.compilation import inlined

NOBODY = -1
"""In place of a seat or player: none."""
ANY_PLAYER = -1
"""In place of the player to start a game: whichever the rules of the game say."""


@inlined
def seat_at(state, seat, steps):
    """The seat `steps` places clockwise of another (0 … num_seats steps)."""
    other = seat + steps
    return other - state.num_seats if other >= state.num_seats else other


@inlined
def steps_to(state, viewer, seat):
    """How many places clockwise of `viewer` a seat is: the inverse of `seat_at`."""
    steps = seat - viewer
    return steps + state.num_seats if steps < 0 else steps
