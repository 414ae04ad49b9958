"""Results as win rates, or as payoffs in a game that pays more for some wins than for others.

Each side gets a share of the win, or of the stake (`stake_share`). A fair share is 1 / number of
sides. Ratings and sequential tests read shares; reports show win rates or payoffs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.outcome import stake_share, win_shares
from gubs_env.engine.table import Table

NORMAL = 1.96
"""Standard errors from a mean to the ends of its 95 % interval, by normal approximation."""
TAIL = 0.025
"""Probability that the truth lies beyond one end of a 95 % interval."""
Ends = tuple[float, float]
"""The least and the largest number that a mean can be."""


class WinRate(NamedTuple):
    """A win rate with its 95 % interval, all in 0 … 1; a shared win counts by its share."""

    rate: float
    """The win rate."""
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""
    games: int
    """Number of games played."""

    @staticmethod
    def write(value: float) -> str:
        """Return a win rate as text."""
        return f"{value:.1%}"

    def __str__(self) -> str:
        return f"{self.write(self.rate)} ({self.write(self.low)} – {self.write(self.high)})"


class MeanPayoff(WinRate):
    """A mean payoff with its 95 % interval, in place of a win rate.

    `rate` is the mean payoff of a game.
    """

    @staticmethod
    def write(value: float) -> str:
        """Return a payoff as text, with its sign."""
        return (f"{value:+.3f}" if round(value, 3) else "0.000").replace("-", "−")


class Outcomes(NamedTuple):
    """How games of one table ended."""

    payoffs: np.ndarray
    """float[games, num_players]: the payoffs of the games as they were played."""
    winners: Sequence[Sequence[int]]
    """The players that won, for each game."""
    forfeits: Sequence[Sequence[int]]
    """The players that forfeited, for each game."""

    def win_shares(self, sides: np.ndarray) -> np.ndarray:
        """Return each side's share of the win, float64[games, num_sides]; all zero if nobody won.

        A side that forfeits loses: the sides that did not forfeit share the win, whoever won the
        game that was played to its end.

        Args:
            sides: int64[num_players], the side of each player (`Table.sides`).
        """
        won = np.zeros((len(self.winners), len(sides)), bool)
        for row, winners, lost in zip(won, self.winners, self.forfeits, strict=True):
            row[list(winners)] = True
            if len(lost):
                row[:] = ~np.isin(sides, sides[list(lost)])
        return win_shares(won, sides)


@dataclass(frozen=True)
class Measure:
    """The measure of results at a table: wins, or payoffs."""

    table: Table
    """The table."""
    only_wins: bool = False
    """Whether wins count whatever the game pays."""

    @cached_property
    def counts_wins(self) -> bool:
        """Whether wins count rather than payoffs."""
        return self.only_wins or self.table.pays_wins

    @property
    def kind(self) -> type[WinRate]:
        """The class of a result: `WinRate` or `MeanPayoff`."""
        return WinRate if self.counts_wins else MeanPayoff

    @property
    def ends(self) -> Ends:
        """The least and the largest result."""
        most = self.table.max_payoff
        return (0.0, 1.0) if self.counts_wins else (-most, most)

    @property
    def payoff_ends(self) -> Ends:
        """The least and the largest payoff."""
        least = -1 / max(1, self.table.num_sides - 1) if self.counts_wins else -1
        return least * self.table.max_payoff, self.table.max_payoff

    @cached_property
    def first(self) -> np.ndarray:
        """The first player of each side, int64[num_sides]; partners are paid alike."""
        return np.unique(self.table.sides, return_index=True)[1]

    def payoffs(self, outcomes: Outcomes) -> np.ndarray:
        """Return the payoffs of each side, float64[games, num_sides].

        A forfeited game pays the sides that did not forfeit the most that it can, as if they had
        won it together.
        """
        paid = np.asarray(outcomes.payoffs, float)[:, self.first]
        lost = np.array([len(players) > 0 for players in outcomes.forfeits], bool)
        shares, n = outcomes.win_shares(self.table.sides)[lost], self.table.num_sides
        paid[lost] = self.table.max_payoff * (n * shares - 1) / max(1, n - 1)
        return paid

    def shares(self, outcomes: Outcomes) -> np.ndarray:
        """Return each side's share of the win or of the stake, float64[games, num_sides]."""
        if self.counts_wins:
            return outcomes.win_shares(self.table.sides)
        most, num_sides = self.table.max_payoff, self.table.num_sides
        shares: np.ndarray = stake_share(self.payoffs(outcomes), most, num_sides)
        return shares

    def shares_of_gains(self, payoffs: np.ndarray) -> np.ndarray:
        """Return by how much shares grow where payoffs grow by so much."""
        n = self.table.num_sides
        return payoffs * (n - 1) / n if self.counts_wins else payoffs / (n * self.table.max_payoff)

    def reported(self, shares: Any) -> Any:
        """Return shares as they are reported: as they are, or as payoffs."""
        if self.counts_wins:
            return shares
        return (self.table.num_sides * shares - 1) * self.table.max_payoff

    def summary(self, results: np.ndarray) -> WinRate:
        """Return the mean of results as they are reported.

        Args:
            results: float64[deals, games]; the deals are independent.
        """
        return self.kind(*mean_with_interval(results.mean(axis=1), self.ends), results.size)

    def cell(self, shares: Sequence[float]) -> str:
        """Return a share and the ends of its interval as they are reported, for a table."""
        value, low, high = (self.write(self.reported(share)) for share in shares)
        return f"{value} ({low} … {high})"

    def sentence(self, shares: Sequence[float], num_sides: int) -> str:
        """Return a share and the ends of its interval beside what is fair, in words.

        Args:
            shares: the share and the ends of its interval.
            num_sides: number of sides, or of games of a deal at a table with one side.
        """
        fair = f"fair share {1 / num_sides:.1%}" if self.counts_wins else self.fair(num_sides)
        return f"{self.name.capitalize()} {self.cell(shares)}, {fair}"

    @property
    def name(self) -> str:
        """The name of a result: win rate, or payoff."""
        return "win rate" if self.counts_wins else "payoff"

    def write(self, value: float) -> str:
        """Return a win rate or a payoff as text."""
        return self.kind.write(value)

    def fair(self, num_sides: int) -> str:
        """Return what equally strong sides get, in words; `num_sides` is as for `sentence`."""
        if self.counts_wins:
            return fair_share(num_sides)
        return "fair payoff 0" if self.has_fair_payoff else "payoffs do not sum to 0"

    @property
    def has_fair_payoff(self) -> bool:
        """Whether equally strong agents are paid 0: others' payoffs may sum to anything."""
        return self.counts_wins or self.table.is_zero_sum


def fair_share(num_sides: int) -> str:
    """Return what a win rate is compared with: the share of the wins of equally strong sides."""
    return f"fair share {f'{100 / num_sides:.1f}'.removesuffix('.0')} %"


def mean_with_error(values: np.ndarray) -> tuple[float, float]:
    """Return the mean of independent values, and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def mean_with_interval(values: np.ndarray, ends: Ends) -> tuple[float, float, float]:
    """Return the mean of deals with its 95 % interval, by normal approximation and `widened`.

    Args:
        values: float64[deals]: the results of the deals.
        ends: the least and the largest mean.
    """
    mean, error = mean_with_error(values)
    low, high = widened(mean, mean - NORMAL * error, mean + NORMAL * error, len(values), ends)
    return mean, float(low), float(high)


def widened(value: Any, low: Any, high: Any, deals: Any, ends: Ends) -> tuple[Any, Any]:
    """Return the ends of a 95 % interval that allows for what no deal has shown.

    Where all of n deals are won, up to 1 − 0.025^(1 / n) of all deals may be lost: the exact bound
    of Clopper and Pearson ("The use of confidence or fiducial limits", 1934). An interval by the
    spread of the deals seen counts none of them, and is certain of too much if they are few or
    alike. At each end this error is added to that of the deals seen, as independent errors add: by
    their squares. With many deals it vanishes beside the other (docs/statistics.md).

    Args:
        value: estimates of means over deals.
        low: the lower ends by the spread of the deals seen.
        high: the upper ends.
        deals: number of deals.
        ends: the least and the largest mean; the interval does not go beyond them.
    """
    least, most = ends
    unseen = 1 - TAIL ** (1 / np.maximum(1, deals))
    below = np.hypot(value - low, unseen * (value - least))
    above = np.hypot(high - value, unseen * (most - value))
    return np.maximum(least, value - below), np.minimum(most, value + above)
