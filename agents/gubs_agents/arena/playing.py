"""Win rates: agents against each other on deals of one's own choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gubs_env.api.playing import play_games, seat_rngs
from gubs_env.engine.game import Game


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
    low: float
    high: float
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
    sides = game.sides(num_players, game.rules() if rules is None else rules)
    num_sides = sides.max() + 1
    deal_seeds = np.repeat(seed + np.arange(deals), num_sides)
    own_sides = np.tile(np.arange(num_sides), deals)
    seatings = np.where(sides == own_sides[:, None], 0, 1)
    rngs = seat_rngs(deal_seeds, seatings, (0, 1))
    agents = (agent, opponent)
    played, _ = play_games(game, agents, deal_seeds, seatings, rngs, rules, labels)
    winners = [outcome.winners for outcome in played.outcomes]
    forfeits = [played.forfeits(index) for index in range(len(winners))]
    shares = win_shares(winners, forfeits, sides)[np.arange(len(winners)), own_sides]
    by_deal = shares.reshape(deals, -1).mean(1)
    rate, error = float(by_deal.mean()), float(by_deal.std(ddof=1) / np.sqrt(deals))
    low, high = max(0.0, rate - 1.96 * error), min(1.0, rate + 1.96 * error)
    return WinRate(rate, low, high, len(winners))


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
