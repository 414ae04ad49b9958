"""A network of Stable-Baselines3 as an agent."""

from __future__ import annotations

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor


class Counts(BaseFeaturesExtractor):
    """Numbers of cards, 0 … 70, as log(1 + count), so that one card more means less among many."""

    def __init__(self, observation_space) -> None:
        super().__init__(observation_space, observation_space.shape[0])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return torch.log1p(observations)


class Policy:
    """Plays what a network finds good: samples from it, or takes its best action."""

    def __init__(self, network: MaskableActorCriticPolicy, deterministic: bool = False) -> None:
        self.network = network
        self.deterministic = deterministic

    def act(
        self, observations: np.ndarray, masks: np.ndarray, choosers: np.ndarray | None = None
    ) -> np.ndarray:
        actions, _ = self.network.predict(
            observations, action_masks=masks.astype(bool), deterministic=self.deterministic
        )
        return actions
