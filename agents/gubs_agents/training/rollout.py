"""The data for one update of a learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gubs_agents.training.arrays import part_of, under


class Rollout(NamedTuple):
    """The learner's decisions between two updates, with their results."""

    observations: np.ndarray
    """int8[steps, games, observation_size]: the learner's observation at each decision."""
    masks: np.ndarray
    """bool[steps, games, num_actions]: the legal actions."""
    actions: np.ndarray
    """int64[steps, games]: the actions chosen."""
    extras: dict[str, np.ndarray]
    """[steps, games, …] by name: the further arrays that `Learner.act` returned. For a learner with
    a memory also `memories`, those before each decision, and `events`, those that were new."""
    rewards: np.ndarray
    """float32[steps, games]: rewards after each decision, up to the learner's next one."""
    starts: np.ndarray
    """bool[steps, games]: whether a decision was the first of its game."""
    dones: np.ndarray
    """bool[steps, games]: whether the game ended after the decision."""
    next_observations: np.ndarray
    """int8[games, observation_size]: the learner's observation after the last step."""
    cut_off: np.ndarray
    """int64[count, 2]: step and game of each game that a limit ended rather than its rules."""
    last_observations: np.ndarray
    """int8[count, observation_size]: the learner's last observation in those games."""
    results: dict[str, list[float]]
    """The learner's shares of the win, 0 … 1, in the games that it finished, in order; by the label
    of the opponent."""
    next_remembered: tuple[np.ndarray, ...] = ()
    """Memories and events after the last step, for a learner with a memory."""


NOT_KEPT = ("extras", "next_observations", "results", "next_remembered")
"""The fields that `arrays_of` does not keep by their names."""


def arrays_of(rollout: Rollout) -> dict[str, np.ndarray]:
    """Return a rollout as arrays by name, without its results and what comes next."""
    arrays = {name: part for name, part in rollout._asdict().items() if name not in NOT_KEPT}
    return arrays | under("extras", rollout.extras)


def rollout_of(
    arrays: Mapping[str, np.ndarray],
    next_observations: np.ndarray,
    next_remembered: tuple[np.ndarray, ...] = (),
    results: dict[str, list[float]] | None = None,
) -> Rollout:
    """Return the rollout of `arrays_of`; without results they were counted already."""
    return Rollout(
        **{name: part for name, part in arrays.items() if name in Rollout._fields},
        extras=part_of("extras", arrays),
        next_observations=next_observations,
        results=results or {},
        next_remembered=next_remembered,
    )
