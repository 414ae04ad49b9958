"""Gradient descent in PyTorch: one loop for imitation, improvement, beliefs and values of luck.

Needs the extra `train`, so that modules without it import this one where they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, TypeVar

import torch

from gubs_agents.networks.layers import Layer

Batch = TypeVar("Batch")


def falling(first: float, last: float, progress: float) -> float:
    """Return a value that changes linearly from `first` to `last` as progress goes from 0 to 1."""
    return first + (last - first) * progress


def descend(
    optimizer: torch.optim.Optimizer,
    batches: Iterable[Batch],
    loss_of: Callable[[Batch], torch.Tensor],
    rate: Callable[[float], float],
    total: int,
    size: Callable[[Any], int] = lambda batch: len(batch[0]),
    progress: Callable[[Batch, torch.Tensor], None] = lambda batch, loss: None,
) -> None:
    """Take a step of an optimiser for each batch.

    Args:
        optimizer: the optimiser of the network's parameters.
        batches: the batches.
        loss_of: returns the loss of the network on a batch, a tensor of one number.
        rate: the learning rate by the fraction that is done, 0 … 1.
        total: the sum of the sizes of all batches.
        size: returns how much of the total a batch is; by default the length of its first array.
        progress: called after each step as (batch, loss).
    """
    done = 0
    for batch in batches:
        optimizer.param_groups[0]["lr"] = rate(done / total)
        loss = loss_of(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        done += size(batch)
        progress(batch, loss)


def perceptron(sizes: Iterable[int]) -> torch.nn.Sequential:
    """Return a multilayer perceptron with relu between its layers.

    Args:
        sizes: number of inputs, units of each hidden layer, and number of outputs.
    """
    layers: list[torch.nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers[:-1])


def layer_of(linear: torch.nn.Linear) -> Layer:
    """Return a copy of the weights and biases of a linear layer."""
    return linear.weight.detach().cpu().numpy().copy(), linear.bias.detach().cpu().numpy().copy()


def layers_of(network: torch.nn.Sequential) -> list[Layer]:
    """Return a copy of the layers of a `perceptron`."""
    return [layer_of(part) for part in network if isinstance(part, torch.nn.Linear)]
