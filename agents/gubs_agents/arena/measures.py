"""Results as win rates, or as payoffs in a game that pays more for some wins than for others.

Each side gets a share of the win, or of the stake (`stake_share`). A fair share is 1 / number of
sides. Ratings and sequential tests read shares; reports show win rates or payoffs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gubs_env.engine.game import Game, stake_share


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


class Measure:
    """The measure of results at a table: wins, or payoffs.

    Args:
        game, num_players: the game and the number of players at the table.
        rules: the rules, or their options; None means the default rules.
        wins: count wins, whatever the game pays.

    Attributes:
        game, rules: the game, and the rules that were made.
        sides: int64[num_players], the side of each player (`Game.sides`).
        num_sides: number of sides.
        most: the most that the game pays a player.
        counts_wins: whether wins count rather than payoffs.
    """

    kinds: ClassVar[dict[bool, type[WinRate]]] = {True: WinRate, False: MeanPayoff}

    def __init__(self, game: Game, num_players: int, rules: Any, wins: bool = False) -> None:
        rules = game.make_rules(rules)
        self.game, self.rules = game, rules
        self.sides = np.asarray(game.sides(num_players, rules))
        self.num_sides = int(self.sides.max()) + 1
        self.most = game.max_payoff(num_players, rules)
        self.counts_wins = wins or game.pays_wins(num_players, rules)

    @property
    def kind(self) -> type[WinRate]:
        """The class of a result: `WinRate` or `MeanPayoff`."""
        return self.kinds[self.counts_wins]

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest result."""
        return (0.0, 1.0) if self.counts_wins else (-self.most, self.most)

    @property
    def lowest(self) -> float:
        """A number below all results."""
        return -self.most if self.counts_wins else -self.most - 1

    @cached_property
    def first(self) -> np.ndarray:
        """The first player of each side, int64[num_sides]; partners are paid alike."""
        return np.unique(self.sides, return_index=True)[1]

    def payoffs(
        self,
        payoffs: np.ndarray,
        winners: Sequence[Sequence[int]],
        forfeits: Sequence[Sequence[int]],
    ) -> np.ndarray:
        """Return the payoffs of each side, float64[games, num_sides].

        A forfeited game pays the sides that did not forfeit the most that it can, as if they had
        won it together.

        Args:
            payoffs: [games, num_players], the payoffs of the games as they were played.
            winners, forfeits: as for `win_shares`.
        """
        paid = np.asarray(payoffs, float).reshape(len(winners), -1)[:, self.first]
        lost = np.array([len(players) > 0 for players in forfeits], bool)
        shares, n = win_shares(winners, forfeits, self.sides)[lost], self.num_sides
        paid[lost] = self.most * (n * shares - 1) / max(1, n - 1)
        return paid

    def shares(
        self,
        payoffs: np.ndarray,
        winners: Sequence[Sequence[int]],
        forfeits: Sequence[Sequence[int]],
    ) -> np.ndarray:
        """Return each side's share of the win or of the stake, float64[games, num_sides].

        Args:
            payoffs, winners, forfeits: as for `payoffs`.
        """
        if self.counts_wins:
            return win_shares(winners, forfeits, self.sides)
        return stake_share(self.payoffs(payoffs, winners, forfeits), self.most, self.num_sides)

    def shares_of_gains(self, payoffs: np.ndarray) -> np.ndarray:
        """Return by how much shares grow where payoffs grow by so much."""
        n = self.num_sides
        return payoffs * (n - 1) / n if self.counts_wins else payoffs / (n * self.most)

    def told(self, shares: Any) -> Any:
        """Return shares as they are reported: as they are, or as payoffs."""
        return shares if self.counts_wins else (self.num_sides * shares - 1) * self.most

    def result(self, shares: np.ndarray) -> WinRate:
        """Return the mean of an agent's shares as it is reported.

        Args:
            shares: float64[deals, games]; the deals are independent.
        """
        return self.summary(self.told(shares))

    def summary(self, results: np.ndarray) -> WinRate:
        """Return the mean of results as they are reported, float64[deals, games]."""
        rate, low, high = mean_with_interval(results.mean(axis=1))
        least, most = self.ends
        return self.kind(rate, max(least, low), min(most, high), results.size)

    def cell(self, shares: Sequence[float]) -> str:
        """Return a share and the ends of its interval as they are reported, for a table."""
        value, low, high = (self.write(self.told(share)) for share in shares)
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
        return fair_share(num_sides) if self.counts_wins else "fair payoff 0"


def fair_share(num_sides: int) -> str:
    """Return what a win rate is compared with: the share of the wins of equally strong sides."""
    return f"fair share {f'{100 / num_sides:.1f}'.removesuffix('.0')} %"


def win_shares(
    winners: Sequence[Sequence[int]], forfeits: Sequence[Sequence[int]], sides: np.ndarray
) -> np.ndarray:
    """Return each side's share of the win, float64[games, num_sides]; all zero if nobody won.

    A side that forfeits loses: the sides that did not forfeit share the win, whoever won the game
    that was played to its end.

    Args:
        winners: the players that won, for each game.
        forfeits: the players that forfeited, for each game.
        sides: int64[num_players]: the side of each player, as `Game.sides` returns it.
    """
    shares = np.zeros((len(winners), sides.max() + 1))
    for row, won, lost in zip(shares, winners, forfeits, strict=True):
        winning = np.unique(sides[list(won)])
        if len(lost):
            winning = np.setdiff1d(sides, sides[list(lost)])
        row[winning] = 1 / max(1, len(winning))
    return shares


def mean_with_interval(values: np.ndarray) -> tuple[float, float, float]:
    """Return the mean of independent values with its 95 % interval, by normal approximation."""
    mean, error = float(values.mean()), 1.96 * float(values.std(ddof=1) / np.sqrt(len(values)))
    return mean, mean - error, mean + error
