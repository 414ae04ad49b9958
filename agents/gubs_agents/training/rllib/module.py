"""The network of a training run as an RLModule, which never chooses an illegal action."""

from __future__ import annotations

from typing import Any

import torch
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.torch import TorchRLModule

from gubs_agents.networks.fitting import layer_of
from gubs_agents.networks.network import Weights
from gubs_agents.training.torch_network import Trunk, set_layers
from gubs_env.adapters.rllib import ACTION_MASK, OBSERVATIONS

ILLEGAL = torch.finfo(torch.float32).min
"""The score of an illegal action; −inf would give NaN in the divergence of two policies."""


class MaskedNetwork(TorchRLModule, ValueFunctionAPI):
    """A multilayer perceptron with a policy head and a value head.

    Observations are those of `gubs_env.adapters.rllib.RLlibEnv`, of any dtype.
    `model_config` holds `width`, the units in each hidden layer, and `layers`, the number of hidden
    layers.
    """

    def setup(self) -> None:
        width, layers = self.model_config["width"], self.model_config["layers"]
        self.trunk = Trunk(self.observation_space[OBSERVATIONS].shape[0], width, layers)
        self.policy_head = torch.nn.Linear(width, int(self.action_space.n))
        self.value_head = torch.nn.Linear(width, 1)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        seen = batch[Columns.OBS]
        features = self.trunk(seen[OBSERVATIONS].float())
        scores = self.policy_head(features).masked_fill(seen[ACTION_MASK] == 0, ILLEGAL)
        return {Columns.ACTION_DIST_INPUTS: scores, Columns.EMBEDDINGS: features}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """Return the value of each observation in a batch, float32[batch]."""
        if embeddings is None:
            embeddings = self.trunk(batch[Columns.OBS][OBSERVATIONS].float())
        return self.value_head(embeddings).squeeze(-1)

    @property
    def linears(self) -> list[torch.nn.Linear]:
        """The layers, in the order of `Weights.layers`."""
        return [*self.trunk.hidden, self.policy_head, self.value_head]

    def weights(self) -> Weights:
        """Return a copy of the layers, with the value head."""
        *layers, value = [layer_of(linear) for linear in self.linears]
        return Weights(layers, value)

    def set_weights(self, weights: Weights) -> None:
        """Copy the layers of a saved network, as `set_layers` does."""
        set_layers(self.linears, weights)
