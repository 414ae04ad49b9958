"""Luck taken out of Kuhn poker: the mean stays the exact value, whatever the values say."""

from __future__ import annotations

import kuhn_poker
import numpy as np
import pytest

import gubs_env
from gubs_agents import luck
from gubs_agents.luck.values import LARGEST_FEATURE, Values
from gubs_agents.networks.layers import Weights

UNIFORM_VALUE = 1 / 8
"""What the first player earns a game when both play uniformly at random."""


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    """Return recorded games of random players, with the chance events of the game known."""
    game = kuhn_poker.GAME
    path = tmp_path_factory.mktemp("luck") / "games.jsonl"
    gubs_env.record(path, "random", game, games=2000, seed=5)
    object.__setattr__(game, "chance", "tests.poker.kuhn_chance")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GUBS_ENV_COMPILE", "never")
        yield list(gubs_env.read_records(path))
    object.__setattr__(game, "chance", "")


def values(first, second):
    """Return values of the outcomes of both events, which a linear layer says.

    Args:
        first: the worth of the first card to the first player, float[3].
        second: the worth of both cards, float[first card, second card].
    """
    known = (second - first).T  # beside what no features say
    layer = np.concatenate([known, -known]), np.concatenate([first, -first])
    layers = [tuple(part.astype(np.float32) for part in layer)]
    return Values(Weights(layers, largest_input=LARGEST_FEATURE), 1, 1)


def true_values():
    """Return what the cards are worth where both play uniformly at random."""
    higher = np.sign(np.subtract.outer(np.arange(3), np.arange(3)))
    return UNIFORM_VALUE + np.arange(-1.0, 2), UNIFORM_VALUE + higher


def absurd_values():
    rng = np.random.default_rng(0)
    return rng.normal(size=3), rng.normal(size=(3, 3))


@pytest.mark.parametrize("known", [true_values, absurd_values])
def test_the_mean_stays_the_exact_value(records, known):
    payoffs = np.array([record.outcome.payoffs[0] for record in records])
    found = luck.corrections(records, values(*known()))
    assert np.abs(found.sum(axis=1)).max() < 1e-5
    adjusted = payoffs + found[:, 0]
    error = adjusted.std() / len(records) ** 0.5
    assert abs(adjusted.mean() - UNIFORM_VALUE) < 3 * error
    if known is true_values:
        assert adjusted.var() < 0.6 * payoffs.var()
