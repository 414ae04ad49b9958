"""Collecting rollouts: the learner plays a number of decisions in every game."""

from __future__ import annotations

import time
from typing import Any, Protocol

import numpy as np

from gubs_agents.training.rollout import Rollout
from gubs_agents.training.shown import ShownVecEnv

PARTS = ("environment", "opponents", "inference")
"""The parts of collecting, whose time is measured."""


class Actor(Protocol):
    """The object that chooses actions; every `Learner` is one."""

    def act(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Choose an action for every game, as `Learner.act` does."""


class Collector:
    """The games of a run, in which a learner collects rollouts.

    Args:
        env: environment with the games.
    """

    def __init__(self, env: ShownVecEnv) -> None:
        self.env = env

    def reset(self) -> None:
        """Start new games in the whole environment."""
        self.observations = self.env.reset()
        self.starts = np.ones(self.env.num_envs, bool)

    def restore(self, starts: np.ndarray) -> None:
        """Continue with the current states of the environment.

        Args:
            starts: bool[games]: whether each game is at the learner's first decision.
        """
        self.observations, self.starts = self.env.look(), starts

    def collect_timed(self, actor: Actor, steps: int) -> tuple[Rollout, dict[str, float]]:
        """Collect a rollout; return also the seconds that each of PARTS took."""
        before, started = dict(self.env.venv.seconds), time.perf_counter()
        rollout = self.collect(actor, steps)
        seconds = {part: self.env.venv.seconds[part] - before[part] for part in before}
        return rollout, seconds | {
            "inference": time.perf_counter() - started - sum(seconds.values())
        }

    def collect(self, actor: Actor, steps: int) -> Rollout:
        """Take `steps` decisions of the learner in every game, and return them.

        Args:
            actor: the learner, or another object with its method `act`.
            steps: number of decisions in each game.
        """
        rows: list[tuple[np.ndarray, ...]] = []
        extras: list[dict[str, np.ndarray]] = []
        cut_off: list[tuple[int, int]] = []
        last_observations: list[np.ndarray] = []
        finished: list[dict[str, Any]] = []
        for step in range(steps):
            legal = np.stack(self.env.env_method("action_masks"))
            chosen, extra = actor.act(self.observations, legal)
            self.env.step_async(chosen)
            seen, paid, done, infos = self.env.step_wait()
            rows.append((self.observations, legal, chosen, paid, self.starts, done))
            extras.append(extra)
            finished += [info for info in infos if "episode" in info]
            for game in np.flatnonzero(done):
                if infos[game]["TimeLimit.truncated"]:
                    cut_off.append((step, int(game)))
                    last_observations.append(infos[game]["terminal_observation"])
            self.observations, self.starts = seen, done
        observations, masks, actions, rewards, starts, dones = (
            np.stack(part) for part in zip(*rows, strict=True)
        )
        return Rollout(
            observations, masks, actions,
            {name: np.stack([extra[name] for extra in extras]) for name in extras[0]},
            rewards, starts, dones, self.observations,
            np.array(cut_off, np.int64).reshape(-1, 2),
            np.array(last_observations, np.int8).reshape(-1, observations.shape[-1]),
            finished,
        )  # fmt: skip
