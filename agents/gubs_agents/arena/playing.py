"""Win rates and mean payoffs: agents against each other on deals of one's own choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.arena.measures import Measure, Outcomes, WinRate, mean_with_interval
from gubs_agents.deals import REPORT_DEALS, warn_of_fits
from gubs_env import find_table
from gubs_env.engine.table import AnyTable
from gubs_env.records.playing import Games, play_games

NARROW = 0.004
"""Width of an interval below which a difference has two decimals."""


def play(
    seating: Sequence[Any],
    table: AnyTable = "gubs",
    deals: int = 500,
    seed: int = REPORT_DEALS.start,
) -> np.ndarray:
    """Play games to the end with agent k in seat k; return payoffs float32[deals, num_players].

    Args:
        seating: the agents, one for each seat.
        table: the table; a game or its name stands for its usual table.
        deals: number of games.
        seed: seed of the first deal; deal d is the one of `reset(seed=seed + d)`.

    Raises:
        ValueError: for another number of agents than seats, or an answer of an agent that is not
            one legal action for each decision.
    """
    table = find_table(table)
    if len(seating) != table.num_players:
        raise ValueError(f"{len(seating)} agents: {table} takes one for each seat")
    warn_of_fits(seed, deals)
    seatings = np.tile(np.arange(len(seating)), (deals, 1))
    return play_games(Games(table, seed + np.arange(deals), seatings), seating)[0].payoffs


class Difference(NamedTuple):
    """The difference between two agents in the same seats and deals."""

    agent: WinRate
    """The result of the agent against copies of the opponent."""
    opponent: float
    """The result of the opponent in the same seats."""
    value: float
    """The result of the agent less that of the opponent."""
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the interval."""
    games: int
    """Number of games played."""

    def __str__(self) -> str:
        digits = 1 if self.high - self.low > NARROW else 2
        kind = f"+.{digits}%" if type(self.agent) is WinRate else "+.3f"
        parts = (format(part, kind) for part in (self.value, self.low, self.high))
        return "{} ({} – {})".format(*parts).replace("-", "−")


@dataclass(frozen=True)
class Duel:
    """An agent against copies of another: every deal is played once from every side.

    A side is a seat or, in games with partners, a team that one agent plays. For example,
    `Duel(heuristic, random, find_table("gubs", 4), deals=100)` has 400 games: each deal four times,
    with the heuristic in another seat each time. All intervals are over deals, because the games of
    one deal are not independent: the normal approximation, and what no deal has shown
    (`arena.measures.widened`). Every method plays the games.

    Raises:
        ValueError: if an agent is of another number of players, or fails, or gives an answer that
            is not one legal action for each decision.
    """

    agent: Any
    """The agent to measure."""
    opponent: Any
    """The agent on all other sides."""
    table: AnyTable = "gubs"
    """The table; a game or its name stands for its usual table."""
    deals: int = 500
    """Number of deals, at least 2."""
    seed: int = REPORT_DEALS.start
    """Seed of the first deal; deal d is the one of `reset(seed=seed + d)`."""
    labels: tuple[str, str] = ("agent", "opponent")
    """Names of the agent and the opponent in errors."""

    def __post_init__(self) -> None:
        warn_of_fits(self.seed, self.deals)

    def win_rate(self) -> WinRate:
        """Return the win rate of the agent, whatever the game pays."""
        measure = Measure(find_table(self.table), only_wins=True)
        return measure.summary(self._results(measure))

    def result(self) -> WinRate:
        """Return the win rate, or the mean payoff in a game that does not pay for the win only."""
        return self._measure.summary(self.by_deal())

    def by_deal(self) -> np.ndarray:
        """Return the single results whose mean is `result`, float64[deals, sides].

        The games of one deal, in which the agent plays one side after another, are not independent.
        """
        return self._results(self._measure)

    def difference(self) -> Difference:
        """Return how much more the agent wins than the opponent would in its place.

        Each deal is also played once with the opponent on all sides. Where one side wins every
        game, the difference is the win rate less the fair share. Where ghosts can win, or nobody
        else is at the table, there is no fair share, and only this comparison is left. Where
        payoffs differ, it is how much more the agent is paid.
        """
        measure, deal_seeds = self._measure, self.seed + np.arange(self.deals)
        all_theirs = np.full((self.deals, measure.table.num_players), 1)
        games = Games(measure.table, deal_seeds, all_theirs, self.labels)
        theirs = measure.reported(played_shares(measure, games, (self.agent, self.opponent)))
        ours, opponent = self.by_deal(), float(theirs.mean())
        least, most = (end - opponent for end in measure.ends)
        difference = mean_with_interval((ours - theirs).mean(axis=1), (least, most))
        return Difference(measure.summary(ours), opponent, *difference, ours.size + self.deals)

    @property
    def _measure(self) -> Measure:
        return Measure(find_table(self.table))

    def _results(self, measure: Measure) -> np.ndarray:
        deal_seeds = range(self.seed, self.seed + self.deals)
        return results_alone(measure, (self.agent, self.opponent), deal_seeds, self.labels)


def win_rate(
    agent: Any,
    opponent: Any,
    table: AnyTable = "gubs",
    deals: int = 500,
    seed: int = REPORT_DEALS.start,
) -> WinRate:
    """Return the win rate of an agent against copies of another, as `Duel.win_rate` does.

    For example, `win_rate(heuristic, random, find_table("gubs", 4), deals=100)` plays 400 games.
    Arguments and errors are those of `Duel`.
    """
    return Duel(agent, opponent, table, deals, seed).win_rate()


def results_alone(
    measure: Measure, agents: Sequence[Any], deal_seeds: range, labels: Sequence[str]
) -> np.ndarray:
    """Return the results of an agent alone on each side in turn, float64[deals, sides].

    Unlike `Duel`, it takes any deals without a word, such as those that choose an agent.

    Args:
        measure: wins or payoffs, and the table.
        agents: the agent, and the one on all other sides.
        deal_seeds: the seeds of the deals.
        labels: the names of the two in errors.
    """
    others = np.ones((len(deal_seeds), measure.table.num_players), np.int64)
    return results_among(measure, agents, deal_seeds, labels, others, measure.table.sides)


def results_among(
    measure: Measure,
    agents: Sequence[Any],
    deal_seeds: Sequence[int] | np.ndarray,
    labels: Sequence[str],
    others: np.ndarray,
    places: np.ndarray,
) -> np.ndarray:
    """Return the results of an agent in each place in turn, float64[deals, places].

    Args:
        measure, deal_seeds: as for `results_alone`.
        agents: the agent first, then all others.
        labels: the names of the agents in errors.
        others: int64[deals, num_players], the agent in each seat of a deal, where the first agent
            does not sit, as an index of `agents`.
        places: int64[num_players], the place of each player, which belongs to one side.
    """
    sides = measure.table.sides[np.unique(places, return_index=True)[1]]
    deals, place = (part.ravel() for part in np.indices((len(deal_seeds), len(sides))))
    seatings = np.where(places == place[:, None], 0, others[deals])
    games = Games(measure.table, np.array(deal_seeds)[deals], seatings, labels)
    shares = played_shares(measure, games, agents)[np.arange(len(place)), sides[place]]
    results: np.ndarray = measure.reported(shares.reshape(-1, len(sides)))
    return results


def played_shares(measure: Measure, games: Games, agents: Sequence[Any]) -> np.ndarray:
    """Play games to the end; return each side's share, float64[games, num_sides].

    Args:
        measure: wins or payoffs, at the table of the games.
        games: the games.
        agents: the agents whose indices `games.seatings` holds.
    """
    played, _ = play_games(games, agents)
    winners = [outcome.winners for outcome in played.outcomes]
    forfeits = [played.forfeits(k) for k in range(len(winners))]
    return measure.shares(Outcomes(played.payoffs, winners, forfeits))
