"""The self-play environment as the learner sees it."""

from __future__ import annotations

from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnvWrapper

from gubs_agents.common.symmetry import Symmetry, show
from gubs_env.api.sb3 import SelfPlayVecEnv


class ShownVecEnv(VecEnvWrapper):
    """A wrapper that renames observations and actions by the symmetry of the game.

    Args:
        venv: the environment.
        symmetry: the symmetry of the game; None changes nothing.
    """

    venv: SelfPlayVecEnv

    def __init__(self, venv: SelfPlayVecEnv, symmetry: Symmetry | None) -> None:
        super().__init__(venv)
        self.symmetry = symmetry

    def look(self) -> np.ndarray:
        """Return the current observations of the learner, int8[num_envs, observation_size]."""
        return self._show(self.venv.games.observations.copy())

    def _show(self, observations: np.ndarray) -> np.ndarray:
        """Keep the positions as the learner sees them, and return the observations."""
        self.shown = show(self.symmetry, observations, self.venv.games.masks)
        return self.shown.observations

    def reset(self) -> np.ndarray:
        return self._show(self.venv.reset())

    def step_async(self, actions: np.ndarray) -> None:
        self.venv.step_async(self.shown.played(np.asarray(actions, np.int64)))

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observations, rewards, dones, infos = self.venv.step_wait()
        for info in filter(None, infos):
            (info["terminal_observation"],) = self.show_last(info["terminal_observation"][None])
        return self._show(observations), rewards, dones, infos

    def play(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Play a step, as `SelfPlayVecEnv.play` does."""
        observations, rewards, dones = self.venv.play(
            self.shown.played(np.asarray(actions, np.int64))
        )
        return self._show(observations), rewards, dones

    def show_last(self, observations: np.ndarray) -> np.ndarray:
        """Return observations of games that are over as the learner sees them."""
        none_legal = np.zeros((len(observations), self.shown.masks.shape[1]), np.int8)
        return show(self.symmetry, observations, none_legal).observations

    def action_masks(self) -> np.ndarray:
        """Return the legal actions of the learner in every game, bool[num_envs, num_actions]."""
        return self.shown.masks.astype(bool)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        if method_name != "action_masks":
            return self.venv.env_method(method_name, *args, indices=indices, **kwargs)
        masks = self.action_masks()
        return [masks[index] for index in self._get_indices(indices)]
