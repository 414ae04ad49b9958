"""Determinization: as long as no card was shuffled in, all states that fit are equally likely.

`test_classes` tests the places of the Letters after that.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from gubs_env.engine.rng import seed_rng
from gubs_env.games.gubs.cards import NUM_HAND_KINDS, NUM_KINDS, Card
from gubs_env.games.gubs.state import Phase
from gubs_env.gubs_v0 import GAME
from tests.gubs.case import check_letters
from tests.gubs.table import Table

SMALL = {kind: 1 for kind in ("Mushroom", "Lure", "Scout", "Spear", "Feather", "Cyclone",
                              "Retreat", "Blindfold")} | {"Gub": 2, "Letter G": 1, "Letter U": 1,
                                                          "Letter B": 1}  # fmt: skip


def consistent_games(table, viewer):
    """Return every state of two players that fits a viewer who knows no card of the other hand.

    Each is a pair: (the other hand, the deck from the bottom)."""
    game = table.game
    other = 1 - viewer
    known = game.deck[game.deck_size - game.known_top[viewer] : game.deck_size].tolist()
    hidden = np.repeat(np.arange(NUM_KINDS), game.hand[other].tolist() + [0] * 8).tolist()
    hidden += game.deck[: game.deck_size - len(known)].tolist()
    states = table.games.copy()
    for hand in combinations(hidden, game.hand_size[other]):
        if max(hand) >= NUM_HAND_KINDS:
            continue
        rest = list((Counter(hidden) - Counter(hand)).elements())
        for deck in permutations(rest):
            states["deck"][0, : len(deck)] = deck
            try:
                check_letters(states)
            except AssertionError:
                continue
            yield tuple(sorted(hand)), (*deck, *known)


def dealt():
    return Table.dealt(2, seed=0, deck=SMALL)


def scouted():
    table = Table.dealt(2, seed=8, deck=SMALL)
    game = table.game
    assert game.hand[0, Card.SCOUT], "find another seed: one where the first seat has the Scout"
    table.play("PASS", "Scout", "DECK")
    while table.phase == Phase.ORDER:
        table.play_at_random(np.random.default_rng(0))
    assert game.known_top[0] == 3
    return table


@pytest.mark.parametrize("setting", [dealt, scouted])
def test_each_game_that_fits_is_equally_likely(setting):
    """Test with Pearson's chi-square over all states that fit, listed one by one."""
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
