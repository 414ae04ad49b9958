"""A search plays for the same whatever unit the payoffs are counted in."""

from __future__ import annotations

import kuhn_poker
import numpy as np
import pytest

from gubs_agents.search.search import ISMCTS, MonteCarlo
from gubs_env import VectorEnv, compiled, define_game
from gubs_env.engine.table import Table
from tests.poker.test_mistakes import PARTS


@compiled
def pays_sixteen_times_as_much(state, payoffs):
    kuhn_poker.payoffs(state, payoffs)
    payoffs *= 16


def searched(kind, monkeypatch, **changed):
    """Return the actions and the estimates of a search in some games."""
    monkeypatch.setenv("GUBS_ENV_COMPILE", "never")
    table = Table(define_game(**PARTS | changed))
    env = VectorEnv(table, 30, seed=0)
    env.step(env.masks.argmax(1))
    return kind(table, seed=0, playouts=40).estimate(env.views(np.arange(30)))


@pytest.mark.parametrize("kind", [MonteCarlo, ISMCTS])
def test_payoffs_in_another_unit_change_no_action(kind, monkeypatch):
    actions, worths = searched(kind, monkeypatch)
    more = {"payoffs": pays_sixteen_times_as_much, "max_payoff": 32.0}
    same, larger = searched(kind, monkeypatch, **more)
    assert actions.tolist() == same.tolist()
    assert 0 < actions.sum() < 30
    np.testing.assert_array_equal(larger, worths * 16)
