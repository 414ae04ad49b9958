"""The vectorised environment: many games at once, in one array."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, repeat
from typing import Any

import numpy as np

from gubs_env.engine.choosing import CHOOSE, LOOK
from gubs_env.engine.compilation import announce_compilation
from gubs_env.engine.game import Game
from gubs_env.engine.kernel import Batch
from gubs_env.engine.outcome import Outcome
from gubs_env.engine.position import check_states, leaves_out_cards
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.seats import ANY_PLAYER

ROUNDS_AT_ONCE = 64
"""Decisions of every game between two looks whether all have ended."""


def make_batch(game: Game, states: np.ndarray) -> Batch:
    """Return a `Batch` of these states, with arrays for all that `advance` writes."""
    count, num_players = len(states), int(states[0]["num_players"])
    return Batch(
        states,
        observations=np.zeros((count, game.observation_size(num_players)), np.int8),
        masks=np.zeros((count, game.num_actions(num_players)), np.int8),
        rewards=np.zeros((count, num_players), np.float32),
        dones=np.zeros(count, np.bool_),
        truncations=np.zeros(count, np.bool_),
        actors=np.zeros(count, np.int64),
        rngs=np.zeros((count, 4), np.int64),
    )


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
        states: STATE[num_envs], the games themselves, secrets included: for tests, puzzles and
            search, not for agents. `set_states` loads positions; or write into the array and call
            `look`.

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
        announce_compilation(game.kernel.advance)
        self.game = game
        self.num_envs, self.num_players = num_envs, num_players
        self.autoreset, self.skip_forced, self.copy = autoreset, skip_forced, copy
        self.rules = rules
        self._undealt = game.new_states(1, num_players, rules)
        self._batch = make_batch(game, game.new_states(num_envs, num_players, rules))
        self.states, self.observations, self.masks, self.rewards = self._batch[:4]
        self.dones, self.truncations, self.actors, self._rngs = self._batch[4:]
        bounds = np.linspace(0, num_envs, min(threads, num_envs) + 1).astype(int)
        self._parts = [slice(a, b) for a, b in pairwise(bounds)]
        self._batches = [Batch(*(array[part] for array in self._batch)) for part in self._parts]
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None
        self._closed = False
        self._rngs[:] = [seed_rng(index) for index in range(num_envs)]
        self.reset(int(np.random.default_rng().integers(2**62)) if seed is None else seed)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, ...]:
        """Deal every game anew: from `seed`, or from its own generator as it stands.

        Returns observations, masks, rewards, dones, actors, as `step` does.
        """
        for index in range(self.num_envs):
            self.deal(index, None if seed is None else seed + index)
        return self.look()

    def deal(self, index: int, seed: int | None = None) -> None:
        """Deal one game anew; the next `look` or `step` shows it.

        Args:
            index: number of the game.
            seed: as for the single environment's `reset`; None goes on from the game's own RNG.
        """
        rng = self.states["rng"][index].copy() if seed is None else seed_rng(seed)
        self.states[index] = self._undealt[0]  # a position may have left cards out of the deck
        self.states["rng"][index] = rng
        self.game.kernel.deal(self.states, index, ANY_PLAYER)

    def set_states(self, states: Any, seed: int | None = None) -> tuple[np.ndarray, ...]:
        """Start every game from a state, in place of `reset`.

        Args:
            states: one state for all games, or STATE[num_envs], as `position` of the public module
                or `env.state()` returns them.
            seed: game k goes on with the RNG of seed + k; None keeps the RNG of each state, so that
                copies of one state meet the same luck.

        Returns:
            observations, masks, rewards, dones, actors, as `step` does.

        Raises:
            ValueError: for a state of another game, number of players or rules; for a view or a
                game that is over; for another number of states; with autoreset, where a state
                leaves out cards of the deck (`rest=False`), since the next game would miss them.
                Nothing has changed then.
        """
        rows = check_states(self.game, states, self.num_players, self.rules)
        if len(rows) not in (1, self.num_envs):
            raise ValueError(f"{len(rows)} states: give one, or {self.num_envs} for the games here")
        if self.autoreset and leaves_out_cards(rows, self._undealt):
            raise ValueError(
                "a state leaves out cards of the deck (rest=False), which the game dealt after it "
                "would miss: make the environment with autoreset=False"
            )
        self.states[:] = rows
        if seed is not None:
            self.states["rng"] = [seed_rng(seed + index) for index in range(self.num_envs)]
        return self.look()

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
            self._advance_part(self._batch, actions, rounds)
        else:
            parts = [actions[part] for part in self._parts]
            list(self._pool.map(self._advance_part, self._batches, parts, repeat(rounds)))
        results = (self.observations, self.masks, self.rewards, self.dones, self.actors)
        return tuple(array.copy() for array in results) if self.copy else results

    def _advance_part(self, batch: Batch, actions: np.ndarray, rounds: int) -> None:
        self.game.kernel.advance(*batch, actions, rounds, self.autoreset, self.skip_forced)

    def play_randomly(self, rounds: int, seed: int | None = None) -> tuple[np.ndarray, ...]:
        """Play so many decisions in every game, each uniform over the legal actions.

        Choices follow `seed` and the game's number, not the game's own generator; None goes on from
        the call before. Returns as `step` does, with the rewards of the last game that ended.
        """
        self._seed_choices(seed)
        return self._advance(np.full(self.num_envs, CHOOSE), rounds)

    def _seed_choices(self, seed: int | None) -> None:
        if seed is not None:
            self._rngs[:] = [seed_rng(seed + index) for index in range(self.num_envs)]

    def observe(self, index: int, seat: int) -> np.ndarray:
        """What any seat of one game sees: int8[observation_size]."""
        written = np.zeros(self.observations.shape[1], np.int8)
        self.game.kernel.observe(self.states, index, seat, written)
        return written

    def views(self, indices: np.ndarray) -> np.ndarray:
        """What the seat to decide may know of these games: rows of their own, secrets erased.

        Search agents take these. None of the games may be over.
        """
        views = self.states[indices]
        for index, seat in enumerate(views["actor"]):
            self.game.kernel.hide(views, index, seat)
        return views

    def outcome(self, index: int) -> Outcome:
        """Return scores, winners and what decided one game, or would if it ended now."""
        return self.game.outcome(self.states[index])

    # ------------------------------------------------------------------------------- for search

    def determinize(self, views: np.ndarray, seed: int | None = None) -> tuple[np.ndarray, ...]:
        """Replace every game by a complete one, drawn at random, that fits a view.

        Args:
            views: STATE[1] for all games, or STATE[num_envs], as `views` gives them: each of the
                player to decide.
            seed: of the draws; None goes on from the call before.

        Returns:
            what `step` returns.
        """
        self._seed_choices(seed)
        self.states[:] = views
        for index in range(self.num_envs):
            self.game.kernel.determinize(self.states, index, self._rngs[index])
        return self.look()

    def play_out(self, seed: int | None = None) -> np.ndarray:
        """Play every game to its end, each decision uniform over the legal actions.

        Args:
            seed: of the choices; None goes on from the call before.

        Returns:
            float32[num_envs, num_players]: the payoffs of the games that ended in this call.

        Raises:
            RuntimeError: with autoreset, where games have no end.
        """
        if self.autoreset:
            raise RuntimeError("play_out needs an environment made with autoreset=False")
        payoffs = np.zeros_like(self.rewards)
        self._seed_choices(seed)
        while (self.actors >= 0).any():
            self.play_randomly(ROUNDS_AT_ONCE)
            payoffs += self.rewards
        return payoffs

    def close(self) -> None:
        """End the threads; a step after this is an error."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown()
