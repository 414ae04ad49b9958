"""Results over training seeds: how well a method does, not one network that it made.

Networks trained with other seeds differ by more than the deals that measure them. Each interval is
therefore a bootstrap over both. Deals are drawn with replacement, the same for all methods. Seeds
are drawn with replacement too, one fewer than there are, which makes the variance of their mean
unbiased for few seeds (Rao and Wu, "Resampling inference with complex survey data", 1988). That
variance is itself uncertain: an interval is the standard deviation of the samples times a quantile
of Student's t, with the degrees of freedom of Satterthwaite ("An approximate distribution of
estimates of variance components", 1946). The interquartile mean is that of the middle half of the
seeds (Agarwal et al., "Deep reinforcement learning at the edge of the statistical precipice",
2021).

One seed tells nothing about others: its interval is over deals only, and says so. It is too short
to be compared with one over seeds, so no difference is given between the two kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.arena.measures import TAIL, Ends, Measure, WinRate, widened
from gubs_agents.arena.playing import Duel
from gubs_agents.arena.ratings import BOOTSTRAP_SEED, Interval, resampled
from gubs_agents.arena.report import cell, signed
from gubs_agents.deals import REPORT_DEALS
from gubs_env import find_table
from gubs_env.engine.table import AnyTable
from gubs_env.support import markdown


class Method(NamedTuple):
    """The results of one method over its seeds."""

    seeds: tuple[WinRate, ...]
    """The result of each seed's agent, with an interval over deals."""
    mean: Interval
    """The mean over seeds and deals, with a 95 % interval over what `over` says."""
    middle: Interval
    """The interquartile mean over seeds, with its interval."""

    @property
    def over(self) -> str:
        """The sampling units of the intervals: "seeds and deals"; with one seed "deals only"."""
        return "seeds and deals" if len(self.seeds) > 1 else "deals only"

    def __str__(self) -> str:
        estimate = cell(self.mean, write=self.seeds[0].write)
        return f"{estimate}, {len(self.seeds)} seed{'s' * (len(self.seeds) > 1)}, over {self.over}"


class OverSeeds(NamedTuple):
    """Methods against the same opponent on the same deals; `over_seeds` returns it."""

    methods: dict[str, Method]
    """The results by the name of the method."""
    differences: dict[tuple[str, str], Interval]
    """The mean of one method less that of another, by their names, with its interval: of those
    methods whose intervals are over the same (`Method.over`)."""
    measure: Measure
    """Wins, or payoffs."""

    def _head(self) -> list[str]:
        name = f"mean {self.measure.name}"
        return ["method", "seeds", name, "interquartile mean", "intervals over", "each seed"]

    def _rows(self) -> Iterator[list[str]]:
        write = self.measure.write
        for name, method in self.methods.items():
            means = (cell(part, write=write) for part in (method.mean, method.middle))
            each = ", ".join(write(one.rate) for one in method.seeds)
            yield [name, str(len(method.seeds)), *means, method.over, each]

    def _differences(self) -> Iterator[list[str]]:
        points = self.measure.counts_wins
        for (one, other), value in self.differences.items():
            gain = cell(value, write=in_points if points else self.measure.write)
            yield [f"{one} less {other}", "–", gain, "–", self.methods[one].over, "–"]

    def markdown(self) -> str:
        """Return the table of the methods and their differences in Markdown."""
        return markdown.table(self._head(), [*self._rows(), *self._differences()])

    def latex(self) -> str:
        """Return the same table as a `tabular` of LaTeX's package booktabs."""
        head, *parts = (
            "\n".join(" & ".join(map(escaped, row)) + r" \\" for row in rows)
            for rows in ([self._head()], self._rows(), self._differences())
        )
        body = "\n\\midrule\n".join([head, *filter(None, parts)])
        begin = rf"\begin{{tabular}}{{{'l' * len(self._head())}}}"
        return f"{begin}\n\\toprule\n{body}\n\\bottomrule\n\\end{{tabular}}"


def in_points(value: float) -> str:
    """Return a difference of win rates as text, with its sign."""
    return f"{signed(100 * value, 1)}%"


def escaped(text: str) -> str:
    """Return a text for LaTeX, with the characters escaped that it reads otherwise, or not."""
    return re.sub(r"[%&_#$]", r"\\\g<0>", text).replace("−", "$-$")


def over_seeds(
    methods: Mapping[str, Sequence[Any]],
    opponent: Any,
    table: AnyTable = "gubs",
    deals: int = 500,
    seed: int = REPORT_DEALS.start,
    resamples: int = 2000,
) -> OverSeeds:
    """Compare methods by agents that they made with several seeds.

    Every agent plays the same deals, alone on each side against copies of the opponent, as in
    `win_rate`. The methods are thus compared in pairs. A method with one seed has intervals over
    deals only, and differences from methods with one seed only.

    Args:
        methods: for each method its agents, one for each training seed.
        opponent: the agent on all other sides.
        table: the table; a game or its name stands for its usual table.
        deals: number of deals, at least 2.
        seed: seed of the first deal.
        resamples: number of bootstrap samples.

    Raises:
        ValueError: for no methods, a method without agents, or as for `win_rate`.
    """
    if not methods or not all(methods.values()):
        raise ValueError("methods: each must have an agent for each of its seeds, at least one")
    measure, weights = Measure(find_table(table)), resampled(deals, resamples)
    rng, results = np.random.default_rng(BOOTSTRAP_SEED), {}
    means, spreads = {}, {}
    for name, agents in methods.items():
        settings = opponent, measure.table, deals, seed, (name, "opponent")
        played = [Duel(agent, *settings).by_deal() for agent in agents]
        by_seed = weights @ np.mean(played, axis=2).T / deals
        drawn = rng.integers(len(agents), size=(resamples, max(1, len(agents) - 1)))
        chosen = np.take_along_axis(by_seed[1:], drawn, axis=1)
        means[name] = np.append(by_seed[:1].mean(1), chosen.mean(1))
        middles = np.append(_middle(by_seed[:1]), _middle(chosen))
        spreads[name] = _spread(by_seed[0])
        samples = means[name], middles
        estimates = (_interval(part, spreads[name], deals, measure.ends) for part in samples)
        results[name] = Method(tuple(map(measure.summary, played)), *estimates)
    most = measure.ends[1] - measure.ends[0]
    pairs = {
        (a, b): _interval(means[a] - means[b], spreads[a] + spreads[b], deals, (-most, most))
        for a, b in combinations(means, 2)
        if results[a].over == results[b].over
    }
    return OverSeeds(results, pairs, measure)


def _spread(means: np.ndarray) -> float:
    """Return the squared variance of a mean over seeds, by its degrees of freedom."""
    count = len(means)
    return float((means.var(ddof=1) / count) ** 2 / (count - 1)) if count > 1 else 0.0


def _interval(samples: np.ndarray, spread: float, deals: int, ends: Ends) -> Interval:
    """Return an estimate with its 95 % interval.

    Args:
        samples: float64[1 + resamples]: the estimate, then those of the bootstrap.
        spread: the sum of `_spread` over the methods in the estimate.
        deals: number of deals.
        ends: the least and the largest estimate.
    """
    from scipy.special import stdtrit

    deviation = samples[1:].std()
    freedom = deviation**4 / spread if spread else np.inf
    value, error = samples[0], stdtrit(freedom, 1 - TAIL) * deviation
    return Interval(value, *widened(value, value - error, value + error, deals, ends))


def _middle(values: np.ndarray) -> np.ndarray:
    """Return the mean of the middle half of each row, float64[rows]."""
    count = values.shape[1]
    ends = np.clip(np.arange(count + 1) / count, 0.25, 0.75)
    return np.sort(values, axis=1) @ np.diff(ends) * 2
