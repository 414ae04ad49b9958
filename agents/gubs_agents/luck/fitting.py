"""Fitting the values of outcomes, on games that are never evaluated.

The network is fitted to whole games: it minimises the mean square of payoffs plus corrections, that
is, the variance that is left. Needs PyTorch, the extra `train`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gubs_agents.luck.events import Events
from gubs_agents.luck.values import Values


@dataclass(frozen=True)
class FitOptions:
    """The hyperparameters of a fit."""

    hidden: tuple[int, ...] = (256, 128)
    """Units of each hidden layer."""
    epochs: int = 4
    """Passes over the games."""
    batch: int = 256
    """Games in a step."""
    learning_rate: float = 1e-3
    """Learning rate of Adam at the start; it falls to zero along a cosine."""
    weight_decay: float = 0.1
    """Weight decay of AdamW."""
    dropout: float = 0.0
    """Fraction of the hidden units that are left out in a step; 0 disables it."""
    seed: int = 0
    """Seed of the initial weights and of the order of the games."""


@dataclass(frozen=True)
class Data:
    """Games to fit on."""

    events: Events
    """The chance events, sorted by game."""
    payoffs: np.ndarray
    """float32[games, num_sides]: payoffs less the mean of the same agents in the same seats."""
    sides: np.ndarray
    """int64[num_players]: the side of each seat."""

    @property
    def ends(self) -> np.ndarray:
        """int64[games]: where the events of each game end."""
        return np.searchsorted(self.events.games, np.arange(len(self.payoffs)), side="right")


def centred(payoffs: np.ndarray, seatings: np.ndarray) -> np.ndarray:
    """Return payoffs less their mean over the games of the same seating, float32[games, sides]."""
    _, group = np.unique(seatings, axis=0, return_inverse=True)
    group = group.ravel()
    counts = np.bincount(group)
    result = np.empty(payoffs.shape, np.float32)
    for side in range(payoffs.shape[1]):
        means = np.bincount(group, payoffs[:, side]) / counts
        result[:, side] = payoffs[:, side] - means[group]
    return result


def fit(
    data: Data,
    first_deal: int,
    options: FitOptions | None = None,
    progress: Callable[[int, int, float], None] = lambda done, count, left: None,
) -> Values:
    """Return values fitted to games.

    Args:
        data: the games.
        first_deal: the seed of the first deal.
        options: the hyperparameters; None means the defaults.
        progress: called as (steps made, steps in all, variance left) after every step, where the
            variance is that of the last games as a fraction of the plain one.
    """
    import torch

    options = options or FitOptions()
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    mean, scale = scales(data.events.features)
    outputs = data.payoffs.shape[1] * data.events.weights.shape[1]
    sizes = [len(mean), *options.hidden, outputs]
    network = perceptron(sizes, options.dropout)
    steps = options.epochs * (len(data.payoffs) // options.batch)
    optimiser = torch.optim.AdamW(
        network.parameters(), options.learning_rate, weight_decay=options.weight_decay
    )
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
    ends, done = data.ends, 0
    for _ in range(options.epochs):
        order = rng.permutation(len(data.payoffs))
        for start in range(0, len(order) - options.batch + 1, options.batch):
            chosen = np.sort(order[start : start + options.batch])
            left = residuals(network, data, ends, chosen, mean, scale)
            loss = left.square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            done += 1
            progress(done, steps, loss.item() / float(np.square(data.payoffs[chosen]).mean()))
    return Values(exported(network, mean, scale), first_deal, len(data.payoffs))


def perceptron(sizes: list[int], dropout: float) -> Any:
    """Return a perceptron with relu between its layers; its outputs begin near zero."""
    import torch

    layers: list[Any] = []
    for inputs, outputs in pairwise(sizes):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU(), torch.nn.Dropout(dropout)]
    with torch.no_grad():
        layers[-3].weight *= 0.1
        layers[-3].bias.zero_()
    return torch.nn.Sequential(*layers[:-2])


def scales(features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean and the standard deviation of each feature, at least 0.1, float32[…]."""
    sample = features[:: max(1, len(features) // 100_000)].astype(np.float32)
    return sample.mean(axis=0), np.maximum(sample.std(axis=0), 0.1)


def residuals(
    network: Any, data: Data, ends: np.ndarray, chosen: np.ndarray, mean: Any, scale: Any
) -> Any:
    """Return payoffs plus corrections of some games, a tensor [games, num_sides]."""
    import torch

    first = np.where(chosen > 0, ends[chosen - 1], 0)
    counts = ends[chosen] - first
    rows = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    events, num_sides = data.events, data.payoffs.shape[1]
    features = (events.features[rows] - mean) / scale
    worth = network(torch.from_numpy(features.astype(np.float32)))
    worth = worth.reshape(len(rows), num_sides, -1)
    weights = torch.from_numpy(events.weights[rows])[:, None]
    outcomes = torch.from_numpy(events.outcomes[rows].astype(np.int64))[:, None, None]
    taken = worth.gather(2, outcomes.expand(-1, num_sides, 1))[:, :, 0]
    surprise = taken - (worth * weights).sum(2)
    surprise = surprise - surprise.mean(1, keepdim=True)
    left = torch.from_numpy(data.payoffs[chosen].copy())
    games = np.repeat(np.arange(len(chosen)), counts)
    own = data.sides[events.seats[rows].astype(np.int64)]
    for steps in range(num_sides):
        index = torch.from_numpy(games * num_sides + (own + steps) % num_sides)
        left = left.reshape(-1).index_add(0, index, -surprise[:, steps]).reshape(left.shape)
    return left


def exported(network: Any, mean: np.ndarray, scale: np.ndarray) -> list[Any]:
    """Return the layers of a network that reads features as they are."""
    layers = [
        (layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy())
        for layer in network
        if hasattr(layer, "weight")
    ]
    weights, biases = layers[0]
    layers[0] = (weights / scale).astype(np.float32), biases - weights @ (mean / scale)
    return [(weights, biases.astype(np.float32)) for weights, biases in layers]
