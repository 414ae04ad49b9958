"""Intervals of few and of extreme results: not certain from nothing, not beyond the possible."""

from __future__ import annotations

import functools
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")

from gubs_agents import arena
from gubs_agents.arena.likelihood import Hypotheses, State
from gubs_agents.arena.measures import Measure, mean_with_interval
from gubs_env import find_table

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
MEASURE = Measure(find_table("gubs"))


class First:
    """Plays the first legal action."""

    def act(self, observations, masks, rngs=None):
        return masks.argmax(1)


@pytest.fixture(scope="module")
def experiment():
    """Returns a module of experiments/ by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXPERIMENTS))

        @functools.cache
        def load(name):
            spec = importlib.util.spec_from_file_location(name, EXPERIMENTS / f"{name}.py")
            module = importlib.util.module_from_spec(spec)
            patch.setitem(sys.modules, name, module)
            spec.loader.exec_module(module)
            return module

        yield load
        sys.modules.pop("sprt", None)


@pytest.mark.parametrize(("deals", "least"), [(2, 0.158), (5, 0.478), (300, 0.988)])
def test_all_of_a_few_deals_won_has_the_exact_interval(deals, least):
    """The lower end is that of Clopper and Pearson."""
    won = MEASURE.summary(np.ones((deals, 2)))
    assert (won.rate, won.high) == (1, 1)
    assert won.low == pytest.approx(least, abs=5e-4)
    lost = MEASURE.summary(np.zeros((deals, 2)))
    assert (lost.low, lost.high) == pytest.approx((0, 1 - won.low))


def test_every_statistic_of_two_equal_agents_knows_how_little_it_has_seen():
    twins = arena.Duel(First(), First(), deals=20)
    difference = twins.difference()
    assert difference.value == 0
    assert difference.high == -difference.low == pytest.approx(0.084, abs=5e-4)
    rate = twins.win_rate()
    assert (rate.rate, rate.low) == pytest.approx((0.5, 0.5 - difference.high))
    seed = arena.over_seeds({"one": [First()]}, First(), deals=20).methods["one"].mean
    assert float(seed.low) == pytest.approx(rate.low)
    result = arena.tournament("random,random", deals=2, resamples=5)
    for name in ("share", "payoff", "seat", "rating"):
        numbers = getattr(result.numbers, name)
        assert (numbers.low + 0.1 < numbers.high).all(), name
        assert np.isfinite([numbers.low, numbers.high]).all(), name


def test_a_test_that_saw_wins_only_is_not_certain():
    rate, low, high = State(Hypotheses(0, 10), 2, np.array([0, 0, 0, 0, 20])).share
    assert (rate, high) == (1, 1)
    assert low == pytest.approx(0.832, abs=5e-4)


def test_no_interval_goes_beyond_what_is_possible():
    """Results with luck taken out can be above 1, their mean cannot."""
    _, low, high = mean_with_interval(np.array([1.1, 0.8, 1.05, 1.0]), (0.0, 1.0))
    assert 0 < low < high == 1


def test_with_many_results_the_interval_is_the_normal_approximation():
    rng = np.random.default_rng(0)
    shares = rng.binomial(2, 0.8, (5000, 1)) / 2
    found, error = MEASURE.summary(shares), 1.96 * shares.std(ddof=1) / np.sqrt(5000)
    ends = found.rate - error, found.rate + error
    assert (found.low, found.high) == pytest.approx(ends, abs=5e-4)


@pytest.mark.parametrize("rate", [0.5, 0.8, 0.95, 0.99])
@pytest.mark.parametrize("samples", [0, 400], ids=["normal", "bootstrap"])
def test_coverage_holds_for_few_and_extreme_results(experiment, rate, samples):
    simulator = experiment("intervals")
    for deals in (2, 5, 20, 100, 500):
        counts = simulator.drawn("2 sides, independent games", rate, deals, 1000)
        held, alone = simulator.coverage(counts, rate, samples)
        assert held > 0.93
        assert held >= alone


def test_gains_in_few_positions_are_not_certain(experiment):
    """Where no other move was taken, others may be in positions that were not seen."""
    known, mean_gain = [{0: 0.0, 1: -0.2, 2: 0.1}] * 8, experiment("search").mean_gain
    assert mean_gain(known, [0] * 8) == pytest.approx((0, -0.2 * 0.3694, 0.1 * 0.3694), abs=1e-4)
    assert mean_gain(known, [2] * 8) == pytest.approx((0.1, 0.1 - 0.3 * 0.3694, 0.1), abs=1e-4)


def test_a_pair_whose_games_all_end_alike_has_no_luck_to_take_out(experiment):
    luck, rng = experiment("luck"), np.random.default_rng(0)
    deals, seats = np.repeat(np.arange(50), 2), np.tile([0, 1], 50)
    change, won = rng.normal(size=100), rng.choice([-1.0, 1.0], size=100)
    always = luck.pair("a – b", deals, seats, np.full(100, -1 / 3), change)
    never = luck.pair("b – c", deals, seats, won, np.zeros(100))
    unlike = luck.pair("a – c", deals, seats, won, change - won)
    assert luck.times(always.plain, always.both) == "–"
    assert np.isfinite([always.deviation, never.deviation, unlike.deviation]).all()
    assert luck.saved([always]) == "no pair whose games end unlike"
    assert luck.saved([always, unlike]) == luck.saved([unlike])
    assert luck.saved([never]).startswith("geometric mean of the pairs 1.00,")
