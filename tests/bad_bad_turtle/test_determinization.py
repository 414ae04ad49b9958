"""Determinization: every complete state that fits what the seat knows is equally likely."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gubs_env.bad_bad_turtle_v0 import GAME, Card
from gubs_env.engine.rng import seed_rng
from gubs_env.games.bad_bad_turtle.state import UNKNOWN_CARD
from tests.bad_bad_turtle.table import Table

WAYS = 60  # Turtle, Skip, Refund and two blanks, at five places: 5!/2


def peeked():
    """Return a table: 1 looks through their stack, and all saw the Rhyme go face down."""
    stacks = {0: "Turtle, Skip", 1: "blank, blank, Peek, Dance, Shield", 2: "Refund"}
    table = Table(stacks, discards={2: "Rhyme"}, num_players=3).play("TAKE_TURN")
    table.game.discard_seen[2] = 1
    return table


def test_a_view_keeps_what_the_seat_knows_and_no_more():
    table = peeked()
    view = GAME.view(table.games, 0, 1).state
    assert view.stack[1, :2].tolist() == [Card.SHIELD, Card.DANCE]
    assert view.discard_pile[2, 0] == Card.RHYME
    assert (view.discard_pile[1] == UNKNOWN_CARD).all()
    assert (view.stack[[0, 2]] == UNKNOWN_CARD).all()
    assert (GAME.view(table.games, 0, 0).state.stack == UNKNOWN_CARD).all()


def test_each_game_that_fits_is_equally_likely():
    """Test with Pearson's chi-square over all states that fit."""
    table = peeked()
    view = GAME.view(table.games, 0, 1).state
    drawn, rng = table.games.copy(), seed_rng(1)
    counts: Counter = Counter()
    for _ in range(20 * WAYS):
        drawn[0] = view
        GAME.kernel.determinize(drawn, 0, rng)
        row = drawn[0]
        assert row.discard_pile[2, 0] == Card.RHYME
        assert row.stack[1, :2].tolist() == [Card.SHIELD, Card.DANCE]
        unknown = (*row.stack[0, :2], row.stack[2, 0], *row.discard_pile[1, :2])
        counts[tuple(map(int, unknown))] += 1
    assert len(counts) == WAYS
    statistic = sum((count - 20) ** 2 / 20 for count in counts.values())
    assert abs(statistic - (WAYS - 1)) < 4 * np.sqrt(2 * (WAYS - 1))
