"""The network of a training run in PyTorch, shared by the learners: its layers, fitting, state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch

from gubs_agents.networks.architecture import ACTIVATION, TRANSFORM, WeightsError, torch_function
from gubs_agents.networks.descent import descend, falling, layer_of
from gubs_agents.networks.inputs import inputs_of
from gubs_agents.networks.layers import Weights
from gubs_agents.training.distributed import average_gradients
from gubs_agents.training.state import part_of, under
from gubs_agents.training.supervised.comparisons import Comparisons
from gubs_agents.training.supervised.imitation import Examples
from gubs_env.support.checks import check_array

FIRST_IMITATION_RATE, LAST_IMITATION_RATE = 2e-3, 1e-4
"""Learning rates of imitation at the start and at the end; in between it falls linearly."""
ILLEGAL = -1e8
"""The score of an illegal action: its probability is 0, and its logarithm a number."""
VALUE_WEIGHT = 0.5
"""Weight of the squared error of the value in a loss."""


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Limit PyTorch to a number of threads: batches of one decision per game want a single one."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


# --------------------------------------------------------------------------------- the network


class Trunk(torch.nn.Module):
    """The transform and the hidden layers, shared by policy and value.

    Args:
        inputs: number of entries of an observation.
        width: units in each hidden layer.
        layers: number of hidden layers.
    """

    def __init__(self, inputs: int, width: int, layers: int) -> None:
        super().__init__()
        sizes = [inputs] + [width] * layers
        self.layers = [torch.nn.Linear(size, width) for size in sizes[:-1]]
        self.hidden = torch.nn.ModuleList(self.layers)
        self.transform = torch_function(TRANSFORM)
        self.activate = torch_function(f"{ACTIVATION}_")  # in place: products are in the cache

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        values = self.transform(observations)
        for layer in self.layers:
            values = self.activate(layer(values))
        return values

    def from_inputs(self, inputs: torch.Tensor, entries: torch.Tensor) -> torch.Tensor:
        """Return the last hidden layer, float32[batch, width], where most counts are zero.

        Args:
            inputs: float32[batch, count], some entries of the observations, transformed.
            entries: int64[count], their places; all other entries are zero.
        """
        first, *others = self.layers
        columns = first.weight.index_select(1, entries)
        values = self.activate(torch.nn.functional.linear(inputs, columns, first.bias))
        for layer in others:
            values = self.activate(layer(values))
        return values


class PolicyAndValue(torch.nn.Module):
    """A multilayer perceptron with a policy head and a value head, which read its last layer."""

    def __init__(self, trunk: Trunk, policy: torch.nn.Linear, value: torch.nn.Linear) -> None:
        super().__init__()
        self.trunk, self.policy, self.value = trunk, policy, value

    def forward(
        self, inputs: torch.Tensor, entries: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the log probabilities of all actions and the values of positions.

        Args:
            inputs, entries: as for `Trunk.from_inputs`.
            masks: bool[batch, num_actions], the legal actions.

        Returns:
            float32[batch, num_actions], about `ILLEGAL` for illegal actions, and float32[batch].
        """
        features = self.trunk.from_inputs(inputs, entries)
        scores = torch.where(masks, self.policy(features), ILLEGAL)
        return torch.log_softmax(scores.float(), 1), self.value(features)[:, 0].float()

    @property
    def linears(self) -> list[torch.nn.Linear]:
        """The layers, in the order of `Weights.layers`."""
        return [*self.trunk.layers, self.policy, self.value]

    def weights(self) -> Weights:
        """Return a copy of the layers, with the value head."""
        *layers, value = [layer_of(linear) for linear in self.linears]
        return Weights(layers, value)


# ------------------------------------------------------------------------- layers in and out


def set_layers(linears: Sequence[torch.nn.Linear], weights: Weights) -> None:
    """Copy the layers of a saved network, which must have a value head, to linear layers.

    Slices of the observation that the network does not read start at zero weight.

    Raises:
        WeightsError: if the number or the sizes of the layers differ.
    """
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


# --------------------------------------------------------------------------------- imitation


def imitate(
    network: PolicyAndValue,
    batches: Iterable[Examples],
    decisions: int,
    precision: AbstractContextManager[Any] | None = None,
) -> None:
    """Fit the policy by cross-entropy and the value by squared error, with Adam.

    Args:
        network: the network.
        batches: minibatches of a teacher's decisions.
        decisions: number of decisions in all batches of this worker, for the learning rate.
        precision: context in which losses are computed, such as `torch.autocast`; None for none.
    """
    device = network.value.weight.device

    def loss_of(batch: Examples) -> torch.Tensor:
        with precision or nullcontext():
            return imitation_loss(network, *tensors_of(batch, device))

    optimizer = torch.optim.Adam(network.parameters(), fused=True)
    optimizer.register_step_pre_hook(lambda *_: average_gradients(network.parameters()))
    rate = partial(falling, FIRST_IMITATION_RATE, LAST_IMITATION_RATE)
    descend(optimizer, batches, loss_of, rate, decisions)


def tensors_of(
    batch: Examples | Comparisons, device: torch.device | None = None
) -> Iterator[torch.Tensor]:
    """Return the arguments of a loss after the network: what it reads, and its targets."""
    observations, masks, actions, targets = batch
    arrays = (*inputs_of(observations), masks != 0, actions, targets)
    return (torch.from_numpy(array).to(device) for array in arrays)


def imitation_loss(
    network: PolicyAndValue,
    inputs: torch.Tensor,
    entries: torch.Tensor,
    masks: torch.Tensor,
    actions: torch.Tensor,
    returns: torch.Tensor,
) -> torch.Tensor:
    log_probs, values = network(inputs, entries, masks)
    value_loss = (values - returns).square().mean()
    return torch.nn.functional.nll_loss(log_probs, actions) + VALUE_WEIGHT * value_loss


# --------------------------------------------------------------------------------- comparisons


def network_from(weights: Weights, inputs: int) -> PolicyAndValue:
    """Return a saved network in PyTorch; without a value head it gets one that says 0.

    Args:
        weights: the layers.
        inputs: number of entries of an observation, which the network may not all read.
    """
    *hidden, (matrix, biases) = weights.policy
    width = matrix.shape[1]
    if weights.value is None:
        nothing = np.zeros((1, width), np.float32), np.zeros(1, np.float32)
        weights = replace(weights, value=nothing)
    network = PolicyAndValue(
        Trunk(inputs, width, len(hidden)),
        torch.nn.Linear(width, len(biases)),
        torch.nn.Linear(width, 1),
    )
    set_layers(network.linears, weights)
    return network


def fit_worths(
    network: PolicyAndValue, batches: Iterable[Comparisons], decisions: int, rate: float
) -> None:
    """Fit the policy to the worths of actions, with Adam: the expected worth becomes largest.

    The value learns what the agent's action is worth, without a change to the hidden layers.

    Args:
        network: the network.
        batches: minibatches of comparisons.
        decisions: number of decisions in all batches, for the learning rate.
        rate: the learning rate at the start, which falls linearly to 0.
    """
    optimizer = torch.optim.Adam(network.parameters(), fused=True)
    descend(
        optimizer,
        batches,
        lambda batch: worths_loss(network, *tensors_of(batch)),
        partial(falling, rate, 0),
        decisions,
    )


def worths_loss(
    network: PolicyAndValue,
    inputs: torch.Tensor,
    entries: torch.Tensor,
    masks: torch.Tensor,
    actions: torch.Tensor,
    worths: torch.Tensor,
) -> torch.Tensor:
    features = network.trunk.from_inputs(inputs, entries)
    probabilities = torch.softmax(torch.where(masks, network.policy(features), ILLEGAL), 1)
    reached = worths.gather(1, actions[:, None])
    value_loss = (network.value(features.detach()) - reached).square().mean()
    return VALUE_WEIGHT * value_loss - (probabilities * (worths - reached)).sum(1).mean()


# --------------------------------------------------------------------------------- the state


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
    """Continue from a `network_state`, which is copied.

    Raises:
        ValueError, RuntimeError: for the state of another network.
    """
    policy = {name: torch.tensor(array) for name, array in part_of("policy", arrays).items()}
    network.load_state_dict(policy)
    state, parameters = optimizer.state_dict(), list(network.parameters())
    for name, array in part_of("optimizer", arrays).items():
        number, slot = name.split("/")
        if slot != "step":
            check_array(name, array, parameters[int(number)].detach().cpu().numpy())
        state["state"].setdefault(int(number), {})[slot] = torch.tensor(array)
    optimizer.load_state_dict(state)
