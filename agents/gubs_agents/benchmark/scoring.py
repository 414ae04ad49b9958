"""The results of a benchmark: win rates and scores with their intervals.

docs/benchmark_details.md derives them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gubs_agents.arena.measures import NORMAL, Measure, mean_with_error
from gubs_agents.arena.records import outcomes_of
from gubs_agents.benchmark.plan import Series
from gubs_agents.benchmark.protocol import Task
from gubs_env.records.record import Record


class Estimate(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    """The number."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""


class TaskResult(NamedTuple):
    """The results of one task."""

    task: Task
    """The task."""
    against: dict[str, Estimate]
    """The win rate against each anchor."""
    rate: Estimate
    """The mean of these win rates."""
    score: Estimate
    """The mean on the scale of the task: `random` has 0, and `heuristic` 100."""
    error: float
    """The standard error of `rate`."""
    forfeits: int
    """Number of games that the agent forfeited."""


def shares_by_deal(series: Series, games: Sequence[Record]) -> np.ndarray:
    """Return the share of the agent in each deal of a series (`Measure`), float64[deals]."""
    shares = Measure(series.task.table).shares(outcomes_of(games))
    rows = np.arange(len(shares))
    sides = rows % series.task.table.num_sides
    return shares[rows, sides].reshape(series.task.deals, -1).mean(axis=1)


def estimate(value: float, error: float, low: float, high: float) -> Estimate:
    """Return an estimate whose interval lies in a range, from its standard error."""
    ends = np.clip((value - NORMAL * error, value + NORMAL * error), low, high)
    return Estimate(float(value), float(ends[0]), float(ends[1]))


def task_result(series: Sequence[Series], records: Sequence[Record]) -> TaskResult:
    """Return the results of a task.

    Args:
        series: the series of the task.
        records: all games of the plan.
    """
    task, games = series[0].task, [records[each.first : each.stop] for each in series]
    by_anchor = [shares_by_deal(*each) for each in zip(series, games, strict=True)]
    against = {
        each.anchor.name: estimate(*mean_with_error(shares), 0, 1)
        for each, shares in zip(series, by_anchor, strict=True)
    }
    rate, error = mean_with_error(np.mean(by_anchor, axis=0))
    zero, hundred = task.scale
    per_point = (hundred - zero) / 100
    score = estimate((rate - zero) / per_point, error / per_point, -np.inf, np.inf)
    forfeits = sum(len(record.forfeits) > 0 for part in games for record in part)
    return TaskResult(task, against, estimate(rate, error, 0, 1), score, error, forfeits)


def total(results: Sequence[TaskResult]) -> Estimate:
    """Return the score over all tasks: the mean of their scores, weighted by `Task.gap`."""
    gaps = np.array([result.task.gap for result in results])
    weights = gaps / gaps.sum()
    scores = np.array([result.score.value for result in results])
    per_point = np.array([result.task.scale[1] - result.task.scale[0] for result in results]) / 100
    errors = np.array([result.error for result in results]) / per_point
    error = float(np.sqrt(np.square(weights * errors).sum()))
    return estimate(float(weights @ scores), error, -np.inf, np.inf)
