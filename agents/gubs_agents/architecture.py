"""The description of a network: the meaning of its inputs and outputs, and its computation.

A network is a multilayer perceptron. It applies the transform to every count of an observation,
then the hidden layers, each followed by the activation, then its heads: a score for every action,
and optionally the value of the position. The learner (PyTorch), the batch player (NumPy) and the
compiled player (Numba) all read this module, so they always compute the same.

A file of weights comes with its description, which holds a hash of each part. `check` refuses a
file if any part differs, and names that part.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.by_game import symmetry_of
from gubs_env.engine.compilation import inlined
from gubs_env.engine.game import Game

TRANSFORM = "log1p"
"""The function applied to every count, 0 … 127: each further card of a kind adds less."""
ACTIVATION = "relu"
"""The function applied to every output of a hidden layer."""


class WeightsError(ValueError):
    """Weights that do not fit this game, this number of players or this version of the package."""


# ----------------------------------------------------------------- the functions, in each language


def numpy_relu(values: np.ndarray) -> np.ndarray:
    return np.maximum(values, 0)


@inlined
def compiled_relu(value):
    return max(value, np.float32(0))


NUMPY: dict[str, Callable[[np.ndarray], np.ndarray]] = {"log1p": np.log1p, "relu": numpy_relu}
COMPILED: dict[str, Any] = {
    "log1p": np.log1p(np.arange(128)).astype(np.float32),
    "relu": compiled_relu,
}
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
    """The slices of the observation, in order: [name, shape, largest value]."""
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

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """The shapes of the weights, [outputs, inputs], by the name of the layer, in order."""
        shapes = {}
        inputs = sum(int(np.prod(shape)) for _, shape, _ in self.slices)
        for number, (kind, outputs) in enumerate(self.layers):
            shapes["value" if kind == "value" else str(number)] = (outputs, inputs)
            inputs = outputs if kind == "hidden" else inputs
        return shapes


WHOLE = ("game", "players")
"""Fields that identify the table; they are short and need no hash."""
PARTS = tuple(name for name in Description._fields if name not in WHOLE)
"""Fields that are hashed, one by one."""


def describe(
    game: Game, num_players: int, hidden: Sequence[int], has_value: bool = False
) -> Description:
    """Return the description of a network for this version of a game.

    Args:
        game: the game that the network plays.
        num_players: number of players at the table.
        hidden: number of units in each hidden layer.
        has_value: whether the network has a value head.
    """
    slices = game.observation_slices(num_players).values()
    num_actions = game.num_actions(num_players)
    layers: list[list[Any]] = [["hidden", units] for units in hidden]
    return Description(
        game=game.name,
        players=num_players,
        slices=[[piece.name, list(piece.shape), piece.high] for piece in slices],
        transform=TRANSFORM,
        activation=ACTIVATION,
        layers=[*layers, ["policy", num_actions], *([["value", 1]] if has_value else [])],
        actions=[game.action_name(action, num_players) for action in range(num_actions)],
        symmetry=symmetry_hash(game),
    )


def symmetry_hash(game: Game) -> str | None:
    """Return a hash of the game's `Symmetry`, or None for a game without one."""
    symmetry = symmetry_of(game)
    if symmetry is None:
        return None
    return short_hash(symmetry.places.tobytes() + symmetry.actions.tobytes())


def short_hash(data: bytes) -> str:
    """Return a hash of 16 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()[:16]


# ------------------------------------------------------------------------ writing and checking it


def hashes_of(parts: Mapping[str, Any]) -> dict[str, str]:
    """Return the hash of each part of a description."""
    return {name: short_hash(json.dumps(parts[name]).encode()) for name in PARTS}


def to_json(description: Description, sha256: str) -> str:
    """Return the text of the description file that lies beside the weights, one part per line.

    Args:
        description: description of the network.
        sha256: hash of the file of weights.
    """
    parts = description._asdict()
    told = parts | {"hashes": hashes_of(parts), "sha256": sha256}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in told.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def from_json(text: str) -> tuple[Description, str]:
    """Return the description and the hash that `to_json` wrote, not yet checked against a game.

    Raises:
        WeightsError: if the text is not a description, another version wrote it, or a part does
            not match its hash.
    """
    try:
        told = json.loads(text)
    except ValueError as error:
        raise WeightsError(f"it is not valid JSON ({error})") from None
    keys = {*Description._fields, "hashes", "sha256"}
    if not isinstance(told, dict) or not keys <= told.keys():
        missing = sorted(keys - set(told)) if isinstance(told, dict) else sorted(keys)
        raise WeightsError(
            f"it was written by an older version of gubs_env and lacks {', '.join(missing)}; "
            "train the network again with this version, or play it with the one that wrote it"
        )
    if unknown := sorted(told.keys() - keys):
        raise WeightsError(
            f"it was written by another version of gubs_env and has unknown parts: "
            f"{', '.join(unknown)}; play it with that version"
        )
    hashes, sha256 = told.pop("hashes"), told.pop("sha256")
    for name, value in hashes_of(told).items():
        if not isinstance(hashes, dict) or hashes.get(name) != value:
            raise WeightsError(
                f"its part {name} does not match its hash: the file was edited or damaged"
            )
    return Description(**told), sha256


def check(found: Description, game: Game, num_players: int) -> None:
    """Check that a network can play at a table of this game.

    The widths of the hidden layers and the presence of a value head are free; everything else
    must be equal.

    Raises:
        WeightsError: names the first part that differs, with the found and the expected value.
    """
    expected = describe(game, num_players, *own_choices(found.layers))
    for name, ours in expected._asdict().items():
        theirs = getattr(found, name)
        if json.dumps(theirs) != json.dumps(ours):
            raise WeightsError(f"its {name} {difference(theirs, ours)}")


def own_choices(layers: Any) -> tuple[list[int], bool]:
    """Return the readable widths of the hidden layers, and whether there is a value head."""
    layers = layers if isinstance(layers, list) else []
    pairs = [layer for layer in layers if isinstance(layer, list) and len(layer) == 2]
    hidden = [units for kind, units in pairs if kind == "hidden" and type(units) is int]
    return [units for units in hidden if units > 0], any(kind == "value" for kind, _ in pairs)


def difference(found: Any, expected: Any) -> str:
    """Return the found and the expected value in words; for lists, of the first entry that differs.

    Raises:
        ValueError: if two lists do not differ.
    """
    if not (isinstance(found, list) and isinstance(expected, list)):
        return f"is {found!r}, expected is {expected!r}"
    for number, (theirs, ours) in enumerate(zip_longest(found, expected)):
        if json.dumps(theirs) != json.dumps(ours):
            return f"differ in entry {number}: found {theirs!r}, expected {ours!r}"
    raise ValueError("these lists do not differ")


def check_tensors(tensors: Mapping[str, np.ndarray], description: Description) -> None:
    """Check that the tensors of a file match its description.

    Raises:
        WeightsError: names the tensor that is missing, unknown, of another shape or type, or not
            finite.
    """
    expected: dict[str, tuple[int, ...]] = {}
    for name, (outputs, inputs) in description.shapes.items():
        expected |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    for name in sorted(expected.keys() ^ tensors.keys()):
        raise WeightsError(f"its tensor {name} is {'missing' if name in expected else 'unknown'}")
    for name, shape in expected.items():
        tensor = tensors[name]
        if tensor.dtype != np.float32 or tensor.shape != shape:
            found = f"{tensor.dtype}{list(tensor.shape)}"
            raise WeightsError(f"its tensor {name} is {found}, expected is float32{list(shape)}")
        if not np.isfinite(tensor).all():
            raise WeightsError(f"its tensor {name} holds numbers that are not finite")
