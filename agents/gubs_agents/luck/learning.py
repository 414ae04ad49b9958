"""Fitting the values of outcomes, on games that are never evaluated.

A first network learns to predict payoffs from what is known before each event. A second one, the
values, then learns how much each outcome changes this prediction: temporal differences (Sutton,
"Learning to predict by the methods of temporal differences", 1988). Each event so teaches what it
changed itself, and little of what happened later. At last the values are fitted to whole games:
they minimise the mean square of payoffs plus corrections, that is, the variance that is left.
Needs PyTorch, the extra `train`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.luck.values import LARGEST_FEATURE, Values
from gubs_agents.networks.layers import Layer, Weights
from gubs_env.engine.chance import Events


class Passes(NamedTuple):
    """The passes of a network over what it is fitted to."""

    epochs: int
    """Number of passes."""
    batch: int
    """Events, or games, in a step."""
    learning_rate: float
    """Learning rate of AdamW at the start; it falls to zero along a cosine."""

    def steps(self, count: int) -> int:
        """Return the number of steps of passes over `count` events or games."""
        return self.epochs * -(-count // self.batch)


EVENT_PASSES = Passes(2, 4096, 1e-3)
GAME_PASSES = Passes(2, 256, 3e-4)
HIDDEN = 256, 128
"""Units of each hidden layer, of both networks."""
WEIGHT_DECAY = 0.01
"""Weight decay of AdamW."""
SEED = 0
"""Seed of the initial weights and of the order of events and games."""


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

    @property
    def places(self) -> np.ndarray:
        """int64[events, num_sides]: the sides, counted from the side of each event."""
        first = self.sides[self.events.seats.astype(np.int64)]
        return (first[:, None] + np.arange(self.payoffs.shape[1])) % self.payoffs.shape[1]


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
    events: Passes = EVENT_PASSES,
    games: Passes = GAME_PASSES,
    progress: Callable[[int, int, float], None] = lambda done, count, left: None,
) -> Values:
    """Return values fitted to games.

    Args:
        data: the games.
        first_deal: the seed of the first deal.
        events: the passes over events, for each of the two networks.
        games: the passes over whole games, at the end.
        progress: called as (steps made, steps in all, error left) after every step, where the error
            is the mean square in a batch as a fraction of what it is for predictions of zero.
    """
    steps = 2 * events.steps(len(data.events.games)) + games.steps(len(data.payoffs))
    fitted = Fit(data, lambda done, left: progress(done, steps, left))
    fitted.predict(events)
    fitted.follow_predictions(events)
    fitted.explain_games(games)
    features = fitted.features
    layers = exported(fitted.values, features.mean, features.scale)
    return Values(Weights(layers, largest_input=LARGEST_FEATURE), first_deal, len(data.payoffs))


class Fit:
    """The networks of a fit, and its three parts.

    Args:
        data: as for `fit`.
        progress: called as (steps made, error left) after every step.

    Attributes:
        features: the features of the events.
        predictor: the network that predicts payoffs.
        values: the network that values outcomes.
    """

    def __init__(self, data: Data, progress: Callable[[int, float], None]) -> None:
        import torch

        torch.manual_seed(SEED)
        self.rng = np.random.default_rng(SEED)
        self.events, self.progress, self.done = data.events, progress, 0
        self.payoffs = data.payoffs - data.payoffs.mean(axis=1, keepdims=True)
        self.places, self.ends = data.places, data.ends
        self.features = Features(self.events.features)
        num_sides = self.payoffs.shape[1]
        sizes = [len(self.features.mean), *HIDDEN]
        self.predictor = perceptron([*sizes, num_sides])
        self.values = perceptron([*sizes, num_sides * self.events.weights.shape[1]])

    def predict(self, passes: Passes) -> None:
        """Fit the predictor to the payoffs."""

        def predicted(rows: np.ndarray) -> tuple[Any, np.ndarray]:
            payoffs = self.payoffs[self.events.games[rows]]
            wanted = np.take_along_axis(payoffs, self.places[rows], 1)
            return self.predictor(self.features.tensor(rows)), wanted

        self._minimise(self.predictor, predicted, len(self.places), passes)

    def follow_predictions(self, passes: Passes) -> None:
        """Fit the values to how much the prediction changes until the next event."""
        changes = self._changes()
        self._minimise(
            self.values,
            lambda rows: (self._surprises(rows), changes[rows]),
            len(self.places),
            passes,
        )

    def explain_games(self, passes: Passes) -> None:
        """Fit the values to whole games: the sum of a game is to be its payoffs."""
        import torch

        def explained(games: np.ndarray) -> tuple[Any, np.ndarray]:
            counts = np.diff(self.ends, prepend=0)[games]
            before = np.cumsum(counts) - counts
            rows = np.repeat(self.ends[games] - counts - before, counts) + np.arange(counts.sum())
            places = np.repeat(np.arange(len(games)), counts)[:, None] * self.payoffs.shape[1]
            places = torch.from_numpy((places + self.places[rows]).ravel())
            sums = torch.zeros(len(games) * self.payoffs.shape[1])
            sums = sums.index_add(0, places, self._surprises(rows).ravel())
            return sums.reshape(len(games), -1), self.payoffs[games]

        self._minimise(self.values, explained, len(self.payoffs), passes)

    def _surprises(self, rows: np.ndarray) -> Any:
        """Return how much better outcomes were than expected, a tensor [rows, num_sides]."""
        import torch

        worth = self.values(self.features.tensor(rows))
        worth = worth.reshape(len(rows), self.payoffs.shape[1], -1)
        weights = torch.from_numpy(self.events.weights[rows])[:, None]
        outcomes = torch.from_numpy(self.events.outcomes[rows].astype(np.int64))[:, None, None]
        taken = worth.gather(2, outcomes.expand(-1, worth.shape[1], 1))[:, :, 0]
        surprise = taken - (worth * weights).sum(2)
        return surprise - surprise.mean(1, keepdim=True)

    def _changes(self) -> np.ndarray:
        """Return how much the prediction changes until the next event, float32[events, num_sides].

        After the last event of a game its payoffs are next. The sides are counted from the side of
        each event.
        """
        import torch

        games, relative = self.events.games, np.empty(self.places.shape, np.float32)
        with torch.no_grad():
            for start in range(0, len(games), 1 << 16):
                rows = slice(start, start + (1 << 16))
                relative[rows] = self.predictor(self.features.tensor(rows)).numpy()
        relative -= relative.mean(axis=1, keepdims=True)
        predictions = np.empty_like(relative)
        np.put_along_axis(predictions, self.places, relative, 1)
        following = np.roll(predictions, -1, axis=0)
        is_last = np.append(games[1:] != games[:-1], True)
        following[is_last] = self.payoffs[games[is_last]]
        return np.take_along_axis(following - predictions, self.places, 1)

    def _minimise(
        self,
        network: Any,
        outputs_and_targets: Callable[[np.ndarray], tuple[Any, np.ndarray]],
        count: int,
        passes: Passes,
    ) -> None:
        """Fit a network by the mean square of its outputs less their targets.

        Args:
            network: the network.
            outputs_and_targets: a function of indices → a tensor, and an array of its shape.
            count: number of events, or of games.
            passes: the passes over these.
        """
        import torch

        from gubs_agents.networks.descent import descend

        def minibatches() -> Iterator[np.ndarray]:
            for _ in range(passes.epochs):
                order = self.rng.permutation(count)
                for start in range(0, count, passes.batch):
                    yield np.sort(order[start : start + passes.batch])

        def loss_of(rows: np.ndarray) -> Any:
            outputs, self.targets = outputs_and_targets(rows)
            return (outputs - torch.from_numpy(self.targets)).square().mean()

        def progress(_: np.ndarray, loss: Any) -> None:
            self.done += 1
            left = loss.item() / max(float(np.square(self.targets).mean()), 1e-12)
            self.progress(self.done, left)

        optimizer = torch.optim.AdamW(network.parameters(), weight_decay=WEIGHT_DECAY)
        descend(
            optimizer,
            minibatches(),
            loss_of,
            lambda done: passes.learning_rate * (1 + math.cos(math.pi * done)) / 2,
            passes.steps(count),
            lambda _: 1,
            progress,
        )


class Features:
    """The features of events, scaled for a network.

    Args:
        features: int8[events, features].

    Attributes:
        mean: float32[features], the means.
        scale: float32[features], the standard deviations, at least 0.1.
    """

    def __init__(self, features: np.ndarray) -> None:
        self.features = features
        sample = features[:: max(1, len(features) // 100_000)].astype(np.float32)
        self.mean, self.scale = sample.mean(axis=0), np.maximum(sample.std(axis=0), 0.1)

    def tensor(self, rows: np.ndarray | slice) -> Any:
        """Return the scaled features of some events, a tensor float32[rows, features]."""
        import torch

        return torch.from_numpy(((self.features[rows] - self.mean) / self.scale).astype(np.float32))


def perceptron(sizes: list[int]) -> Any:
    """Return a perceptron whose outputs begin near zero."""
    import torch

    from gubs_agents.networks.descent import perceptron as make

    network = make(sizes)
    last: Any = network[-1]
    with torch.no_grad():
        last.weight *= 0.1
        last.bias.zero_()
    return network


def exported(network: Any, mean: np.ndarray, scale: np.ndarray) -> list[Layer]:
    """Return the layers of a network that reads features as they are."""
    from gubs_agents.networks.descent import layers_of

    (weights, biases), *others = layers_of(network)
    first = weights / scale, biases - weights @ (mean / scale)
    return [(w.astype(np.float32), b.astype(np.float32)) for w, b in [first, *others]]
