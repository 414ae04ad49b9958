"""Playing many games at once, with any agent in any seat."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gubs_env.api.agents import are_legal, check_answer
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


Choose = Callable[[VectorEnv, np.ndarray, int], np.ndarray]
"""(games, rows, step) → actions, int64[len(rows)]: chooses in the games `rows`, int64[…], which
have more than one legal action; `step` is the number of decisions before, the same for all."""


def finish(env: VectorEnv, choose: Choose) -> Played:
    """Play games to the end, side by side; a single legal action is played without choosing.

    Raises:
        ValueError: for an action that is not legal.
    """
    payoffs, decisions = np.zeros_like(env.rewards), np.zeros(env.rewards.shape, np.int64)
    actions_by_step: list[np.ndarray] = []
    while (env.actors >= 0).any():
        actions = np.where(env.actors >= 0, env.masks.argmax(axis=1), LOOK)
        rows = np.flatnonzero((env.actors >= 0) & (np.count_nonzero(env.masks, axis=1) > 1))
        if rows.size:
            actions[rows] = choose(env, rows, len(actions_by_step))
        decisions[rows, env.actors[rows]] += 1
        env.step(actions)
        payoffs += env.rewards
        actions_by_step.append(actions)
    by_game = np.array(actions_by_step).T
    played = [own[own != LOOK].tolist() for own in by_game]
    outcomes = [env.outcome(index) for index in range(env.num_envs)]
    return Played(payoffs, outcomes, played, decisions)


class Asking:
    """Lets agents choose, and counts the time that they take.

    Args:
        agents, seatings, labels, timeout: as for `play_games`.
        rngs: int64[games, num_players, 4]: an RNG for each seat, which is advanced.

    Attributes:
        seconds: float64[agents]: the time that each agent took to answer.
    """

    def __init__(
        self,
        agents: Sequence[Any],
        seatings: np.ndarray,
        rngs: np.ndarray,
        labels: Sequence[str],
        timeout: float,
    ) -> None:
        self.agents, self.labels = agents, labels
        self.seatings, self.rngs, self.timeout = seatings, rngs, timeout
        self.seconds = np.zeros(len(agents))

    def __call__(self, env: VectorEnv, rows: np.ndarray, step: int) -> np.ndarray:
        actions = np.zeros(len(rows), np.int64)
        asked = self.seatings[rows, env.actors[rows]]
        for index in np.unique(asked):
            own = asked == index
            actions[own] = self._answer(env, int(index), rows[own])
        return actions

    def _answer(self, env: VectorEnv, index: int, rows: np.ndarray) -> np.ndarray:
        """Return the checked answer of one agent in some games."""
        agent, label, seats = self.agents[index], self.labels[index], env.actors[rows]
        rngs = self.rngs[rows, seats]
        start = time.perf_counter()
        answer = within(self.timeout, label, lambda: env.ask(agent, rows, rngs))
        self.seconds[index] += time.perf_counter() - start
        check_answer(answer, env.masks[rows], label)
        self.rngs[rows, seats] = rngs
        return answer


def play_games(
    game: Game,
    agents: Sequence[Any],
    deal_seeds: np.ndarray,
    seatings: np.ndarray,
    rngs: np.ndarray,
    rules: Any = None,
    labels: Sequence[str] = (),
    timeout: float = 0,
) -> tuple[Played, np.ndarray]:
    """Play games of agents to the end, side by side.

    Args:
        game: the game to play.
        agents: agents, each an `Agent`, or a `SearchAgent` if it has `search`.
        deal_seeds: int64[games], seeds of the deals.
        seatings: int64[games, num_players]: the index of the agent in each seat.
        rngs: int64[games, num_players, 4]: an RNG for each seat, which its agent draws from; not
            changed.
        rules: options of the rules; None means the default rules.
        labels: names of the agents in errors; by default their indices.
        timeout: seconds that an agent may take for one call; 0 means no limit.

    Returns:
        The results, and the time that each agent took to answer, float64[agents].

    Raises:
        ValueError: if an agent is of another number of players, raises an exception, or gives an
            answer that is not one legal action for each decision.
        TimeoutError: if an agent takes too long.
    """
    labels = labels or [str(index) for index in range(len(agents))]
    num_players = seatings.shape[1]
    for agent, label in zip(agents, labels, strict=True):
        check_agent(agent, label, num_players)
    asking = Asking(agents, seatings, rngs.copy(), labels, timeout)
    played = finish(DealtEnv(game, deal_seeds, num_players, rules), asking)
    return played, asking.seconds


def check_agent(agent: Any, label: str, num_players: int) -> None:
    """Raise ValueError for an agent that cannot act, or is of another number of players."""
    if not (hasattr(agent, "act") or hasattr(agent, "search")):
        raise ValueError(
            f"agent {label!r} is {agent!r}, which is no agent: it has neither act nor search"
        )
    own = getattr(agent, "num_players", num_players)
    if isinstance(own, int) and own != num_players:
        raise ValueError(
            f"agent {label!r} is made for {own} players, but {num_players} sit at this table"
        )


def within(timeout: float, label: str, ask: Callable[[], np.ndarray]) -> np.ndarray:
    """Return the answer of an agent.

    With a limit, a thread asks. An agent that takes too long is left behind in it, and does not
    keep the process from ending.

    Raises:
        ValueError: if the agent raises an exception.
        TimeoutError: if it takes longer than `timeout` seconds; 0 means no limit.
    """
    answers: list[np.ndarray] = []
    errors: list[BaseException] = []

    def answer() -> None:
        try:
            answers.append(ask())
        except (Exception, SystemExit) as error:
            errors.append(error)

    if timeout:
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        thread.join(timeout)
        if not answers and not errors:
            raise TimeoutError(
                f"agent {label!r} took longer than {timeout:g} seconds for one call, which is the "
                "limit (--timeout; 0 means no limit)"
            )
    else:
        answer()
    if errors:
        error = errors[0]
        raise ValueError(f"agent {label!r} failed: {type(error).__name__}: {error}") from error
    return answers[0]


def replay_games(
    game: Game,
    deal_seeds: np.ndarray,
    recorded: Sequence[Sequence[int]],
    num_players: int,
    rules: Any = None,
    names: Sequence[str] = (),
) -> Played:
    """Play recorded games again, side by side, action for action.

    Args:
        game: the game to play.
        deal_seeds: int64[games], seeds of the deals.
        recorded: all actions of each game, each in 0 … 2⁶³ − 1.
        num_players, rules: the table.
        names: names of the games in errors; by default their indices.

    Raises:
        ValueError: if an action is not legal, or there are fewer or more actions than a game takes.
    """
    names = names or [f"game {index}" for index in range(len(recorded))]

    def chosen(env: VectorEnv, rows: np.ndarray, step: int) -> np.ndarray:
        for row in rows:
            if step >= len(recorded[row]):
                raise ValueError(f"{names[row]}: the actions end before the game does")
        actions = np.array([recorded[row][step] for row in rows], np.int64)
        for k in np.flatnonzero(~are_legal(actions, env.masks[rows])):
            refuse(names[rows[k]], step, int(actions[k]), env.masks[rows[k]].nonzero()[0].tolist())
        return actions

    played = finish(DealtEnv(game, deal_seeds, num_players, rules), chosen)
    for name, told, replayed in zip(names, recorded, played.actions, strict=True):
        for step, (action, legal) in enumerate(zip(told, replayed, strict=False)):
            if action != legal:
                refuse(name, step, action, [legal])
        if len(told) < len(replayed):
            raise ValueError(f"{name}: the actions end before the game does")
        if len(told) > len(replayed):
            raise ValueError(f"{name}: the actions go on after the end of the game")
    return played


def refuse(name: str, step: int, action: int, legal: list[int]) -> NoReturn:
    """Raise ValueError for a recorded action that is not legal."""
    raise ValueError(
        f"{name}: action {action}, number {step} of the game, is not legal; the legal actions are "
        f"{legal}"
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
