"""Complete games drawn from a view: they fit what the seat knows, and each is equally likely."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from gubs_env.engine.rng import seed_rng
from gubs_env.games.gubs.cards import LETTERS, NUM_HAND_KINDS, NUM_KINDS, Card
from gubs_env.games.gubs.state import Phase
from gubs_env.gubs_v0 import GAME
from tests.gubs.table import Table
from tests.gubs.test_properties import Games, both, cards_everywhere, check_rows, sizes


def letters_in_order(row):
    """Places of the Letters in the deck that are not loose, the lowest first."""
    deck = row["deck"][: row["deck_size"]].tolist()
    tied = [letter for letter in LETTERS if not row["letter_loose"][letter - Card.LETTER_G]]
    return sorted(deck.index(letter) for letter in tied if letter in deck)


def check_letters(row):
    """Each Letter of a third lies where everybody thinks it can."""
    ranges = [(s, e) for s, e in zip(row["third_start"], row["third_end"], strict=True) if e > 0]
    for place, (start, end) in zip(letters_in_order(row), ranges, strict=True):
        assert start <= place < end <= row["deck_size"]


@sizes
@both
def test_letters_lie_where_everybody_thinks_they_can(num_players, options):
    games = Games(100, num_players, options, seed=7)
    while games.under_way.any():
        for row in games.rows[games.under_way][:20]:
            check_letters(row)
        games.random_step()


@sizes
@both
def test_a_drawn_game_fits_all_that_the_seat_knows(num_players, options):
    games = Games(60, num_players, options, seed=8)
    rng = seed_rng(0)
    for step in range(150):
        if not games.under_way.any():
            break
        if step % 5 == 0:
            indices = np.flatnonzero(games.under_way)
            views = games.views(indices)
            drawn = views.copy()
            for index in range(len(drawn)):
                GAME.kernel.determinize(drawn, index, rng)
            assert (cards_everywhere(drawn) == drawn["composition"]).all()
            assert (drawn["hand"].sum(2) == drawn["hand_size"]).all()
            assert (drawn["hand"] >= games.rows["known"][indices, drawn["actor"]]).all()
            for index, row in enumerate(drawn.copy()):
                check_letters(row)
                GAME.kernel.hide(drawn, index, row["actor"])
            assert drawn.tobytes() == views.tobytes(), "the seat could tell it from its own game"
        games.random_step()


def test_a_drawn_game_can_be_played_on():
    games = Games(200, 3, {}, seed=9)
    for _ in range(60):
        games.random_step()
    games.rows[:] = games.rows[games.under_way][np.arange(200) % games.under_way.sum()]
    games.rows[:] = games.views(np.arange(200))
    for index in range(200):
        GAME.kernel.determinize(games.rows, index, seed_rng(index))
    games.look()
    while games.under_way.any():
        check_rows(games)
        games.random_step()


SMALL = {kind: 1 for kind in ("Mushroom", "Lure", "Scout", "Spear", "Feather", "Cyclone",
                              "Retreat", "Blindfold")} | {"Gub": 2, "Letter G": 1, "Letter U": 1,
                                                          "Letter B": 1}  # fmt: skip


def consistent_games(table, viewer):
    """Every game of two that fits what the viewer knows, when it knows no card of the other hand:
    (the other hand, the deck from the bottom)."""
    game = table.game
    other = 1 - viewer
    known = game.deck[game.deck_size - game.known_top[viewer] : game.deck_size].tolist()
    hidden = np.repeat(np.arange(NUM_KINDS), game.hand[other].tolist() + [0] * 8).tolist()
    hidden += game.deck[: game.deck_size - len(known)].tolist()
    row = table.games.copy()[0]
    for hand in combinations(hidden, game.hand_size[other]):
        if max(hand) >= NUM_HAND_KINDS:
            continue
        rest = list((Counter(hidden) - Counter(hand)).elements())
        for deck in permutations(rest):
            row.deck[: len(deck)] = deck
            try:
                check_letters(row)
            except AssertionError:
                continue
            yield tuple(sorted(hand)), (*deck, *known)


def dealt():
    return Table.dealt(2, seed=0, deck=SMALL)


def dealt_again():
    """A Letter was sent back, so that it can be anywhere and the others one higher."""
    table = Table.dealt(2, seed=3, deck=SMALL | {"Flop Boat": 1})
    assert table.game.letter_loose.any(), "find another seed: one where a Letter is dealt"
    return table


def scouted():
    table = Table.dealt(2, seed=8, deck=SMALL)
    game = table.game
    assert game.hand[0, Card.SCOUT], "find another seed: one where the first seat has the Scout"
    table.play("PASS", "Scout", "DECK")
    while table.phase == Phase.ORDER:
        table.play_at_random(np.random.default_rng(0))
    assert game.known_top[0] == 3
    return table


@pytest.mark.parametrize("setting", [dealt, dealt_again, scouted])
def test_each_game_that_fits_is_equally_likely(setting):
    """Pearson's chi-square over all games that fit, listed one by one."""
    table = setting()
    expected = set(consistent_games(table, 0))
    draws = 20 * len(expected)
    view = GAME.view(table.games, 0, 0).state
    counts: Counter = Counter()
    rng = seed_rng(1)
    drawn = table.games.copy()
    for _ in range(draws):
        drawn[0] = view
        GAME.kernel.determinize(drawn, 0, rng)
        hand = np.repeat(np.arange(NUM_HAND_KINDS), drawn[0].hand[1]).tolist()
        counts[tuple(hand), tuple(drawn[0].deck[: drawn[0].deck_size].tolist())] += 1
    assert set(counts) <= expected, "a game that does not fit"
    statistic = sum((counts[game] - 20) ** 2 / 20 for game in expected)
    freedom = len(expected) - 1
    assert abs(statistic - freedom) < 4 * np.sqrt(2 * freedom)
