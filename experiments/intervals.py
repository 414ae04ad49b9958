"""Coverage of the arena's 95 % intervals, simulated on known distributions of scores.

    python experiments/intervals.py

A table says how often an interval over few or many deals holds the true win rate, beside the normal
approximation and the bootstrap alone. The distributions are those of experiments/sprt.py: the score
of a deal, tilted exponentially until its mean is the true rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tyro
from sprt import distribution

from gubs_agents.arena.likelihood import elo_of
from gubs_agents.arena.measures import NORMAL, TAIL, widened
from gubs_agents.arena.ratings import resampled
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

SCORES = {
    "2 sides, independent games": (0.5, 0.8, 0.95, 0.99),
    "2 sides, the cards decide most games": (0.5, 0.95),
    "4 sides, independent games": (0.25, 0.95),
}
"""The true win rates of each distribution."""


@dataclass(frozen=True)
class Options:
    """How many intervals are simulated."""

    deals: tuple[int, ...] = (2, 5, 20, 100, 500, 2000)
    """Numbers of deals."""
    tests: int = 20_000
    """Number of intervals by the normal approximation in each cell."""
    bootstraps: int = 1000
    """Number of intervals by bootstrap in each cell; 0 leaves them out."""


def drawn(name: str, rate: float, deals: int, tests: int, seed: int = 0) -> np.ndarray:
    """Return how many deals of each test have each score, int64[tests, scores]."""
    num_sides = 4 if name.startswith("4") else 2
    _, chances = distribution(name, elo_of(rate, num_sides))
    return np.random.default_rng(seed).multinomial(deals, chances, tests)


def coverage(counts: np.ndarray, rate: float, samples: int = 0) -> tuple[float, float]:
    """Return how often intervals hold the true rate: those of the arena, and without `widened`.

    Args:
        counts: int64[tests, scores]: number of deals of each score.
        rate: the true win rate.
        samples: number of samples of a bootstrap; 0 uses the normal approximation.
    """
    scores, deals = np.linspace(0, 1, counts.shape[1]), int(counts[0].sum())
    means = counts @ scores / deals
    if samples:
        values = np.repeat(np.tile(scores, len(counts)), counts.ravel()).reshape(-1, deals)
        resamples = resampled(deals, samples)[1:] @ values.T / deals
        low, high = np.quantile(resamples, (TAIL, 1 - TAIL), axis=0)
    else:
        squares = np.maximum(0, counts @ scores**2 - deals * means**2)
        error = NORMAL * np.sqrt(squares / (deals - 1) / deals)
        low, high = means - error, means + error
    allows = widened(means, low, high, deals, (0.0, 1.0))
    return holds(*allows, rate), holds(low, high, rate)


def holds(low: np.ndarray, high: np.ndarray, rate: float) -> float:
    """Return the fraction of intervals that hold a rate."""
    slack = 1e-9  # a mean that is the true rate may be rounded away from it
    return float(((low <= rate + slack) & (rate - slack <= high)).mean())


def main() -> None:
    options = tyro.cli(Options)
    head = ["scores of a deal", "true rate", *(f"{deals:,} deals" for deals in options.deals)]
    for method, tests, samples in (
        ("normal approximation", options.tests, 0),
        ("bootstrap", options.bootstraps, 1000),
    ):
        if not tests:
            continue
        rows = []
        for name, rate in [(name, rate) for name, rates in SCORES.items() for rate in rates]:
            found = [
                coverage(drawn(name, rate, deals, tests), rate, samples) for deals in options.deals
            ]
            cells = [f"{100 * ours:.1f} ({100 * alone:.1f})" for ours, alone in found]
            rows.append([name, f"{rate:.0%}", *cells])
        print(
            f"By {method}, without what no deal has shown in brackets:",
            table(head, rows),
            sep="\n\n",
        )


if __name__ == "__main__":
    print_everywhere()
    main()
