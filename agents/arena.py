"""Agents against each other on the same deals, from every seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from agents import Agent
from gubs_env.api.game import Game
from gubs_env.api.vector import VectorEnv
from gubs_env.games.choosing import LOOK


def play(
    game: Game, seating: Sequence[Agent], deals: int, seed: int = 0, rules: Any = None
) -> np.ndarray:
    """Play `deals` games to the end, agent k in seat k: payoffs float32[deals, num_players].

    Deal number d is that of `reset(seed=seed + d)`.
    """
    batch = VectorEnv(game, deals, len(seating), rules, seed, autoreset=False)
    payoffs = np.zeros_like(batch.rewards)
    while (batch.actors >= 0).any():
        actions = np.full(deals, LOOK)
        for seat, agent in enumerate(seating):
            rows = batch.actors == seat
            if rows.any():
                actions[rows] = agent.act(batch.observations[rows], batch.masks[rows])
        batch.step(actions)
        payoffs += batch.rewards
    return payoffs


class WinRate(NamedTuple):
    """Share of wins with its 95 % interval, all in 0 … 1; a shared win counts by its share."""

    rate: float
    low: float
    high: float
    games: int

    def __str__(self) -> str:
        return f"{self.rate:.1%} ({self.low:.1%} – {self.high:.1%})"


def win_rate(
    game: Game, agent: Agent, opponent: Agent, num_players: int = 2, deals: int = 500, seed: int = 0
) -> WinRate:
    """How often `agent` wins against a table of `opponent`, each deal played from every seat.

    The interval is the normal one over deals, whose games are not independent of each other.
    """
    shares = []
    for seat in range(num_players):
        seating = [agent if other == seat else opponent for other in range(num_players)]
        payoff = play(game, seating, deals, seed)[:, seat]
        shares.append((payoff * (num_players - 1) + 1) / num_players)
    by_deal = np.mean(shares, axis=0)
    rate, error = float(by_deal.mean()), float(by_deal.std(ddof=1) / np.sqrt(deals))
    low, high = max(0.0, rate - 1.96 * error), min(1.0, rate + 1.96 * error)
    return WinRate(rate, low, high, deals * num_players)
