"""MaskablePPO of sb3-contrib as a `Learner`.

Stable-Baselines3 collects and learns in one call. Here the run collects rollouts, so only the
policy, the rollout buffer and the method `train` of its model are used. Stable-Baselines3 saves
models as pickles and does not save its RNGs, so this module reads and writes the state itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv

from gubs_agents.networks.descent import falling
from gubs_agents.training.arrays import under
from gubs_agents.training.options import Options
from gubs_agents.training.rollout import Rollout
from gubs_agents.training.torch_network import (
    PerceptronLearner,
    PolicyAndValue,
    Trunk,
    network_state,
    restore_network,
    threads,
)

METRICS = (
    "policy_loss", "value_loss", "approx_kl", "clip_fraction", "explained_variance", "entropy",
    "learning_rate",
)  # fmt: skip
LOGGED = {"policy_loss": "policy_gradient_loss", "entropy": "entropy_loss"}
"""The metrics that Stable-Baselines3 logs by other names; it logs −entropy."""


class Extractor(BaseFeaturesExtractor):
    """A `Trunk` as Stable-Baselines3 wants it."""

    def __init__(self, observation_space: Any, width: int, layers: int) -> None:
        super().__init__(observation_space, width)
        self.trunk = Trunk(observation_space.shape[0], width, layers)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.trunk(observations)


class MaskablePPOLearner(PerceptronLearner):
    """A `Learner` that uses proximal policy optimisation with illegal actions masked.

    Args:
        options: options of the run.
        env: environment, read for the sizes of observations and actions.
    """

    def __init__(self, options: Options, env: VecEnv) -> None:
        self.options, self.learning_rate = options, options.learning_rate
        self.model = MaskablePPO(
            "MlpPolicy",
            env,
            learning_rate=lambda _: self.learning_rate,
            n_steps=options.rollout,
            batch_size=min(options.batch, options.rollout * options.games),
            n_epochs=options.epochs,
            gamma=options.discount,
            gae_lambda=options.gae_lambda,
            clip_range=options.clip,
            clip_range_vf=(options.value_clip or 0) * options.table.max_payoff or None,
            ent_coef=options.entropy,
            policy_kwargs={
                "features_extractor_class": Extractor,
                "features_extractor_kwargs": {"width": options.width, "layers": options.layers},
                "net_arch": [],
                "ortho_init": False,
            },
            seed=options.seed,
            device=options.device,
        )
        self.model.set_logger(Logger(None, []))
        policy: Any = self.model.policy
        self.policy = policy
        trunk, heads = policy.features_extractor.trunk, policy
        self.network = PolicyAndValue(trunk, heads.action_net, heads.value_net)

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.model.device)

    # ------------------------------------------------------------------------------- a rollout

    def act(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Draw an action for every game; return also the values and log probabilities."""
        with threads(1), torch.no_grad():
            actions, values, log_probs = self.policy(self._tensor(observations), action_masks=masks)
        extras = {"values": values[:, 0].cpu().numpy(), "log_probs": log_probs.cpu().numpy()}
        return actions.cpu().numpy(), extras

    def learn(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Update the network with several passes over a rollout, and return the metrics."""
        options = self.options
        self.learning_rate = falling(options.learning_rate, options.last_learning_rate, progress)
        self.model.ent_coef = falling(options.entropy, options.last_entropy, progress)
        with threads(1), torch.no_grad():
            self._fill_buffer(rollout)
        self.model.train()
        logged = self.model.logger.name_to_value
        metrics = {name: logged[f"train/{LOGGED.get(name, name)}"] for name in METRICS}
        return metrics | {"entropy": -metrics["entropy"]}

    def _fill_buffer(self, rollout: Rollout) -> None:
        """Copy a rollout to the buffer of Stable-Baselines3.

        The return of a game that was cut off includes the value of its last position.
        """
        policy, buffer = self.policy, self.model.rollout_buffer
        rewards = rollout.rewards.copy()
        for (step, game), last in zip(rollout.cut_off, rollout.last_observations, strict=True):
            value = policy.predict_values(self._tensor(last[None]))[0, 0]
            rewards[step, game] += (self.model.gamma * value).item()
        buffer.reset()
        values, log_probs = (torch.from_numpy(rollout.extras[k]) for k in ("values", "log_probs"))
        for step in range(len(rewards)):
            buffer.add(
                rollout.observations[step], rollout.actions[step], rewards[step],
                rollout.starts[step], values[step], log_probs[step],
                action_masks=rollout.masks[step],
            )  # fmt: skip
        last_values = policy.predict_values(self._tensor(rollout.next_observations))
        buffer.compute_returns_and_advantage(last_values, rollout.dones[-1])

    # ---------------------------------------------------------------------------------- the state

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return the network, Adam's moments and the global RNGs that Stable-Baselines3 uses."""
        kind, words, position, has_gauss, gauss = np.random.get_state()
        rngs = {"torch": torch.get_rng_state().numpy(), "numpy": np.asarray(words)}
        arrays = network_state(self.policy, self.policy.optimizer) | under("rng", rngs)
        return arrays, {"numpy": [kind, int(position), int(has_gauss), float(gauss)]}

    def restore(self, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]) -> None:
        """Continue from the two parts of a `state`."""
        restore_network(self.policy, self.policy.optimizer, arrays)
        torch.set_rng_state(torch.from_numpy(arrays["rng/torch"]))
        kind, position, has_gauss, gauss = numbers["numpy"]
        np.random.set_state((kind, arrays["rng/numpy"], position, has_gauss, gauss))
