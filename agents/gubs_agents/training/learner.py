"""The interface between a training run and a learning algorithm.

A run collects games, evaluates, keeps snapshots and writes checkpoints. It knows the algorithm only
as a `Learner`, so that another one can take the place of MaskablePPO (`maskable_ppo`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from gubs_agents.network import Weights
from gubs_agents.training.imitation import Examples
from gubs_agents.training.options import Options
from gubs_agents.training.rollout import Rollout


class Learner(Protocol):
    """A learning algorithm and the network that it trains."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Choose an action for every game of a rollout.

        Args:
            observations: int8[games, observation_size].
            masks: bool[games, num_actions], the legal actions.

        Returns:
            The actions, int64[games], and what `learn` needs to know about them later: arrays
            [games, …] by name, the same names at every call.
        """

    def learn(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Update the network from a rollout, and return metrics by name, the same at every call.

        Args:
            rollout: games played with the actions of `act`.
            progress: share of the run that is done, 0 … 1, for schedules.
        """

    def imitate(self, batches: Iterable[Examples]) -> None:
        """Fit the network to minibatches of a teacher's decisions, before any rollout."""

    def weights(self) -> Weights:
        """Return a copy of the network as it is now."""

    def set_weights(self, weights: Weights) -> None:
        """Continue from a saved network.

        Raises:
            WeightsError: for layers of another number or size than the learner's.
        """

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return all that `restore` needs to go on exactly: arrays by name, and what JSON can hold.
        That includes any RNG it draws from."""

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        """Go on from a `state`."""


LearnerFactory = Callable[[Options, VecEnv], Learner]
"""(options, games) → a learner that has learned nothing. The games say how many of them there are
(`num_envs`) and the sizes of observations and actions."""
