"""The statistics of the sequential probability ratio test (SPRT), without games.

The test asks whether a challenger is stronger than a champion. Its unit is the deal: the challenger
plays each deal once on every side, alone against copies of the champion. docs/statistics.md
derives the formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, lcm, log
from typing import NamedTuple

import numpy as np

from gubs_agents.arena.measures import NORMAL, widened

H0, H1 = "H0", "H1"
PSEUDO_COUNT = 1e-3
"""Count of the worst and of the best score as long as no deal has it, as in Fishtest: without it,
no distribution on the scores seen so far might have the mean of a hypothesis."""
BISECTIONS = 30
"""Halvings of the interval that holds a Lagrange multiplier. The likelihood is stationary there, so
an error of 10⁻⁸ in the multiplier changes no digit of the ratio that anybody reads."""
FINE = 1000
"""The least number of parts into which a share of the stake is rounded."""
SMALLEST_ERROR, LARGEST_ELO = 1e-6, 1000.0


class Hypotheses(NamedTuple):
    """The hypotheses of a test, and the probabilities of a wrong decision.

    Elo points are logistic: with e points, the odds of the challenger against each opponent are
    10^(e / 400), as in the ratings of the arena.
    """

    elo0: float
    """H0: the challenger is at most this much stronger, in Elo points."""
    elo1: float
    """H1: the challenger is at least this much stronger, in Elo points."""
    alpha: float = 0.05
    """Probability of accepting H1 at `elo0`, in 0 … 1."""
    beta: float = 0.05
    """Probability of accepting H0 at `elo1`, in 0 … 1."""

    @property
    def boundaries(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted (Wald 1945)."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


def make_hypotheses(elo: object, alpha: float = 0.05, beta: float = 0.05) -> Hypotheses:
    """Return the hypotheses with two Elo bounds, a pair of numbers or a text such as "0,10".

    Raises:
        ValueError: for bounds that are not two increasing numbers, or probabilities of error that
            are not between 0 and 0.5.
    """
    try:
        elo0, elo1 = map(float, elo.split(",") if isinstance(elo, str) else elo)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise ValueError(f"sprt={elo!r}: write two bounds in Elo points, such as 0,10") from None
    if not -LARGEST_ELO <= elo0 < elo1 <= LARGEST_ELO:
        raise ValueError(
            f"sprt={elo0:g},{elo1:g}: the second bound must be larger than the first, and both "
            f"within ±{LARGEST_ELO:g} Elo points"
        )
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not SMALLEST_ERROR <= value < 0.5:
            raise ValueError(f"{name}={value}: must be at least {SMALLEST_ERROR:g} and below 0.5")
    return Hypotheses(elo0, elo1, alpha, beta)


def share_of(elo: float, num_sides: int) -> float:
    """Return the expected share of the win of a challenger that is `elo` points stronger, 0 … 1."""
    odds = 10 ** (elo / 400)
    return odds / (odds + num_sides - 1)


def elo_of(share: float, num_sides: int) -> float:
    """Return the Elo points of an expected share of the win; infinite for 0 and 1."""
    share = np.clip(share, 0, 1)
    with np.errstate(divide="ignore"):
        return 400 * float(np.log10(share * (num_sides - 1) / (1 - share)))


def units(num_sides: int, least: int = 1) -> int:
    """Return the number of equal parts of a win, so that every share of it is a whole number.

    Args:
        num_sides: number of sides at the table.
        least: the least number of parts, where shares may be any numbers.
    """
    parts = lcm(*range(1, num_sides + 1))
    return parts * ceil(least / parts)


def ratios(counts: np.ndarray, hypotheses: Hypotheses, num_sides: int) -> np.ndarray:
    """Return the generalised log-likelihood ratio of H1 to H0, float64[…].

    Args:
        counts: number of deals by score, [..., num_sides × parts of a share + 1].
        hypotheses: the two hypotheses.
        num_sides: number of sides at the table.
    """
    occurs = counts.reshape(-1, counts.shape[-1]).sum(axis=0) > 0
    occurs[[0, -1]] = True
    scores = np.linspace(0, 1, counts.shape[-1])[occurs]
    counts = counts[..., occurs].astype(float)
    ends = counts[..., [0, -1]]
    counts[..., [0, -1]] = np.where(ends == 0, PSEUDO_COUNT, ends)
    return _ratios(counts, scores, hypotheses, num_sides)


def ratio_of_scores(scores: np.ndarray, hypotheses: Hypotheses, num_sides: int) -> float:
    """Return the same for scores that may be any numbers, as those with luck taken out are.

    Args:
        scores: float64[deals]: shares of the win; not necessarily in 0 … 1.
        hypotheses: the two hypotheses.
        num_sides: number of sides at the table.
    """
    values = np.concatenate([scores, [0, 1]])
    counts = np.concatenate([np.ones(len(scores)), [PSEUDO_COUNT] * 2])
    order = np.argsort(values)
    values, counts = values[order], counts[order]
    return float(_ratios(counts, values, hypotheses, num_sides))


def _ratios(
    counts: np.ndarray, scores: np.ndarray, hypotheses: Hypotheses, num_sides: int
) -> np.ndarray:
    tilts = [
        log_tilt(counts, scores - share_of(elo, num_sides))
        for elo in (hypotheses.elo0, hypotheses.elo1)
    ]
    return (counts * (tilts[0] - tilts[1])).sum(axis=-1)


def accepted_by(ratio: float, hypotheses: Hypotheses) -> str | None:
    """Return H0 or H1, whichever a log-likelihood ratio accepts; None for neither."""
    lower, upper = hypotheses.boundaries
    return H1 if ratio >= upper else H0 if ratio <= lower else None


def verdict_on(accepted: str | None, hypotheses: Hypotheses, challenger: str, champion: str) -> str:
    """Return what a test has found, as a clause."""
    bounds, stronger = hypotheses, f"Elo points stronger than {champion}"
    clause = {
        H1: f"H1 is accepted: {challenger} is at least {bounds.elo1:g} {stronger}",
        H0: f"H0 is accepted: {challenger} is at most {bounds.elo0:g} {stronger}",
        None: "Undecided: no hypothesis was accepted in the largest number of deals",
    }[accepted]
    return f"{clause} (α = {bounds.alpha:g}, β = {bounds.beta:g})"


def log_tilt(counts: np.ndarray, deviations: np.ndarray) -> np.ndarray:
    """Return log(1 + θ d) of each score for the most likely distribution with a given mean.

    That distribution gives score a the probability p / (1 + θ d), where p is the relative frequency
    of the score, d its deviation from the given mean, and θ the root of Σ p d / (1 + θ d) = 0.

    Args:
        counts: [..., k], of which the first and the last are positive.
        deviations: float64[k]: the scores less the mean, increasing, with both signs.

    Returns:
        float64[..., k].
    """
    low = np.full((*counts.shape[:-1], 1), -1 / deviations[-1])
    high = np.full_like(low, -1 / deviations[0])
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        slope = (counts * deviations / (1 + middle * deviations)).sum(axis=-1, keepdims=True)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    return np.log1p((low + high) / 2 * deviations)


@dataclass(frozen=True)
class State:
    """A test after some deals."""

    hypotheses: Hypotheses
    num_sides: int
    """Number of sides at the table; 2 where the two agents play a table with one side in turn."""
    counts: np.ndarray
    """int64[num_sides × parts + 1]: number of deals by score, in `parts` of a share. For wins of
    two sides these are the five counts of the pentanomial distribution: 0, ½, 1, 1½ and 2 wins."""

    @classmethod
    def at_start(cls, hypotheses: Hypotheses, num_sides: int, parts: int) -> State:
        """Return the state before the first deal; a share has `parts` parts."""
        return cls(hypotheses, num_sides, np.zeros(num_sides * parts + 1, np.int64))

    @property
    def parts(self) -> int:
        """Number of equal parts of a share."""
        return (len(self.counts) - 1) // self.num_sides

    @property
    def deals(self) -> int:
        """Number of deals."""
        return int(self.counts.sum())

    @property
    def ratio(self) -> float:
        """The log-likelihood ratio; 0 before the first deal."""
        ratio = ratios(self.counts[None], self.hypotheses, self.num_sides)[0]
        return float(ratio) if self.deals else 0.0

    @property
    def decision(self) -> str | None:
        """H0 or H1, whichever is accepted; None as long as neither is."""
        return accepted_by(self.ratio, self.hypotheses)

    @property
    def share(self) -> tuple[float, float, float]:
        """The win rate of the challenger with its 95 % interval, 0 … 1; NaN before two deals.

        Stopping biases it away from the middle of the hypotheses.
        """
        if self.deals < 2:
            return (np.nan,) * 3
        scores = np.linspace(0, 1, len(self.counts))
        mean = float(np.average(scores, weights=self.counts))
        variance = float(self.counts @ (scores - mean) ** 2) / (self.deals - 1)
        error = NORMAL * float(np.sqrt(variance / self.deals))
        low, high = widened(mean, mean - error, mean + error, self.deals, (0.0, 1.0))
        return mean, float(low), float(high)

    @property
    def elo(self) -> tuple[float, ...]:
        """The same in Elo points."""
        return tuple(elo_of(part, self.num_sides) for part in self.share)

    def after(self, scores: np.ndarray) -> State:
        """Return the state after further deals, up to the first that decides the test.

        Args:
            scores: int64[deals], the score of the challenger in each, in order.
        """
        each = np.zeros((len(scores), len(self.counts)), np.int64)
        each[np.arange(len(scores)), scores] = 1
        counts = self.counts + each.cumsum(axis=0)
        lower, upper = self.hypotheses.boundaries
        ratio = ratios(counts, self.hypotheses, self.num_sides)
        decided = np.flatnonzero((ratio <= lower) | (ratio >= upper))
        used = decided[0] if len(decided) else len(scores) - 1
        return State(self.hypotheses, self.num_sides, counts[used] if len(counts) else self.counts)
