"""A worker of a run: games against an opponent pool, and a learner that learns from them.

A run evaluates its policy, and writes checkpoints.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np

import gubs_agents
from gubs_agents.deals import first_training_deal
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.training.arrays import part_of, under
from gubs_agents.training.collector import Collector
from gubs_agents.training.distributed import gathered, own_cores, size
from gubs_agents.training.learner import (
    AveragingLearner,
    CopyingLearner,
    LearnerFactory,
    Parameters,
)
from gubs_agents.training.opponents import Opponents
from gubs_agents.training.options import Options
from gubs_agents.training.players import Policy, check_finite, policy_of, weights_of
from gubs_agents.training.rollout import Rollout, arrays_of, rollout_of
from gubs_env.agents.registry import Agent, SearchAgent, has_memory
from gubs_env.api.pool import Pool
from gubs_env.api.sb3 import SelfPlayVecEnv
from gubs_env.api.seated import LEARNER

UPDATES_A_PERIOD = 32
"""Number of updates between two draws of random rules."""


class Update(NamedTuple):
    """The result of an update."""

    decisions: int
    """Number of decisions that all workers learned from."""
    metrics: dict[str, float]
    """The learner's metrics by name, the same names at every update."""
    seconds: dict[str, float]
    """Seconds spent here in each of `collector.PARTS`, and in "learning", which may run beside
    them."""


def make_games(options: Options) -> SelfPlayVecEnv:
    """Return self-play games with the options of a run; `Worker.prepare` gives them their pool."""
    table, games, seed = options.table, options.games, options.seed
    pool = Pool({"random": gubs_agents.make("random", table, seed)})

    def lead(observations: np.ndarray) -> np.ndarray:
        return table.game.lead(observations, table.num_players)

    return SelfPlayVecEnv(
        options.tables(games, seed), games, pool, first_training_deal(seed, games),
        standing=lead if options.reward == "lead" else None, potential=lead,
    )  # fmt: skip


class Worker:
    """The games of a run and its learner, which continue exactly where a checkpoint was written.

    While a `CopyingLearner` learns in a thread of its own, the next rollout is collected with the
    network of before; with a single core, after it has learned. The outcome does not depend on
    which of the two is first.

    Args:
        options: options of the run, or the share of one of its workers.
        make_learner: builder of the learning algorithm.
        baselines: the fixed opponents by label.

    Attributes:
        env: the games.
        learner: the learner.
        collector: collects rollouts; it knows the symmetry through which the learner sees games.
        opponents: the opponent pool.
        ahead: the next rollout, if it was collected while the learner learned.

    Raises:
        RuntimeError: if PyTorch lacks the device, or memory.
    """

    def __init__(
        self,
        options: Options,
        make_learner: LearnerFactory,
        baselines: Mapping[str, Agent | SearchAgent],
    ) -> None:
        self.options = options
        self.env = make_games(options)
        self.learner = make_learner(options, self.env)
        symmetry = symmetry_of(options.table.game)
        if has_memory(self.learner):
            self.env.remember_for(self.learner)
            symmetry = None  # events name cards as they are
        self.collector = Collector(self.env, symmetry)
        self.ahead: Rollout | None = None
        self.period = 0
        self.opponents = Opponents(baselines, self._frozen(), options)

    # ------------------------------------------------------------------------------- the network

    def weights(self) -> Parameters:
        """Return a copy of the network's current weights.

        Raises:
            WeightsError: if they are not finite.
        """
        weights = self.learner.weights()
        check_finite(weights)
        return weights

    def kept(self) -> Parameters:
        """Return the weights that are evaluated and kept: `weights`, or a learner's average."""
        learner = self.learner
        return learner.kept() if isinstance(learner, AveragingLearner) else self.weights()

    def player(self, weights: Parameters, draw: bool) -> Policy:
        """Return an agent that plays with some weights, as `policy_of` does."""
        return policy_of(self.learner, weights, draw, self.collector.symmetry)

    def _frozen(self) -> Policy:
        """Return the policy as it is now, as an agent that samples its actions."""
        return self.player(self.weights(), draw=True)

    # --------------------------------------------------------------------------------- the games

    def reset(self) -> None:
        """Start new games."""
        self.collector.reset()
        self.ahead = None

    def prepare(self, update: int, shaping: float) -> None:
        """Set opponents, rules and the weight of shaping for what follows an update."""
        newest = self._frozen()
        if update % self.opponents.every == 0:
            self.opponents.add(update, newest)
        self.opponents.newest = newest
        self.env.set_pool(self.opponents.pool())
        self.env.shaping = shaping
        self._set_rules(update)

    def _set_rules(self, update: int) -> None:
        """Give the games the rules of the period of an update, as `Options.tables` draws them."""
        options, period = self.options, update // UPDATES_A_PERIOD
        if period != self.period and options.variety:
            tables = options.tables(options.games, options.seed, period)
            self.collector.set_rules([table.rules for table in tables])
        self.period = period

    def update(self, progress: float) -> Update:
        """Collect `options.rollout` decisions in every game, and learn from as many.

        Args:
            progress: fraction of the run that is done, 0 … 1, for schedules.

        Raises:
            WeightsError: if the network has numbers that are not finite.
            ValueError: for scores that are no distribution, or if an opponent fails.
            ConnectionError: when another worker is lost.
        """
        try:
            update, rollouts = self._collect_and_learn(progress)
        except ValueError:  # numbers that are no distribution, or so large that they outweigh
            self.weights()  # those by which illegal actions are masked
            raise
        for results in gathered([rollout.results for rollout in rollouts]):
            for part in results:
                self.opponents.count(part, self.env.num_sides)
        self.weights()
        return update

    def _collect_and_learn(self, progress: float) -> tuple[Update, list[Rollout]]:
        """Return the update and what was collected for this one or the next."""
        learner, rollouts = self.learner, []
        if not isinstance(learner, CopyingLearner):
            rollout, seconds = self._collect()
            metrics, seconds["learning"] = self._learn(rollout, progress)
            rollouts.append(rollout)
        else:
            if self.ahead is None:
                self.ahead, _ = self._collect()
                rollouts.append(self.ahead)
            rollout = self.ahead
            with ThreadPoolExecutor(1) as thread:
                learning = thread.submit(self._learn, rollout, progress)
                if own_cores() == 1 and self.options.device == "cpu":
                    wait([learning])  # in turn, the two do not drive each other out of the cache
                self.ahead, seconds = self._collect()
                metrics, seconds["learning"] = learning.result()
            rollouts.append(self.ahead)
            learner.refresh(self.weights())
        return Update(rollout.actions.size * size(), metrics, seconds), rollouts

    def _collect(self) -> tuple[Rollout, dict[str, float]]:
        return self.collector.collect_timed(self.learner, self.options.rollout)

    def _learn(self, rollout: Rollout, progress: float) -> tuple[dict[str, float], float]:
        """Learn from a rollout; return the metrics and the seconds."""
        started = time.perf_counter()
        metrics = self.learner.learn(rollout, progress)
        return metrics, time.perf_counter() - started

    # ------------------------------------------------------------------------------ the state

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return what `restore` needs to continue: arrays by name, and numbers of each part."""
        seated = {label: self.env.agents[label] for label in sorted(self.env.seated)}
        parts = {
            "games": self.env.state(),
            "learner": self.learner.state(),
            "opponents": self.opponents.state(seated),
        }
        arrays = {"starts": self.collector.starts}
        if self.ahead is not None:
            arrays |= under("ahead", arrays_of(self.ahead))
        for name, (part, _) in parts.items():
            arrays |= under(name, part)
        return arrays, {name: numbers for name, (_, numbers) in parts.items()}

    def restore(
        self,
        arrays: Mapping[str, np.ndarray],
        numbers: Mapping[str, Any],
        update: int,
        with_games: bool = True,
    ) -> None:
        """Continue from a `state`.

        Args:
            arrays: the arrays of the state.
            numbers: its numbers.
            update: number of updates before it.
            with_games: continue with its games; without, `prepare` and `reset` begin new ones.

        Raises:
            ValueError: for what is no state of this worker.
        """
        self._set_rules(max(0, update - 1))
        agents = self.opponents.restore(
            part_of("opponents", arrays), numbers["opponents"],
            lambda part: self.player(weights_of(self.learner, part), draw=True),
        )  # fmt: skip
        if not with_games:
            self.restore_learner(arrays)
            return
        self.env.set_pool(Pool(agents))
        self.env.restore(part_of("games", arrays), numbers["games"])
        self.collector.restore(arrays["starts"])
        if ahead := part_of("ahead", arrays):
            shown, remembered = self.collector.shown.observations, self.collector.recall()
            self.ahead = rollout_of(ahead, shown, remembered)
        self.learner.restore(part_of("learner", arrays), numbers["learner"])
        deciding = self.env.seating[np.arange(self.env.num_envs), self.env.games.actors]
        if (self.env.games.actors < 0).any() or (deciding != LEARNER).any():
            raise ValueError("games: in some of them the learner is not to decide")

    def restore_learner(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Continue from the learner of another worker's `state`, with RNGs of its own."""
        here, numbers = self.learner.state()
        rngs = under("rng", part_of("rng", here))
        self.learner.restore(part_of("learner", arrays) | rngs, numbers)
