"""A compiled forward pass of a network, one position at a time.

Nine counts in ten of an observation are zero, and so are half the outputs of a hidden layer. Their
weights are skipped, so that this is faster than a library's product of matrices, for batches too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gubs_agents.common.decisions import DecisionForm
from gubs_agents.common.symmetry import Symmetry
from gubs_agents.networks.architecture import ACTIVATION, COMPILED, TRANSFORM
from gubs_agents.networks.layers import Weights, form_for
from gubs_env.engine.choosing import sample_all
from gubs_env.engine.compiling import compiled, entry, inlined

TRANSFORMED = COMPILED[TRANSFORM]
activate = COMPILED[ACTIVATION]


class Perceptron(NamedTuple):
    """The layers of a network in flat arrays, with buffers to compute in."""

    sizes: np.ndarray
    """int64[hidden layers + 1]: number of inputs, and size of each hidden layer; empty if there is
    no network."""
    weights: np.ndarray
    """float32[…]: for each layer in order, its weights [inputs, outputs], then its biases."""
    has_value: bool
    """Whether the network has a value head."""
    values: np.ndarray
    """float32[2, width], written: the inputs and the outputs of a layer."""
    used: np.ndarray
    """int64[width], written: the inputs of a layer that are not zero."""
    places: np.ndarray
    """int64[ways, inputs]: the entry of the observation that each input reads, in each way of the
    `Symmetry`; one way without one."""
    actions: np.ndarray
    """int64[ways, num_actions], as in a `Symmetry`; one way, the identity, without one."""


def make_perceptron(
    weights: Weights, symmetry: Symmetry | None = None, form: DecisionForm | None = None
) -> Perceptron:
    """Return a network in the form that the compiled functions read.

    Args:
        weights: the network, as `load` returns it.
        symmetry: symmetry through which the network sees positions; None shows them unchanged.
        form: the form of the decisions; None as for `form_for`.

    Raises:
        WeightsError: if the network does not fit the form or the symmetry.
    """
    form_for(weights, symmetry, form)
    entries, num_actions = weights.entries, len(weights.policy[-1][1])
    parts = [part for w, b in weights.layers for part in (w.T.ravel(), b)]
    sizes = [matrix.shape[1] for matrix, _ in weights.policy]
    width = max(*sizes, num_actions)
    return Perceptron(
        np.array(sizes, np.int64),
        np.concatenate(parts).astype(np.float32),
        weights.value is not None,
        np.zeros((2, width), np.float32),
        np.zeros(width, np.int64),
        np.ascontiguousarray(symmetry.places[:, entries]) if symmetry else entries[None],
        symmetry.actions if symmetry else np.arange(num_actions)[None],
    )


NO_INDICES, NO_VALUES = np.zeros((1, 0), np.int64), np.zeros((2, 0), np.float32)
NO_PERCEPTRON = Perceptron(
    NO_INDICES[0], NO_VALUES[0], False, NO_VALUES, NO_INDICES[0], NO_INDICES, NO_INDICES
)


@inlined
def apply_layer(network, at, inputs, num_inputs, outputs, num_outputs):
    """Write the outputs of a layer; return where the next layer begins in the weights."""
    weights, used = network.weights, network.used
    biases = at + num_inputs * num_outputs
    outputs[:num_outputs] = weights[biases : biases + num_outputs]
    count = 0
    for index in range(num_inputs):  # without a branch, which could not be predicted
        used[count] = index
        count += inputs[index] != 0
    first = 0
    while first + 4 <= count:  # four at a time, so that the outputs are read and written less often
        a, b, c, d = used[first], used[first + 1], used[first + 2], used[first + 3]
        row_a, row_b = row_of(weights, at, a, num_outputs), row_of(weights, at, b, num_outputs)
        row_c, row_d = row_of(weights, at, c, num_outputs), row_of(weights, at, d, num_outputs)
        of_a, of_b, of_c, of_d = inputs[a], inputs[b], inputs[c], inputs[d]
        for unit in range(num_outputs):
            outputs[unit] += (of_a * row_a[unit] + of_b * row_b[unit]) + (
                of_c * row_c[unit] + of_d * row_d[unit]
            )
        first += 4
    for place in range(first, count):
        value, row = inputs[used[place]], row_of(weights, at, used[place], num_outputs)
        for unit in range(num_outputs):
            outputs[unit] += value * row[unit]
    return biases + num_outputs


@inlined
def row_of(weights, at, index, num_outputs):
    """Return the weights of one input; a slice compiles to vector instructions."""
    start = at + index * num_outputs
    return weights[start : start + num_outputs]


@compiled
def apply_hidden(network, observation, way):
    """Write the outputs of the last hidden layer to values[0]; return where the policy begins."""
    inputs, outputs = network.values[0], network.values[1]
    for index in range(network.sizes[0]):
        inputs[index] = TRANSFORMED[observation[network.places[way, index]]]
    at = 0
    for layer in range(1, len(network.sizes)):
        num_inputs, num_outputs = network.sizes[layer - 1], network.sizes[layer]
        at = apply_layer(network, at, inputs, num_inputs, outputs, num_outputs)
        for unit in range(num_outputs):
            inputs[unit] = activate(outputs[unit])
    return at


@compiled
def best_by_network(network, observation, mask, way):
    """Return the legal action with the highest score.

    Args:
        network: `Perceptron`; its `values` are written.
        observation: int8[observation_size], of the seat to decide.
        mask: int8[num_actions], with at least one legal action.
        way: the way in which the symmetry renames this position; 0 without a symmetry.
    """
    at = apply_hidden(network, observation, way)
    scores = network.values[1]
    apply_layer(network, at, network.values[0], network.sizes[-1], scores, len(mask))
    best = -1
    for action in range(len(mask)):
        is_legal = mask[network.actions[way, action]]
        if is_legal and (best < 0 or scores[action] > scores[best]):
            best = action
    return network.actions[way, best]


@compiled
def value_by_network(network, observation, num_actions, way):
    """Return the payoff that the network predicts for the seat that observes and decides."""
    return value_of_hidden(network, apply_hidden(network, observation, way), num_actions)


@inlined
def value_of_hidden(network, at, num_actions):
    """Return what the value head predicts from values[0], the policy beginning at `at`."""
    width = network.sizes[-1]
    value = at + (width + 1) * num_actions
    total = network.weights[value + width]
    for unit in range(width):
        total += network.values[0, unit] * network.weights[value + unit]
    return total


# ------------------------------------------------------------------------------------- batches


@inlined
def with_own_buffers(network):
    """Return the network with buffers of its own, so that several threads can play it."""
    values, used = np.zeros_like(network.values), np.zeros_like(network.used)
    sizes, weights, has_value = network.sizes, network.weights, network.has_value
    return Perceptron(sizes, weights, has_value, values, used, network.places, network.actions)


@entry
def evaluate_all(network, observations, scores, values):
    """Write the scores of all actions and the predicted payoff of each position.

    Args:
        network: `Perceptron` without a symmetry.
        observations: int8[batch, observation_size].
        scores: float32[batch, num_actions], written.
        values: float32[batch], written if the network has a value head.
    """
    network = with_own_buffers(network)
    for row in range(len(observations)):
        at = apply_hidden(network, observations[row], 0)
        num_actions = scores.shape[1]
        apply_layer(network, at, network.values[0], network.sizes[-1], scores[row], num_actions)
        if network.has_value:
            values[row] = value_of_hidden(network, at, num_actions)


@entry
def choose_all(network, observations, masks, rngs, draw, actions):
    """Write the likeliest legal action of each position, or draw one by its probability.

    Args:
        network: `Perceptron` without a symmetry.
        observations: int8[batch, observation_size].
        masks: int8[batch, num_actions], each with a legal action.
        rngs: int64[batch, 4], advanced if actions are drawn.
        draw: whether to draw.
        actions: int64[batch], written.
    """
    network = with_own_buffers(network)
    chances = np.zeros(masks.shape)
    for row in range(len(observations)):
        actions[row] = best = best_by_network(network, observations[row], masks[row], 0)
        if draw:
            scores = network.values[1]
            for action in range(masks.shape[1]):
                if masks[row, action]:
                    chances[row, action] = np.exp(scores[action] - scores[best])
    if draw:
        sample_all(rngs, chances, actions)
