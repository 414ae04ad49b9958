"""Playing many games at once, with any agent in any seat."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gubs_env.api.vector import VectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.game import Game
from gubs_env.engine.rng import seed_rng


class DealtEnv(VectorEnv):
    """A `VectorEnv` whose game k is the one of `reset(seed=deal_seeds[k])`, without autoreset."""

    def __init__(self, game: Game, deal_seeds: np.ndarray, num_players: int, rules: Any) -> None:
        super().__init__(game, len(deal_seeds), num_players, rules, seed=0, autoreset=False)
        for index, deal_seed in enumerate(deal_seeds):
            self.deal(index, int(deal_seed))
        self.look()


@dataclass(frozen=True)
class Played:
    """The results of finished games."""

    payoffs: np.ndarray
    """float32[games, num_players]: the payoff of each seat."""
    outcomes: list[Any]
    """The outcome of each game, as `Game.outcome` returns it."""
    actions: list[list[int]]
    """All actions of each game, in order."""
    decisions: np.ndarray
    """int64[games, num_players]: decisions with more than one legal action, by seat. Agents are
    asked for these only."""
    seconds: np.ndarray
    """float64[agents]: the time that each agent took to answer."""


def play_games(
    game: Game,
    agents: Sequence[Any],
    deal_seeds: np.ndarray,
    seatings: np.ndarray,
    rngs: np.ndarray,
    rules: Any = None,
    labels: Sequence[str] = (),
) -> Played:
    """Play games to the end, side by side.

    Args:
        game: the game to play.
        agents: agents, each an `Agent`, or a `SearchAgent` if it has `search`.
        deal_seeds: int64[games], seeds of the deals.
        seatings: int64[games, num_players]: the index of the agent in each seat.
        rngs: int64[games, num_players, 4]: an RNG for each seat, which its agent draws from; not
            changed.
        rules: options of the rules; None means the default rules.
        labels: names of the agents in errors; by default their indices.

    Raises:
        ValueError: if an agent's answer is not one legal action for each decision.
    """
    env = DealtEnv(game, deal_seeds, seatings.shape[1], rules)
    rngs = rngs.copy()
    payoffs = np.zeros_like(env.rewards)
    decisions, seconds = np.zeros(seatings.shape, np.int64), np.zeros(len(agents))
    actions_by_step = []
    while (env.actors >= 0).any():
        # A single legal action is played without asking its agent.
        actions = np.where(env.actors >= 0, env.masks.argmax(axis=1), LOOK)
        open_rows = np.flatnonzero((env.actors >= 0) & (np.count_nonzero(env.masks, axis=1) > 1))
        asked = seatings[open_rows, env.actors[open_rows]]
        for index in np.unique(asked):
            rows = open_rows[asked == index]
            seats = env.actors[rows]
            rngs_of_rows = rngs[rows, seats]
            start = time.perf_counter()
            answer = env.ask(agents[index], rows, rngs_of_rows)
            seconds[index] += time.perf_counter() - start
            check_answer(answer, env.masks[rows], labels[index] if labels else str(index))
            actions[rows], rngs[rows, seats] = answer, rngs_of_rows
            decisions[rows, seats] += 1
        env.step(actions)
        payoffs += env.rewards
        actions_by_step.append(actions)
    by_game = np.array(actions_by_step).T
    played = [own[own != LOOK].tolist() for own in by_game]
    outcomes = [env.outcome(index) for index in range(len(seatings))]
    return Played(payoffs, outcomes, played, decisions, seconds)


def check_answer(answer: np.ndarray, masks: np.ndarray, label: str) -> None:
    """Raise ValueError unless an agent's answer is one legal action for each mask."""
    if answer.shape != (len(masks),) or answer.dtype.kind not in "iu":
        raise ValueError(
            f"agent {label!r} answered {len(masks)} decisions with {answer.dtype} of shape "
            f"{answer.shape}; it must return integers of shape ({len(masks)},), an action for each"
        )
    inside = (answer >= 0) & (answer < masks.shape[1])
    legal = inside & (masks[np.arange(len(masks)), np.where(inside, answer, 0)] != 0)
    if not legal.all():
        row = int(np.flatnonzero(~legal)[0])
        raise ValueError(
            f"agent {label!r} chose action {answer[row]}, which is not legal; the legal actions "
            f"are {masks[row].nonzero()[0].tolist()}"
        )


def seat_rngs(deal_seeds: np.ndarray, seatings: np.ndarray, keys: Sequence[int]) -> np.ndarray:
    """Return an RNG for each deal, seating and seat, int64[games, num_players, 4].

    Args:
        deal_seeds: int64[games], seeds of the deals.
        seatings: int64[games, num_players]: the index of the agent in each seat.
        keys: an integer ≥ 0 for each agent, which identifies it in the seeds.
    """
    return np.array(
        [
            [
                seed_rng([int(deal_seed), *(keys[agent] for agent in seating), seat])
                for seat in range(len(seating))
            ]
            for deal_seed, seating in zip(deal_seeds, seatings, strict=True)
        ]
    )


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
    return play_games(game, seating, deal_seeds, seatings, rngs, rules).payoffs


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

    Raises:
        ValueError: if an agent's answer is not one legal action for each decision.
    """
    sides = game.sides(num_players, game.rules() if rules is None else rules)
    num_sides = sides.max() + 1
    deal_seeds = np.repeat(seed + np.arange(deals), num_sides)
    own_sides = np.tile(np.arange(num_sides), deals)
    seatings = np.where(sides == own_sides[:, None], 0, 1)
    rngs = seat_rngs(deal_seeds, seatings, (0, 1))
    played = play_games(game, (agent, opponent), deal_seeds, seatings, rngs, rules)
    winners = [outcome.winners for outcome in played.outcomes]
    shares = win_shares(winners, sides)[np.arange(len(winners)), own_sides]
    by_deal = shares.reshape(deals, -1).mean(1)
    rate, error = float(by_deal.mean()), float(by_deal.std(ddof=1) / np.sqrt(deals))
    low, high = max(0.0, rate - 1.96 * error), min(1.0, rate + 1.96 * error)
    return WinRate(rate, low, high, len(winners))


def win_shares(winners: Sequence[Sequence[int]], sides: np.ndarray) -> np.ndarray:
    """Return each side's share of the win, float64[games, num_sides]; all zero if nobody won.

    Args:
        winners: the players that won, for each game.
        sides: int64[num_players]: the side of each player, as `Game.sides` returns it.
    """
    shares = np.zeros((len(winners), sides.max() + 1))
    for row, won in zip(shares, winners, strict=True):
        winning = np.unique(sides[list(won)])
        row[winning] = 1 / max(1, len(winning))
    return shares
