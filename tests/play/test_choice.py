"""The choice of a move: by number, by typing, in groups, and taken back."""

from __future__ import annotations

import pytest

from gubs_env.engine.moves import Move
from gubs_env.play.choice import MOST_ALONE, Choice, grouped
from tests.play.tables import dealt, every_game, rng_of, seated

FEW = [
    Move("End your play", (0,)),
    Move("Lay a Gub in your colony", (1,)),
    Move("Lure player_1's first Gub", (2, 5)),
    Move("Lure player_1's second Gub", (2, 6)),
    Move("Lure player_2's Gub", (2, 7)),
]


def few():
    return Choice(FEW, lambda prefix, picks: [f"{prefix} {pick}" for pick in picks])


def many():
    moves = [Move("End", (0,))]
    moves += [Move(f"Ring at {a} and {b}", (1, a, b)) for a in range(7) for b in range(7)]
    return Choice(moves, lambda prefix, picks: [f"pick {p} after {list(prefix)}" for p in picks])


def test_inside_a_move_all_are_named_by_their_picks():
    """One of two Gubs lies beneath a card, so a second choice follows there."""
    moves = [
        Move("Lay it on the second", (1, 6)),
        *(Move(f"Use it up: {n}", (1, 5, n)) for n in (2, 3)),
    ]
    groups = grouped(moves, (1,), lambda prefix, picks: [f"Gub {pick}" for pick in picks])
    assert [group.text for group in groups] == ["Gub 6", "Gub 5"]


def test_few_moves_are_listed_one_by_one():
    choice = few()
    assert [entry.text for entry in choice.entries] == [move.text for move in FEW]
    assert choice.take("3") is FEW[2]


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("End your play", 0),
        ("  eNd  ", 0),
        ("e", 0),
        ("gub in", 1),
        ("player_1 second", 3),
        ("PLAYER_2", 4),
        ("lure player_1's second gub", 3),
    ],
)
def test_a_move_is_named_by_its_beginning_a_part_or_some_words(typed, number):
    assert few().take(typed) is FEW[number]


@pytest.mark.parametrize("typed", ["", "0", "6", "-1", "9" * 20, "x", "g", "Song", "!!!", "²"])
def test_what_names_no_move_is_refused_and_changes_nothing(typed):
    choice = few()
    with pytest.raises(ValueError, match=r"no move (fits|has the number)"):
        choice.take(typed)
    assert choice.left == tuple(FEW)
    assert not choice.is_begun


def test_words_that_several_moves_hold_narrow_the_choice_until_it_is_taken_back():
    choice = few()
    assert choice.take("lure") is None
    assert [entry.text for entry in choice.entries] == [move.text for move in FEW[2:]]
    assert choice.take("player_1") is None
    assert choice.take("2") is FEW[3]
    for left in (FEW[2:4], FEW[2:], FEW):
        choice.take_back()
        assert choice.left == tuple(left)
    choice.take_back()
    assert choice.left == tuple(FEW)


def test_many_moves_are_grouped_by_their_next_pick():
    choice = many()
    assert [entry.text for entry in choice.entries] == ["End", "pick 1 after []"]
    assert choice.take("2") is None
    assert [entry.text for entry in choice.entries] == [f"pick {a} after [1]" for a in range(7)]
    assert choice.take("pick 3") is None
    assert choice.take("5").text == "Ring at 3 and 4"
    choice.take_back()
    choice.take_back()
    assert choice.take("ring at 6 and 0").picks == (1, 6, 0)


@every_game
def test_every_move_of_a_game_is_reached_by_numbers(game):
    session = seated(dealt(game, seed=4), people=dealt(game).possible_agents)
    rng = rng_of(2)
    for _ in range(60):
        if session.is_over:
            break
        moves = session.moves(session.person)
        wanted = moves[rng.integers(len(moves))]
        choice, taken = Choice(moves, session.pick_texts), None
        while taken is None:
            names = [entry.text for entry in choice.entries]
            assert len(set(names)) == len(names)
            assert len(choice.left) > MOST_ALONE or len(names) == len(choice.left)
            holders = [wanted in entry.moves for entry in choice.entries]
            assert sum(holders) == 1
            taken = choice.take(str(holders.index(True) + 1))
        assert taken == wanted
        session.play(session.person, wanted)
