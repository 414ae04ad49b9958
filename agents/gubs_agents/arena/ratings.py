"""What the games say: means by agent, pair and seat, ratings, and intervals for all of them.

Games of the same deal are not independent, so every interval is a bootstrap over deals (Efron,
"Bootstrap methods", 1979): deals are drawn anew with replacement, with all their games, and the
interval holds the middle 95 % of the values that follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

ELO_PER_LOG_STRENGTH = 400 / np.log(10)
BOOTSTRAP_SEED = 0


@dataclass(frozen=True)
class Games:
    """Finished games; arrays are [games, n], by seat, or where there are partners by team."""

    labels: tuple[str, ...]
    """The agents, in alphabetical order."""
    deals: np.ndarray
    """int64[games], numbers of the deals from 0."""
    seatings: np.ndarray
    """int64: the agent in each seat, as an index of `labels`."""
    payoffs: np.ndarray
    """float64, as the game pays."""
    shares: np.ndarray
    """float64, shares of the win in 0 … 1."""
    scores: np.ndarray
    """float64."""
    decisions: np.ndarray
    """int64, decisions with more than one legal action."""

    @property
    def alone(self) -> np.ndarray:
        """bool: no other seat is held by a copy of the agent in this one."""
        same = self.seatings[:, :, None] == self.seatings[:, None, :]
        return same.sum(axis=2) == 1

    @property
    def mixed(self) -> np.ndarray:
        """bool[games]: three or more different agents."""
        return self.alone.all(axis=1) & (self.seatings.shape[1] > 2)

    @property
    def margins(self) -> np.ndarray:
        """float64: the score less the best of the others'."""
        seats = range(self.scores.shape[1])
        best_other = [np.delete(self.scores, seat, axis=1).max(axis=1) for seat in seats]
        return self.scores - np.stack(best_other, axis=1)


class Interval(NamedTuple):
    """Estimates with their 95 % intervals, arrays of one shape; NaN where there are no games."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Numbers:
    """What a tournament measures, for m agents at tables of n.

    An agent is measured where it sits alone, that is without a copy of itself at the table.
    """

    rating: Interval
    """[m], in Elo points; the mean of the field is 0."""
    matrix: Interval
    """[m, m], payoff of the agent of the row, alone among agents of the column."""
    payoff: Interval
    """[m], in all games against another agent alone."""
    share: Interval
    """[m], share of the win in these games, in 0 … 1; a shared win counts by its share."""
    win: Interval
    """[m], wins not shared, in 0 … 1."""
    margin: Interval
    """[m], score less the best of the others'."""
    decisions: Interval
    """[m], decisions a game with more than one legal action."""
    seat: Interval
    """[n], payoff by seat in all games; seat 0 plays first."""
    agent_seat: Interval
    """[m, n], payoff of each agent by its seat."""
    mixed: Interval
    """[m], payoff at mixed tables; NaN where there are none."""
    presence: Interval
    """[m, m], how much more the agent of the row is paid at mixed tables where the agent of the
    column sits than where it does not; NaN unless the field is larger than the table."""


def summarise(games: Games, resamples: int = 1000) -> Numbers:
    """All numbers."""
    totals = totals_by_deal(games)
    wins = wins_by_deal(games)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    deals = len(wins)
    every_deal_once = np.ones(deals)
    drawn = [every_deal_once, *rng.multinomial(deals, np.full(deals, 1 / deals), resamples)]
    means = {name: means_of(total, np.array(drawn)) for name, total in totals.items()}
    means["presence"] = means.pop("with") - means.pop("without")
    ratings = np.array([rate(np.tensordot(weights, wins, 1)) for weights in drawn])
    return Numbers(
        rating=interval(ratings), **{name: interval(values) for name, values in means.items()}
    )


class Totals(NamedTuple):
    """By deal: [deals, …]."""

    sums: np.ndarray
    counts: np.ndarray


def means_of(totals: Totals, drawn: np.ndarray) -> np.ndarray:
    """The mean over all games of the deals drawn, each so many times: [samples, …]; else NaN."""
    sums, counts = (np.tensordot(drawn, part, 1) for part in totals)
    return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def interval(values: np.ndarray) -> Interval:
    """Of the estimate, first, and the resampled ones after it."""
    known = ~np.isnan(values[0])
    ends = np.full((2, *known.shape), np.nan)
    if known.any():
        ends[:, known] = np.nanquantile(values[1:, known], (0.025, 0.975), axis=0)
    return Interval(values[0], *ends)


def totals_by_deal(games: Games) -> dict[str, Totals]:
    """For every name of `Numbers` but the rating; the presence in two parts, with and without."""
    m, n = len(games.labels), games.seatings.shape[1]
    deal = np.broadcast_to(games.deals[:, None], games.seatings.shape)
    seat = np.broadcast_to(np.arange(n), games.seatings.shape)
    agent = games.seatings
    alone, mixed = games.alone, np.broadcast_to(games.mixed[:, None], agent.shape)
    duel = alone & ~mixed
    # In a duel all others are the same agent, that of the next seat.
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
        "seat": totals_by((deal, seat), games.payoffs, np.ones_like(alone), (n,)),
        "agent_seat": totals_by((deal, agent, seat), games.payoffs, alone, (m, n)),
        "mixed": totals_by((deal, agent), games.payoffs, mixed, (m,)),
        **presence(games),
    }


def totals_by(
    keys: tuple[np.ndarray, ...], values: np.ndarray, chosen: np.ndarray, shape: tuple[int, ...]
) -> Totals:
    """Sums of the chosen values, and how many they are, by deal and further keys."""
    index = tuple(key[chosen] for key in keys)
    size = (int(keys[0].max()) + 1, *shape)
    sums, counts = np.zeros(size), np.zeros(size)
    np.add.at(sums, index, values[chosen])
    np.add.at(counts, index, 1)
    return Totals(sums, counts)


def presence(games: Games) -> dict[str, Totals]:
    """Payoffs at mixed tables "with" a third agent and "without" it: [deals, m, m]."""
    m, n = len(games.labels), games.seatings.shape[1]
    at_table = (games.seatings[:, :, None] == np.arange(m)).any(axis=1)
    deal = np.broadcast_to(games.deals[:, None, None], (len(games.deals), n, m))
    agent = np.broadcast_to(games.seatings[:, :, None], deal.shape)
    third = np.broadcast_to(np.arange(m), deal.shape)
    values = np.broadcast_to(games.payoffs[:, :, None], deal.shape)
    mixed = games.mixed[:, None, None] & (third != agent)
    return {
        name: totals_by(
            (deal, agent, third), values, mixed & (at_table[:, None, :] == is_there), (m, m)
        )
        for name, is_there in (("with", True), ("without", False))
    }


def wins_by_deal(games: Games) -> np.ndarray:
    """How often one agent won where another sat too, float64[deals, m, m].

    Who wins beats every other seat once; a shared win counts by its share. Taken from the mixed
    tables where there are any, else from all games.
    """
    m, n = len(games.labels), games.seatings.shape[1]
    used = games.mixed if games.mixed.any() else np.ones(len(games.deals), bool)
    wins = np.zeros((int(games.deals.max()) + 1, m, m))
    for seat in range(n):
        for other in range(n):
            index = games.deals[used], games.seatings[used, seat], games.seatings[used, other]
            np.add.at(wins, index, games.shares[used, seat])
    wins[:, range(m), range(m)] = 0
    return wins


def rate(wins: np.ndarray) -> np.ndarray:
    """Elo ratings of mean 0 from wins of one over another, float64[m, m] → float64[m].

    The maximum of the Bradley–Terry likelihood (Zermelo 1929; Hunter, "MM algorithms for
    generalized Bradley–Terry models", 2004). With more than two players it estimates the strengths
    of the Plackett–Luce model from who won: where one of two agents at a table won, which of them
    it was follows Bradley–Terry with the same strengths (Azari Soufiani et al., "Generalized
    method-of-moments for rank aggregation", 2013). Computed by I-LSR (Maystre and Grossglauser,
    "Fast and accurate inference of Plackett–Luce models", 2015) for all games at once, so that
    their order is of no account. Each two agents are given half a win over each other besides, so
    that one that never lost is rated too.
    """
    import choix

    prior = 0.5 * (1 - np.eye(len(wins)))
    return ELO_PER_LOG_STRENGTH * choix.ilsr_pairwise_dense(wins + prior, max_iter=1000)
