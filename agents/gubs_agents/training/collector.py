"""Collecting rollouts: the learner plays a number of decisions in every game."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from gubs_agents.training.rollout import Rollout
from gubs_agents.training.shown import ShownVecEnv
from gubs_env.api.seated import LEARNER

PARTS = ("environment", "opponents", "inference")
"""The parts of collecting, whose time is measured."""
PER_DECISION = ("observations", "masks", "actions", "rewards", "starts", "dones")
"""The fields of a `Rollout` that every step writes."""


class Actor(Protocol):
    """The object that chooses actions; every `Learner` is one."""

    @property
    def act(self) -> Callable[..., tuple[np.ndarray, dict[str, np.ndarray]]]:
        """The method `Learner.act`, or `RememberingLearner.act` of a learner with a memory."""


class Collector:
    """The games of a run, in which a learner collects rollouts.

    Args:
        env: environment with the games.
    """

    def __init__(self, env: ShownVecEnv) -> None:
        self.env = env
        self.starts = np.ones(env.num_envs, bool)
        self._rollouts: list[Rollout] = []

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

    def set_rules(self, rules: Any) -> None:
        """Change the rules of the games, as `SelfPlayVecEnv.set_rules` does."""
        self.starts = self.starts | self.env.venv.set_rules(rules)
        self.observations = self.env.look()

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

        The call after the next one overwrites the arrays of the rollout.

        Args:
            actor: the learner, or another object with its method `act`.
            steps: number of decisions in each game.
        """
        rollout = self._empty_rollout(steps)
        extras: dict[str, np.ndarray] = {}
        cut_off: list[np.ndarray] = []
        last_observations: list[np.ndarray] = []
        opponents: list[np.ndarray] = []
        win_shares: list[np.ndarray] = []
        for step in range(steps):
            seen, legal = self.observations, self.env.action_masks()
            chosen, extra = self._act(actor, seen, legal)
            self.observations, paid, done = self.env.play(chosen)
            row = (seen, legal, chosen, paid, self.starts, done)
            for name, part in zip(PER_DECISION, row, strict=True):
                getattr(rollout, name)[step] = part
            for name, part in extra.items():
                if step == 0:
                    extras[name] = np.empty((steps, *part.shape), part.dtype)
                extras[name][step] = part
            endings = self.env.venv.endings
            opponents.append(endings.opponents[done])
            win_shares.append(endings.win_shares[done])
            (cut,) = np.nonzero(done & endings.truncations)
            cut_off.append(np.stack([np.full_like(cut, step), cut], axis=1))
            last_observations.append(self.env.show_last(endings.observations[cut]))
            self.starts = done
        return rollout._replace(
            extras=extras,
            next_observations=self.observations,
            next_remembered=self.recall(),
            cut_off=np.concatenate(cut_off),
            last_observations=np.concatenate(last_observations),
            results=results_of(
                np.concatenate(opponents), np.concatenate(win_shares), self.env.venv.labels
            ),
        )

    def recall(self) -> tuple[np.ndarray, ...]:
        """Return the memories and events of a learner with a memory, else nothing."""
        return () if self.env.venv.learner is None else self.env.venv.recall()

    def _act(
        self, actor: Actor, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Ask the learner, and keep its memory."""
        if not (remembered := self.recall()):
            return actor.act(observations, masks)
        memories, events = remembered
        before = memories.copy()
        chosen, extra = actor.act(observations, masks, memories, events)
        self.env.venv.keep(memories)
        return chosen, extra | {"memories": before, "events": events}

    def _empty_rollout(self, steps: int) -> Rollout:
        """Return a rollout without results; two sets of arrays take turns."""
        self._rollouts = [kept for kept in self._rollouts if len(kept.actions) == steps]
        if len(self._rollouts) < 2:
            games, num_actions = self.env.action_masks().shape
            size = self.observations.shape[1]
            empty = Rollout(
                observations=np.empty((steps, games, size), np.int8),
                masks=np.empty((steps, games, num_actions), bool),
                actions=np.empty((steps, games), np.int64),
                extras={},
                rewards=np.empty((steps, games), np.float32),
                starts=np.empty((steps, games), bool),
                dones=np.empty((steps, games), bool),
                next_observations=self.observations,
                cut_off=np.empty((0, 2), np.int64),
                last_observations=np.empty((0, size), np.int8),
                results={},
            )
            self._rollouts.append(empty)
        else:
            self._rollouts.reverse()
        return self._rollouts[-1]


def results_of(
    opponents: np.ndarray, win_shares: np.ndarray, labels: Sequence[str]
) -> dict[str, np.ndarray]:
    """Return the results of games by opponent, as `Rollout.results`.

    Args:
        opponents: int64[games, num_players], as `Endings.opponents`.
        win_shares: float64[games].
        labels: the labels of the opponents by their numbers.
    """
    numbers = np.unique(opponents[opponents != LEARNER])
    return {labels[k]: win_shares[(opponents == k).any(1)] for k in numbers.tolist()}
