"""Vectorised games in which a learner holds one seat and agents hold the others."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gubs_env.agents.asking import check_answer
from gubs_env.agents.memory import Memories
from gubs_env.agents.registry import AnyAgent, check_memory
from gubs_env.api.texts import TextVectorEnv
from gubs_env.engine.choosing import WAIT
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.table import Table
from gubs_env.support.checks import check_seat, check_seed
from gubs_env.support.exclusive import Exclusive

LEARNER = -1
"""The value in `seating` for the learner."""
MOST_REDEALS = 2000
"""The most games that are dealt one after another because nobody has anything to choose in them."""


class SeatedGames(Exclusive):
    """`num_envs` games in which the learner holds one seat and agents hold the others.

    A subclass implements the interface of a library. It defines who takes the seats of a new game
    (`_seat`) and what is reported of a finished game (`_report`).

    Attributes:
        games: the games.
        agents: the opponents by label.
        learner: the learner, if it has a memory that is kept here, else None.
        labels: labels of the opponents, in the order of their numbers in `seating`.
        seating: int64[num_envs, num_players], the number of the opponent in each seat, or LEARNER.
        lengths: int64[num_envs], decisions of the learner in the game under way.
        rngs: int64[num_envs, 4], the RNG of the opponents in each game.
        memories: what the opponents and the learner remember of the games under way.
        resting: bool[num_envs], the games that are over and not dealt anew.
        seconds: time spent so far in "environment" and "opponents".
    """

    def __init__(
        self,
        tables: Table | Sequence[Table],
        num_envs: int,
        seat: int | None,
        skip_forced: bool,
        seed: int | None,
    ) -> None:
        self.games = TextVectorEnv(tables, num_envs, seed, autoreset=False, skip_forced=skip_forced)
        num_envs = self.games.num_envs
        self.fixed_seat = check_seat(seat, self.games.num_players)
        self.agents: dict[str, AnyAgent] = {}
        self.learner: Any = None
        self.labels: list[str] = []
        self.seating = np.full((num_envs, self.games.num_players), LEARNER, np.int64)
        self.lengths = np.zeros(num_envs, np.int64)
        self.memories = Memories(num_envs, self.games.num_players)
        self.resting = np.zeros(num_envs, bool)
        self.seconds = {"environment": 0.0, "opponents": 0.0}
        self._seed_opponents(seed)

    def _take(self, agents: Mapping[str, AnyAgent]) -> None:
        """Take other opponents, with room for what they and the learner remember."""
        self.agents = dict(agents)
        for label, agent in agents.items():
            check_memory(agent, label)
        self.memories.make_room([*agents.values(), self.learner])
        self.games.keep_history(self.memories.num_events)

    def _seed_opponents(self, seed: int | None) -> None:
        self.rng = np.random.default_rng(check_seed(seed))
        self.rngs = spawn_rngs(self.rng, len(self.lengths))

    def _reseed(self, seed: int) -> None:
        """Start all RNGs as a new environment with this seed would."""
        self.games.reset(seed)
        self._seed_opponents(seed)

    @abstractmethod
    def _seat(self, indices: np.ndarray) -> None:
        """Write the `seating` of new games."""

    @abstractmethod
    def _report(self, indices: np.ndarray) -> None:
        """Report games that are over and reward the learner, before they are dealt anew.

        A game that is not to be dealt anew is marked as `resting`.
        """

    def _seat_of(self, index: int) -> int:
        """Return the learner's seat in the game under way."""
        return int(self._seats_of(np.array([index]))[0])

    def _seats_of(self, indices: np.ndarray) -> np.ndarray:
        """Return the learner's seats in games under way."""
        return (self.seating[indices] == LEARNER).argmax(1)

    def _deal_all(self) -> None:
        """Deal every game anew, and play on to the learner's first decision in each."""
        self._deal(np.arange(len(self.lengths)))
        self.games.look()
        self._play_others()

    def _deal(self, indices: np.ndarray) -> None:
        self._seat(indices)
        self.games.deal(indices, self._seeds_of_deals(indices))
        self.lengths[indices] = 0
        self.memories.clear(indices)
        agents = [self.agents.get(label) for label in self.labels]
        writing = [number for number, agent in enumerate(agents) if hasattr(agent, "choose")]
        if writing:  # a `TextAgent`
            for index in indices[np.isin(self.seating[indices], writing).any(1)].tolist():
                self.games.follow(index)

    def _seeds_of_deals(self, indices: np.ndarray) -> list[int] | None:
        """Return the seeds of new games; None goes on with the RNGs of the games."""
        return None

    def _players(self) -> np.ndarray:
        """Return who decides in each game, int64[num_envs]: an opponent's number, or LEARNER."""
        players = self.seating[np.arange(len(self.seating)), self.games.actors]
        return np.where(self.resting, LEARNER, players)

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[part] += time.perf_counter() - start

    def _play_others(self) -> None:
        """Play on until the learner is to decide in every game."""
        while True:
            with self._timed("environment"):
                self._deal_until_playable()
                players = self._players()
            if (players == LEARNER).all():
                return
            with self._timed("opponents"):
                actions = self._opponents_actions(players)
            with self._timed("environment"):
                self.games.step(actions)

    def _deal_until_playable(self) -> None:
        """Deal finished games anew; some are over at once, when nobody has anything to choose."""
        for _ in range(MOST_REDEALS):
            finished = np.flatnonzero((self.games.actors < 0) & ~self.resting)
            if not len(finished):
                return
            self._deal_finished(finished)
        rules = self.games.table_of(finished[0]).rules.as_dict()
        raise ValueError(
            f"rules={rules}: in {MOST_REDEALS} games, one after another, nobody had a choice"
        )

    def _opponents_actions(self, players: np.ndarray) -> np.ndarray:
        masks = self.games.masks
        forced = (players != LEARNER) & (masks.sum(1) == 1)
        actions = np.where(forced, masks.argmax(1), WAIT)
        asked = np.where(forced, LEARNER, players)
        for number in np.unique(asked[asked != LEARNER]):
            rows = np.flatnonzero(asked == number)
            label, place = self.labels[number], self._rng_of(rows, number)
            rngs = self.rngs[place]
            answer = self.games.ask(self.agents[label], rows, rngs, self.memories)
            check_answer(answer, self.games.masks[rows], label)
            actions[rows], self.rngs[place] = answer, rngs
        return actions

    def _rng_of(self, rows: np.ndarray, number: int) -> Any:
        """Return the index in `rngs` of the RNGs of an opponent in some games."""
        return rows

    def _deal_finished(self, finished: np.ndarray) -> None:
        # The length is 0 if the learner had nothing to choose in the whole game.
        self._report(finished[self.lengths[finished] > 0])
        self._deal(finished[~self.resting[finished]])
        self.games.look(finished)
