"""Training on a Ray cluster by RLlib's PPO."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeVar

import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.learner.learner import Learner
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.utils.schedules.scheduler import Scheduler

from gubs_agents.network import Weights
from gubs_agents.training.checks import check_learner, is_whole, need
from gubs_agents.training.engine import Arrays, Update, make_games, show_games
from gubs_agents.training.imitation import Examples
from gubs_agents.training.maskable_ppo import MaskablePPOLearner, falling
from gubs_agents.training.opponents import Opponents
from gubs_agents.training.options import Options
from gubs_agents.training.rllib.module import MaskedNetwork
from gubs_agents.training.rllib.runner import PARTS, Pool, Report, SelfPlayRunner, Spaces
from gubs_agents.training.state import part_of, under
from gubs_env.api.agents import Agent, SearchAgent
from gubs_env.cluster import connect

T = TypeVar("T")

SAMPLE_TIMEOUT = 600.0
"""Seconds that a runner may take for a rollout; the first one may compile the rules."""
PROBE_TIMEOUT = 3.0
"""Seconds that each update waits for a runner that is being started anew; the next asks again."""
PATIENCE = 180.0
"""Seconds to wait for a runner that is started anew when none is left."""
VALUE_WEIGHT, GRADIENT_CLIP = 0.5, 0.5
"""Weight of the value's loss, and the largest norm of a gradient, as in Stable-Baselines3's PPO."""
METRICS = {
    "policy_loss": "policy_loss",
    "value_loss": "vf_loss",
    "explained_variance": "vf_explained_var",
    "entropy": "entropy",
    "gradient_norm": "gradients_default_optimizer_global_norm",
}
"""Names of the metrics, each with the name that RLlib gives it."""


class SendPool(RLlibCallback):
    """Sends the opponent pool to runners that RLlib has started anew."""

    def on_env_runners_recreated(
        self, *, algorithm: Any, env_runner_group: Any, env_runner_indices: list[int], **kwargs: Any
    ) -> None:
        env_runner_group.foreach_env_runner(
            partial(begin, pool=algorithm.pool, updates=1 + algorithm.iteration),
            remote_worker_ids=env_runner_indices, local_env_runner=False,
        )  # fmt: skip


def begin(runner: SelfPlayRunner, pool: Pool, updates: int) -> None:
    """Let a new runner start with the current pool, and with other deals than the lost one."""
    runner.set_pool(pool)
    runner.deal(updates)


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
    policy = {k: v.cpu().numpy() for k, v in network_of(learner).state_dict().items()}
    moments = {
        f"{number}/{name}": tensor.cpu().numpy()
        for number, slots in learner.get_optimizer(DEFAULT_MODULE_ID).state_dict()["state"].items()
        for name, tensor in slots.items()
    }
    return under("policy", policy) | under("optimizer", moments)


def restore_learner(learner: Learner, arrays: Arrays) -> None:
    """Continue from a `state_of` a learner."""
    policy = {name: torch.from_numpy(a) for name, a in part_of("policy", arrays).items()}
    network_of(learner).load_state_dict(policy)
    optimizer = learner.get_optimizer(DEFAULT_MODULE_ID)
    state = optimizer.state_dict()
    for name, array in part_of("optimizer", arrays).items():
        number, slot = name.split("/")
        state["state"].setdefault(int(number), {})[slot] = torch.from_numpy(array)
    optimizer.load_state_dict(state)


class RLlibEngine:
    """An `Engine` on a Ray cluster: RLlib's env runners play, its PPO learner learns.

    A checkpoint holds the network, the optimiser and the opponent pool, but not the games under
    way: a resumed run starts new games. A runner that is lost is started anew on any node with a
    free core, and the others play its part meanwhile.

    Args:
        options: options of the run.

    Raises:
        ModuleNotFoundError: without the extra `ray`.
    """

    parts: tuple[str, ...] = ("learner",)

    def __init__(self, options: Options) -> None:
        connect(options.runners + options.learners)
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of its own defaults
        self.options = options
        games = make_games(options, options.games, options.seed)
        self.num_sides, self.shown = games.num_sides, show_games(games)
        self.symmetry = self.shown.symmetry
        self.snapshots: dict[str, ray.ObjectRef] = {}
        self.updates = 0
        self.algorithm = self._config().build_algo()

    def _config(self) -> PPOConfig:
        options, spaces = self.options, Spaces(self.shown)
        sizes = {"width": options.width, "layers": options.layers}
        runners, learners = max(1, options.runners), max(1, options.learners)
        return (
            PPOConfig()
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
                sample_timeout_s=SAMPLE_TIMEOUT,
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
                grad_clip=GRADIENT_CLIP,
            )
            .callbacks(SendPool)
            .fault_tolerance(
                restart_failed_env_runners=True, env_runner_health_probe_timeout_s=PROBE_TIMEOUT
            )
            .debugging(seed=options.seed)
        )

    # ----------------------------------------------------------------------------- the network

    def _learners(self, function: Callable[..., T], **arguments: Any) -> list[T]:
        """Call a function with every learner, and return what it returns.

        Raises:
            ConnectionError: for a learner whose process is lost.
        """
        results = list(self.algorithm.learner_group.foreach_learner(function, **arguments))
        if failed := [result.get() for result in results if not result.ok]:
            raise ConnectionError(f"a learner is lost: {failed[0]}")
        return [result.get() for result in results]

    def imitate(self, batches: Iterable[Examples]) -> None:
        """Fit the network in this process, as `MaskablePPOLearner` does."""
        learner = MaskablePPOLearner(self.options, self.shown)
        learner.imitate(batches)
        self.set_weights(learner.weights())

    def weights(self) -> Weights:
        return self._learners(weights_of)[0]

    def set_weights(self, weights: Weights) -> None:
        self._learners(lambda learner: network_of(learner).set_weights(weights))
        self._send_weights()

    def _send_weights(self) -> None:
        self.algorithm.env_runner_group.sync_weights(
            from_worker_or_learner_group=self.algorithm.learner_group, inference_only=True
        )

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
        updates = self.updates
        self._runners(lambda runner: runner.deal(updates))

    def set_opponents(self, opponents: Opponents, shaping: float) -> None:
        self.snapshots = {
            label: self.snapshots[label] if label in self.snapshots else ray.put(agent.layers)
            for label, agent in opponents.snapshots.items()
        }
        pool = Pool(opponents.chances(), self.snapshots, shaping)
        self.algorithm.pool = pool
        self._runners(lambda runner: runner.set_pool(pool))

    def update(self, progress: float) -> Update:
        options = self.options
        rates = {
            "learning_rate": falling(options.learning_rate, options.last_learning_rate, progress),
            "entropy": falling(options.entropy, options.last_entropy, progress),
        }
        self._learners(set_rates, **rates)
        metrics = self._train() | {"learning_rate": rates["learning_rate"]}
        self.updates += 1
        reports: list[Report] = self._runners(lambda runner: runner.pop_report())
        seconds = {
            part: sum(report.seconds[part] for report in reports) / max(1, len(reports))
            for part in PARTS
        }
        finished = [info for report in reports for info in report.finished]
        return Update(metrics, seconds, finished)

    def _train(self) -> dict[str, float]:
        """Let RLlib collect and learn once, and return the metrics of its learner.

        Raises:
            ConnectionError: when no runner is left and none comes back.
        """
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            told = self.algorithm.train().get("learners", {}).get(DEFAULT_MODULE_ID)
            if told:
                return {name: float(told[key]) for name, key in METRICS.items()}
            time.sleep(1)
        raise ConnectionError(
            f"no env runner has answered for {PATIENCE:.0f} seconds; the logs of Ray say why "
            "(/tmp/ray/session_latest/logs on their nodes)"
        )

    # ----------------------------------------------------------------------------- the state

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        numbers = {"learner": {"updates": self.updates}}
        return under("learner", self._learners(state_of)[0]), numbers

    def check(self, arrays: Arrays, numbers: Mapping[str, Any]) -> None:
        own, told = self.state()
        like = part_of("learner", own), told["learner"]
        layers = self.weights().layers
        check_learner(part_of("learner", arrays), numbers["learner"], like, layers)
        need(is_whole(updates := numbers["learner"]["updates"]), f"learner: updates={updates!r}")

    def restore(
        self, arrays: Arrays, numbers: Mapping[str, Any], agents: Mapping[str, Agent | SearchAgent]
    ) -> None:
        self._learners(restore_learner, arrays=part_of("learner", arrays))
        self._send_weights()
        self.updates = numbers["learner"]["updates"]
        self.reset()

    def close(self) -> None:
        self.algorithm.stop()
        shutil.rmtree(self.algorithm.logdir, ignore_errors=True)  # an empty folder of Ray's
