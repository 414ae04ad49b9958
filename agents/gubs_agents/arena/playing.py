"""Win rates: agents against each other on deals of one's own choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.game import Game
from gubs_env.records.playing import play_games, seat_rngs

NARROW = 0.004
"""Width of an interval below which a difference has two decimals."""


def play(
    game: Game, seating: Sequence[Any], deals: int, seed: int = 0, rules: Any = None
) -> np.ndarray:
    """Play games to the end with agent k in seat k; return payoffs float32[deals, num_players].

    Args:
        game: the game to play.
        seating: the agents, one for each seat.
        deals: number of games.
        seed: seed of the first deal; deal d is the one of `reset(seed=seed + d)`.
        rules: options of the rules; None means the default rules.

    Raises:
        ValueError: if an agent's answer is not one legal action for each decision.
    """
    deal_seeds = seed + np.arange(deals)
    seatings = np.tile(np.arange(len(seating)), (deals, 1))
    rngs = seat_rngs(deal_seeds, seatings, range(len(seating)))
    return play_games(game, seating, deal_seeds, seatings, rngs, rules)[0].payoffs


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

    def __str__(self) -> str:
        return f"{self.rate:.1%} ({self.low:.1%} – {self.high:.1%})"


def win_rate(
    game: Game,
    agent: Any,
    opponent: Any,
    num_players: int = 2,
    deals: int = 500,
    seed: int = 0,
    rules: Any = None,
    labels: tuple[str, str] = ("agent", "opponent"),
) -> WinRate:
    """Return the win rate of `agent` against a table of `opponent`, each deal from every side.

    A side is a seat or, in games with partners, a team that one agent plays. For example,
    `win_rate(GAME, heuristic, random, 4, deals=100)` plays 400 games of Gubs: each deal four
    times, with the heuristic in another seat each time. The interval is the normal approximation
    over deals, because the games of one deal are not independent.

    Args:
        game: the game to play.
        agent: the agent to measure.
        opponent: the agent on all other sides.
        num_players: number of players at the table.
        deals: number of deals, at least 2.
        seed: seed of the first deal.
        rules: options of the rules; None means the default rules.
        labels: names of the agent and the opponent in errors.

    Raises:
        ValueError: as for `play_games`.
    """
    shares = shares_alone(game, (agent, opponent), num_players, deals, seed, rules, labels)
    return rate_of(shares)


class Difference(NamedTuple):
    """How much more one agent wins than another in the same seats and deals, in −1 … 1."""

    agent: WinRate
    """What the agent wins against copies of the opponent."""
    opponent: float
    """What the opponent wins in its place, 0 … 1."""
    value: float
    """The win rate of the agent less that of the opponent."""
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the interval."""
    games: int
    """Number of games played."""

    def __str__(self) -> str:
        digits = 1 if self.high - self.low > NARROW else 2
        parts = (f"{part:+.{digits}%}" for part in (self.value, self.low, self.high))
        return "{} ({} – {})".format(*parts).replace("-", "−")


def difference(
    game: Game,
    agent: Any,
    opponent: Any,
    num_players: int = 2,
    deals: int = 500,
    seed: int = 0,
    rules: Any = None,
    labels: tuple[str, str] = ("agent", "opponent"),
) -> Difference:
    """Return how much more `agent` wins than `opponent` would in its place.

    Each deal is played with the agent alone on every side, and once with the opponent on all sides.
    Where one side wins every game, this is the win rate less the fair share. Where ghosts can win,
    or nobody else is at the table, there is no fair share, and only this comparison is left. The
    interval is the normal approximation over deals.

    Args:
        game: the game.
        agent: as for `win_rate`.
        opponent: as for `win_rate`.
        num_players: number of players.
        deals: number of deals.
        seed: seed of the first deal.
        rules: options of the rules; None means the default rules.
        labels: names of the two agents in errors.

    Raises:
        ValueError: as for `play_games`.
    """
    table = (num_players, deals, seed, rules)
    own = shares_alone(game, (agent, opponent), *table, labels)
    deal_seeds, all_theirs = seed + np.arange(deals), np.full((deals, num_players), 1)
    theirs = played_shares(game, (agent, opponent), deal_seeds, all_theirs, rules, labels)
    value, low, high = mean_with_interval((own - theirs).mean(axis=1))
    games = own.size + deals
    return Difference(rate_of(own), float(theirs.mean()), value, low, high, games)


def rate_of(shares: np.ndarray) -> WinRate:
    """Return the win rate of an agent from its shares, float64[deals, num_sides]."""
    rate, low, high = mean_with_interval(shares.mean(axis=1))
    return WinRate(rate, max(0.0, low), min(1.0, high), shares.size)


def shares_alone(
    game: Game,
    agents: tuple[Any, Any],
    num_players: int,
    deals: int,
    seed: int,
    rules: Any,
    labels: tuple[str, str],
) -> np.ndarray:
    """Play every deal once with the first agent alone on each side, against copies of the second.

    Returns:
        float64[deals, num_sides]: the share of the win of the first agent on that side.
    """
    sides = game.sides(num_players, game.rules() if rules is None else rules)
    num_sides = sides.max() + 1
    deal_seeds = np.repeat(seed + np.arange(deals), num_sides)
    own_sides = np.tile(np.arange(num_sides), deals)
    seatings = np.where(sides == own_sides[:, None], 0, 1)
    shares = played_shares(game, agents, deal_seeds, seatings, rules, labels)
    return shares[np.arange(len(shares)), own_sides].reshape(deals, num_sides)


def played_shares(
    game: Game,
    agents: Sequence[Any],
    deal_seeds: np.ndarray,
    seatings: np.ndarray,
    rules: Any,
    labels: Sequence[str],
) -> np.ndarray:
    """Play games to the end; return each side's share of the win, float64[games, num_sides].

    Args:
        game: the game.
        agents: the agents that `seatings` names by their index.
        deal_seeds: int64[games]: the seed of each deal.
        seatings: int64[games, num_players]: the agent in each seat.
        rules: options of the rules; None means the default rules.
        labels: names of the agents in errors.
    """
    sides = game.sides(seatings.shape[1], game.rules() if rules is None else rules)
    rngs = seat_rngs(deal_seeds, seatings, range(len(agents)))
    played, _ = play_games(game, agents, deal_seeds, seatings, rngs, rules, labels)
    winners = [outcome.winners for outcome in played.outcomes]
    return win_shares(winners, [played.forfeits(k) for k in range(len(winners))], sides)


def mean_with_interval(values: np.ndarray) -> tuple[float, float, float]:
    """Return the mean of independent values with its 95 % interval, by normal approximation."""
    mean, error = float(values.mean()), 1.96 * float(values.std(ddof=1) / np.sqrt(len(values)))
    return mean, mean - error, mean + error


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
