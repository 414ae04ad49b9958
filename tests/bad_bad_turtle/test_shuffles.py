"""Shuffled cards end up in each order equally often."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from gubs_env.bad_bad_turtle_v0 import Card
from tests.bad_bad_turtle.table import Table

TIMES = 600


def check_uniform(counts: Counter, ways: int) -> None:
    """Check with Pearson's chi-square, at four standard deviations."""
    expected = counts.total() / ways
    assert len(counts) == ways
    statistic = sum((count - expected) ** 2 / expected for count in counts.values())
    assert statistic < ways - 1 + 4 * np.sqrt(2 * (ways - 1))


@pytest.mark.parametrize("kind", ["Do Over", "Slow Down"])
def test_revealed_cards_are_shuffled_into_the_stack(kind):
    """Shuffle three cards, one of them from the stack."""
    counts: Counter = Counter()
    for seed in range(TIMES):
        if kind == "Do Over":
            stacks = {1: "blank, blank, Do Over, Skip"}
            table = Table(stacks, revealed={1: "Peek, Dance"}, seed=seed).play("TAKE_TURN")
            counts[table.stack(1)] += 1
        else:
            stacks, revealed = {1: "Skip"}, {1: "Peek, Dance"}
            table = Table(stacks, revealed=revealed, modifier=kind, seed=seed).play("TAKE_TURN")
            counts[table.revealed(1)] += 1
    check_uniform(counts, 6 if kind == "Do Over" else 3)


@pytest.mark.parametrize("kind", ["Shuffle", "Eliminated"])
def test_a_new_deal_is_by_chance(kind):
    """Count where two cards of stacks and discard piles end up."""
    stacks = {0: "Skip", 1: f"{kind}, blank", 2: "", 3: "Dance"}
    counts: Counter = Counter()
    for seed in range(TIMES):
        table = Table(stacks, modifier="Rapid Fire", out=[2], seed=seed).play("TAKE_TURN")
        counts[tuple(table.stack(seat) for seat in range(4))] += 1
    living = 3 if kind == "Shuffle" else 2
    check_uniform(counts, {3: 6, 2: 24}[living])


def test_the_first_deal_is_by_chance():
    """Count who has the turtle, and how deep."""
    counts: Counter = Counter()
    for seed in range(TIMES):
        game = Table.dealt(3, seed=seed).game
        for seat in range(3):
            for place in np.flatnonzero(game.stack[seat, : game.stack_size[seat]] == Card.TURTLE):
                counts[seat, int(place)] += 1
    check_uniform(counts, 55)
