"""The properties of FUBNUB alone; the properties of all games are in tests/games."""

from __future__ import annotations

import numpy as np

from gubs_env.engine.rng import seed_rng
from gubs_env.fubnub_v0 import GAME
from gubs_env.games.fubnub.cards import NUM_CARDS
from tests.fubnub.case import CASE


def test_every_place_of_an_unseen_card_is_as_likely():
    games = CASE.games(1, 4, {"num_points": 15}, seed=2)
    views = games.views(np.array([0]))
    viewer, rng = int(views["asked"][0]), seed_rng(4)
    draws = 4000
    counts = np.zeros((5, NUM_CARDS))
    for _ in range(draws):
        complete = views.copy()
        GAME.kernel.determinize(complete, 0, rng)
        counts[:4] += complete["hand"][0]
        counts[4] += complete["undealt"][0]
    others = [seat for seat in range(4) if seat != viewer]
    unseen = counts[viewer] == 0
    assert unseen.sum() == 19
    for holder, size in [*((seat, 5) for seat in others), (4, 4)]:
        expected = draws * size / 19
        assert np.abs(counts[holder, unseen] - expected).max() < 5 * np.sqrt(expected)
        assert not counts[holder, ~unseen].any()
