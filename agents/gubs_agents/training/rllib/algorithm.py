"""RLlib's PPO with a sampling step of its own for self-play."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from ray.rllib.algorithms.ppo import PPO
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.utils.metrics import NUM_ENV_STEPS_SAMPLED_LIFETIME

from gubs_agents.training.collector import PARTS
from gubs_agents.training.rllib.runner import Played, Pool, SelfPlayRunner

SAMPLE_TIMEOUT = 1800.0
"""Seconds that a runner may take for its part of a rollout; the first one may compile rules."""


class Step(NamedTuple):
    """The result of a training step that has learned."""

    decisions: int
    """Number of decisions that it learned from."""
    finished: list[dict[str, Any]]
    """`opponents` and `win_share` of each game that ended."""
    seconds: dict[str, float]
    """Seconds spent in each of `collector.PARTS`, on average over the runners."""
    metrics: dict[str, Any]
    """The metrics of the learner, by the names of RLlib."""


class SelfPlayPPO(PPO):
    """PPO whose runners are `SelfPlayRunner`.

    RLlib's own step asks every runner for its whole part again as long as decisions are missing. It
    also starts a runner anew, without a word, if the games raise an exception.

    Attributes:
        pool: the opponent pool for runners that are started anew.
        updates: number of updates of the run so far.
        restarts: number of runners that were started anew.
        last: the result of the last training step; None if no runner was there.
        error: the exception that stopped a runner in it, as text.
    """

    pool: Pool
    updates = 0
    restarts = 0
    last: Step | None = None
    error = ""

    def training_step(self) -> None:
        """Collect a rollout from the runners that are there, and learn from it."""
        self.last, self.error = None, ""
        played = self._collect()
        if self.error or not played:
            return
        episodes = [episode for part in played for episode in part.episodes]
        self.last = Step(
            decisions=sum(map(len, episodes)),
            finished=[info for part in played for info in part.finished],
            seconds={name: sum(p.seconds[name] for p in played) / len(played) for name in PARTS},
            metrics=self._learn(episodes),
        )

    def _collect(self) -> list[Played]:
        """Return what the runners have played; nothing if all of them are lost."""
        group, remote = self.env_runner_group, self.config.num_env_runners > 0
        games = self.config.num_envs_per_env_runner
        left, played = self.config.total_train_batch_size, []
        while left > 0:
            runners = group.num_healthy_remote_env_runners() if remote else 1
            if not runners:
                return []
            # Each plays its share of what is missing, which is more after a loss.
            steps = -(-left // (games * runners))
            parts: list[Played] = group.foreach_env_runner(
                partial(SelfPlayRunner.play, steps=steps),
                local_env_runner=not remote, timeout_seconds=SAMPLE_TIMEOUT,
            )  # fmt: skip
            self.error = next((part.error for part in parts if part.error), "")
            if self.error or not parts:
                return []
            played += parts
            left -= sum(len(episode) for part in parts for episode in part.episodes)
        return played

    def _learn(self, episodes: list[Any]) -> dict[str, Any]:
        """Update the network, send it to the runners, and return the metrics of the learner."""
        config = self.config
        results = self.learner_group.update(
            episodes=episodes,
            timesteps={NUM_ENV_STEPS_SAMPLED_LIFETIME: 0},  # schedules are ours, not RLlib's
            num_epochs=config.num_epochs,
            minibatch_size=config.minibatch_size,
            shuffle_batch_per_epoch=config.shuffle_batch_per_epoch,
        )
        self.updates += 1
        self.env_runner_group.sync_weights(
            from_worker_or_learner_group=self.learner_group, inference_only=True
        )
        return {name: stats.peek() for name, stats in results[0][DEFAULT_MODULE_ID].items()}


class SendPool(RLlibCallback):
    """Sends the opponent pool to runners that RLlib has started anew, with deals of their own."""

    def on_env_runners_recreated(
        self, *, algorithm: Any, env_runner_group: Any, env_runner_indices: list[int], **kwargs: Any
    ) -> None:
        algorithm.restarts += len(env_runner_indices)
        env_runner_group.foreach_env_runner(
            partial(begin, pool=algorithm.pool, updates=algorithm.updates,
                    restarts=algorithm.restarts),
            remote_worker_ids=env_runner_indices, local_env_runner=False,
        )  # fmt: skip


def begin(runner: SelfPlayRunner, pool: Pool, updates: int, restarts: int) -> None:
    """Let a new runner play against the current pool."""
    runner.set_pool(pool)
    runner.deal(updates, restarts)
