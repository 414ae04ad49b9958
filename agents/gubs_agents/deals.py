"""The seeds of deals, one range for each purpose.

Deal d is the game that `env.reset(seed=d)` deals. Whatever plays deals with consecutive seeds takes
them from one of these ranges. No two overlap, so that nothing is measured on deals that it was
fitted to or chosen by.
"""

from __future__ import annotations

import numpy as np

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


def first_training_deal(seed: int, count: int) -> int:
    """Return the first of `count` deals that training with a seed begins with.

    Two seeds share deals with a probability of 2 × count / 10⁹.
    """
    return int(np.random.default_rng(seed).integers(TRAINING_DEALS.stop - count))
