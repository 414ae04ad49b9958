"""The agent that plays with a trained network, and its files.

Weights are stored as safetensors, a format that cannot run code. Beside `name.safetensors` lies
`name.json`: the network's description (`architecture`) with the hash of the weights.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from gubs_agents.architecture import (
    ACTIVATION,
    NUMPY,
    TRANSFORM,
    Description,
    WeightsError,
    check,
    check_tensors,
    clipped,
    describe,
    entries_of,
    from_json,
    largest_file,
    names_of,
    to_json,
)
from gubs_agents.by_game import symmetry_of
from gubs_agents.common.decisions import SOUND, Table, first_fault, form, refuse
from gubs_agents.common.symmetry import Shown, Symmetry, show
from gubs_env import find_game
from gubs_env.api.files import replace_file
from gubs_env.engine.border import LONGEST_JSON
from gubs_env.engine.choosing import sample_all
from gubs_env.engine.game import Game

SHIPPED = Path(__file__).parent / "weights"
Layer = tuple[np.ndarray, np.ndarray]
"""Weights float32[outputs, inputs] and biases float32[outputs]."""


class Weights(NamedTuple):
    """The layers of a network, and what it reads of an observation."""

    policy: list[Layer]
    """The hidden layers, and last the head that scores the actions."""
    value: Layer | None = None
    """The head that predicts the payoff from the last hidden layer; None without one."""
    inputs: np.ndarray | None = None
    """int64[inputs]: the entries of the observation that the first layer reads, after the symmetry
    has renamed it; None if it reads all of them in order."""

    @property
    def layers(self) -> list[Layer]:
        """All layers, in the order of `Description.layers`."""
        return [*self.policy, *([] if self.value is None else [self.value])]

    @property
    def entries(self) -> np.ndarray:
        """The entries of the observation that the first layer reads, int64[inputs]."""
        return np.arange(self.policy[0][0].shape[1]) if self.inputs is None else self.inputs

    def describe(self, game: Game, num_players: int) -> Description:
        """Return the description of a network with these layers.

        Raises:
            WeightsError: if the inputs are not whole slices of the observation.
        """
        hidden = [len(biases) for _, biases in self.policy[:-1]]
        names = None
        if self.inputs is not None:
            names = names_of(game.observation_slices(num_players), self.inputs)
        return describe(game, num_players, hidden, self.value is not None, names)

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


def check_weights(weights: Weights) -> None:
    """Check that the layers of a network fit each other, and that no score can overflow.

    Raises:
        WeightsError: names the layer that has another shape or type than the one before it asks
            for, or numbers that are not finite or too large.
    """
    if not weights.policy:
        raise WeightsError("a network without layers: give at least the policy head")
    width, bound = None, np.zeros(0)
    for number, layer in enumerate(weights.policy):
        check_layer(f"layer {number}", layer, width)
        inputs = bound if number else np.full(layer[0].shape[1], np.log1p(127.0))
        width, bound = len(layer[1]), bound_of(f"layer {number}", layer, inputs)
    if weights.value is not None:
        check_layer("the value head", weights.value, len(inputs), 1)
        bound_of("the value head", weights.value, inputs)
    entries, columns = np.asarray(weights.entries), weights.policy[0][0].shape[1]
    if entries.dtype != np.int64 or entries.shape != (columns,):
        raise WeightsError(
            f"its inputs are {form(entries.dtype, entries.shape)}, expected are int64[{columns}]"
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
        WeightsError: if an output can be too large for a float32.
    """
    matrix, biases = (np.abs(part.astype(np.float64)) for part in layer)
    bound = matrix @ inputs + biases
    if bound.max() > np.finfo(np.float32).max:
        raise WeightsError(f"{name} has weights so large that its outputs can overflow")
    return bound


def fit(weights: Weights, symmetry: Symmetry | None, table: Table | None) -> Table:
    """Check a network, and return the table at which it plays.

    Args:
        weights: the network.
        symmetry: symmetry through which it sees positions, or None.
        table: the table; None for that of the symmetry, or without one for a table whose
            observations end with the last entry read.

    Raises:
        WeightsError: as `check_weights`; or if the network or the symmetry has another number of
            entries or actions than the table.
    """
    check_weights(weights)
    entries, num_actions = weights.entries, len(weights.policy[-1][1])
    ways = None if symmetry is None else (symmetry.places.shape[1], symmetry.actions.shape[1])
    if table is None:
        size = int(entries.max()) + 1 if ways is None else ways[0]
        table = Table(np.full(size, 127, np.uint8), num_actions)
    size = len(table.highs)
    if num_actions != table.num_actions:
        raise WeightsError(f"it scores {num_actions} actions, the table has {table.num_actions}")
    if entries.max() >= size or (weights.inputs is None and len(entries) != size):
        raise WeightsError(
            f"it reads {len(entries)} entries, up to number {entries.max()}, of an observation of "
            f"{size}"
        )
    if ways not in (None, (size, num_actions)):
        raise WeightsError(
            f"the symmetry is one of {ways} entries and actions, the table has {size, num_actions}"
        )
    return table


def table_of(game: Game, num_players: int) -> Table:
    """Return the table of a game with a number of players."""
    highs = game.observation_highs(num_players).astype(np.uint8)
    return Table(highs, game.num_actions(num_players))


def shipped(game: Game, num_players: int) -> Path:
    """Return the path of the network that this package ships for a table.

    Raises:
        ValueError: if none is shipped for this table; the message lists those that are.
    """
    path = SHIPPED / f"{game.name}_{num_players}.safetensors"
    if not path.exists():
        there_are = ", ".join(sorted(path.stem for path in SHIPPED.glob("*.safetensors")))
        raise ValueError(
            f"no network is shipped for {game.name} with {num_players} players, only {there_are}; "
            "give a network of your own as weights=FILE.safetensors"
        )
    return path


def save(path: str | Path, weights: Weights, game: Game, num_players: int) -> None:
    """Write a network to `path`, which ends in .safetensors, and its description beside it.

    Raises:
        WeightsError: if a layer has the wrong shape for this table, or is not finite.
    """
    path = Path(path)
    check_weights(weights)
    description = weights.describe(game, num_players)
    tensors = {}
    for name, (matrix, biases) in zip(description.shapes, weights.layers, strict=True):
        tensors[f"{name}.weight"] = np.ascontiguousarray(matrix)
        tensors[f"{name}.bias"] = np.ascontiguousarray(biases)
    check_tensors(tensors, description)
    data = save_tensors(tensors)
    replace_file(path, data)
    replace_file(path.with_suffix(".json"), to_json(description, sha256_of(data)))


def load(path: str | Path, game: Game, num_players: int) -> Weights:
    """Read a network that `save` wrote, and check that it fits a table.

    Raises:
        FileNotFoundError: if the weights or their description are missing.
        WeightsError: if the description does not fit this table (the message names the part that
            differs), or if the weights are damaged or do not match the description.
    """
    path = Path(path)
    for file in (path, path.with_suffix(".json")):
        if not file.exists():
            raise FileNotFoundError(f"no such file: {file}")
    try:
        description, sha256 = from_json(read_short(path.with_suffix(".json"), LONGEST_JSON))
        check(description, game, num_players)
        data = read_short(path, largest_file(description))
        weights = from_bytes(data, description, sha256)
        names = [name for name, _, _ in description.slices]
        inputs = entries_of(game.observation_slices(num_players), names)
        weights = weights._replace(inputs=inputs)
        check_weights(weights)
        return weights
    except WeightsError as error:
        raise WeightsError(f"{path} does not fit: {error}") from None


def read_short(path: Path, limit: int) -> bytes:
    """Return the bytes of a file; raise WeightsError for more than `limit`."""
    if (size := path.stat().st_size) > limit:
        raise WeightsError(f"{path.name} has {size:,} bytes; at most {limit:,} are read")
    return path.read_bytes()


def from_bytes(data: bytes, description: Description, sha256: str) -> Weights:
    """Return the weights in a safetensors file, checked against its description.

    Raises:
        WeightsError: if the data has another hash, or other tensors than described.
    """
    if (found := sha256_of(data)) != sha256:
        raise WeightsError(f"its sha256 is {found!r}, expected is {clipped(repr(sha256))}")
    try:
        tensors = load_tensors(data)
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError, MemoryError) as error:
        text = clipped(f"{type(error).__name__}: {error}")
        raise WeightsError(f"its weights are not valid safetensors ({text})") from None
    check_tensors(tensors, description)
    layers = {
        name: (tensors[f"{name}.weight"], tensors[f"{name}.bias"]) for name in description.shapes
    }
    value = layers.pop("value", None)
    return Weights(list(layers.values()), value)


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Network:
    """An agent that plays the likeliest action of a trained network, or draws an action.

    Args:
        layers: the hidden layers and the policy head, as in `Weights.policy`.
        seed: seed of the agent's RNG, used for drawing when `act` gets no RNGs.
        draw: draw actions with the network's probabilities instead of taking the likeliest.
        symmetry: symmetry through which the network sees positions; None shows them unchanged.
        inputs: the entries that the network reads, as in `Weights`.
        table: the table; None as for `fit`.
        value: the value head, as in `Weights`, for `judge`.

    Raises:
        WeightsError: if the layers do not fit each other, the inputs, the table or the symmetry, or
            hold numbers that are not finite.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        seed: int | None = None,
        draw: bool = False,
        symmetry: Symmetry | None = None,
        inputs: np.ndarray | None = None,
        table: Table | None = None,
        value: Layer | None = None,
    ) -> None:
        weights = Weights(list(layers), value, inputs)
        self.table = fit(weights, symmetry, table)
        self.layers, self.value = weights.policy, weights.value
        self.reads = columns_of(weights.entries)
        self.draw, self.symmetry = draw, symmetry
        self.rng = np.random.default_rng(seed)

    def act(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray | None = None
    ) -> np.ndarray:
        """Return an action for each position, int64[batch]; arguments as for `Agent.act`.

        Raises:
            ValueError: for arrays of another table, shape or type, a mask without a legal action,
                an observation with a value out of its range, or scores that are not finite.
        """
        own_rng = self.rng if self.draw else None
        shown, drawn = self._shown(observations, masks, rngs, own_rng)
        scores = np.where(shown.masks != 0, self._finite_scores(shown.observations), -np.inf)
        if not self.draw:
            return shown.played(scores.argmax(1))
        actions = np.zeros(len(scores), np.int64)
        sample_all(drawn, np.exp(scores - scores.max(1, keepdims=True)).astype(np.float64), actions)
        if rngs is not None and rngs is not drawn:
            rngs[:] = drawn
        return shown.played(actions)

    def judge(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return probabilities and expected payoffs (see `Judge`); errors as for `act`."""
        shown, _ = self._shown(observations, masks, None, None)
        scores = np.where(shown.masks != 0, self._finite_scores(shown.observations), -np.inf)
        weights = np.exp(scores - scores.max(1, keepdims=True))
        ranked = weights / weights.sum(1, keepdims=True)
        probabilities = np.zeros_like(ranked)
        for action in range(ranked.shape[1]):
            chosen = shown.played(np.full(len(ranked), action))
            probabilities[np.arange(len(ranked)), chosen] = ranked[:, action]
        return probabilities, self._values(shown.observations)

    def _shown(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        rngs: np.ndarray | None,
        own_rng: np.random.Generator | None,
    ) -> tuple[Shown, np.ndarray]:
        """Return checked positions as the network sees them, and an RNG for each."""
        decisions = seen, legal, drawn = self.table.read(observations, masks, rngs, own_rng)
        if (row := first_fault(seen, legal, drawn, self.table.highs)) != SOUND:
            refuse(row, decisions, self.table.highs)
        return show(self.symmetry, seen, legal), drawn

    def _values(self, observations: np.ndarray) -> np.ndarray | None:
        if self.value is None:
            return None
        weights, biases = self.value
        return (self._hidden(observations) @ weights.T + biases)[:, 0]

    def _finite_scores(self, observations: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.scores(observations)
        if not np.isfinite(scores).all():
            row = int(np.flatnonzero(~np.isfinite(scores).all(1))[0])
            raise ValueError(f"row {row}: the network's scores are not finite; train it again")
        return scores

    def scores(self, observations: np.ndarray) -> np.ndarray:
        """Return the logits of all actions, legal or not: float32[batch, num_actions].

        Args:
            observations: int8[batch, observation_size], as the symmetry shows them.
        """
        weights, biases = self.layers[-1]
        return self._hidden(observations) @ weights.T + biases

    def _hidden(self, observations: np.ndarray) -> np.ndarray:
        """Return the outputs of the last hidden layer, float32[batch, units]."""
        values = NUMPY[TRANSFORM](observations[:, self.reads].astype(np.float32))
        for weights, biases in self.layers[:-1]:
            values = NUMPY[ACTIVATION](values @ weights.T + biases)
        return values


def columns_of(entries: np.ndarray) -> slice | np.ndarray:
    """Return an index of the columns that hold some entries: a slice, if they come first."""
    is_start = np.array_equal(entries, np.arange(len(entries)))
    return slice(len(entries)) if is_start else entries


def policy(
    num_players: int = 2,
    seed: int | None = None,
    weights: str | Path | None = None,
    draw: bool = False,
    game: str | Game = "gubs",
) -> Network:
    """A trained network: the shipped one for this table, or weights=FILE.safetensors.

    Raises:
        ValueError: if no weights are given and none are shipped for this table.
        FileNotFoundError, WeightsError: as for `load`.
    """
    game = find_game(game)
    path = shipped(game, num_players) if weights is None else weights
    loaded, table = load(path, game, num_players), table_of(game, num_players)
    return Network(
        loaded.policy, seed, bool(draw), symmetry_of(game), loaded.inputs, table, loaded.value
    )
