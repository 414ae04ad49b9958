"""The network of a training run in PyTorch, shared by the learners: its layers, fitting, state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from gubs_agents.networks.architecture import ACTIVATION, TRANSFORM, WeightsError, torch_function
from gubs_agents.networks.descent import descend, falling, layer_of
from gubs_agents.networks.inputs import inputs_of
from gubs_agents.networks.layers import Weights
from gubs_agents.training.arrays import part_of, under
from gubs_agents.training.distributed import average_gradients
from gubs_agents.training.options import Options
from gubs_agents.training.supervised.comparisons import Comparisons
from gubs_agents.training.supervised.imitation import Examples
from gubs_env.support.checks import check_array

IMITATION_RATES = 2e-3, 1e-4
"""Learning rates of imitation at the start and at the end."""
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


class Positions(NamedTuple):
    """Positions as `PolicyAndValue` reads them."""

    inputs: torch.Tensor
    """float32[count, entries], what the first layer reads, as `inputs_of` returns it."""
    entries: torch.Tensor
    """int64[entries], their places in the observation."""
    masks: torch.Tensor
    """bool[count, num_actions], the legal actions."""


def positions_of(observations: np.ndarray, masks: np.ndarray, device: torch.device) -> Positions:
    """Return positions for a network, without the entries that are zero in all of them."""
    arrays = *inputs_of(observations), masks != 0
    return Positions(*(torch.from_numpy(array).to(device) for array in arrays))


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
        inputs = self.transform(observations)
        return self.from_inputs(inputs, torch.arange(inputs.shape[1], device=inputs.device))

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
    expected = [tuple(linear.weight.shape) for linear in linears]
    if (shapes := [matrix.shape for matrix, _ in weights.layers]) != expected:
        raise WeightsError(
            f"the network to begin with has layers {shapes}; the learner's are {expected}: set "
            "width and layers to match, or begin with another network"
        )
    with torch.no_grad():
        for linear, (matrix, biases) in zip(linears, weights.layers, strict=True):
            linear.weight.copy_(torch.from_numpy(matrix))
            linear.bias.copy_(torch.from_numpy(biases))


# ------------------------------------------------------------------------- supervised learning


def new_network(inputs: int, width: int, layers: int, num_actions: int) -> PolicyAndValue:
    """Return a network with random weights, from the RNG of PyTorch."""
    trunk = Trunk(inputs, width, layers)
    heads = (torch.nn.Linear(width, outputs) for outputs in (num_actions, 1))
    return PolicyAndValue(trunk, *heads)


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
    network = new_network(inputs, width, len(hidden), len(biases))
    set_layers(network.linears, weights)
    return network


def fit_network(
    network: PolicyAndValue,
    batches: Iterable[Examples | Comparisons],
    loss: Callable[..., torch.Tensor],
    decisions: int,
    rates: tuple[float, float],
    precision: AbstractContextManager[Any],
) -> None:
    """Fit a network to decisions with Adam, whose learning rate falls linearly.

    Args:
        network: the network.
        batches: minibatches of decisions.
        loss: `imitation_loss`, `worths_loss` or `improvement_loss`.
        decisions: number of decisions in all batches of this worker.
        rates: the learning rates at the start and at the end.
        precision: context in which losses are computed, such as `torch.autocast`.
    """
    device = network.value.weight.device

    def loss_of(batch: Examples | Comparisons) -> torch.Tensor:
        observations, masks, *targets = batch
        tensors = (torch.from_numpy(target).to(device) for target in targets)
        with precision:
            return loss(network, positions_of(observations, masks, device), *tensors)

    optimizer = torch.optim.Adam(network.parameters(), fused=True)
    optimizer.register_step_pre_hook(lambda *_: average_gradients(network.parameters()))
    descend(optimizer, batches, loss_of, partial(falling, *rates), decisions)


def imitation_loss(
    network: PolicyAndValue, positions: Positions, actions: torch.Tensor, returns: torch.Tensor
) -> torch.Tensor:
    """Return the cross-entropy of a teacher's actions, and the squared error of the value."""
    log_probs, values = network(*positions)
    value_loss = (values - returns).square().mean()
    return torch.nn.functional.nll_loss(log_probs, actions) + VALUE_WEIGHT * value_loss


def worths_loss(
    network: PolicyAndValue, positions: Positions, actions: torch.Tensor, worths: torch.Tensor
) -> torch.Tensor:
    """Return the expected worth of actions, with a minus, and the squared error of the value.

    The value learns what the agent's action is worth, without a change to the hidden layers.
    """
    features = network.trunk.from_inputs(positions.inputs, positions.entries)
    scores = torch.where(positions.masks, network.policy(features), ILLEGAL)
    probabilities = torch.softmax(scores, 1)
    reached = worths.gather(1, actions[:, None])
    value_loss = (network.value(features.detach()) - reached).square().mean()
    return VALUE_WEIGHT * value_loss - (probabilities * (worths - reached)).sum(1).mean()


def improvement_loss(
    before: PolicyAndValue,
    temperature: float,
    network: PolicyAndValue,
    positions: Positions,
    actions: torch.Tensor,
    worths: torch.Tensor,
) -> torch.Tensor:
    """Return the cross-entropy of an improved policy, and the squared change of the value.

    The improved policy is that of the network before, times exp(worth ÷ temperature): the best one
    whose divergence from the network before costs `temperature` for each nat (Grill et al.,
    "Monte-Carlo tree search as regularized policy optimization", 2020). Where nothing was compared
    it is the network before.
    """  # fmt: skip
    with torch.no_grad():
        log_probs, values_before = before(*positions)
        target = torch.softmax(log_probs + worths / temperature, 1)
    log_probs, values = network(*positions)
    change = (values - values_before).square().mean()
    return VALUE_WEIGHT * change - (target * log_probs).sum(1).mean()


class PerceptronLearner:
    """The part of a learner that has to do with its perceptron: imitation, and layers."""

    options: Options
    network: PolicyAndValue
    precision: AbstractContextManager[Any] = nullcontext()
    """The context in which losses are computed, such as `torch.autocast`."""

    def imitate(self, batches: Iterable[Examples]) -> None:
        """Fit policy and value to a teacher's decisions."""
        decisions, rates = self.options.imitate, IMITATION_RATES
        fit_network(self.network, batches, imitation_loss, decisions, rates, self.precision)

    def weights(self) -> Weights:
        """Return a copy of the layers, with the value head."""
        return self.network.weights()

    def set_weights(self, weights: Weights) -> None:
        """Copy the layers of a saved network, as `set_layers` does."""
        set_layers(self.network.linears, weights)


# --------------------------------------------------------------------------------- the state


def arrays_of(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """Return the parameters of a module as arrays by name."""
    return {name: tensor.cpu().numpy() for name, tensor in module.state_dict().items()}


def load_arrays(module: torch.nn.Module, arrays: Mapping[str, np.ndarray]) -> None:
    """Copy the arrays of `arrays_of` to a module; RuntimeError for those of another one."""
    module.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})


def network_state(
    network: torch.nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, np.ndarray]:
    """Return a network and the moments of its optimiser as arrays.

    They are called `policy/NAME` and `optimizer/NUMBER/NAME`, with the number of the parameter.
    """
    moments = {
        f"{number}/{name}": tensor.cpu().numpy()
        for number, slots in optimizer.state_dict()["state"].items()
        for name, tensor in slots.items()
    }
    return under("policy", arrays_of(network)) | under("optimizer", moments)


def restore_network(
    network: torch.nn.Module, optimizer: torch.optim.Optimizer, arrays: Mapping[str, np.ndarray]
) -> None:
    """Continue from a `network_state`, which is copied.

    Raises:
        ValueError, RuntimeError: for the state of another network.
    """
    load_arrays(network, part_of("policy", arrays))
    state, parameters = optimizer.state_dict(), list(network.parameters())
    for name, array in part_of("optimizer", arrays).items():
        number, slot = name.split("/")
        if slot != "step":
            check_array(name, array, parameters[int(number)].detach().cpu().numpy())
        state["state"].setdefault(int(number), {})[slot] = torch.tensor(array)
    optimizer.load_state_dict(state)
