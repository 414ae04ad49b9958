"""The layers of a network, and the checks that make them safe for compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gubs_agents.common.decisions import DecisionForm, array_text
from gubs_agents.common.symmetry import Symmetry
from gubs_agents.networks.architecture import Description, WeightsError, describe, names_of
from gubs_env.engine.table import Table

LARGEST_OUTPUT = 1e30
"""Bound on the outputs of a layer, so that their sums and differences cannot overflow either."""
LARGEST_SHOWN = float(np.log1p(127))
"""The largest input of a network that reads observations, transformed."""
Layer = tuple[np.ndarray, np.ndarray]
"""Weights float32[outputs, inputs] and biases float32[outputs]."""


@dataclass(frozen=True, eq=False)
class Weights:
    """The layers of a network, which are checked when they are put together, and what it reads.

    Raises:
        WeightsError: names the layer that has another shape or type than the one before it asks
            for, or numbers that are not finite, or so large that an output can overflow; or says
            what is wrong with the inputs.
    """

    policy: Sequence[Layer]
    """The hidden layers, and last the outputs: the head that scores the actions."""
    value: Layer | None = None
    """The head that predicts the payoff from the last hidden layer; None without one."""
    inputs: np.ndarray | None = None
    """int64[inputs]: the entries of the observation that the first layer reads, after the symmetry
    has renamed it; None if it reads all of them in order."""
    largest_input: float = LARGEST_SHOWN
    """Bound on the absolute value of an input."""

    def __post_init__(self) -> None:
        check_layers(self)
        check_inputs(self)

    @property
    def named(self) -> dict[str, Layer]:
        """All layers by name, in the order of `Description.layers`."""
        value = {} if self.value is None else {"value": self.value}
        return {str(number): layer for number, layer in enumerate(self.policy)} | value

    @property
    def layers(self) -> list[Layer]:
        """All layers, in the order of `Description.layers`."""
        return list(self.named.values())

    def forward(self, inputs: np.ndarray) -> np.ndarray:
        """Return the outputs of the last layer of `policy`, float32[batch, outputs].

        `perceptron` computes the same for observations, many times faster.

        Args:
            inputs: float32[batch, inputs].
        """
        values, (*hidden, (matrix, biases)) = inputs, self.policy
        for weights, thresholds in hidden:
            values = np.maximum(values @ weights.T + thresholds, 0)
        return values @ matrix.T + biases

    @property
    def entries(self) -> np.ndarray:
        """The entries of the observation that the first layer reads, int64[inputs]."""
        return np.arange(self.policy[0][0].shape[1]) if self.inputs is None else self.inputs

    def tempered(self, temperature: float) -> Weights:
        """Return a network whose scores are those of this one divided by a temperature.

        Raises:
            WeightsError: for scores that could overflow.
        """
        *hidden, head = self.policy
        matrix, biases = (part / np.float32(temperature) for part in head)
        return replace(self, policy=[*hidden, (matrix, biases)])

    def describe(self, table: Table, varied: bool = False) -> Description:
        """Return the description of a network with these layers (`architecture.describe`).

        Raises:
            WeightsError: if the inputs are not whole slices of the observation.
        """
        hidden = [len(biases) for _, biases in self.policy[:-1]]
        names = None
        if self.inputs is not None:
            names = names_of(table.observation_slices, self.inputs)
        return describe(table, hidden, self.value is not None, names, varied)

    def widened(self, observation_size: int) -> Weights:
        """Return a network that reads the whole observation and plays the same.

        The weights of the entries that this network does not read are zero.
        """

        def wide(layer: Layer) -> Layer:
            matrix = np.zeros((len(layer[0]), observation_size), np.float32)
            matrix[:, self.entries] = layer[0]
            return matrix, layer[1]

        first, *others = self.policy
        value = wide(self.value) if self.value is not None and not others else self.value
        return Weights([wide(first), *others], value)


def check_layers(weights: Weights) -> None:
    """Check the layers of a network, as `Weights` says."""
    if not weights.policy:
        raise WeightsError("a network without layers: give at least the policy head")
    width, bound = None, np.zeros(0)
    for number, layer in enumerate(weights.policy):
        check_layer(f"layer {number}", layer, width)
        inputs = bound if number else np.full(layer[0].shape[1], weights.largest_input)
        width, bound = len(layer[1]), bound_of(f"layer {number}", layer, inputs)
    if weights.value is not None:
        check_layer("the value head", weights.value, len(inputs), 1)
        bound_of("the value head", weights.value, inputs)


def check_inputs(weights: Weights) -> None:
    """Check what a network reads, as `Weights` says."""
    entries, columns = np.asarray(weights.entries), weights.policy[0][0].shape[1]
    if entries.dtype != np.int64 or entries.shape != (columns,):
        raise WeightsError(
            f"its inputs are {array_text(entries.dtype, entries.shape)}, expected are "
            f"int64[{columns}]"
        )
    if entries.min() < 0:
        raise WeightsError(f"its inputs hold {entries.min()}: entries are counted from 0")


def check_layer(name: str, layer: Any, inputs: int | None, outputs: int | None = None) -> None:
    """Check the shapes, types and numbers of a layer; None stands for any size."""
    parts = layer if isinstance(layer, tuple | list) and len(layer) == 2 else (None, None)
    if not all(isinstance(part, np.ndarray) and part.dtype == np.float32 for part in parts):
        raise WeightsError(f"{name} is not a pair of float32 arrays: weights and biases")
    matrix, biases = layer
    if (matrix.ndim, biases.ndim) != (2, 1):
        raise WeightsError(f"{name} has {matrix.ndim} and {biases.ndim} axes, expected are 2 and 1")
    shape = (outputs or len(biases), inputs or matrix.shape[-1])
    if matrix.shape != shape or biases.shape != shape[:1] or 0 in shape:
        raise WeightsError(
            f"{name} is float32{list(matrix.shape)} and float32{list(biases.shape)}, expected are "
            f"float32{list(shape)} and float32{list(shape[:1])}"
        )
    if not (np.isfinite(matrix).all() and np.isfinite(biases).all()):
        raise WeightsError(f"{name} holds numbers that are not finite")


def bound_of(name: str, layer: Layer, inputs: np.ndarray) -> np.ndarray:
    """Return a bound on the absolute outputs of a layer, given one on its inputs.

    Raises:
        WeightsError: if an output can be larger than LARGEST_OUTPUT.
    """
    matrix, biases = (np.abs(part.astype(np.float64)) for part in layer)
    bound = matrix @ inputs + biases
    if bound.max() > LARGEST_OUTPUT:
        raise WeightsError(f"{name} has weights so large that its outputs can overflow")
    return bound


def form_for(
    weights: Weights, symmetry: Symmetry | None, form: DecisionForm | None
) -> DecisionForm:
    """Return the form of the decisions of a network, after checking that it fits.

    Args:
        weights: the network.
        symmetry: symmetry through which it sees positions, or None.
        form: the form; None for that of the symmetry, or without one for observations that end
            with the last entry read.

    Raises:
        WeightsError: if the network or the symmetry has another number of entries or actions than
            the form.
    """
    entries, num_actions = weights.entries, len(weights.policy[-1][1])
    ways = None if symmetry is None else (symmetry.places.shape[1], symmetry.actions.shape[1])
    if form is None:
        size = int(entries.max()) + 1 if ways is None else ways[0]
        form = DecisionForm(np.full(size, 127, np.uint8), num_actions)
    size = len(form.highs)
    if num_actions != form.num_actions:
        raise WeightsError(f"it scores {num_actions} actions, the table has {form.num_actions}")
    if entries.max() >= size or (weights.inputs is None and len(entries) != size):
        raise WeightsError(
            f"it reads {len(entries)} entries, up to number {entries.max()}, of an observation of "
            f"{size}"
        )
    if ways not in (None, (size, num_actions)):
        raise WeightsError(
            f"the symmetry is one of {ways} entries and actions, the table has {size, num_actions}"
        )
    return form
