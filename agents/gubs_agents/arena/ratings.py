"""The statistics of a tournament: means by agent, pair and seat, ratings, and their intervals.

Games of the same deal are not independent, so every interval is a bootstrap over deals (Efron,
"Bootstrap methods", 1979): deals are drawn with replacement, each with all its games, and the
interval holds the middle 95 % of the resampled estimates, and allows for what no deal has shown
(`arena.measures.widened`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.arena.measures import TAIL, Ends, widened

ELO_PER_LOG_STRENGTH = 400 / np.log(10)
BOOTSTRAP_SEED = 0
SMALLEST_SHARE = 1e-6
"""The least share against an average agent at an end of an interval: −2,400 Elo points."""


@dataclass(frozen=True)
class FinishedGames:
    """The finished games of a tournament.

    In games with partners, "seat" means a team in this class, and n is the number of teams.
    """

    labels: tuple[str, ...]
    """Names of the agents, in alphabetical order."""
    deals: np.ndarray
    """int64[games]: numbers of the deals, from 0."""
    seatings: np.ndarray
    """int64[games, n]: the agent in each seat, as an index of `labels`."""
    payoffs: np.ndarray
    """float64[games, n]: payoffs."""
    shares: np.ndarray
    """float64[games, n]: shares of the win, or of the stake (`Measure`)."""
    scores: np.ndarray
    """float64[games, n]: scores."""
    decisions: np.ndarray
    """int64[games, n]: decisions with more than one legal action."""
    payoff_ends: Ends
    """The least and the largest payoff."""

    @property
    def alone(self) -> np.ndarray:
        """Whether each agent is the only copy of itself in the game, bool[games, n]."""
        same = self.seatings[:, :, None] == self.seatings[:, None, :]
        return same.sum(axis=2) == 1

    @property
    def mixed(self) -> np.ndarray:
        """bool[games]: whether the table is mixed: three or more seats, all agents different."""
        return self.alone.all(axis=1) & (self.seatings.shape[1] > 2)

    @property
    def margins(self) -> np.ndarray:
        """float64[games, n]: the score less the score of the best opponent."""
        seats = range(self.scores.shape[1])
        best_other = [np.delete(self.scores, seat, axis=1).max(axis=1) for seat in seats]
        return self.scores - np.stack(best_other, axis=1)


class Interval(NamedTuple):
    """Estimates with their 95 % intervals, as arrays of one shape; NaN where there are no games."""

    value: np.ndarray
    """The estimates."""
    low: np.ndarray
    """The lower ends of the intervals."""
    high: np.ndarray
    """The upper ends of the intervals."""


@dataclass(frozen=True)
class Numbers:
    """The statistics of a tournament, for m agents at tables of n seats (or teams).

    An agent is measured where it sits alone, that is without a copy of itself at the table. A
    *duel* is a game in which it sits alone against copies of one other agent.
    """

    rating: Interval
    """[m]: rating in Elo points, with mean 0 over all agents."""
    matrix: Interval
    """[m, m]: mean payoff of the row's agent in its duels against the column's agent."""
    payoff: Interval
    """[m]: mean payoff in all duels."""
    share: Interval
    """[m]: win rate in all duels, in 0 … 1; a shared win counts by its share."""
    win: Interval
    """[m]: fraction of the duels won without sharing, in 0 … 1."""
    margin: Interval
    """[m]: mean score less the score of the best opponent, in all duels."""
    decisions: Interval
    """[m]: mean number of decisions with more than one legal action in a duel."""
    seat: Interval
    """[n]: mean payoff by seat in all games. In Gubs seat 0 plays first."""
    agent_seat: Interval
    """[m, n]: mean payoff of each agent by its seat."""
    mixed: Interval
    """[m]: mean payoff at mixed tables; NaN if there are none."""
    mixed_share: Interval
    """[m]: win rate at mixed tables, in 0 … 1; NaN if there are none."""
    mixed_margin: Interval
    """[m]: mean of score less the score of the best opponent at mixed tables; NaN without them."""
    presence: Interval
    """[m, m]: mean payoff of the row's agent at mixed tables with the column's agent, less its mean
    payoff at those without it; NaN unless there are more agents than seats."""


def summarise(games: FinishedGames, resamples: int = 1000) -> Numbers:
    """Return the statistics of games, with intervals from `resamples` bootstrap samples."""
    wins, totals = wins_by_deal(games), totals_by_deal(games)
    weights = resampled(len(wins), resamples)
    both = [totals.pop(name) for name in ("with", "without")]
    ends: dict[str, Ends | None] = dict.fromkeys(("share", "win", "mixed_share"), (0.0, 1.0))
    ends |= dict.fromkeys(("margin", "mixed_margin", "decisions"))
    numbers = {
        name: interval(means_of(total, weights), total.deals, ends.get(name, games.payoff_ends))
        for name, total in totals.items()
    }
    with_, without = (means_of(total, weights) for total in both)
    most, deals = games.payoff_ends[1] - games.payoff_ends[0], [total.deals for total in both]
    presence = interval(with_ - without, np.minimum(*deals), (-most, most))
    ratings = np.array([rate(np.tensordot(sample, wins, 1)) for sample in weights])
    return Numbers(**numbers, presence=presence, rating=rating_interval(ratings, len(wins)))


def resampled(deals: int, resamples: int) -> np.ndarray:
    """Return how many times each bootstrap sample holds each deal, float64[1 + resamples, deals].

    The first row holds every deal once.
    """
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    weights = rng.multinomial(deals, np.full(deals, 1 / deals), resamples)
    return np.concatenate([np.ones((1, deals)), weights])


class Totals(NamedTuple):
    """Sums of a value over the games of each deal, and the number of values summed."""

    sums: np.ndarray
    """float64[deals, …]"""
    counts: np.ndarray
    """float64[deals, …]"""

    @property
    def deals(self) -> np.ndarray:
        """Number of deals with such values, int64[…]."""
        number: np.ndarray = (self.counts > 0).sum(axis=0)
        return number


def means_of(totals: Totals, weights: np.ndarray) -> np.ndarray:
    """Return the mean over the games of each bootstrap sample, [samples, …]; NaN without games.

    Args:
        totals: totals by deal.
        weights: [samples, deals]: how many times each sample holds each deal.
    """
    sums, counts = (np.tensordot(weights, part, 1) for part in totals)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def interval(values: np.ndarray, deals: Any, ends: Ends | None) -> Interval:
    """Return an estimate with its interval.

    Args:
        values: [1 + resamples, …]: the estimate, then the resampled estimates.
        deals: number of deals that each is from.
        ends: the least and the largest estimate (`widened`); None for numbers without bounds.
    """
    known = ~np.isnan(values[0])
    low, high = np.full((2, *known.shape), np.nan)
    if known.any():
        low[known], high[known] = np.nanquantile(values[1:, known], (TAIL, 1 - TAIL), axis=0)
    if ends:
        low, high = widened(values[0], low, high, deals, ends)
    return Interval(values[0], low, high)


def rating_interval(ratings: np.ndarray, deals: int) -> Interval:
    """Return ratings with their intervals, which are widened as expected shares of the win.

    Args:
        ratings: float64[1 + resamples, m]: the ratings, then the resampled ones.
        deals: number of deals.
    """
    expected = interval(1 / (1 + 10 ** (-ratings / 400)), deals, (0.0, 1.0))
    low, high = (np.clip(end, SMALLEST_SHARE, 1 - SMALLEST_SHARE) for end in expected[1:])
    return Interval(ratings[0], *(400 * np.log10(end / (1 - end)) for end in (low, high)))


def totals_by_deal(games: FinishedGames) -> dict[str, Totals]:
    """Return the totals for every field of `Numbers` except the rating, by name.

    `presence` comes in two parts, "with" and "without".
    """
    m, n = len(games.labels), games.seatings.shape[1]
    deal, seat, agent = games.deals[:, None], np.arange(n), games.seatings
    alone, mixed = games.alone, games.mixed[:, None]
    duel = alone & ~mixed
    # In a duel all opponents are the same agent, so the one in the next seat stands for all.
    other = np.roll(agent, -1, axis=1)

    def duels(values: np.ndarray) -> Totals:
        return totals_by((deal, agent), values, duel, (m,))

    return {
        "matrix": totals_by((deal, agent, other), games.payoffs, duel, (m, m)),
        "payoff": duels(games.payoffs),
        "share": duels(games.shares),
        "win": duels((games.shares == 1).astype(float)),
        "margin": duels(games.margins),
        "decisions": duels(games.decisions),
        "seat": totals_by((deal, seat), games.payoffs, True, (n,)),
        "agent_seat": totals_by((deal, agent, seat), games.payoffs, alone, (m, n)),
        "mixed": totals_by((deal, agent), games.payoffs, mixed, (m,)),
        "mixed_share": totals_by((deal, agent), games.shares, mixed, (m,)),
        "mixed_margin": totals_by((deal, agent), games.margins, mixed, (m,)),
        **presence(games),
    }


def totals_by(
    keys: tuple[np.ndarray, ...],
    values: np.ndarray,
    chosen: np.ndarray | bool,
    shape: tuple[int, ...],
) -> Totals:
    """Return the totals of the chosen values, grouped by deal and further keys.

    Args:
        keys: integer arrays, the deal first, that say where a value is added.
        values: the values, as [games, n].
        chosen: the values to count; all these arrays are broadcast together.
        shape: sizes of the keys after the deal.
    """
    values, chosen, *places = np.broadcast_arrays(values, chosen, *keys)
    index = tuple(place[chosen] for place in places)
    size = (int(keys[0].max()) + 1, *shape)
    sums, counts = np.zeros(size), np.zeros(size)
    np.add.at(sums, index, values[chosen])
    np.add.at(counts, index, 1)
    return Totals(sums, counts)


def presence(games: FinishedGames) -> dict[str, Totals]:
    """Return the totals of payoffs at mixed tables "with" a third agent and "without" it.

    Sums and counts are [deals, m, m]: deal, agent that is paid, third agent.
    """
    m = len(games.labels)
    deal, agent, third = games.deals[:, None, None], games.seatings[:, :, None], np.arange(m)
    keys, values = (deal, agent, third), games.payoffs[:, :, None]
    at_table = (agent == third).any(axis=1, keepdims=True)
    mixed = games.mixed[:, None, None] & (third != agent)
    return {
        "with": totals_by(keys, values, mixed & at_table, (m, m)),
        "without": totals_by(keys, values, mixed & ~at_table, (m, m)),
    }


def wins_by_deal(games: FinishedGames) -> np.ndarray:
    """Return the wins of each agent over each other agent, float64[deals, m, m].

    A winner beats every other seat once; a shared win counts by its share. For example, the winner
    of a game of four has one win over each of three opponents. Only mixed tables count if there are
    any, else all games.
    """
    m, n = len(games.labels), games.seatings.shape[1]
    used = games.mixed if games.mixed.any() else np.ones(len(games.deals), bool)
    wins = np.zeros((int(games.deals.max()) + 1, m, m))
    for seat, other in np.ndindex(n, n):
        index = games.deals[used], games.seatings[used, seat], games.seatings[used, other]
        np.add.at(wins, index, games.shares[used, seat])
    wins[:, range(m), range(m)] = 0
    return wins


def rate(wins: np.ndarray) -> np.ndarray:
    """Return Elo ratings with mean 0, float64[m], from the wins of agents over each other.

    For example, an agent that beats another in 64 % of their games is rated 100 points above it.

    The ratings maximise the Bradley–Terry likelihood (Zermelo 1929; Hunter, "MM algorithms for
    generalized Bradley–Terry models", 2004). With more than two players, they estimate the
    strengths of the Plackett–Luce model from the winners alone: if one of two agents at a table
    won, the odds between the two follow Bradley–Terry with the same strengths (Azari Soufiani et
    al., "Generalized method-of-moments for rank aggregation", 2013).

    I-LSR computes them for all games at once, so the order of the games does not matter (Maystre
    and Grossglauser, "Fast and accurate inference of Plackett–Luce models", 2015). Each agent also
    gets half a win over each other agent, so that an agent that never lost has a finite rating.

    Args:
        wins: float64[m, m]: wins of the row's agent over the column's.
    """
    import choix

    prior = 0.5 * (1 - np.eye(len(wins)))
    return ELO_PER_LOG_STRENGTH * choix.ilsr_pairwise_dense(wins + prior, max_iter=1000)
