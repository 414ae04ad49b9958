"""Learning the values of outcomes from games.

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
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from gubs_agents.deals import LUCK_DEALS
from gubs_agents.luck.games import Data, LuckOptions, data_of, parts_of
from gubs_agents.luck.values import LARGEST_FEATURE, Values, save
from gubs_agents.networks.descent import descend, layers_of, perceptron
from gubs_agents.networks.layers import Weights
from gubs_env import find_table
from gubs_env.support.checks import check_options


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


EVENT_BATCH, GAME_BATCH = 4096, 256
EVENT_RATE, GAME_RATE = 1e-3, 3e-4
HIDDEN = 256, 128
"""Units of each hidden layer, of both networks."""
WEIGHT_DECAY = 0.01
"""Weight decay of AdamW."""
SEED = 0
"""Seed of the initial weights and of the order of events and games."""


def run(options: LuckOptions) -> Path:
    """Play, fit and save; return the path of the values.

    Raises:
        ValueError: for an option that is not allowed, and as for `load_or_play` and `values.save`.
        OSError: as for `load_or_play`.
    """
    check_options(options)
    table = find_table(options.game, options.players or None)
    table.game.chance_events().check_rules(table.rules)
    data = data_of(parts_of(options, table), table.sides)
    events = Passes(options.epochs, EVENT_BATCH, EVENT_RATE)
    games = Passes(options.game_epochs, GAME_BATCH, GAME_RATE)
    steps = 2 * events.steps(len(data.events.games)) + games.steps(len(data.payoffs))
    with tqdm(desc="fitting", total=steps) as bar:

        def progress(left: float) -> None:
            bar.update()
            bar.set_postfix_str(f"error left {left:.2f}")

        learner = ValueLearner(data, progress)
        learner.predict(events)
        learner.follow_predictions(events)
        learner.explain_games(games)
    path = options.out / f"{table.name}.safetensors"
    save(path, Values(learner.weights(), LUCK_DEALS.start, len(data.payoffs)), table)
    return path


class ValueLearner:
    """The two networks, and the three parts of learning.

    Args:
        data: the games.
        progress: called with the error that is left after every step: the mean square in a batch as
            a fraction of what it is for predictions of zero.

    Attributes:
        mean, scale: float32[features], the means of the features, and their standard deviations,
            at least 0.1.
        ends: int64[games]: where the events of each game end.
        places: int64[events, num_sides]: the sides, counted from the side of each event.
        predictor: the network that predicts payoffs.
        values: the network that values outcomes.
    """

    def __init__(self, data: Data, progress: Callable[[float], None]) -> None:
        torch.manual_seed(SEED)
        self.rng = np.random.default_rng(SEED)
        self.events, self.progress = data.events, progress
        self.payoffs = data.payoffs - data.payoffs.mean(axis=1, keepdims=True)
        num_games, num_sides = self.payoffs.shape
        self.ends = np.searchsorted(self.events.games, np.arange(num_games), side="right")
        first = data.sides[self.events.seats.astype(np.int64)]
        self.places = (first[:, None] + np.arange(num_sides)) % num_sides
        features = self.events.features
        sample = features[:: max(1, len(features) // 100_000)].astype(np.float32)
        self.mean, self.scale = sample.mean(axis=0), np.maximum(sample.std(axis=0), 0.1)
        sizes = [features.shape[1], *HIDDEN]
        self.predictor = quiet_perceptron([*sizes, num_sides])
        self.values = quiet_perceptron([*sizes, num_sides * self.events.weights.shape[1]])

    def predict(self, passes: Passes) -> None:
        """Fit the predictor to the payoffs."""

        def predicted(rows: np.ndarray) -> tuple[Any, np.ndarray]:
            payoffs = self.payoffs[self.events.games[rows]]
            wanted = np.take_along_axis(payoffs, self.places[rows], 1)
            return self.predictor(self._features(rows)), wanted

        self._minimise(self.predictor, predicted, len(self.places), passes)

    def follow_predictions(self, passes: Passes) -> None:
        """Fit the values to how much the prediction changes until the next event."""
        changes = self._changes()

        def surprised(rows: np.ndarray) -> tuple[Any, np.ndarray]:
            return self._surprises(rows), changes[rows]

        self._minimise(self.values, surprised, len(self.places), passes)

    def explain_games(self, passes: Passes) -> None:
        """Fit the values to whole games: the sum of a game is to be its payoffs."""

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

    def weights(self) -> Weights:
        """Return the layers of the values, which read features as they are."""
        (weights, biases), *others = layers_of(self.values)
        first = weights / self.scale, biases - weights @ (self.mean / self.scale)
        layers = [(w.astype(np.float32), b.astype(np.float32)) for w, b in [first, *others]]
        return Weights(layers, largest_input=LARGEST_FEATURE)

    def _features(self, rows: np.ndarray | slice) -> torch.Tensor:
        """Return the scaled features of some events, float32[rows, features]."""
        features = (self.events.features[rows] - self.mean) / self.scale
        return torch.from_numpy(features.astype(np.float32))

    def _surprises(self, rows: np.ndarray) -> Any:
        """Return how much better outcomes were than expected, a tensor [rows, num_sides]."""
        worth = self.values(self._features(rows))
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
        games, relative = self.events.games, np.empty(self.places.shape, np.float32)
        with torch.no_grad():
            for start in range(0, len(games), 1 << 16):
                rows = slice(start, start + (1 << 16))
                relative[rows] = self.predictor(self._features(rows)).numpy()
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

        def minibatches() -> Iterator[np.ndarray]:
            for _ in range(passes.epochs):
                order = self.rng.permutation(count)
                for start in range(0, count, passes.batch):
                    yield np.sort(order[start : start + passes.batch])

        def loss_of(rows: np.ndarray) -> Any:
            outputs, self.targets = outputs_and_targets(rows)
            return (outputs - torch.from_numpy(self.targets)).square().mean()

        def progress(_: np.ndarray, loss: torch.Tensor) -> None:
            self.progress(loss.item() / max(float(np.square(self.targets).mean()), 1e-12))

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


def quiet_perceptron(sizes: list[int]) -> torch.nn.Sequential:
    """Return a perceptron whose outputs begin near zero."""
    network = perceptron(sizes)
    last: Any = network[-1]
    with torch.no_grad():
        last.weight *= 0.1
        last.bias.zero_()
    return network
