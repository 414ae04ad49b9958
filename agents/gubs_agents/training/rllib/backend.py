"""Training on a Ray cluster by RLlib's PPO."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.learner.learner import Learner
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.utils.schedules.scheduler import Scheduler

from gubs_agents.networks.fitting import falling
from gubs_agents.networks.network import Weights
from gubs_agents.training.backend import Arrays, Update, make_games, show_games
from gubs_agents.training.fits.imitation import Examples
from gubs_agents.training.opponents import Opponents
from gubs_agents.training.options import Options
from gubs_agents.training.ppo import LARGEST_NORM, PPOLearner
from gubs_agents.training.rllib.algorithm import SelfPlayPPO, SendPool, Step
from gubs_agents.training.rllib.module import MaskedNetwork
from gubs_agents.training.rllib.runner import Pool, SelfPlayRunner, Spaces
from gubs_agents.training.state import part_of, under
from gubs_agents.training.torch_network import (
    VALUE_WEIGHT,
    network_state,
    restore_network,
)
from gubs_env.agents.registry import Agent, SearchAgent
from gubs_env.support.cluster import connect

T = TypeVar("T")

PROBE_TIMEOUT = 3.0
"""Seconds that each update waits for a runner that is being started anew; the next asks again."""
PATIENCE = 180.0
"""Seconds to wait for a runner that is started anew when none is left."""
METRICS = {
    "policy_loss": "policy_loss",
    "value_loss": "vf_loss",
    "explained_variance": "vf_explained_var",
    "entropy": "entropy",
    "gradient_norm": "gradients_default_optimizer_global_norm",
}
"""Names of the metrics, each with the name that RLlib gives it."""


def set_rates(learner: Learner, learning_rate: float, entropy: float) -> None:
    """Set the learning rate and the weight of the entropy bonus for the next update."""
    for group in learner.get_optimizer(DEFAULT_MODULE_ID).param_groups:
        group["lr"] = learning_rate
    learner.entropy_coeff_schedulers_per_module[DEFAULT_MODULE_ID] = Scheduler(entropy)


def network_of(learner: Learner) -> MaskedNetwork:
    return learner.module[DEFAULT_MODULE_ID].unwrapped()


def weights_of(learner: Learner) -> Weights:
    return network_of(learner).weights()


def state_of(learner: Learner) -> dict[str, np.ndarray]:
    """Return the network and Adam's moments, by name."""
    return network_state(network_of(learner), learner.get_optimizer(DEFAULT_MODULE_ID))


def restore_learner(learner: Learner, arrays: Arrays) -> None:
    """Continue from the `state_of` a learner."""
    restore_network(network_of(learner), learner.get_optimizer(DEFAULT_MODULE_ID), arrays)


class RLlibBackend:
    """A `Backend` on a Ray cluster: RLlib's env runners play, its PPO learner learns.

    A checkpoint holds the network, the optimiser and the opponent pool, but not the games under
    way: a resumed run starts new games. A runner that is lost is started anew on any node with a
    free core, and the others play its part meanwhile.

    Args:
        options: options of the run.

    Raises:
        ModuleNotFoundError: without the extra `ray`.
    """

    def __init__(self, options: Options) -> None:
        connect(options.runners + options.learners)
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of its own defaults
        self.options = options
        games = make_games(options, 1, options.seed)
        self.num_sides, shown = games.num_sides, show_games(games)
        self.symmetry = shown.symmetry
        self.snapshots: dict[str, ray.ObjectRef] = {}
        self.period = 0
        self.algorithm: SelfPlayPPO = self._config(Spaces(shown)).build_algo()

    def _config(self, spaces: Spaces) -> PPOConfig:
        options = self.options
        sizes = {"width": options.width, "layers": options.layers}
        runners, learners = max(1, options.runners), max(1, options.learners)
        return (
            PPOConfig(algo_class=SelfPlayPPO)
            .environment(
                "gubs_env self-play",
                observation_space=spaces.single_observation_space,
                action_space=spaces.single_action_space,
                env_config={"options": options},
            )
            .env_runners(
                env_runner_cls=SelfPlayRunner,
                num_env_runners=options.runners,
                num_envs_per_env_runner=options.games // runners,
                rollout_fragment_length=options.rollout,
            )
            .learners(
                num_learners=options.learners,
                num_gpus_per_learner=int(options.device == "cuda"),
            )
            .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedNetwork, model_config=sizes))
            .training(
                train_batch_size_per_learner=options.games * options.rollout // learners,
                minibatch_size=min(options.batch, options.games * options.rollout) // learners,
                num_epochs=options.epochs,
                lr=options.learning_rate,
                gamma=options.discount,
                lambda_=options.gae_lambda,
                clip_param=options.clip,
                entropy_coeff=options.entropy,
                vf_loss_coeff=VALUE_WEIGHT,
                vf_clip_param=float("inf"),
                use_kl_loss=False,
                grad_clip=LARGEST_NORM,
            )
            .callbacks(SendPool)
            .fault_tolerance(
                restart_failed_env_runners=True,
                env_runner_health_probe_timeout_s=PROBE_TIMEOUT,
                delay_between_env_runner_restarts_s=0,
            )
            .debugging(seed=options.seed)
        )

    # ----------------------------------------------------------------------------- the network

    def _learners(self, function: Callable[..., T], **arguments: Any) -> list[T]:
        """Call a function with every learner, and return what it returns.

        Raises:
            ConnectionError: for a learner whose process is lost.
            Exception: the exception that the function raises.
        """
        results = list(self.algorithm.learner_group.foreach_learner(function, **arguments))
        for failed in (result.get() for result in results if not result.ok):
            if isinstance(failed, ray.exceptions.RayTaskError):
                raise failed.cause
            raise ConnectionError(f"a learner is lost: {failed}")
        if len(results) < max(1, self.options.learners):
            raise ConnectionError("a learner is lost")
        return [result.get() for result in results]

    def imitate(self, batches: Iterable[Examples]) -> None:
        """Fit the network in this process, as `PPOLearner` does."""
        options = self.options
        if options.learners:  # they have the GPUs; this process may have none
            options = replace(options, device="cpu")
        learner = PPOLearner(options, show_games(make_games(options, options.games, options.seed)))
        learner.imitate(batches)
        self.set_weights(learner.weights())

    def weights(self) -> Weights:
        return self._learners(weights_of)[0]

    def kept(self) -> Weights:
        return self.weights()

    def set_weights(self, weights: Weights) -> None:
        self._learners(lambda learner: network_of(learner).set_weights(weights))
        self._send_weights()

    def _send_weights(self) -> None:
        """Let all runners play with the learner's network, and wait until they do.

        RLlib's `sync_weights` does not wait, and skips runners that are still starting.
        """
        weights = self.weights()
        self._runners(lambda runner: runner.module.set_weights(weights))

    # ----------------------------------------------------------------------------- the games

    def _runners(self, function: Callable[[SelfPlayRunner], T]) -> list[T]:
        """Call a function with every runner that plays, and return what it returns."""
        return self.algorithm.env_runner_group.foreach_env_runner(
            function, local_env_runner=self.options.runners == 0
        )

    @property
    def seated(self) -> dict[str, Any]:
        return {}

    def reset(self) -> None:
        updates, restarts = self.algorithm.updates, self.algorithm.restarts
        self._runners(lambda runner: runner.deal(updates, restarts))

    def set_opponents(self, opponents: Opponents, shaping: float) -> None:
        self.snapshots = {
            label: self.snapshots[label] if label in self.snapshots else ray.put(agent.weights)
            for label, agent in opponents.snapshots.items()
        }
        pool = Pool(opponents.chances(), self.snapshots, shaping)
        self.algorithm.pool = pool
        self._runners(lambda runner: runner.set_pool(pool))

    def set_rules(self, period: int) -> None:
        if period != self.period and self.options.variety:
            self._runners(lambda runner: runner.set_rules(period))
        self.period = period

    def update(self, progress: float) -> Update:
        options = self.options
        rates = {
            "learning_rate": falling(options.learning_rate, options.last_learning_rate, progress),
            "entropy": falling(options.entropy, options.last_entropy, progress),
        }
        self._learners(set_rates, **rates)
        step = self._train()
        metrics = {name: float(step.metrics[key]) for name, key in METRICS.items()}
        metrics["learning_rate"] = rates["learning_rate"]
        return Update(step.decisions, metrics, step.seconds, step.finished)

    def _train(self) -> Step:
        """Let RLlib collect and learn once, and wait for runners that are started anew.

        Raises:
            ValueError: for an exception in a runner.
            ConnectionError: for a lost learner, or when no runner is left and none comes back.
        """
        until = None
        while True:
            try:
                self.algorithm.train()
            except ray.exceptions.RayError as error:
                raise ConnectionError(f"a learner is lost: {error}") from error
            if self.algorithm.error:
                raise ValueError(f"an env runner failed: {self.algorithm.error}")
            if self.algorithm.last:
                return self.algorithm.last
            until = until or time.monotonic() + PATIENCE
            if time.monotonic() > until:
                raise ConnectionError(
                    f"no env runner has answered for {PATIENCE:.0f} seconds; the logs of Ray say "
                    "why (/tmp/ray/session_latest/logs on their nodes)"
                )
            time.sleep(1)

    # ----------------------------------------------------------------------------- the state

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        return under("learner", self._learners(state_of)[0]), {"learner": {}}

    def restore(
        self, arrays: Arrays, numbers: Mapping[str, Any], agents: Mapping[str, Agent | SearchAgent]
    ) -> None:
        self._learners(restore_learner, arrays=part_of("learner", arrays))
        self.algorithm.updates = numbers["run"]["update"]
        self._send_weights()
        self.reset()

    def close(self) -> None:
        self.algorithm.stop()
        shutil.rmtree(self.algorithm.logdir, ignore_errors=True)  # an empty folder of Ray's
