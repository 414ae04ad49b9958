"""The interface between a training run and a learning algorithm.

A run collects games, evaluates, keeps snapshots and writes checkpoints. It uses the algorithm only
through the protocol `Learner`: `ppo` is the one that it uses, `maskable_ppo` another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from gubs_agents.networks.network import Weights
from gubs_agents.training.options import Options
from gubs_agents.training.rollout import Rollout
from gubs_agents.training.supervised.imitation import Examples
from gubs_env.agents.registry import Agent, MemoryAgent

Parameters = Weights | Mapping[str, np.ndarray]
"""The weights of a network: the layers of a perceptron, or a `PlayingLearner`'s arrays by name."""


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
            The actions, int64[games], and the arrays that `learn` will need about them, by name:
            [games, …], with the same names at every call.
        """

    def learn(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Update the network from a rollout, and return metrics by name, the same at every call.

        Args:
            rollout: decisions made with the actions of `act`.
            progress: fraction of the run that is done, 0 … 1, for schedules.
        """

    def imitate(self, batches: Iterable[Examples]) -> None:
        """Fit the network to minibatches of a teacher's decisions, before any rollout."""

    def weights(self) -> Parameters:
        """Return a copy of the network's current weights."""

    def set_weights(self, weights: Any) -> None:
        """Continue from a saved network, whose weights `weights` returned.

        A perceptron may read a part of the observation only: `Weights.widened` returns the same
        network with zero weights for the rest.

        Raises:
            WeightsError: if the number or the sizes of the layers differ from the learner's.
        """

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return everything that `restore` needs to continue exactly, every RNG included.

        Returns:
            Arrays by name, and values that JSON can hold by name.
        """

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        """Continue from the two parts of a `state`.

        Raises:
            ValueError: for what is no state of this learner.
        """


@runtime_checkable
class CopyingLearner(Learner, Protocol):
    """A `Learner` whose `act` plays with a copy of the network.

    So `act` and `learn` may run side by side in two threads, and neither changes what the other
    does. They draw from RNGs of their own, and `learn` leaves a core to the games.
    """

    def refresh(self, weights: Any) -> None:
        """Let `act` play with the network as `learn` left it, which `weights` returned."""


@runtime_checkable
class AveragingLearner(Learner, Protocol):
    """A `Learner` that keeps another policy than the one that it plays with."""

    def kept(self) -> Parameters:
        """Return the weights of the policy that is evaluated and kept."""


@runtime_checkable
class PlayingLearner(Learner, Protocol):
    """A `Learner` that plays its network itself, which need not be a perceptron.

    Its weights are arrays by name, such as the state of a PyTorch module.
    """

    def make_player(self, weights: Any, draw: bool) -> Agent | MemoryAgent:
        """Return an agent that plays with some weights: a snapshot, or the policy that is measured.

        Args:
            weights: what `weights` returned, now or earlier; the agent may keep them.
            draw: draw actions with the probabilities of the policy, from the RNGs that `act` of the
                agent is given (`sample_actions`). Without it, take the likeliest ones.
        """


class RememberingLearner(PlayingLearner, Protocol):
    """A `PlayingLearner` with a memory, as a `MemoryAgent` has one; so have its players.

    The run keeps its memory of each game, a row of numbers, and gives it the events that it saw
    since its last decision. `Rollout.extras` has both.
    """

    memory_size: int
    """The length of a memory, at least 1."""
    num_events: int
    """The most events that it is shown at a decision; with 0 it sees observations only."""

    def act(  # type: ignore[override]
        self, observations: np.ndarray, masks: np.ndarray, memories: np.ndarray, events: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Choose an action for every game, and write the memories anew.

        Args:
            observations: as for `Learner.act`, but cards go by their names, also where learners
                without a memory are shown ranks, because events name them so.
            masks: as for `Learner.act`.
            memories: float32[games, memory_size], all zeros at the first decision of a game.
            events: int8[games, num_events, event_size], as for `MemoryAgent.act`.
        """


LearnerFactory = Callable[[Options, VecEnv], Learner]
"""A function (options, games) → an untrained learner. The games give their number (`num_envs`) and
the sizes of observations and actions."""
