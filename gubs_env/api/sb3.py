"""Self-play for Stable-Baselines3: one learner a game, the other seats played by agents."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from gubs_env.api.pool import Pool
from gubs_env.api.seated import LEARNER
from gubs_env.api.self_play import Estimate, SelfPlay
from gubs_env.engine.table import Table
from gubs_env.support.exclusive import exclusive

__all__ = ["Pool", "SelfPlayVecEnv"]


class SelfPlayVecEnv(SelfPlay, VecEnv):
    """`num_envs` games of self-play, as a `VecEnv`: the learner holds one seat in each.

    When a game begins, an opponent is drawn from the pool for every other seat, and stays to the
    end of the game; `set_pool` changes the pool for later games.

    A step lasts until the learner's next choice: decisions with a single legal action are played at
    once, for every player. The reward is the payoff of the learner's seat (or the gain in
    `standing`), plus the gain in `potential`. A finished game is dealt anew in the same step. Its
    info then holds `terminal_observation`, `TimeLimit.truncated`, `opponents` (the labels of the
    opponents), `win_share` (the learner's share of the win, or where payoffs differ of what is at
    stake, as `stake_share` returns it) and Monitor's `episode`: r, the payoff; l, the number of
    decisions; t, the seconds since this environment was made.

    Shaping with a potential Φ adds Φ(s′) − Φ(s) to the reward of each step, with Φ = 0 at the end.
    The best policy stays the best (Ng, Harada and Russell, "Policy invariance under reward
    transformations", 1999), even if Φ changes during learning (Devlin and Kudenko, "Dynamic
    potential-based reward shaping", 2012).

    Args:
        tables: the table of all games; or a list with the table of each, which differ in rules
            only and have the same sides.
        num_envs: number of games.
        pool: the opponents.
        seed: seed of the deals, the seats, the choice of opponents and their RNGs (`seed` sets it
            anew).
        seat: the learner's seat; None draws one for each game.
        standing: function of the observations whose gains are the rewards, in place of the payoff.
        potential: potential for reward shaping; its weight `shaping` is 0 at first.

    Attributes:
        shaping: weight of the potential.
        endings: the ends of games in the last step, where `dones` is set.
        seconds: time spent so far in "environment" and "opponents".

    Raises:
        ValueError: for numbers, tables or a seat that are not allowed.
    """

    def __init__(
        self,
        tables: Table | Sequence[Table],
        num_envs: int,
        pool: Pool,
        seed: int = 0,
        seat: int | None = None,
        standing: Estimate | None = None,
        potential: Estimate | None = None,
    ) -> None:
        SelfPlay.__init__(self, tables, num_envs, pool, seed, seat, standing, potential)
        highs = self.games.table.observation_highs
        VecEnv.__init__(
            self,
            num_envs,
            spaces.Box(np.zeros_like(highs), highs, dtype=np.int8),
            spaces.Discrete(self.games.table.num_actions),
        )
        self.started = time.time()

    @exclusive
    def reset(self) -> np.ndarray:
        """Deal every game anew, from the seed that `seed` set if any; return the observations."""
        if self._seeds[0] is not None:
            self._reseed(self._seeds[0])
        self._reset_seeds()
        return self.start()

    @exclusive
    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, int64[num_envs], for `step_wait`."""
        self._chosen = actions

    @exclusive
    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play on to the learner's next decision in every game.

        Returns:
            Observations, int8[num_envs, observation_size]; rewards, float32[num_envs]; dones,
            bool[num_envs]; and infos, as the class describes them.

        Raises:
            ValueError: for an action that is not legal; no game changes.
        """
        return *self.play(self._chosen, observe_ends=True), self._infos()

    def _infos(self) -> list[dict[str, Any]]:
        """Return the infos of the last step, as the class describes them."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended, seconds = np.flatnonzero(self.dones), round(time.time() - self.started, 6)
        *columns, lasts = (column[ended] for column in self.endings)
        rows = zip(ended.tolist(), *(column.tolist() for column in columns), lasts, strict=True)
        for index, payoff, share, opponents, length, truncated, last in rows:
            infos[index] = {
                "terminal_observation": last,
                "episode": {"r": payoff, "l": length, "t": seconds},
                "TimeLimit.truncated": truncated,
                "opponents": [self.labels[number] for number in opponents if number != LEARNER],
                "win_share": share,
            }
        return infos

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Return the masks of some games for "action_masks"; AttributeError for other methods."""
        if method_name != "action_masks":
            raise AttributeError(f"these environments have no method {method_name!r}")
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return "render_mode" or "action_masks" of some games; AttributeError for others."""
        values = {"render_mode": None, "action_masks": self.action_masks}
        if attr_name not in values:
            raise AttributeError(f"these environments have no attribute {attr_name!r}")
        return [values[attr_name] for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise AttributeError: no attribute can be set."""
        raise AttributeError(f"these environments have no attribute {attr_name!r} to set")

    def set_options(self, options: Any = None) -> None:
        """Raise ValueError for options of `reset`: there are none."""
        if options and any([options] if isinstance(options, dict) else options):
            raise ValueError(f"reset options {options!r}: these environments have none")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each game: none is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Do nothing: no resources are held."""
