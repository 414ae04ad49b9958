"""Partners of a game of one's own, and chance with weights."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gubs_env import VectorEnv, random_choice
from gubs_env.checking.soak import play_chunk
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.table import Table
from gubs_env.exact.chance import Chance
from tests.poker.high_side import GAME, WEIGHTS

TABLE = Table(GAME)


def test_partners_sit_across_and_are_named():
    assert TABLE.sides.tolist() == [0, 1, 0, 1]
    env = VectorEnv(TABLE, 1, seed=0)
    views = [GAME.view(env.states, 0, 1), GAME.spectator_view(env.states, 0)]
    marks = [[seat.marks for seat in GAME.table_words(view).seats] for view in views]
    assert marks == [[[], ["you"], [], ["partner"]], [[], [], [], []]]


def test_partners_win_together():
    states = TABLE.new_states(1)
    states["phase"], states["decisions"] = GAME.mechanics.Phase.OVER, 4
    states["card"], states["bid"] = (3, 1, 1, 3), (1, 0, 0, 0)
    assert GAME.payoffs(states[0]).tolist() == [1, -1, 1, -1]
    assert GAME.outcome(states[0]).winners == (0, 2)


def test_a_soak_finds_nothing():
    assert play_chunk(GAME, 0, True, 64).violations == []


def test_all_deals_have_the_probabilities_of_their_weights():
    deals = {
        tuple(states["card"][0].tolist()): probability
        for states, probability in Chance(TABLE).deals()
    }
    assert len(deals) == 2**4
    assert all(each == Fraction(3 ** hand.count(1), 4**4) for hand, each in deals.items())


@pytest.mark.parametrize("weights", [[0, 0], [-1, 2], [0.5, 0.5], [1 << 31, 1 << 31]])
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(ValueError, match="random_choice: "):
        random_choice(seed_rng(0), np.array(weights))


def test_draws_are_as_frequent_as_their_weights():
    rng = seed_rng(0)
    drawn = np.bincount([random_choice(rng, WEIGHTS) for _ in range(4000)], minlength=4)
    assert drawn[0] == drawn[2] == 0
    assert abs(drawn[1] - 3000) < 4 * np.sqrt(4000 * 3 / 16)
