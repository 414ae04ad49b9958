"""The network that learns: MaskablePPO of sb3-contrib around the layers of `network`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from gubs_agents.network import Layer, Weights, WeightsError
from gubs_agents.training.options import Options
from gubs_agents.training.shown import ShownVecEnv


class Trunk(BaseFeaturesExtractor):
    """The hidden layers, shared by policy and value, over log(1 + count): the more cards there are
    of a kind, the less one more means."""

    def __init__(self, observation_space: Any, width: int, layers: int) -> None:
        super().__init__(observation_space, width)
        sizes = [observation_space.shape[0]] + [width] * layers
        self.hidden = torch.nn.ModuleList(torch.nn.Linear(size, width) for size in sizes[:-1])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        values = torch.log1p(observations)
        for layer in self.hidden:
            values = torch.relu(layer(values))
        return values


def make_learner(
    options: Options, env: ShownVecEnv, learning_rate: Callable[[], float]
) -> MaskablePPO:
    """A learner that has learned nothing; `learning_rate` is asked at every update."""
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda _: learning_rate(),
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
    model.set_logger(Logger(None, []))
    return model


def layer_of(linear: Any) -> Layer:
    return linear.weight.detach().cpu().numpy().copy(), linear.bias.detach().cpu().numpy().copy()


def policy_layers(model: MaskablePPO) -> list[Layer]:
    """What `gubs_agents.network` plays with."""
    trunk: Any = model.policy.features_extractor
    return [layer_of(linear) for linear in [*trunk.hidden, model.policy.action_net]]


def value_layer(model: MaskablePPO) -> Layer:
    """The last layer of the value, after the same hidden ones."""
    return layer_of(model.policy.value_net)


def set_layers(model: MaskablePPO, weights: Weights) -> None:
    """Make the learner a network that was saved.

    Raises:
        WeightsError: for layers of another number or size, or a network without a value.
    """
    trunk: Any = model.policy.features_extractor
    linears = [*trunk.hidden, model.policy.action_net, model.policy.value_net]
    layers = [*weights.policy, *([] if weights.value is None else [weights.value])]
    own = [tuple(linear.weight.shape) for linear in linears]
    if (found := [matrix.shape for matrix, _ in layers]) != own:
        raise WeightsError(f"the network to begin with has layers {found}; the learner's are {own}")
    with torch.no_grad():
        for linear, (matrix, biases) in zip(linears, layers, strict=True):
            linear.weight.copy_(torch.from_numpy(matrix))
            linear.bias.copy_(torch.from_numpy(biases))
