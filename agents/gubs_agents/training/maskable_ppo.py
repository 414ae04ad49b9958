"""MaskablePPO of sb3-contrib as a `Learner`.

Stable-Baselines3 collects and learns in one call. Here the run collects rollouts, so only the
policy, the rollout buffer and the method `train` of its model are used. Stable-Baselines3 saves
models as pickles and does not save its RNGs, so this module reads and writes the state itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv

from gubs_agents.architecture import ACTIVATION, TRANSFORM, WeightsError, torch_function
from gubs_agents.network import Layer, Weights, check_weights
from gubs_agents.training.imitation import Examples
from gubs_agents.training.options import Options
from gubs_agents.training.rollout import Rollout
from gubs_agents.training.state import part_of, under

FIRST_IMITATION_RATE, LAST_IMITATION_RATE = 2e-3, 1e-4
"""Learning rates of imitation at the start and at the end; in between it falls linearly."""
METRICS = {
    "policy_loss": "policy_gradient_loss",
    "value_loss": "value_loss",
    "approx_kl": "approx_kl",
    "clip_fraction": "clip_fraction",
    "explained_variance": "explained_variance",
    "entropy": "entropy_loss",
    "learning_rate": "learning_rate",
}
"""Names of the metrics, each with the name that Stable-Baselines3 logs; it logs −entropy."""


class Trunk(BaseFeaturesExtractor):
    """The transform and the hidden layers, shared by policy and value."""

    def __init__(self, observation_space: Any, width: int, layers: int) -> None:
        super().__init__(observation_space, width)
        sizes = [observation_space.shape[0]] + [width] * layers
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(size, width) for size in sizes[:-1])
        self.transform, self.activation = torch_function(TRANSFORM), torch_function(ACTIVATION)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        values = self.transform(observations)
        for layer in self.hidden:
            values = self.activation(layer(values))
        return values


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit PyTorch to one thread: batches of one decision per game are too small to split."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def falling(first: float, last: float, progress: float) -> float:
    """Return a value that changes linearly from `first` to `last` as progress goes from 0 to 1."""
    return first + (last - first) * progress


class MaskablePPOLearner:
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
            clip_range_vf=options.value_clip or None,
            ent_coef=options.entropy,
            policy_kwargs={
                "features_extractor_class": Trunk,
                "features_extractor_kwargs": {"width": options.width, "layers": options.layers},
                "net_arch": [],
                "ortho_init": False,
            },
            seed=options.seed,
            device=options.device,
        )
        self.model.set_logger(Logger(None, []))
        self.policy: Any = self.model.policy

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.model.device)

    # ------------------------------------------------------------------------------- a rollout

    def act(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Draw an action for every game; return also the values and log probabilities."""
        with one_thread(), torch.no_grad():
            actions, values, log_probs = self.policy(self._tensor(observations), action_masks=masks)
        extras = {"values": values[:, 0].cpu().numpy(), "log_probs": log_probs.cpu().numpy()}
        return actions.cpu().numpy(), extras

    def learn(self, rollout: Rollout, progress: float) -> dict[str, float]:
        """Update the network with several passes over a rollout, and return the metrics."""
        options = self.options
        self.learning_rate = falling(options.learning_rate, options.last_learning_rate, progress)
        self.model.ent_coef = falling(options.entropy, options.last_entropy, progress)
        with one_thread(), torch.no_grad():
            self._fill_buffer(rollout)
        self.model.train()
        logged = self.model.logger.name_to_value
        metrics = {name: logged[f"train/{key}"] for name, key in METRICS.items()}
        return metrics | {"entropy": -metrics["entropy"]}

    def _fill_buffer(self, rollout: Rollout) -> None:
        """Copy a rollout to the buffer of Stable-Baselines3.

        The return of a game that was cut off includes the value of its last position.
        """
        policy, buffer = self.policy, self.model.rollout_buffer
        rewards = rollout.rewards.copy()
        for (step, game), seen in zip(rollout.cut_off, rollout.last_observations, strict=True):
            value = policy.predict_values(self._tensor(seen[None]))[0, 0]
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

    # ------------------------------------------------------------------------------- imitation

    def imitate(self, batches: Iterable[Examples]) -> None:
        """Fit the policy by cross-entropy and the value by squared error, with Adam."""
        optimizer = torch.optim.Adam(self.policy.parameters(), FIRST_IMITATION_RATE)
        fall, done = LAST_IMITATION_RATE - FIRST_IMITATION_RATE, 0
        for batch in batches:
            for group in optimizer.param_groups:
                group["lr"] = FIRST_IMITATION_RATE + fall * done / self.options.imitate
            loss = self._imitation_loss(*map(self._tensor, batch))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done += len(batch.actions)

    def _imitation_loss(
        self,
        observations: torch.Tensor,
        masks: torch.Tensor,
        actions: torch.Tensor,
        returns: torch.Tensor,
    ) -> torch.Tensor:
        features = self.policy.extract_features(observations)
        logits = self.policy.action_net(features).masked_fill(masks == 0, -torch.inf)
        values = self.policy.value_net(features).flatten()
        value_loss = (values - returns).square().mean()
        return torch.nn.functional.cross_entropy(logits, actions) + 0.5 * value_loss

    # -------------------------------------------------------------------------------- the network

    @property
    def _linears(self) -> list[Any]:
        """The layers, in the order of `Weights.layers`."""
        policy = self.policy
        return [*policy.features_extractor.hidden, policy.action_net, policy.value_net]

    def weights(self) -> Weights:
        """Return a copy of the layers, with the value head."""
        *layers, value = [layer_of(linear) for linear in self._linears]
        return Weights(layers, value)

    def set_weights(self, weights: Weights) -> None:
        """Copy the layers of a saved network, as `set_layers` does."""
        set_layers(self._linears, weights)

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


def layer_of(linear: Any) -> Layer:
    """Return a copy of the weights and biases of a linear layer."""
    return linear.weight.detach().cpu().numpy().copy(), linear.bias.detach().cpu().numpy().copy()


def set_layers(linears: Sequence[torch.nn.Linear], weights: Weights) -> None:
    """Copy the layers of a saved network, which must have a value head, to linear layers.

    Slices of the observation that the network does not read start at zero weight.

    Raises:
        WeightsError: if the number or the sizes of the layers differ.
    """
    check_weights(weights)
    weights = weights.widened(linears[0].in_features)
    own = [tuple(linear.weight.shape) for linear in linears]
    if (found := [matrix.shape for matrix, _ in weights.layers]) != own:
        raise WeightsError(
            f"the network to begin with has layers {found}; the learner's are {own}: set "
            "width and layers to match, or begin with another network"
        )
    with torch.no_grad():
        for linear, (matrix, biases) in zip(linears, weights.layers, strict=True):
            linear.weight.copy_(torch.from_numpy(matrix))
            linear.bias.copy_(torch.from_numpy(biases))


def network_state(
    network: torch.nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, np.ndarray]:
    """Return a network and the moments of its optimiser as arrays.

    They are called `policy/NAME` and `optimizer/NUMBER/NAME`, with the number of the parameter.
    """
    policy = {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}
    moments = {
        f"{number}/{name}": tensor.cpu().numpy()
        for number, slots in optimizer.state_dict()["state"].items()
        for name, tensor in slots.items()
    }
    return under("policy", policy) | under("optimizer", moments)


def restore_network(
    network: torch.nn.Module, optimizer: torch.optim.Optimizer, arrays: Mapping[str, np.ndarray]
) -> None:
    """Continue from a `network_state`, which is copied."""
    policy = {name: torch.tensor(array) for name, array in part_of("policy", arrays).items()}
    network.load_state_dict(policy)
    state = optimizer.state_dict()
    for name, array in part_of("optimizer", arrays).items():
        number, slot = name.split("/")
        state["state"].setdefault(int(number), {})[slot] = torch.tensor(array)
    optimizer.load_state_dict(state)
