"""Points, ties and payoffs (section 7 of the rules)."""

import pytest

from gubs_env.games.gubs.score import Decided, outcome
from gubs_env.games.gubs.state import Phase
from gubs_env.games.gubs.words import outcome_words
from tests.gubs.table import Table


def ended(hands, colonies, **rules):
    """Return a game that ended with these hands and colonies."""
    table = Table(hands, colonies, deck="Letter B", letters="GU", phase=Phase.DRAW, **rules)
    table.play("DECK")
    assert table.phase is Phase.OVER
    return table


def gubs(*counts):
    return ["; ".join(["Gub"] * count) for count in counts]


# ----------------------------------------------------------------------------------------- points


@pytest.mark.parametrize(
    ("colony", "points"),
    [
        ("", 0),
        ("Gub", 1),
        ("Esteemed Elder", 1),
        ("Gub + Mushroom", 1),
        ("Gub + Toad Rider + Velvet Moth + Mushroom", 1),
        ("Gub + Sud Spout", 0),
        ("Gub + Single Ring", 0),
        ("Gub + Double Ring; Gub + Double Ring", 0),
        ("Gub + Triple Ring; Gub + Triple Ring; Gub + Triple Ring", 0),
        ("Gub; Gub; Gub + Mushroom; Gub + Sud Spout; Esteemed Elder; Gub + Single Ring", 4),
    ],
)
def test_free_and_protected_gubs_and_the_elder_score_a_point_each(colony, points):
    assert outcome(ended(["", ""], [colony, ""]).game).scores == (points, 0)


def test_hands_score_nothing():
    table = ended(["Gub ×3, Esteemed Elder", ""], ["", "Gub"])
    assert outcome(table.game) == ((0, 1), (1,), Decided.POINTS)


# ------------------------------------------------------------------------------------------- ties


@pytest.mark.parametrize("winner", [0, 1, 2])
def test_most_points_win(winner):
    sides = gubs(2, 2, 2)
    sides[winner] += "; Gub"
    hands = ["", "", ""]
    hands[winner] = "Lure ×5"
    result = outcome(ended(hands, sides).game)
    assert (result.winners, result.decided_by) == ((winner,), Decided.POINTS)


def test_of_the_tied_the_one_with_the_elder_wins_whatever_it_holds():
    table = ended(["", "Lure ×7, Feather ×2"], ["Gub; Gub", "Gub; Esteemed Elder"])
    assert outcome(table.game) == ((2, 2), (1,), Decided.ELDER)


def test_the_elder_decides_only_among_the_tied():
    table = ended(["Lure", "", ""], ["Gub; Gub", "Gub; Gub", "Esteemed Elder"])
    assert outcome(table.game) == ((2, 2, 1), (1,), Decided.HAND_SIZE)


def test_the_elder_decides_no_game_that_points_decide():
    table = ended(["", ""], ["Gub; Esteemed Elder", "Gub; Gub; Gub"])
    assert outcome(table.game) == ((2, 3), (1,), Decided.POINTS)
    table = ended(["", ""], ["Gub; Esteemed Elder", "Gub"])
    assert outcome(table.game) == ((2, 1), (0,), Decided.POINTS)


def test_the_elder_in_a_hand_decides_nothing():
    table = ended(["Esteemed Elder", ""], gubs(1, 1))
    assert outcome(table.game) == ((1, 1), (1,), Decided.HAND_SIZE)


def test_of_the_tied_the_one_with_the_fewest_cards_wins():
    table = ended(["Lure ×3", "Lure ×2", "Lure", ""], gubs(2, 2, 2, 1))
    assert outcome(table.game) == ((2, 2, 2, 1), (2,), Decided.HAND_SIZE)


def test_those_still_tied_share_the_win():
    """Check ruling [G12]."""
    table = ended(["Lure", "Lure ×2", "Lure", ""], gubs(2, 2, 2, 1))
    assert outcome(table.game) == ((2, 2, 2, 1), (0, 2), Decided.SHARED)
    assert outcome_words(table.game).startswith(
        "The game is over: player_0 and player_2 share the win by the fewest cards in hand ("
    )


def test_nobody_scoring_is_a_tie_too():
    table = ended(["Lure", ""], ["Gub + Sud Spout", ""])
    assert outcome(table.game) == ((0, 0), (1,), Decided.HAND_SIZE)


# ---------------------------------------------------------------------------------------- payoffs


@pytest.mark.parametrize("num_players", range(2, 7))
def test_a_sole_win_is_worth_one(num_players):
    table = ended([""] * num_players, gubs(1, *[0] * (num_players - 1)))
    loss = -1 / (num_players - 1)
    assert table.payoffs == pytest.approx([1, *[loss] * (num_players - 1)])


@pytest.mark.parametrize(
    ("num_players", "sharers"), [(n, k) for n in range(2, 7) for k in range(2, n + 1)]
)
def test_a_shared_win_is_worth_a_share(num_players, sharers):
    losers = num_players - sharers
    table = ended([""] * num_players, gubs(*[1] * sharers, *[0] * losers))
    share = (num_players / sharers - 1) / (num_players - 1)
    loss = -1 / (num_players - 1)
    assert table.payoffs == pytest.approx([*[share] * sharers, *[loss] * losers], abs=1e-6)
    assert sum(table.payoffs) == pytest.approx(0, abs=1e-6)
    assert outcome(table.game).winners == tuple(range(sharers))


def test_at_two_players_a_win_is_one_a_loss_minus_one_and_a_tie_nothing():
    assert ended(["", ""], gubs(1, 0)).payoffs == [1, -1]
    assert ended(["", ""], gubs(0, 1)).payoffs == [-1, 1]
    assert ended(["", ""], gubs(1, 1)).payoffs == [0, 0]


def test_a_tie_that_is_broken_pays_like_any_win():
    assert ended(["Lure", ""], gubs(1, 1)).payoffs == [-1, 1]
    assert ended(["Lure", ""], ["Gub; Esteemed Elder", "Gub; Gub"]).payoffs == [1, -1]


@pytest.mark.parametrize(
    ("counts", "margins"),
    [
        ((3, 1), [2, -2]),
        ((2, 2), [0, 0]),
        ((4, 1, 3), [1, -3, -1]),
        ((2, 2, 0), [0, 0, -2]),
        ((5, 0, 0, 1, 2, 2), [3, -5, -5, -4, -3, -3]),
    ],
)
def test_the_margin_is_ones_own_score_minus_the_best_other(counts, margins):
    table = ended([""] * len(counts), gubs(*counts), reward="margin")
    assert table.payoffs == margins


def test_the_margin_knows_no_tie_break():
    table = ended(["Lure", ""], ["Gub; Esteemed Elder", "Gub; Gub"], reward="margin")
    assert table.payoffs == [0, 0]
