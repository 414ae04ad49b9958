"""Drawing actions from probabilities with the RNGs that `Agent.act` is given."""

from __future__ import annotations

from typing import Any

import numpy as np

from gubs_env.engine.choosing import sample_all
from gubs_env.engine.rng import WORD
from gubs_env.support.checks import check_array

LARGEST = 1e30
"""The largest number in place of a probability: sums of more could overflow."""


def sample_actions(probabilities: Any, rngs: np.ndarray) -> np.ndarray:
    """Draw an action for each decision, and advance its RNG.

    With the same RNGs an agent plays the same games, however many games are played side by side.

    Args:
        probabilities: [batch, num_actions], anything that NumPy reads, such as a tensor on the CPU:
            numbers from 0 on, 0 for illegal actions, not all 0 in a row. They need not sum to 1.
        rngs: int64[batch, 4], as `Agent.act` gets them; written.

    Returns:
        int64[batch].

    Raises:
        ValueError: for arrays of another shape or type, read-only RNGs, or numbers that are not
            allowed.
    """
    weights = np.ascontiguousarray(probabilities, np.float64)
    if weights.ndim != 2:
        raise ValueError(
            f"probabilities of shape {weights.shape}: [batch, num_actions] is expected"
        )
    check_array("probabilities", weights, weights, 0, LARGEST)
    check_array("rngs", rngs, np.empty((len(weights), 4), np.int64), 0, WORD)
    if not rngs.flags.writeable:
        raise ValueError("rngs are read-only, but drawing advances them")
    if not (weights.sum(axis=1) > 0).all():
        raise ValueError(f"row {weights.sum(axis=1).argmin()} of probabilities is 0 throughout")
    actions, drawn = np.zeros(len(weights), np.int64), np.ascontiguousarray(rngs)
    sample_all(drawn, weights, actions)
    rngs[:] = drawn
    return actions
