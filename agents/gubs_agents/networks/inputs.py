"""The inputs of a network for a batch of positions, without those that are zero throughout."""

from __future__ import annotations

import numpy as np

from gubs_agents.networks.architecture import COMPILED, TRANSFORM
from gubs_env.engine.compiling import entry

TRANSFORMED = COMPILED[TRANSFORM]


@entry
def transform_entries(observations, entries, inputs):
    """Write some entries of the observations, transformed: float32[batch, len(entries)]."""
    for row in range(len(observations)):
        for index in range(len(entries)):
            inputs[row, index] = TRANSFORMED[observations[row, entries[index]]]


def inputs_of(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what a first layer reads of a batch, without the entries that are zero throughout.

    Args:
        observations: int8[batch, observation_size], C-contiguous, with counts from 0.

    Returns:
        float32[batch, count], the transformed entries, and int64[count], their places.
    """
    entries = np.flatnonzero(np.bitwise_or.reduce(observations, 0))
    inputs = np.empty((len(observations), len(entries)), np.float32)
    transform_entries(observations, entries, inputs)
    return inputs, entries
