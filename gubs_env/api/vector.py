"""Many games at once, in one array."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from gubs_env.api.game import Game
from gubs_env.games.choosing import ANY_SEAT, CHOOSE, LOOK
from gubs_env.games.compilation import announce_compilation
from gubs_env.games.generator import seed_words


class VectorEnv:
    """`num_envs` games of one sort, each at its own decision.

    After `reset` and each `step` these arrays hold what is new:

    Attributes:
        observations: int8[num_envs, observation_size], what the seat to decide sees.
        masks: int8[num_envs, num_actions], what it may do; zeros for a game that is over.
        actors: int64[num_envs], the seat to decide; −1 for a game that is over.
        rewards: float32[num_envs, num_players], payoffs by seat of the games that ended in this
            step, else zeros.
        dones: bool[num_envs], which games ended in this step.
        truncations: bool[num_envs], which of these were cut off, their rules having brought no end.

    The arrays are reused by the next step; with `copy=True` the returned ones are the caller's own.

    Args:
        game: which game.
        num_envs: how many.
        num_players, rules: as for the single environment.
        seed: game k is that of the single environment after `reset(seed=seed + k)`, and goes on to
            the game after it as that does after `reset()`. None: fresh entropy.
        autoreset: deal a finished game anew in the same step, so that observation and mask are
            those of the new game. Without it the game stays as it ended until `deal`.
        threads: how many step at once; the results are the same for any number.
        skip_forced: play decisions with a single legal action without asking. Whoever runs the loop
            then sees from the order of the decisions that there was no choice: that a seat held
            nothing to play, say. No observation shows it. The first decision of a game that
            autoreset has dealt is asked all the same, lest a game begin and end unseen.
        copy: return copies.

    Raises:
        ValueError: for numbers, players or rules that cannot be.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        num_players: int | None = None,
        rules: Any = None,
        seed: int | None = None,
        autoreset: bool = True,
        threads: int = 1,
        skip_forced: bool = False,
        copy: bool = False,
    ) -> None:
        num_players = game.players if num_players is None else num_players
        rules = game.rules() if rules is None else rules
        game.check_players(num_players, rules)
        for name, value in (("num_envs", num_envs), ("threads", threads)):
            if value < 1:
                raise ValueError(f"{name}={value}: must be at least 1")
        announce_compilation()
        self.game = game
        self.num_envs, self.num_players = num_envs, num_players
        self.autoreset, self.skip_forced, self.copy = autoreset, skip_forced, copy
        self._games = game.new_games(num_envs, num_players, rules)
        size, actions = len(game.observation_highs(num_players)), game.num_actions(num_players)
        self.observations = np.zeros((num_envs, size), np.int8)
        self.masks = np.zeros((num_envs, actions), np.int8)
        self.actors = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros((num_envs, num_players), np.float32)
        self.dones = np.zeros(num_envs, np.bool_)
        self.truncations = np.zeros(num_envs, np.bool_)
        bounds = np.linspace(0, num_envs, min(threads, num_envs) + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(bounds)]
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None
        self._closed = False
        self._choosers = np.array([seed_words(index) for index in range(num_envs)])
        self.reset(int(np.random.default_rng().integers(2**62)) if seed is None else seed)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, ...]:
        """Deal every game anew: from `seed`, or from its own generator as it stands.

        Returns observations, masks, rewards, dones, actors, as `step` does.
        """
        for index in range(self.num_envs):
            if seed is not None:
                self._games["rng"][index] = seed_words(seed + index)
            self.deal(index)
        return self.look()

    def deal(self, index: int) -> None:
        """A new game in one row, from the generator of the last one; `look` or `step` shows it."""
        self.game.deal(self._games, index, ANY_SEAT)

    def look(self) -> tuple[np.ndarray, ...]:
        """Write what is seen and legal, playing nothing; returns as `step` does."""
        return self._advance(np.full(self.num_envs, LOOK), 1)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """Play one action in every game.

        Args:
            actions: whole numbers [num_envs], each legal, or LOOK (−1) to let a game stand.

        Returns:
            observations, masks, rewards, dones, actors.

        Raises:
            ValueError: for another shape or dtype, or an action that is not legal, saying in which
                game; no game has changed then.
            RuntimeError: after `close`.
        """
        return self._advance(self._checked(actions), 1)

    def _checked(self, actions: np.ndarray) -> np.ndarray:
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions are whole numbers of shape ({self.num_envs},), not {actions.dtype} of "
                f"shape {actions.shape}"
            )
        actions = actions.astype(np.int64, copy=False)
        inside = (actions >= 0) & (actions < self.masks.shape[1])
        legal = self.masks[np.arange(self.num_envs), np.where(inside, actions, 0)] != 0
        if not ((inside & legal) | (actions == LOOK)).all():
            self._refuse(actions, (inside & legal) | (actions == LOOK))
        return actions

    def _refuse(self, actions: np.ndarray, fine: np.ndarray) -> None:
        index = int(np.flatnonzero(~fine)[0])
        legal = [self.game.action_name(a, self.num_players) for a in self.masks[index].nonzero()[0]]
        raise ValueError(
            f"game {index}: action {actions[index]} is not legal; legal are "
            f"{', '.join(legal) or 'none, the game is over'} (so in {np.sum(~fine)} games)"
        )

    def _advance(self, actions: np.ndarray, rounds: int) -> tuple[np.ndarray, ...]:
        if self._closed:
            raise RuntimeError("the environment is closed")
        if self._pool is None:
            self._advance_part(actions, rounds, slice(None))
        else:
            list(
                self._pool.map(lambda part: self._advance_part(actions, rounds, part), self._parts)
            )
        results = (self.observations, self.masks, self.rewards, self.dones, self.actors)
        return tuple(array.copy() for array in results) if self.copy else results

    def _advance_part(self, actions: np.ndarray, rounds: int, part: slice) -> None:
        self.game.advance(
            self._games[part], actions[part], rounds, self._choosers[part],
            self.autoreset, self.skip_forced,
            self.observations[part], self.masks[part], self.rewards[part], self.dones[part],
            self.truncations[part], self.actors[part],
        )  # fmt: skip

    def play_randomly(self, rounds: int, seed: int | None = None) -> tuple[np.ndarray, ...]:
        """Play so many decisions in every game, each uniform over the legal actions.

        Choices follow `seed` and the game's number, not the game's own generator; None goes on from
        the call before. Returns as `step` does, with the rewards of the last game that ended.
        """
        if seed is not None:
            self._choosers[:] = [seed_words(seed + index) for index in range(self.num_envs)]
        return self._advance(np.full(self.num_envs, CHOOSE), rounds)

    def observe(self, index: int, seat: int) -> np.ndarray:
        """What any seat of one game sees: int8[observation_size]."""
        written = np.zeros(self.observations.shape[1], np.int8)
        self.game.observe(self._games, index, seat, written)
        return written

    def views(self, indices: np.ndarray) -> np.ndarray:
        """What the seat to decide may know of these games: rows of their own, secrets erased.

        Search agents take these. None of the games may be over.
        """
        views = self._games[indices]
        for index, seat in enumerate(views["actor"]):
            self.game.veil(views, index, seat)
        return views

    def close(self) -> None:
        """End the threads; a step after this is an error."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown()
