"""Self-play for Stable-Baselines3: one learner a game, the other seats played by agents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from gubs_env.api.agent import Agent
from gubs_env.api.game import Game
from gubs_env.api.vector import VectorEnv
from gubs_env.games.choosing import LOOK

LEARNER = -1


class SelfPlayVecEnv(VecEnv):
    """`num_envs` games, in each of which the learner holds a given seat, or a random one.

    Opponents are drawn for every other seat when a game begins, from `opponents` with
    `probabilities`; `set_opponents` changes them for games to come. A step lasts until the
    learner's next decision; its reward is what the learner's own seat was paid meanwhile. Finished
    games begin anew at once; `infos` then hold `terminal_observation`, Monitor's `episode` (return
    r, decisions l, seconds t since this was made) and `opponents`, the numbers of those it played
    against.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Sequence[Agent],
        probabilities: Sequence[float] | None = None,
        num_players: int = 2,
        rules: Any = None,
        seed: int = 0,
        seat: int | None = None,
    ) -> None:
        if seat is not None and seat not in range(num_players):
            raise ValueError(f"seat={seat!r}: allowed are None and 0 to {num_players - 1}")
        self.games = VectorEnv(game, num_envs, num_players, rules, seed, autoreset=False)
        highs = game.observation_highs(num_players)
        super().__init__(
            num_envs,
            spaces.Box(np.zeros_like(highs), highs, dtype=np.int8),
            spaces.Discrete(game.num_actions(num_players)),
        )
        self.seat = seat
        self.started = time.time()
        self.rng = np.random.default_rng(seed)
        self.set_opponents(opponents, probabilities)
        self.seating = np.zeros((num_envs, num_players), np.int64)
        self.lengths = np.zeros(num_envs, np.int64)
        self._clear_results()

    def set_opponents(
        self, opponents: Sequence[Agent], probabilities: Sequence[float] | None = None
    ) -> None:
        """The opponents of games to come. Those of games under way must keep their numbers."""
        self.opponents = list(opponents)
        count = len(self.opponents)
        self.probabilities = np.full(count, 1 / count) if probabilities is None else probabilities

    def _seat(self, index: int) -> None:
        """Who plays in a new game: the learner in its seat, opponents elsewhere."""
        drawn = self.rng.choice(len(self.opponents), self.games.num_players, p=self.probabilities)
        self.seating[index] = drawn
        seat = self.rng.integers(self.games.num_players) if self.seat is None else self.seat
        self.seating[index, seat] = LEARNER
        self.lengths[index] = 0

    def _players(self) -> np.ndarray:
        """Who decides in each game: the number of an opponent, or LEARNER."""
        return self.seating[np.arange(self.num_envs), self.games.actors]

    # ---------------------------------------------------------------------------- the SB3 face

    def reset(self) -> np.ndarray:
        for index in range(self.num_envs):
            self.games.deal(index)
            self._seat(index)
        self._look()
        self._play_others()
        self._clear_results()
        return self.games.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        self._chosen = np.asarray(actions, np.int64)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        self._clear_results()
        self.lengths += 1
        self.games.step(self._chosen)
        self._play_others()
        return self.games.observations.copy(), self.rewards, self.dones, self.infos

    def _play_others(self) -> None:
        """Go on until the learner is to decide in every game."""
        while True:
            self._deal_anew(np.flatnonzero(self.games.actors < 0))
            players = self._players()
            if (players == LEARNER).all():
                return
            actions = np.full(self.num_envs, LOOK)
            for number in np.unique(players[players != LEARNER]):
                rows = players == number
                opponent = self.opponents[number]
                actions[rows] = opponent.act(self.games.observations[rows], self.games.masks[rows])
            self.games.step(actions)

    def _deal_anew(self, finished: np.ndarray) -> None:
        for index in finished:
            seat = int(np.flatnonzero(self.seating[index] == LEARNER)[0])
            self.rewards[index] = self.games.rewards[index, seat]
            self.dones[index] = True
            self.infos[index] = {
                "terminal_observation": self.games.observe(index, seat),
                "episode": {
                    "r": float(self.rewards[index]),
                    "l": int(self.lengths[index]),
                    "t": round(time.time() - self.started, 6),
                },
                "opponents": [int(n) for n in self.seating[index] if n != LEARNER],
            }
            self.games.deal(index)
            self._seat(index)
        if len(finished):
            self._look()

    def _look(self) -> None:
        self.games.look()

    def _clear_results(self) -> None:
        self.rewards = np.zeros(self.num_envs, np.float32)
        self.dones = np.zeros(self.num_envs, bool)
        self.infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def action_masks(self) -> np.ndarray:
        """Legal actions of the learner in every game: bool[num_envs, num_actions]."""
        return self.games.masks.astype(bool)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        if method_name != "action_masks":
            raise AttributeError(f"these environments have no method {method_name!r}")
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        values = {"render_mode": None, "action_masks": self.action_masks}
        if attr_name not in values:
            raise AttributeError(f"these environments have no attribute {attr_name!r}")
        return [values[attr_name] for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(f"these environments have no attribute {attr_name!r} to set")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing is held open."""
