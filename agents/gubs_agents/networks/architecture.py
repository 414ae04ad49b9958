"""The description of a network: the meaning of its inputs and outputs, and its computation.

A network is a multilayer perceptron. It applies the transform to every count of an observation,
then the hidden layers, each followed by the activation, then its heads: a score for every action,
and optionally the value of the position. The learner (PyTorch) and the compiled player (Numba) both
read this module, so they always compute the same.

A file of weights holds its description. `check` refuses a file if any part differs, and names that
part. The slices are those that the network was trained on: it reads them wherever they lie in the
observation, so that it plays on when a game gets new ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import zip_longest
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.scripted.by_game import symmetry_of
from gubs_env.engine.compiling import inlined
from gubs_env.engine.game import Game
from gubs_env.engine.slices import Slice
from gubs_env.engine.table import Table
from gubs_env.engine.text import printable
from gubs_env.support.fields import OBJECT, TEXT, WHOLE, Kind, listed, or_null, row

TRANSFORM = "log1p"
"""The function applied to every count, 0 … 127: each further card of a kind adds less."""
ACTIVATION = "relu"
"""The function applied to every output of a hidden layer."""
LONGEST_QUOTE = 200
"""The most characters that a message quotes from a file."""

Shapes = Mapping[str, tuple[int, int]]
"""The shapes of the weights of layers, [outputs, inputs], by the name of the layer, in order."""


class WeightsError(ValueError):
    """Weights that do not fit this game, this number of players or this version of the package."""


# ----------------------------------------------------------------- the functions, in each language


@inlined
def compiled_relu(value):
    return max(value, np.float32(0))


LOGARITHMS = np.log1p(np.arange(128)).astype(np.float32)
COMPILED: dict[str, Any] = {"log1p": LOGARITHMS, "relu": compiled_relu}
"""The functions for the compiled player: a transform is a table by count, float32[128]; an
activation is an inlined function of one number."""


def torch_function(name: str) -> Any:
    """Return a transform or an activation for tensors; PyTorch uses the same names."""
    return getattr(import_module("torch"), name)


# ---------------------------------------------------------------------------------- the description


class Description(NamedTuple):
    """The facts in which a file of weights must match the code that plays it, as JSON types."""

    game: str
    """Name of the game's public module."""
    players: int
    """Number of players at the table."""
    slices: list[list[Any]]
    """The slices of the observation that the network reads, in its order: [name, shape, largest
    value]. The observation of the game may have more."""
    transform: str
    """Name of the function applied to every count, as `TRANSFORM`."""
    activation: str
    """Name of the function applied to every hidden output, as `ACTIVATION`."""
    layers: list[list[Any]]
    """The layers in order, [kind, outputs]: the "hidden" layers, the head "policy", and the head
    "value" if there is one. Both heads read the last hidden layer."""
    actions: list[str]
    """Names of the actions, in the order of their scores."""
    symmetry: str | None
    """Hash of the `Symmetry` through which the network sees positions; None without one."""
    rules: dict[str, Any]
    """The rule options that must have the values for which the network was trained; it plays under
    all values of the others."""

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """The shapes of the weights, [outputs, inputs], by the name of the layer, in order."""
        shapes = {}
        inputs = sum(prod(shape) for _, shape, _ in self.slices)
        for number, (kind, outputs) in enumerate(self.layers):
            shapes["value" if kind == "value" else str(number)] = (outputs, inputs)
            inputs = outputs if kind == "hidden" else inputs
        return shapes


def describe(
    table: Table,
    hidden: Sequence[int],
    has_value: bool = False,
    names: Sequence[str] | None = None,
    varied: bool = False,
) -> Description:
    """Return the description of a network for a table, in this version of the game.

    Args:
        table: the table at which it was trained.
        hidden: number of units in each hidden layer.
        has_value: whether the network has a value head.
        names: names of the slices that the network reads, in its order; None means all slices.
        varied: as for `trained_rules`.
    """
    slices = table.observation_slices
    names = list(slices if names is None else names)
    layers: list[list[Any]] = [["hidden", units] for units in hidden]
    return Description(
        game=table.game.name,
        players=table.num_players,
        slices=[slice_entry(slices[name]) for name in names],
        transform=TRANSFORM,
        activation=ACTIVATION,
        layers=[*layers, ["policy", table.num_actions], *([["value", 1]] if has_value else [])],
        actions=list(table.action_names),
        symmetry=symmetry_hash(table.game, entries_of(slices, names)),
        rules=trained_rules(table, varied),
    )


def trained_rules(table: Table, varied: bool = False) -> dict[str, Any]:
    """Return the rule options that must have the values for which a network was trained, by name.

    Args:
        table: the table at which it was trained.
        varied: whether it was trained under random values of the game's `varied_options` too.
    """
    game, values = table.game, table.rules.as_dict()
    bound = game.table_options + (() if varied else game.varied_options)
    return {option: values[option] for option in bound}


def slice_entry(piece: Slice) -> list[Any]:
    """Return a slice as a description holds it: [name, shape, largest value]."""
    return [piece.name, list(piece.shape), piece.high]


def entries_of(slices: Mapping[str, Slice], names: Iterable[str]) -> np.ndarray:
    """Return the entries of the observation that some slices hold, one slice after the other."""
    pieces = [slices[name] for name in names]
    return np.concatenate([np.arange(p.start, p.start + p.size) for p in pieces]).astype(np.int64)


def names_of(slices: Mapping[str, Slice], entries: np.ndarray) -> list[str]:
    """Return the names of the slices that some entries make up: the inverse of `entries_of`.

    Raises:
        WeightsError: if the entries are not whole slices.
    """
    by_start = {piece.start: piece.name for piece in slices.values()}
    names = [by_start[entry] for entry in entries.tolist() if entry in by_start]
    if not names or not np.array_equal(entries_of(slices, names), entries):
        raise WeightsError("its inputs are no whole slices of the observation")
    return names


def symmetry_hash(game: Game, entries: np.ndarray) -> str | None:
    """Return a hash of the game's `Symmetry`, or None for a game without one.

    Only what a network sees counts, numbered as the network does, so that new slices of the
    observation leave the hash as it is.

    Args:
        game: the game.
        entries: int64[inputs], the entries of the observation that the network reads.
    """
    symmetry = symmetry_of(game)
    if symmetry is None:
        return None
    return short_hash(symmetry.reading(entries).places.tobytes() + symmetry.actions.tobytes())


def short_hash(data: bytes) -> str:
    """Return a hash of 16 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()[:16]


# ------------------------------------------------------------------------------------ checking it


POSITIVE = Kind(lambda v: WHOLE.fits(v) and v > 0, "a whole number from 1 on")
NAME, PLAYERS, RULES = TEXT, POSITIVE, OBJECT
SHAPE = listed(POSITIVE, "a shape")
SLICE = row(TEXT, SHAPE, POSITIVE, words="[name, shape, largest value]")
LAYER = row(TEXT, POSITIVE, words="[kind, outputs]")
KINDS = {
    "game": NAME,
    "players": PLAYERS,
    "slices": listed(SLICE, "a list of [name, shape, largest value]"),
    "transform": NAME,
    "activation": NAME,
    "layers": listed(LAYER, "a list of [kind, outputs]"),
    "actions": listed(NAME, "a list of names"),
    "symmetry": or_null(NAME),
    "rules": RULES,
}
"""The kinds of the fields of a `Description`."""


def check(description: Description, table: Table, any_rules: bool = False) -> None:
    """Check that a network can play at a table; with `any_rules`, under any rules.

    The network may read some slices only, in any order. The widths of the hidden layers and the
    presence of a value head are free; everything else must be equal.

    Raises:
        WeightsError: names the first part that differs, with the found and the expected value.
    """
    check_values({"game": table.game.name, "players": table.num_players}, description._asdict())
    check_slices(description.slices, table.observation_slices)
    hidden = [units for kind, units in description.layers if kind == "hidden"]
    has_value = any(kind == "value" for kind, _ in description.layers)
    names = [name for name, _, _ in description.slices]
    if not any_rules:
        check_rules(description.rules, table)
    expected = describe(table, hidden, has_value, names)._replace(rules=description.rules)
    check_values(expected._asdict(), description._asdict())


def check_values(expected: Mapping[str, Any], description: Mapping[str, Any]) -> None:
    """Raise WeightsError for a field of a description that has not the value expected of it."""
    for name, value in expected.items():
        if json.dumps(description[name]) != json.dumps(value):
            raise WeightsError(f"its {name} {difference(description[name], value)}")


def check_rules(trained: Mapping[str, Any], table: Table) -> None:
    """Check that a network was trained for the rules of a table.

    Raises:
        WeightsError: names an option that has another value, or that the game does not have.
    """
    values = table.rules.as_dict()
    for option, value in trained.items():
        if option not in values:
            raise WeightsError(f"its rules have an unknown option {clipped(repr(option))}")
        if json.dumps(values[option], sort_keys=True) != json.dumps(value, sort_keys=True):
            raise WeightsError(
                f"it was trained for {option}={clipped(repr(value))}, not for {values[option]!r}"
            )


def check_slices(entries: list[list[Any]], slices: Mapping[str, Slice]) -> None:
    """Check that the slices that a network reads are slices of the game, unchanged.

    Raises:
        WeightsError: names the first slice that is gone or differs, as it is found and expected,
            or that comes twice.
    """
    names = [name for name, _, _ in entries]
    for number, piece in enumerate(entries):
        name = piece[0]
        place = f"its slices differ in entry {number}: found {clipped(repr(piece))}"
        if name not in slices:
            raise WeightsError(f"{place}, expected one of {', '.join(slices)}")
        if piece != (ours := slice_entry(slices[name])):
            raise WeightsError(f"{place}, expected {ours!r}")
        if name in names[:number]:
            raise WeightsError(f"{place}, which comes twice")


def difference(value: Any, expected: Any) -> str:
    """Return the found and the expected value in words; for lists, of the first entry that differs.

    Raises:
        ValueError: if two lists do not differ.
    """
    if not (isinstance(value, list) and isinstance(expected, list)):
        return f"is {clipped(repr(value))}, expected is {expected!r}"
    for number, (theirs, ours) in enumerate(zip_longest(value, expected)):
        if json.dumps(theirs) != json.dumps(ours):
            return f"differ in entry {number}: found {clipped(repr(theirs))}, expected {ours!r}"
    raise ValueError("these lists do not differ")


def clipped(text: str) -> str:
    """Return a text from outside as an error shows it: printable, and cut if it is long."""
    text = printable(text)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]} …"


def check_shapes(tensors: Mapping[str, np.ndarray], shapes: Shapes) -> None:
    """Check that tensors are those of layers; `Weights` checks their numbers.

    Args:
        tensors: the tensors by name.
        shapes: the shapes of the layers.

    Raises:
        WeightsError: names the tensor that is missing, unknown, or of another shape or type.
    """
    expected: dict[str, tuple[int, ...]] = {}
    for name, (outputs, inputs) in shapes.items():
        expected |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    for name in sorted(expected.keys() ^ tensors.keys()):
        what = "missing" if name in expected else "unknown"
        raise WeightsError(f"its tensor {clipped(name)} is {what}")
    for name, shape in expected.items():
        tensor = tensors[name]
        if tensor.dtype != np.float32 or tensor.shape != shape:
            form = f"{tensor.dtype}{list(tensor.shape)}"
            raise WeightsError(f"its tensor {name} is {form}, expected is float32{list(shape)}")
