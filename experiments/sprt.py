"""Error rates and lengths of sequential tests, simulated on known distributions of scores.

    python experiments/sprt.py

A distribution of the score of a deal is given for equally strong agents. For another strength it is
tilted exponentially until its mean is the share of the win that belongs to that strength.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
import tyro

from gubs_agents.arena.likelihood import Hypotheses, ratios, share_of, units
from gubs_agents.arena.measures import WinRate, mean_with_interval
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

TOGETHER = 32
"""Deals that are drawn at a time for each simulated test; every deal is looked at."""
DISTRIBUTIONS = {
    "2 sides, independent games": (2, [0.25, 0, 0.5, 0, 0.25]),
    "2 sides, 60 % draws": (2, [0.04, 0.24, 0.44, 0.24, 0.04]),
    "2 sides, the cards decide most games": (2, [0.1, 0.02, 0.76, 0.02, 0.1]),
    "2 sides, agents that hardly differ": (2, [0.01, 0, 0.98, 0, 0.01]),
    "4 sides, independent games": (4, [comb(4, k) * 0.25**k * 0.75 ** (4 - k) for k in range(5)]),
}
"""Number of sides, and probabilities of 0, 1, … wins in a deal; with 2 sides of 0, ½, 1, … ones."""
TRIED, TRIES = "2 sides, the cards decide most games", (1, 2, 5, 10, 20)
"""The distribution of the scores of candidates that are tried one after another, and how many."""


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of simulated tests."""

    accepted: np.ndarray
    """bool[tests]: whether H1 was accepted; else H0."""
    deals: np.ndarray
    """int64[tests]: number of deals."""


def distribution(name: str, elo: float) -> tuple[int, np.ndarray]:
    """Return the number of sides, and the probabilities of all scores at a strength.

    Args:
        name: one of DISTRIBUTIONS.
        elo: how much stronger the challenger is, in Elo points.
    """
    num_sides, given = DISTRIBUTIONS[name]
    fair = np.zeros(num_sides * units(num_sides) + 1)
    fair[:: (len(fair) - 1) // (len(given) - 1)] = given
    scores, share = np.linspace(0, 1, len(fair)), share_of(elo, num_sides)
    low, high = -50.0, 50.0
    for _ in range(60):
        tilt = (low + high) / 2
        tilted = fair * np.exp(tilt * scores)
        tilted /= tilted.sum()
        low, high = (tilt, high) if tilted @ scores < share else (low, tilt)
    return num_sides, tilted


def simulate(name: str, elo: float, hypotheses: Hypotheses, tests: int, seed: int = 0) -> Outcomes:
    """Simulate tests to their ends."""
    rng = np.random.default_rng(seed)
    num_sides, chances = distribution(name, elo)
    lower, upper = hypotheses.boundaries
    outcomes = Outcomes(np.zeros(tests, bool), np.zeros(tests, np.int64))
    running, counts = np.arange(tests), np.zeros((tests, len(chances)), np.int64)
    while len(running):
        drawn = rng.choice(len(chances), (len(running), TOGETHER), p=chances)
        counts = counts[:, None] + np.eye(len(chances), dtype=np.int64)[drawn].cumsum(axis=1)
        ratio = ratios(counts, hypotheses, num_sides)
        outside = (ratio <= lower) | (ratio >= upper)
        ended, at = outside.any(axis=1), outside.argmax(axis=1)
        outcomes.deals[running] += np.where(ended, at + 1, TOGETHER)
        outcomes.accepted[running[ended]] = ratio[ended, at[ended]] >= upper
        running, counts = running[~ended], counts[~ended, -1]
    return outcomes


def series(tries: int, hypotheses: Hypotheses, tests: int) -> list[list[str]]:
    """Return how many series of equal candidates pass a gate once or more, by number of tries.

    Args:
        tries: the largest number of candidates in a series; they are as strong as the champion.
        hypotheses: those of one test, whose alpha each candidate has, or all together.
        tests: number of series.
    """
    once = np.zeros((2, tests), bool)
    rows = []
    for k in range(1, tries + 1):
        for way, alpha in enumerate((hypotheses.alpha, hypotheses.alpha / (k * (k + 1)))):
            found = simulate(TRIED, 0.0, hypotheses._replace(alpha=alpha), tests, seed=k)
            once[way] |= found.accepted
        if k in TRIES:
            rows.append([str(k), *(f"{rate:.1%}" for rate in once.mean(axis=1))])
    return rows


def main(tests: int = 1000, sprt: tuple[float, float] = (0, 10)) -> None:
    """Print the tables of docs/research/sprt-error-rates.md.

    Args:
        tests: number of simulated tests in each row, and of series.
        sprt: the two bounds in Elo points.
    """
    hypotheses = Hypotheses(*sprt)
    rows = []
    for name in DISTRIBUTIONS:
        for elo in (sprt[0], sum(sprt) / 2, sprt[1]):
            found = simulate(name, elo, hypotheses, tests)
            accepted = mean_with_interval(found.accepted.astype(float), (0.0, 1.0))
            rows.append(
                [name, f"{elo:g}", str(WinRate(*accepted, tests)), f"{found.deals.mean():,.0f}",
                 f"{np.quantile(found.deals, 0.95):,.0f}"]
            )  # fmt: skip
            print(" | ".join(rows[-1]), flush=True)
    head = ["scores of a deal", "true Elo", "H1 accepted", "mean deals", "95 % need at most"]
    print(table(head, rows))
    print(table(["candidates", "α each", "α spent"], series(TRIES[-1], hypotheses, tests)))


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main)
