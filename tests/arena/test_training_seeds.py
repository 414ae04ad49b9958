"""Methods compared over training seeds: what varies, what is paired, and how it is written."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_agents import arena
from gubs_agents.arena import training_seeds


@pytest.fixture
def results(monkeypatch):
    """Let agents be the results that they have: float64[deals, sides]."""
    monkeypatch.setattr(training_seeds.Duel, "by_deal", lambda duel: duel.agent)


def seeds(rng, count, spread, deals=100):
    """Return the results of agents whose strength varies by seed, on deals that vary too."""
    luck = rng.normal(0, 0.3, (deals, 1))
    return [0.5 + rng.normal(0, spread) + luck + np.zeros((deals, 2)) for _ in range(count)]


def compared(methods, deals=100, resamples=2000):
    return arena.over_seeds(methods, None, deals=deals, resamples=resamples)


def test_the_mean_is_over_seeds_and_deals(results):
    ones = [np.full((10, 2), share) for share in (0.2, 0.4, 0.9)]
    found = compared({"mine": ones}, deals=10).methods["mine"]
    assert float(found.mean.value) == pytest.approx(0.5)
    assert [seed.rate for seed in found.seeds] == pytest.approx([0.2, 0.4, 0.9])
    # The middle half of three seeds: all of the second, and a quarter of each of the others.
    assert float(found.middle.value) == pytest.approx((0.4 + 0.25 * (0.2 + 0.9)) / 1.5)


@pytest.mark.parametrize("count", [3, 10])
def test_intervals_over_seeds_hold_the_truth(results, count):
    rng = np.random.default_rng(1)
    found = [compared({"a": seeds(rng, count, 0.1)}, resamples=400) for _ in range(200)]
    means = [each.methods["a"].mean for each in found]
    held = np.mean([mean.low <= 0.5 <= mean.high for mean in means])
    assert held > 0.9


def test_an_interval_over_one_seed_is_that_over_deals(results):
    [agent] = seeds(np.random.default_rng(0), 1, 0)
    found = compared({"scripted": [agent]}).methods["scripted"]
    assert float(found.mean.low) == pytest.approx(found.seeds[0].low, abs=0.003)
    assert float(found.mean.high) == pytest.approx(found.seeds[0].high, abs=0.003)


def test_differences_are_paired_by_deal(results):
    [agent] = seeds(np.random.default_rng(0), 1, 0)
    found = compared({"better": [agent + 0.01], "worse": [agent]})
    value, low, high = map(float, found.differences["better", "worse"])
    assert value == pytest.approx(0.01)
    assert high - low == pytest.approx(2 * (1 - 0.025**0.01))  # what 100 deals alike do not show


def test_tables_for_a_page_and_for_a_paper(results):
    found = compared({"ppo_1": [np.full((10, 2), 0.25), np.full((10, 2), 0.5)]}, deals=10)
    assert found.markdown().splitlines()[2] == (
        "| ppo_1 | 2 | 37.5% (0.0% … 100.0%) | 37.5% (0.0% … 100.0%) | seeds and deals "
        "| 25.0%, 50.0% |"
    )
    assert r"ppo\_1 & 2 & 37.5\% (0.0\% … 100.0\%) &" in found.latex()
    assert found.latex().count("rule") == 3  # one method has no differences


def test_one_seed_is_marked_and_not_compared_with_several(results):
    rng = np.random.default_rng(0)
    [alone], [other], several = seeds(rng, 1, 0), seeds(rng, 1, 0), seeds(rng, 3, 0.1)
    several = {f"{k} seeds": several[:k] for k in (2, 3)}
    found = compared({"alone": [alone], "other": [other], **several})
    assert set(found.differences) == {("alone", "other"), ("2 seeds", "3 seeds")}
    assert str(found.methods["alone"]).endswith(", 1 seed, over deals only")
    assert str(found.methods["3 seeds"]).endswith(", 3 seeds, over seeds and deals")
    for row, over in (
        ("alone", "deals only"),
        ("3 seeds", "seeds and deals"),
        ("alone less other", "deals only"),
        ("2 seeds less 3 seeds", "seeds and deals"),
    ):
        for text, bar in ((found.markdown(), " | "), (found.latex(), " & ")):
            lines = [line.removeprefix("| ") for line in text.splitlines()]
            [line] = [line for line in lines if line.startswith(row + bar)]
            assert line.split(bar)[4] == over


def test_a_paper_gets_the_differences_too(results):
    for worse, gain in ((0.25, r"+25.0\%"), (0.75, r"$-$25.0\%")):
        found = compared({"mine": [np.full((10, 2), 0.5)], "theirs": [np.full((10, 2), worse)]}, 10)
        assert f"\\midrule\nmine less theirs & – & {gain} (" in found.latex()


@pytest.mark.parametrize("methods", [{}, {"mine": []}])
def test_no_agents_are_refused(methods):
    with pytest.raises(ValueError, match="methods: each must have an agent"):
        arena.over_seeds(methods, None)
