"""Playing many games at once, whoever sits where."""

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
    """A `VectorEnv` whose game k is that of `reset(seed=deal_seeds[k])`, without autoreset."""

    def __init__(self, game: Game, deal_seeds: np.ndarray, num_players: int, rules: Any) -> None:
        super().__init__(game, len(deal_seeds), num_players, rules, seed=0, autoreset=False)
        for index, deal_seed in enumerate(deal_seeds):
            self.deal(index, int(deal_seed))
        self.look()


@dataclass(frozen=True)
class Played:
    """Finished games; arrays are [games, num_players], by seat."""

    payoffs: np.ndarray
    """float32."""
    outcomes: list[Any]
    """What `Game.outcome` says of each."""
    actions: list[list[int]]
    """All actions of each game, in order."""
    decisions: np.ndarray
    """int64: decisions with more than one legal action, which are those the agents are asked."""
    seconds: np.ndarray
    """float64[agents]: time each agent took to answer."""


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
        game: which game.
        agents: each an `Agent`, or a `SearchAgent` if it has `search`.
        deal_seeds: int64[games].
        seatings: int64[games, num_players]: the agent, as an index, in each seat.
        rngs: int64[games, num_players, 4]: the generator of each seat, for its agent's chance.
        rules: options of the rules; None for the rules proper.
        labels: what to call the agents in an error.

    Raises:
        ValueError: when an agent's answer is not one legal action for each decision.
    """
    env = DealtEnv(game, deal_seeds, seatings.shape[1], rules)
    rngs = rngs.copy()
    payoffs = np.zeros_like(env.rewards)
    decisions, seconds = np.zeros(seatings.shape, np.int64), np.zeros(len(agents))
    actions_by_step = []
    while (env.actors >= 0).any():
        # Where there is nothing to choose nobody is asked.
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
    if answer.shape != (len(masks),) or answer.dtype.kind not in "iu":
        raise ValueError(
            f"agent {label!r} answered {len(masks)} decisions with {answer.dtype} of shape "
            f"{answer.shape}; an action each is wanted"
        )
    inside = (answer >= 0) & (answer < masks.shape[1])
    legal = inside & (masks[np.arange(len(masks)), np.where(inside, answer, 0)] != 0)
    if not legal.all():
        row = int(np.flatnonzero(~legal)[0])
        raise ValueError(
            f"agent {label!r} chose action {answer[row]}, which is not legal; legal are "
            f"{masks[row].nonzero()[0].tolist()}"
        )


def seat_rngs(deal_seeds: np.ndarray, seatings: np.ndarray, keys: Sequence[int]) -> np.ndarray:
    """A generator for each (deal, seating, seat), int64[games, num_players, 4].

    `keys` stand for the agents, whole numbers from 0.
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
    """Play `deals` games to the end, agent k in seat k: payoffs float32[deals, num_players].

    Deal number d is that of `reset(seed=seed + d)`.
    """
    deal_seeds = seed + np.arange(deals)
    seatings = np.tile(np.arange(len(seating)), (deals, 1))
    rngs = seat_rngs(deal_seeds, seatings, range(len(seating)))
    return play_games(game, seating, deal_seeds, seatings, rngs, rules).payoffs


class WinRate(NamedTuple):
    """Share of wins with its 95 % interval, all in 0 … 1; a shared win counts by its share."""

    rate: float
    low: float
    high: float
    games: int

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
    """How often `agent` wins against a table of `opponent`, each deal played from every side.

    A side is a seat, or where there are partners a team, all of which are played by the same agent.
    The interval is the normal one over deals, whose games are not independent of each other.
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
    """Each side's share of the win, float64[games, num_sides]; all zero where no player won.

    Args:
        winners: of each game, the players that won.
        sides: int64[num_players], as `Game.sides` gives them.
    """
    shares = np.zeros((len(winners), sides.max() + 1))
    for row, won in zip(shares, winners, strict=True):
        winning = np.unique(sides[list(won)])
        row[winning] = 1 / max(1, len(winning))
    return shares
