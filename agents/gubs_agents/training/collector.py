"""Collecting rollouts: the learner plays a number of decisions in every game."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from gubs_agents.common.symmetry import Symmetry, show
from gubs_agents.training.arrays import under
from gubs_agents.training.rollout import Rollout, rollout_of
from gubs_agents.training.supervised.decisions import joined
from gubs_env.api.sb3 import SelfPlayVecEnv
from gubs_env.api.seated import LEARNER

PARTS = ("environment", "opponents", "inference")
"""The parts of collecting, whose time is measured."""


class Collector:
    """The games of a run, in which a learner collects rollouts.

    Args:
        env: the games.
        symmetry: symmetry through which the learner sees positions; None shows them unchanged.

    Attributes:
        shown: the current positions as the learner sees them.
        starts: bool[games], whether each game is at the learner's first decision.
    """

    def __init__(self, env: SelfPlayVecEnv, symmetry: Symmetry | None) -> None:
        self.env, self.symmetry = env, symmetry
        self.starts = np.ones(env.num_envs, bool)

    def reset(self) -> None:
        """Start new games in the whole environment."""
        self.starts = np.ones(self.env.num_envs, bool)
        self._show(self.env.reset())

    def restore(self, starts: np.ndarray) -> None:
        """Continue with the current states of the environment.

        Args:
            starts: bool[games], as the attribute.
        """
        self.starts = starts
        self._show(self.env.games.observations.copy())

    def set_rules(self, rules: Any) -> None:
        """Change the rules of the games, as `SelfPlayVecEnv.set_rules` does."""
        self.restore(self.starts | self.env.set_rules(rules))

    def _show(self, observations: np.ndarray) -> None:
        self.shown = show(self.symmetry, observations, self.env.action_masks())

    def collect_timed(self, learner: Any, steps: int) -> tuple[Rollout, dict[str, float]]:
        """Collect a rollout; return also the seconds that each of PARTS took."""
        before, started = dict(self.env.seconds), time.perf_counter()
        rollout = self.collect(learner, steps)
        seconds = {part: self.env.seconds[part] - before[part] for part in before}
        inference = time.perf_counter() - started - sum(seconds.values())
        return rollout, seconds | {"inference": inference}

    def collect(self, learner: Any, steps: int) -> Rollout:
        """Take `steps` decisions of the learner in every game, and return them.

        Args:
            learner: a `Learner`, or another object with its method `act`.
            steps: number of decisions in each game.
        """
        rows: list[dict[str, np.ndarray]] = []
        endings: list[tuple[np.ndarray, ...]] = []
        for step in range(steps):
            actions, extras = self._act(learner)
            observations, rewards, dones = self.env.play(self.shown.played(actions))
            rows.append(
                under("extras", extras)
                | {"observations": self.shown.observations, "masks": self.shown.masks}
                | {"actions": actions, "rewards": rewards, "starts": self.starts, "dones": dones}
            )
            endings.append(self._endings(step, dones))
            self.starts = dones
            self._show(observations)
        opponents, win_shares, cut_off, last_observations = joined(endings)
        arrays = {name: np.stack([row[name] for row in rows]) for name in rows[0]}
        arrays |= {"cut_off": cut_off, "last_observations": last_observations}
        numbers, labels = np.unique(opponents[opponents != LEARNER]).tolist(), self.env.labels
        results = {labels[k]: win_shares[(opponents == k).any(1)].tolist() for k in numbers}
        return rollout_of(arrays, self.shown.observations, self.recall(), results)

    def _endings(self, step: int, dones: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return opponents and shares of the win in games that ended in a step; and of those that
        were cut off, the step and the game, and the last observation."""
        endings = self.env.endings
        (cut,) = np.nonzero(dones & endings.truncations)
        none_legal = np.zeros((len(cut), self.shown.masks.shape[1]), bool)
        last = show(self.symmetry, endings.observations[cut], none_legal).observations
        cut_off = np.stack([np.full_like(cut, step), cut], axis=1)
        return endings.opponents[dones], endings.win_shares[dones], cut_off, last

    def recall(self) -> tuple[np.ndarray, ...]:
        """Return the memories and events of a learner with a memory, else nothing."""
        return () if self.env.learner is None else self.env.recall()

    def _act(self, learner: Any) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Ask the learner, and keep its memory."""
        remembered = self.recall()
        before = [part.copy() for part in remembered]
        actions, extras = learner.act(self.shown.observations, self.shown.masks, *remembered)
        if remembered:
            self.env.keep(remembered[0])
            extras = extras | dict(zip(("memories", "events"), before, strict=True))
        return np.array(actions, np.int64), {name: part.copy() for name, part in extras.items()}
