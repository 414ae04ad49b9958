"""The description of a network: what its inputs and outputs mean, and how it computes.

A network is a multilayer perceptron. It applies the transform to every count of an observation,
then the hidden layers, each followed by the activation, then its heads: a score for every action,
and optionally the value of the position. Learner (PyTorch), batch player (NumPy) and compiled
player (Numba) all read this module, so that none of them can differ from the others.

A file of weights carries its description, each part with a hash. `check` refuses a file of which
any part differs, and says which.
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
"""Applied to every count, 0 … 127: the more cards of a kind there are, the less one more means."""
ACTIVATION = "relu"
"""Applied to every output of a hidden layer."""


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
"""For the compiled player: a transform is a table, float32[128] by count; an activation is an
inlined function of one number."""


def torch_function(name: str) -> Any:
    """Return a transform or an activation for tensors: PyTorch has it under the same name."""
    return getattr(import_module("torch"), name)


# ---------------------------------------------------------------------------------- the description


class Description(NamedTuple):
    """All that a file of weights must agree on with the code that plays it, in JSON's types."""

    game: str
    """Name of the game's public module."""
    players: int
    """Number of players at the table."""
    slices: list[list[Any]]
    """The named pieces of the observation, in order: [name, shape, largest value]."""
    transform: str
    activation: str
    layers: list[list[Any]]
    """The layers in order, [kind, outputs]: "hidden" ones, the head "policy", and after the same
    hidden ones the head "value", if there is one."""
    actions: list[str]
    """Names of the actions, in the order of their scores."""
    symmetry: str | None
    """Hash of the `Symmetry` by which it sees positions; None where it sees them as they are."""

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        """The shape [outputs, inputs] of each layer's weights, by its name in a file, in order."""
        shapes = {}
        inputs = sum(int(np.prod(shape)) for _, shape, _ in self.slices)
        for number, (kind, outputs) in enumerate(self.layers):
            shapes["value" if kind == "value" else str(number)] = (outputs, inputs)
            inputs = outputs if kind == "hidden" else inputs
        return shapes


WHOLE = ("game", "players")
"""Fields that say which networks can be compared at all; they are short and need no hash."""
PARTS = tuple(name for name in Description._fields if name not in WHOLE)
"""Fields that are hashed, each by itself."""


def describe(
    game: Game, num_players: int, hidden: Sequence[int], has_value: bool = False
) -> Description:
    """Return the description of a network for this version of a game.

    Args:
        game, num_players: the table it plays at.
        hidden: number of units in each hidden layer.
        has_value: whether it has a head for the value.
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
    """Return a hash of how observations and actions are renamed, or None where they are not."""
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
    """Return the text of the file beside the weights, one part a line.

    Args:
        description: of the network.
        sha256: hash of the file of weights.
    """
    parts = description._asdict()
    told = parts | {"hashes": hashes_of(parts), "sha256": sha256}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in told.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def from_json(text: str) -> tuple[Description, str]:
    """Return what `to_json` was given, so far unchecked against any game.

    Raises:
        WeightsError: for text that is no description, that another version wrote, or of which a
            part does not match its hash.
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
        raise WeightsError(f"it was written by another version: unknown are {', '.join(unknown)}")
    hashes, sha256 = told.pop("hashes"), told.pop("sha256")
    for name, value in hashes_of(told).items():
        if not isinstance(hashes, dict) or hashes.get(name) != value:
            raise WeightsError(f"its {name} do not match their hash: it was edited or damaged")
    return Description(**told), sha256


def check(found: Description, game: Game, num_players: int) -> None:
    """Check that a network can play at a table of this game. Only the widths of its hidden layers,
    and whether it has a value, are its own.

    Raises:
        WeightsError: naming the first part that differs, what was found and what is expected.
    """
    expected = describe(game, num_players, *own_choices(found.layers))
    for name, ours in expected._asdict().items():
        theirs = getattr(found, name)
        if json.dumps(theirs) != json.dumps(ours):
            raise WeightsError(f"its {name} {difference(theirs, ours)}")


def own_choices(layers: Any) -> tuple[list[int], bool]:
    """Return the widths of the hidden layers, as far as they can be read, and whether there is a
    value."""
    layers = layers if isinstance(layers, list) else []
    pairs = [layer for layer in layers if isinstance(layer, list) and len(layer) == 2]
    hidden = [units for kind, units in pairs if kind == "hidden" and type(units) is int]
    return [units for units in hidden if units > 0], any(kind == "value" for kind, _ in pairs)


def difference(found: Any, expected: Any) -> str:
    """Say what was found in place of what; of lists, the first entry that differs."""
    if not (isinstance(found, list) and isinstance(expected, list)):
        return f"is {found!r}, expected is {expected!r}"
    for number, (theirs, ours) in enumerate(zip_longest(found, expected)):
        if json.dumps(theirs) != json.dumps(ours):
            return f"differ in entry {number}: found {theirs!r}, expected {ours!r}"
    raise ValueError("these lists do not differ")


def check_tensors(tensors: Mapping[str, np.ndarray], description: Description) -> None:
    """Check that the tensors of a file are those that its description promises.

    Raises:
        WeightsError: naming the tensor that is missing, unknown, of another shape or type, or that
            holds numbers that are not finite.
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
