"""The observation of a position, slice by slice (section 12)."""

from __future__ import annotations

import pytest

from gubs_env.bad_bad_turtle_v0 import Card, Phase
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION
from tests.bad_bad_turtle.table import Table

NEVER_HAPPENED, NO_WAY, SHIELD = range(3)


def chain():
    """Return a table: 1 reveals a Dance, 3 forces it on 0, 2 answers the Shield, 1 that answer."""
    stacks = {1: "blank, blank, Dance, blank ×5", 2: "blank ×6"}
    table = Table(
        stacks,
        revealed={2: "blank ×3, Peek"},
        aside={"Shield": 3, "No Way": 2, "Never Happened": 1},
        modifier="Slow Down",
        direction=-1,
        dealer=2,
        max_cycles=396,
    ).play("TAKE_TURN", "PASS", "SHIELD[1]", "NO_WAY")
    assert (table.actor, table.phase) == (1, Phase.REACT)
    return table


def test_the_course_of_the_game():
    table = chain()
    for viewer in range(4):
        decision = [0, int(viewer == 1), 0]
        assert table.seen(viewer, "decision").tolist() == decision
        for name, seat in {"dealer": 2, "turn": 1, "next_turn": 0, "owner": 1}.items():
            expected = [int((viewer + steps) % 4 == seat) for steps in range(4)]
            assert table.seen(viewer, name).tolist() == expected, name
    assert table.seen(0, "clockwise") == 0
    assert table.seen(0, "decisions_left").tolist() == [3, 8], "392 of 396 are left: 3 × 128 + 8"
    assert table.seen(0, "modifier").nonzero()[0].tolist() == [Card.SLOW_DOWN]
    assert table.seen(0, "pending").nonzero()[0].tolist() == [Card.DANCE]
    assert table.seen(0, "living").tolist() == [1, 1, 1, 1]


def test_reactions():
    table = chain()
    assert table.seen(0, "answered").tolist() == [0, 1, 0]
    players, targets = table.seen(1, "reaction_players"), table.seen(1, "reaction_targets")
    assert players.tolist() == [[0] * 4, [0, 1, 0, 0], [0, 0, 1, 0]]
    assert targets.tolist() == [[0] * 4, [0, 0, 1, 0], [0, 0, 0, 1]]
    aims = table.seen(1, "reaction_aims")
    assert aims[SHIELD].tolist() == [1, 0, 0, 0], "the pending card"
    assert aims[NO_WAY].tolist() == [0, 0, 0, 1], "the Shield"
    assert not aims[NEVER_HAPPENED].any()
    assert table.seen(0, "set_aside").tolist() == [[0, 1, 0, 0], [0] * 4, [0] * 4]


def test_piles():
    table = chain()
    assert table.seen(2, "stack_sizes").tolist() == [6, 4, 4, 5]
    assert table.seen(2, "discard_sizes").tolist() == [0, 0, 0, 2]
    assert table.seen(0, "blanks").tolist() == [0, 0, 3, 0]
    assert [seat.nonzero()[0].tolist() for seat in table.seen(0, "revealed")] == [
        [], [], [Card.PEEK], [],
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["Never Happened", "No Way", "Shield"])
def test_set_aside_cards_are_seen_by_all(kind):
    table = Table(aside={kind: 2})
    card = Card(next(c for c in Card if c.title == kind)) - FIRST_REACTION
    for viewer in range(4):
        seen = table.seen(viewer, "set_aside")
        assert seen[card, (2 - viewer) % 4] == 1
        assert seen.sum() == 1
