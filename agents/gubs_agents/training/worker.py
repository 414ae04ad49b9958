"""A worker of a run: games, and a learner that learns from them.

A run keeps the opponent pool, evaluates, and writes checkpoints.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

import gubs_agents
from gubs_agents.deals import first_training_deal
from gubs_agents.networks.network import Network
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.training.collector import Collector
from gubs_agents.training.learner import (
    AveragingLearner,
    CopyingLearner,
    LearnerFactory,
    Parameters,
)
from gubs_agents.training.opponents import NEWEST, Opponents
from gubs_agents.training.options import Options
from gubs_agents.training.players import Player, check_finite, player_of
from gubs_agents.training.rollout import Rollout, arrays_of, rollout_of
from gubs_agents.training.shown import ShownVecEnv
from gubs_agents.training.state import part_of, under
from gubs_agents.training.supervised.imitation import Examples
from gubs_env.agents.registry import Agent, SearchAgent, has_memory
from gubs_env.api.sb3 import Pool, SelfPlayVecEnv
from gubs_env.api.seated import LEARNER

Arrays = Mapping[str, np.ndarray]


class Update(NamedTuple):
    """The result of an update."""

    decisions: int
    """Number of this worker's decisions that it learned from."""
    metrics: dict[str, float]
    """The learner's metrics by name, the same names at every update."""
    seconds: dict[str, float]
    """Seconds spent in each of `collector.PARTS`, and in "learning" where it ran beside them;
    otherwise the rest is learning."""
    results: list[dict[str, np.ndarray]]
    """`Rollout.results` of what was collected."""


def make_games(options: Options, num_games: int, seed: int) -> SelfPlayVecEnv:
    """Return self-play games with the options of a run; `set_opponents` gives them their pool."""
    table = options.table

    def lead(observations: np.ndarray) -> np.ndarray:
        return table.game.lead(observations, table.num_players)

    return SelfPlayVecEnv(
        options.tables(num_games, seed), num_games,
        Pool({"random": gubs_agents.make("random", table, seed)}),
        seed=first_training_deal(seed, num_games), potential=lead,
        standing=lead if options.reward == "lead" else None,
    )  # fmt: skip


def show_games(env: SelfPlayVecEnv) -> ShownVecEnv:
    """Return games as the network sees them."""
    return ShownVecEnv(env, symmetry_of(env.games.game))


class Worker:
    """The games of a run and its learner, which continue exactly where a checkpoint was written.

    While a `CopyingLearner` learns in a thread of its own, the next rollout is collected with the
    network of before. The outcome does not depend on which of the two is faster.

    Args:
        options: options of the run, or the share of one of its workers.
        make_learner: builder of the learning algorithm.

    Attributes:
        num_sides: number of sides at the table.
        symmetry: the symmetry by which the network sees the game, or None.

    Raises:
        RuntimeError: if PyTorch lacks the device, or memory.
    """

    def __init__(self, options: Options, make_learner: LearnerFactory) -> None:
        self.options = options
        self.env = make_games(options, options.games, options.seed)
        self.num_sides = self.env.num_sides
        self.shown = show_games(self.env)
        self.learner = make_learner(options, self.shown)
        if has_memory(self.learner):
            self.env.remember_for(self.learner)
            self.shown.symmetry = None  # events name cards as they are
        self.symmetry = self.shown.symmetry
        self.collector = Collector(self.shown)
        self.ahead: Rollout | None = None
        self.period = 0
        self._weights: Parameters | None = None  # those of the learner, if they are known

    @property
    def seated(self) -> dict[str, Any]:
        """The opponents in games under way, by label, that a checkpoint must keep."""
        return {label: self.env.agents[label] for label in sorted(self.env.seated)}

    def imitate(self, batches: Iterable[Examples]) -> None:
        """Fit the network to minibatches of a teacher's decisions, before any update."""
        self._weights = None
        self.learner.imitate(batches)

    def weights(self) -> Parameters:
        """Return a copy of the network's current weights.

        Raises:
            WeightsError: if they are not finite.
        """
        if self._weights is None:
            self._weights = self.learner.weights()
            check_finite(self._weights)
        return self._weights

    def player(self, weights: Parameters, draw: bool) -> Network | Player:
        """Return an agent that plays with some weights, as `player_of` does."""
        return player_of(self.learner, weights, draw, self.symmetry)

    def kept(self) -> Parameters:
        """Return the weights that are evaluated and kept: `weights`, or a learner's average."""
        learner = self.learner
        return learner.kept() if isinstance(learner, AveragingLearner) else self.weights()

    def set_weights(self, weights: Parameters) -> None:
        """Continue from a saved network; errors as for `Learner.set_weights`."""
        self._weights = None
        self.learner.set_weights(weights)

    def reset(self) -> None:
        """Start new games."""
        self.collector.reset()
        self.ahead = None

    def set_opponents(self, opponents: Opponents, shaping: float) -> None:
        """Set the opponent pool of later games, and the weight of the shaping potential."""
        self.env.shaping = shaping
        self.env.set_pool(
            Pool(opponents.agents, opponents.chances(), NEWEST, self.options.copies_share)
        )

    def set_rules(self, period: int) -> None:
        """Give the games the rules of a period, as `Options.tables` draws them."""
        if period != self.period and self.options.variety:
            options = self.options
            tables = options.tables(options.games, options.seed, period)
            self.collector.set_rules([table.rules for table in tables])
        self.period = period

    def update(self, progress: float) -> Update:
        """Collect `options.rollout` decisions in every game, and learn from as many.

        Args:
            progress: fraction of the run that is done, 0 … 1, for schedules.

        Raises:
            ValueError: when the network gives numbers that are not finite, or an opponent fails.
            ConnectionError: when another worker is lost.
        """
        learner, self._weights = self.learner, None
        if not isinstance(learner, CopyingLearner):
            rollout, seconds = self._collect()
            metrics = learner.learn(rollout, progress)
            return Update(rollout.actions.size, metrics, seconds, [rollout.results])
        results = []
        if self.ahead is None:
            self.ahead, _ = self._collect()
            results.append(self.ahead.results)
        with ThreadPoolExecutor(1) as thread:
            learning = thread.submit(self._learn_timed, self.ahead, progress)
            following, seconds = self._collect()
            metrics, seconds["learning"] = learning.result()
        learner.refresh(self.weights())
        decisions, self.ahead = self.ahead.actions.size, following
        return Update(decisions, metrics, seconds, [*results, following.results])

    def _collect(self) -> tuple[Rollout, dict[str, float]]:
        return self.collector.collect_timed(self.learner, self.options.rollout)

    def _learn_timed(self, rollout: Rollout, progress: float) -> tuple[dict[str, float], float]:
        """Learn from a rollout; return the metrics and the seconds."""
        started = time.perf_counter()
        metrics = self.learner.learn(rollout, progress)
        return metrics, time.perf_counter() - started

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return what `restore` needs to continue: arrays by name, and numbers of each part."""
        parts = {"games": self.env.state(), "learner": self.learner.state()}
        arrays = {"starts": self.collector.starts}
        if self.ahead is not None:
            arrays |= under("ahead", arrays_of(self.ahead))
        for name, (part, _) in parts.items():
            arrays |= under(name, part)
        return arrays, {name: numbers for name, (_, numbers) in parts.items()}

    def restore(
        self, arrays: Arrays, numbers: Mapping[str, Any], agents: Mapping[str, Agent | SearchAgent]
    ) -> None:
        """Continue from a `state`.

        Args:
            arrays: the arrays of the state.
            numbers: its numbers.
            agents: all opponents by label, those too that were `seated`.

        Raises:
            ValueError: for what is no state of this worker.
        """
        self.env.set_pool(Pool(agents))
        self.env.restore(part_of("games", arrays), numbers["games"])
        self.collector.restore(arrays["starts"])
        if ahead := part_of("ahead", arrays):
            remembered = self.collector.recall()
            self.ahead = rollout_of(ahead, self.collector.observations, remembered)
        self._weights = None
        self.learner.restore(part_of("learner", arrays), numbers["learner"])
        deciding = self.env.seating[np.arange(self.env.num_envs), self.env.games.actors]
        if (self.env.games.actors < 0).any() or (deciding != LEARNER).any():
            raise ValueError("games: in some of them the learner is not to decide")

    def restore_learner(self, arrays: Arrays) -> None:
        """Continue from the learner of another worker's `state`, with RNGs of its own."""
        own, numbers = self.learner.state()
        rngs = under("rng", part_of("rng", own))
        self._weights = None
        self.learner.restore(part_of("learner", arrays) | rngs, numbers)
