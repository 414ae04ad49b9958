"""The memories of agents, which whoever plays the games keeps for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gubs_env.agents.registry import has_memory
from gubs_env.engine.history import NONE, RecentEvents

Remembered = tuple[np.ndarray, np.ndarray]
"""The last two arguments of `MemoryAgent.act`: memories and events."""


class Memory:
    """The memory of one agent in one seat of one game.

    Attributes:
        values: float32[1, memory_size].
        heard: the number of events of the game when it last decided.
    """

    def __init__(self) -> None:
        self.values = np.zeros((1, 0), np.float32)
        self.heard = 0

    def recall(self, agent: Any, history: np.ndarray) -> Remembered:
        """Return what the agent remembers, which it writes anew, and the events new to it.

        Args:
            agent: a `MemoryAgent`.
            history: int8[…, event_size], all events that its seat has seen.
        """
        if self.values.shape[1] != agent.memory_size:
            self.values = np.zeros((1, agent.memory_size), np.float32)
        new = history[self.heard :][-agent.num_events :] if agent.num_events else history[:0]
        events = np.full((1, agent.num_events, history.shape[1]), NONE, np.int8)
        events[0, agent.num_events - len(new) :] = new
        self.heard = len(history)
        return self.values, events


class Memories:
    """The memories of the agents in many games, one for each game and seat.

    A seat is held by one agent from the beginning of a game to its end.

    Args:
        num_games: number of games.
        num_players: number of players in each.
        agents: the agents that are asked; others are passed over. None of them needs a memory.

    Attributes:
        values: float32[num_games, num_players, size]: the memories, with room for the largest; zero
            beyond the `memory_size` of the agent in a seat.
        heard: int64[num_games, num_players]: the number of events of its game that each agent had
            been shown, or could have been, when it last decided.
        num_events: the most events that one of the agents is shown.
    """

    def __init__(self, num_games: int, num_players: int, agents: Iterable[Any] = ()) -> None:
        self.values = np.zeros((num_games, num_players, 0), np.float32)
        self.heard = np.zeros((num_games, num_players), np.int64)
        self.make_room(agents)

    def make_room(self, agents: Iterable[Any]) -> None:
        """Make room for what these agents remember, the only ones that are asked from now on."""
        remembering = [agent for agent in agents if has_memory(agent)]
        self.num_events = max((agent.num_events for agent in remembering), default=0)
        size = max((agent.memory_size for agent in remembering), default=0)
        before, self.values = self.values, np.zeros((*self.heard.shape, size), np.float32)
        kept = min(size, before.shape[2])
        self.values[:, :, :kept] = before[:, :, :kept]

    def clear(self, games: Any = slice(None)) -> None:
        """Forget some games, which are dealt anew; by default all."""
        self.values[games] = 0
        self.heard[games] = 0

    def recall(
        self, agent: Any, games: np.ndarray, seats: np.ndarray, recent: RecentEvents | None
    ) -> Remembered:
        """Return what an agent remembers of some games, and the events that are new to it.

        Args:
            agent: a `MemoryAgent`.
            games: int64[batch], the games.
            seats: int64[batch], its seat in each.
            recent: the last events of all games; None for an agent that is shown none.

        Raises:
            ValueError: if fewer events are kept than the agent is shown.
        """
        kept = 0 if recent is None else recent.events.shape[2]
        if agent.num_events > kept:
            raise ValueError(
                f"the agent is shown {agent.num_events} events, and the games keep {kept}: make "
                f"them with history={agent.num_events}"
            )
        values = self.values[games, seats, : agent.memory_size]
        if recent is None:
            return values, np.zeros((len(games), 0, 0), np.int8)
        events = recent.events[games, seats, kept - agent.num_events :]
        forget_old(events, recent.counts[games, seats] - self.heard[games, seats])
        return values, events

    def keep(
        self, games: np.ndarray, seats: np.ndarray, values: np.ndarray, recent: RecentEvents | None
    ) -> None:
        """Keep what an agent has made of the memories that `recall` returned."""
        self.values[games, seats, : values.shape[1]] = values
        if recent is not None:
            self.heard[games, seats] = recent.counts[games, seats]


def forget_old(events: np.ndarray, new: np.ndarray) -> None:
    """Fill the rows of events that are not new with −1.

    Args:
        events: int8[batch, length, event_size], the newest last, written.
        new: int64[batch], the number of new ones in each.
    """
    length = events.shape[1]
    events[np.arange(length) < length - new[:, None]] = NONE
