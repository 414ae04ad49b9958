"""The seeds of deals, one range for each purpose.

Deal d is the game that `env.reset(seed=d)` deals. Whatever plays deals with consecutive seeds takes
them from one of these ranges. No two overlap, so that nothing is measured on deals that it was
fitted to or chosen by, and what measures says so when it is given such deals (`warn_of_fits`).
"""

from __future__ import annotations

import numpy as np

from gubs_env.support.output import warn_once

BILLION = 10**9

TRAINING_DEALS = range(BILLION)
"""The games that models may be fitted to, such as those of data sets."""
REPORT_DEALS = range(BILLION, 2 * BILLION)
"""Tournaments, sequential tests, win rates, and the reports of training."""
SELECTION_DEALS = range(2 * BILLION, 3 * BILLION)
"""The evaluations that choose the best network of a training run."""
GATE_DEALS = range(3 * BILLION, 4 * BILLION)
"""The tests of the networks that ask to be shipped."""
HIDDEN_DEALS = range(4 * BILLION, 5 * BILLION)
"""The experiment on how much hidden cards tell about the end of a game."""
LUCK_DEALS = range(5 * BILLION, 6 * BILLION)
"""The games that the values of luck are fitted to."""
PROTOCOL_DEALS = range(1000 * BILLION, 2000 * BILLION)
"""The protocols of the benchmark."""
FRESH_DEALS = range(10_000 * BILLION, 9 * BILLION**2)
"""The numbers that are added to the seeds of a protocol's deals for fresh deals."""

FITS = (TRAINING_DEALS, SELECTION_DEALS, HIDDEN_DEALS, LUCK_DEALS)
"""The deals that something is fitted to or chosen by."""


def warn_of_fits(first: int, count: int) -> None:
    """Say once if `count` deals, which measure, overlap with those that something is fitted to."""
    last = first + count - 1
    if any(first < fits.stop and last >= fits.start for fits in FITS):
        warn_once(
            f"deals {first:,} to {last:,} overlap with those that agents are fitted to or chosen "
            f"by, and look too strong on: measure from {REPORT_DEALS.start:,} on, the default"
        )


def first_training_deal(seed: int, count: int) -> int:
    """Return the first of `count` deals that training with a seed begins with.

    Two seeds share deals with a probability of 2 × count / 10⁹.
    """
    return int(np.random.default_rng(seed).integers(TRAINING_DEALS.stop - count))
