"""The agent that plays with a trained network, and its files.

`files` writes and reads them; `architecture` describes them.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from gubs_agents.common.decisions import (
    SOUND,
    DecisionArrays,
    DecisionForm,
    first_fault,
    form_of,
    refuse,
)
from gubs_agents.common.symmetry import Shown, Symmetry, show
from gubs_agents.networks.architecture import KINDS, Description, Shapes, check, entries_of
from gubs_agents.networks.files import SHIPPED, Format, Metadata, Tensors, read, shipped_file, write
from gubs_agents.networks.layers import LARGEST_SHOWN, Weights, form_for
from gubs_agents.networks.perceptron import choose_all, evaluate_all, make_perceptron
from gubs_agents.scripted.by_game import symmetry_of
from gubs_env.engine.table import Table
from gubs_env.support.checks import Range, check_option

FORMAT = Format("gubs_env network 1", KINDS)
"""The format of a network that plays: the fields are those of a `Description`."""

TEMPERATURES = Range(0.01, 100)


def shipped(table: Table) -> Path:
    """Return the path of the network that this package ships for a table.

    Raises:
        ValueError: if none is shipped for this table; the message lists those that are.
    """
    advice = "give a network of your own as weights=FILE.safetensors"
    return shipped_file(SHIPPED, "networks", advice, table)


def save(path: str | Path, weights: Weights, table: Table, varied: bool = False) -> None:
    """Write a network with its description to `path`, which ends in .safetensors.

    Args:
        path: the file.
        weights: the network.
        table: the table at which it was trained.
        varied: whether it was trained under random values of the game's `varied_options` too.

    Raises:
        WeightsError: if a layer has the wrong shape for this table.
        OSError: if the file cannot be written.
    """
    description = weights.describe(table, varied)
    write(path, FORMAT, weights, description._asdict(), description.shapes)


def load(path: str | Path, table: Table, any_rules: bool = False) -> Weights:
    """Read a network that `save` wrote, and check that it fits a table.

    Args:
        path: the file.
        table: the table.
        any_rules: whether it may have been trained for other rules, as one that is trained on.

    Raises:
        FileNotFoundError: if the file is missing.
        WeightsError: if the description does not fit this table (the message names the part that
            differs), or if the weights are damaged or do not match the description.
    """

    def expected(metadata: Metadata, _: Tensors) -> tuple[Shapes, np.ndarray]:
        description = Description(**{name: metadata[name] for name in Description._fields})
        check(description, table, any_rules)
        names = [name for name, _, _ in description.slices]
        return description.shapes, entries_of(table.observation_slices, names)

    return read(path, FORMAT, expected, LARGEST_SHOWN)[0]


class Network:
    """An agent that plays the likeliest action of a trained network, or draws an action.

    Args:
        weights: the network; its value head is for `judge`.
        seed: seed of the agent's RNG, used for drawing when `act` gets no RNGs.
        draw: draw actions with the network's probabilities instead of taking the likeliest.
        symmetry: symmetry through which the network sees positions; None shows them unchanged.
        form: the form of the decisions; None as for `form_for`.

    Raises:
        WeightsError: if the network does not fit the form or the symmetry.
    """

    def __init__(
        self,
        weights: Weights,
        seed: int | None = None,
        draw: bool = False,
        symmetry: Symmetry | None = None,
        form: DecisionForm | None = None,
    ) -> None:
        self.symmetry, self.draw = symmetry, draw
        self.form = form_for(weights, symmetry, form)
        self.rng = np.random.default_rng(seed)
        self.set_weights(weights)

    def __copy__(self) -> Network:
        return copy.deepcopy(self)

    def set_weights(self, weights: Weights) -> None:
        """Play with another network from now on.

        Raises:
            WeightsError: if it does not fit the form of the decisions.
        """
        # `show` renames positions before the compiled network reads them
        self._compiled = make_perceptron(weights, None, self.form)
        self.weights = weights

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return an action for each position, int64[batch]; arguments as for `Agent.act`.

        Raises:
            ValueError: for arrays of another table, shape or type, a mask without a legal action,
                or an observation with a value out of its range.
        """
        own_rng = self.rng if self.draw else None
        shown, drawn = self._shown(observations, masks, rngs, own_rng)
        actions = np.zeros(len(drawn), np.int64)
        choose_all(self._compiled, shown.observations, shown.masks, drawn, self.draw, actions)
        if self.draw and rngs is not None and rngs is not drawn:
            rngs[:] = drawn
        return shown.played(actions)

    def judge(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return probabilities and expected payoffs (see `Judge`); errors as for `act`."""
        shown, _ = self._shown(observations, masks, None, None)
        scores, values = self._evaluate(shown.observations)
        scores = np.where(shown.masks != 0, scores, -np.inf)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        probabilities = shown.in_the_game(weights / weights.sum(1, keepdims=True))
        return probabilities, None if self.weights.value is None else values

    def scores(self, observations: np.ndarray) -> np.ndarray:
        """Return the logits of all actions, legal or not: float32[batch, num_actions].

        Args:
            observations: int8[batch, observation_size], as the symmetry shows them.

        Raises:
            ValueError: for observations of another table, or with a value out of its range.
        """
        all_legal = np.ones((len(observations), self.form.num_actions), np.int8)
        return self._evaluate(self._sound(observations, all_legal, None, None)[0])[0]

    def _shown(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        rngs: np.ndarray | None,
        own_rng: np.random.Generator | None,
    ) -> tuple[Shown, np.ndarray]:
        """Return checked positions as the network sees them, and an RNG for each."""
        batch, legal, drawn = self._sound(observations, masks, rngs, own_rng)
        return show(self.symmetry, batch, legal), drawn

    def _sound(self, *given: Any) -> DecisionArrays:
        """Return the arguments of `DecisionForm.read`, read and every row of them checked."""
        decisions = batch, legal, drawn = self.form.read(*given)
        if (row := first_fault(batch, legal, drawn, self.form.highs)) != SOUND:
            refuse(row, decisions, self.form)
        return decisions

    def _evaluate(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        scores = np.zeros((len(observations), self.form.num_actions), np.float32)
        values = np.zeros(len(observations), np.float32)
        evaluate_all(self._compiled, observations, scores, values)
        return scores, values


def policy(
    table: Table,
    seed: int | None = None,
    weights: str | Path | None = None,
    draw: bool = False,
    temperature: float = 1.0,
) -> Network:
    """A trained network: the shipped one for this table, or weights=FILE.safetensors.

    Args:
        table: the table.
        seed, draw: as for `Network`.
        weights: file of the weights; None for the shipped ones.
        temperature: what the scores are divided by before actions are drawn, 0.01 to 100. Below 1
            the likeliest actions are drawn more often, above 1 the others.

    Raises:
        ValueError: if no weights are given and none are shipped for this table; for a temperature
            that is not allowed, or without `draw`.
        FileNotFoundError, WeightsError: as for `load`.
    """
    check_option("temperature", temperature, Annotated[float, TEMPERATURES])
    if temperature != 1 and not draw:
        raise ValueError(f"temperature={temperature} changes nothing without draw=true: add it")
    network = load(shipped(table) if weights is None else weights, table).tempered(temperature)
    return Network(network, seed, bool(draw), symmetry_of(table.game), form_of(table))


# People are shown its judgement after a game (gubs_env/agents/registry.py).
policy.judges = True  # type: ignore[attr-defined]
