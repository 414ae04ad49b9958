"""The value of each seat in the turn order: an agent against copies of itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gubs_agents.arena.measures import NORMAL, Measure, widened
from gubs_agents.arena.playing import played_shares
from gubs_agents.arena.ratings import Interval
from gubs_agents.deals import REPORT_DEALS, warn_of_fits
from gubs_env import find_table
from gubs_env.agents.registry import build
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.table import AnyTable, Table
from gubs_env.records.playing import Games
from gubs_env.records.running import BATCH
from gubs_env.support.checks import LARGEST, check_number


class SeatShares(NamedTuple):
    """The win rates of the sides of a table at which one agent plays every side.

    Where payoffs differ, they are mean payoffs.

    A side is a seat or, in games with partners, a team. The sides are in turn order: side 0 is that
    of the player who makes the first decision of the game. In Gubs that is always seat 0; in FUBNUB
    and Bad, Bad, Turtle the deal decides.
    """

    share: Interval
    """[sides]: win rate in 0 … 1 with its 95 % interval; a shared win counts by its share."""
    fair: float
    """The fair share, 1 / number of sides; of payoffs 0."""
    games: int
    """Number of games, each another deal."""
    nobody: float
    """Fraction of games that nobody won; the win rates sum to 1 less this. 0 of payoffs."""
    measure: Measure
    """The measure of results: wins, or payoffs."""

    @property
    def first(self) -> tuple[float, float, float]:
        """The advantage of side 0 with its interval: win rate less fair share."""
        value, low, high = (float(part[0]) - self.fair for part in self.share)
        return value, low, high


def seats(
    agent: Any,
    table: AnyTable = "gubs",
    deals: int = 10_000,
    seed: int = REPORT_DEALS.start,
) -> SeatShares:
    """Return the win rate, or payoff, of each seat in turn order when one agent plays all of them.

    Every deal is played once. The intervals are over deals, as those of `Duel`.

    Args:
        agent: a text such as "ismcts:playouts=50" (`parse_agent`), or an object with `act`,
            `search` or `choose`.
        table: the table; a game or its name stands for its usual table.
        deals: number of deals, at least 2.
        seed: deal d is that of `reset(seed=seed + d)`.

    Raises:
        TypeError: for numbers that are not whole.
        ValueError: for an unknown game or agent, a table with one side, a number that is not
            allowed, or an agent that cannot play.
    """
    table = find_table(table)
    if table.num_sides == 1:
        raise ValueError(f"{table}: all are on one side, so no side can lead")
    deals = check_number("deals", deals, 2)
    seed = check_number("seed", seed, 0, LARGEST - deals)
    warn_of_fits(seed, deals)
    label = agent if isinstance(agent, str) else type(agent).__qualname__
    agent, measure = build(agent, table, seed), Measure(table)
    parts = np.array_split(seed + np.arange(deals), -(-deals // BATCH))
    shares = np.concatenate([shares_in_turn(measure, agent, label, part) for part in parts])
    results = measure.reported(shares)
    mean, error = results.mean(axis=0), NORMAL * results.std(axis=0, ddof=1) / np.sqrt(deals)
    share = Interval(mean, *widened(mean, mean - error, mean + error, deals, measure.ends))
    if not measure.counts_wins:
        return SeatShares(share, 0.0, deals, 0.0, measure)
    return SeatShares(share, 1 / len(mean), deals, 1 - float(mean.sum()), measure)


def shares_in_turn(measure: Measure, agent: Any, label: str, deal_seeds: np.ndarray) -> np.ndarray:
    """Play deals with one agent in every seat; return the shares (`Measure`).

    Returns:
        float64[deals, sides], where side 0 is that of the player who decides first.
    """
    table = measure.table
    seatings = np.zeros((len(deal_seeds), table.num_players), np.int64)
    shares = played_shares(measure, Games(table, deal_seeds, seatings, [label]), [agent])
    first = table.sides[first_players(table, deal_seeds)]
    in_turn = (first[:, None] + np.arange(table.num_sides)) % table.num_sides
    return np.take_along_axis(shares, in_turn, axis=1)


def first_players(table: Table, deal_seeds: np.ndarray) -> np.ndarray:
    """Return the player who makes the first decision of each deal, int64[deals]."""
    games = VectorEnv(table, len(deal_seeds), seed=0, autoreset=False)
    for index, deal_seed in enumerate(deal_seeds.tolist()):
        games.deal(index, deal_seed)
    games.look()
    return games.actors.astype(np.int64)
