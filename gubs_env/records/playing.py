"""Playing many games at once, with any agent in any seat, and playing recorded games again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gubs_env.agents.asking import are_legal, check_answer
from gubs_env.agents.memory import Memories
from gubs_env.agents.registry import TextAgent, check_agent
from gubs_env.agents.text_game import Counts
from gubs_env.api.saved import Deal, start_states
from gubs_env.api.texts import TextVectorEnv
from gubs_env.engine.choosing import LOOK
from gubs_env.engine.course import check_legal
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.table import Table
from gubs_env.support.errors import described
from gubs_env.support.exclusive import Exclusive, exclusive
from gubs_env.support.limits import NO_LIMIT, Limit, limited


@dataclass(frozen=True)
class Games:
    """Games that may be played side by side: their deals, and which agent sits where."""

    table: Table
    """The table of all games."""
    deals: np.ndarray
    """int64[games]: the seed of each deal."""
    seatings: np.ndarray
    """int64[games, num_players]: the index of the agent in each seat."""
    labels: Sequence[str] = ()
    """The names of the agents in errors; by default their indices."""
    where: str = ""
    """The table in errors; by default its game and number of players."""
    limit: Limit = NO_LIMIT
    """The time that an agent may take for one call. A call that never returns is ended only in a
    process that `cluster.in_order` watches."""

    def label(self, agent: int) -> str:
        """Return the name of an agent in errors."""
        return self.labels[agent] if self.labels else str(agent)

    def rngs(self, keys: Sequence[int]) -> np.ndarray:
        """Return an RNG for each game and seat, int64[games, num_players, 4].

        The deal, the agents by seat and the seat determine it, so that no game depends on others.

        Args:
            keys: an integer ≥ 0 for each agent, which identifies it in the seeds.
        """
        numbers = np.asarray(keys)[self.seatings].tolist()
        seeded = zip(self.deals.tolist(), numbers, strict=True)
        return np.array(
            [[seed_rng([deal, *seats, k]) for k in range(len(seats))] for deal, seats in seeded]
        )


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
    counts: list[dict[int, Counts]]
    """How agents answered in text, for each game by seat; only seats with such an agent."""

    def forfeits(self, index: int) -> tuple[int, ...]:
        """Return the seats that forfeited a game."""
        return tuple(seat for seat, each in self.counts[index].items() if each.forfeited)


def finish(env: TextVectorEnv, asking: Asking) -> Played:
    """Play games to the end, side by side; a single legal action is played without asking.

    Raises:
        ValueError: for an action that is not legal.
    """
    payoffs, decisions = np.zeros_like(env.rewards), np.zeros(env.rewards.shape, np.int64)
    actions_by_step: list[np.ndarray] = []
    while (env.actors >= 0).any():
        actions = np.where(env.actors >= 0, env.masks.argmax(axis=1), LOOK)
        rows = np.flatnonzero((env.actors >= 0) & (np.count_nonzero(env.masks, axis=1) > 1))
        if rows.size:
            actions[rows] = asking(env, rows)
        decisions[rows, env.actors[rows]] += 1
        env.step(actions)
        payoffs += env.rewards
        actions_by_step.append(actions)
    played = [actions[actions != LOOK].tolist() for actions in np.array(actions_by_step).T]
    outcomes = [env.outcome(index) for index in range(env.num_envs)]
    return Played(payoffs, outcomes, played, decisions, [{} for _ in outcomes])


class Asking:
    """Lets agents choose, and counts the time that they take.

    Args:
        games: the games.
        agents: the agents, whose indices `games.seatings` holds.
        rngs: int64[games, num_players, 4]: an RNG for each seat, which is advanced.

    Attributes:
        memories: what the agents remember of the games.
        seconds: float64[agents]: the time that each agent took to answer.
    """

    def __init__(self, games: Games, agents: Sequence[Any], rngs: np.ndarray) -> None:
        self.games, self.agents, self.rngs = games, agents, rngs
        self.seconds = np.zeros(len(agents))
        self.memories = Memories(len(games.deals), games.table.num_players, agents)

    def __call__(self, env: TextVectorEnv, rows: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(rows), np.int64)
        asked = self.games.seatings[rows, env.actors[rows]]
        for index in np.unique(asked):
            is_asked = asked == index
            actions[is_asked] = self._answer(env, int(index), rows[is_asked])
        return actions

    def _answer(self, env: TextVectorEnv, index: int, rows: np.ndarray) -> np.ndarray:
        """Return the checked answer of one agent in some games."""
        label, seats, where = self.games.label(index), env.actors[rows], self._where(env, rows)
        limit, rngs = self.games.limit, self.rngs[rows, seats]
        seconds = limit.of(len(rows))
        too_long = f"took longer than {seconds:g} seconds for one call; the limit is {limit}"
        start = time.perf_counter()
        with limited(seconds, f"agent {label!r} {too_long}; {where}"):
            try:
                answer = env.ask(self.agents[index], rows, rngs, self.memories)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise ValueError(f"agent {label!r} failed: {described(error)}; {where}") from error
        self.seconds[index] += time.perf_counter() - start
        try:
            check_answer(answer, env.masks[rows], label)
        except ValueError as error:
            raise ValueError(f"{error}; {where}") from None
        self.rngs[rows, seats] = rngs
        return answer

    def _where(self, env: TextVectorEnv, rows: np.ndarray) -> str:
        """Return at which table and decision an agent is asked, for errors."""
        row, games = int(rows[0]), self.games
        where = games.where or f"{env.game.name} with {env.num_players} players"
        others = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
        number = int(env.states["decisions"][row])
        return f"asked for decision {number} of deal {games.deals[row]}{others} at {where}"


def play_games(
    games: Games, agents: Sequence[Any], rngs: np.ndarray | None = None
) -> tuple[Played, np.ndarray]:
    """Play games of agents to the end, side by side.

    Args:
        games: the games.
        agents: agents, each an `Agent`, a `MemoryAgent` if it has `memory_size`, a `SearchAgent` if
            it has `search`, or a `TextAgent` if it has `choose`.
        rngs: int64[games, num_players, 4]: an RNG for each seat, which its agent draws from; not
            changed. None: those of `games.rngs`, with the index of each agent as its key.

    Returns:
        The results, and the time that each agent took to answer, float64[agents].

    Raises:
        ValueError: if an agent is of another number of players, raises an exception, or gives an
            answer that is not one legal action for each decision.
        TimeoutError: if an agent takes too long.
    """
    for index, agent in enumerate(agents):
        check_agent(agent, games.label(index), games.table.num_players)
    rngs = games.rngs(range(len(agents))) if rngs is None else rngs.copy()
    asking = Asking(games, agents, rngs)
    deals, events = games.deals.tolist(), asking.memories.num_events
    env = TextVectorEnv(games.table, len(deals), seed=0, autoreset=False, history=events)
    for index, deal in enumerate(deals):
        env.deal(index, deal)
    in_text = np.array([isinstance(agent, TextAgent) for agent in agents])[games.seatings]
    for index in np.flatnonzero(in_text.any(axis=1)).tolist():
        env.follow(index)
    env.look()
    played = finish(env, asking)
    for index, seat in np.argwhere(in_text).tolist():
        played.counts[index][seat] = env.text_game(index).counts_of(seat)
    return played, asking.seconds


class Replay(Exclusive):
    """Recorded games of one table, played again side by side, action for action.

    Args:
        table: the table.
        starts: how each game begins: the seed of a deal, a `Deal`, or a checked state, STATE[1].
        recorded: all actions of each game, each in 0 … 2⁶³ − 1.
        names: names of the games in errors.

    Attributes:
        env: the games, at the decisions that `steps` has reached.
        payoffs: float32[games, num_players]: the payoffs; zeros for a game that is not over.
        decisions: int64[games, num_players]: decisions with more than one legal action, by seat.
    """

    def __init__(
        self,
        table: Table,
        starts: Sequence[int | Deal | np.ndarray],
        recorded: Sequence[Sequence[int]],
        names: Sequence[str],
    ) -> None:
        self.env = TextVectorEnv(table, len(starts), seed=0, autoreset=False)
        self.env.set_states(start_states(table, starts))
        self.names = names
        self.lengths = np.array([len(actions) for actions in recorded])
        self.actions = np.array([a for actions in recorded for a in actions], np.int64)
        self.firsts = np.cumsum(self.lengths) - self.lengths
        self.payoffs = np.zeros_like(self.env.rewards)
        self.decisions = np.zeros(self.payoffs.shape, np.int64)

    def steps(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield (rows, actions) before each step: the games that go on, and what is played in them.

        Raises:
            ValueError: if an action is not legal, or a game has more actions than it takes.
        """
        for step in range(self.lengths.max(initial=0)):
            rows = np.flatnonzero(self.lengths > step)
            actions = self.actions[self.firsts[rows] + step]
            self._check(step, rows, actions)
            yield rows, actions
            self._step(rows, actions)

    @exclusive
    def _step(self, rows: np.ndarray, actions: np.ndarray) -> None:
        env = self.env
        chosen = np.full(env.num_envs, LOOK)
        chosen[rows] = actions
        choices = np.count_nonzero(env.masks[rows], axis=1) > 1
        self.decisions[rows, env.actors[rows]] += choices
        env.step(chosen)
        self.payoffs += env.rewards

    def play(self) -> None:
        """Play all steps; raise ValueError as `steps` does."""
        for _ in self.steps():
            pass

    def is_over(self, index: int) -> bool:
        """Return whether a game has come to its end."""
        return bool(self.env.actors[index] < 0)

    @exclusive
    def _check(self, step: int, rows: np.ndarray, actions: np.ndarray) -> None:
        masks = self.env.masks[rows]
        for k in np.flatnonzero(~are_legal(actions, masks)):
            check_legal(masks[k], int(actions[k]), step, self.names[rows[k]])
