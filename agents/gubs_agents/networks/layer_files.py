"""The files of all networks: safetensors, a format that cannot run code, and a description in JSON.

The description lies beside the weights and holds their hash. A network that plays is described by
`architecture`; layers that score no actions, by fields that their module declares. One reader with
one set of checks reads all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from gubs_agents.networks.architecture import (
    KINDS,
    Kind,
    Kinds,
    Shapes,
    WeightsError,
    check_kinds,
    check_tensors,
    clipped,
    difference,
)
from gubs_agents.networks.layers import LARGEST_OUTPUT, Layer, Weights, check_weights
from gubs_env.engine.border import LONGEST_JSON, read_json
from gubs_env.support.files import expanded, replace_file

LARGEST_FILE = 1 << 30
"""The most bytes of a file of weights."""
LARGEST_COUNT = 2**63 - 1
COUNT: Kind = (lambda v: type(v) is int and 0 <= v <= LARGEST_COUNT, "a whole number from 0 on")
"""The kind of a field that counts something."""
FACTOR: Kind = (
    lambda v: type(v) in (int, float) and 0 <= v <= LARGEST_OUTPUT,
    f"a number from 0 to {LARGEST_OUTPUT:g}",
)
"""The kind of a field that outputs are multiplied with."""

Told = TypeVar("Told")


# ------------------------------------------------------------------------------- all networks


def write_weights(
    path: str | Path, layers: Iterable[Layer], shapes: Shapes, description: Callable[[str], str]
) -> None:
    """Write layers to `path`, which ends in .safetensors, and their description beside it.

    Args:
        path: the file of the weights.
        layers: the layers in order.
        shapes: the shapes that they must have, by name, in the same order.
        description: returns the text of the description, given the hash of the weights.

    Raises:
        WeightsError: for layers of other shapes.
        OSError: if a file cannot be written.
    """
    path = expanded(path)
    tensors = {
        f"{name}.{kind}": np.ascontiguousarray(part)
        for name, layer in zip(shapes, layers, strict=True)
        for kind, part in zip(("weight", "bias"), layer, strict=True)
    }
    check_tensors(tensors, shapes)
    data = save_tensors(tensors)
    replace_file(path, data)
    replace_file(path.with_suffix(".json"), description(sha256_of(data)))


def read_weights(
    path: str | Path,
    read_description: Callable[[bytes], tuple[Told, str]],
    shapes_of: Callable[[Told, Mapping[str, np.ndarray]], Shapes],
    largest_input: float,
) -> tuple[Weights, Told]:
    """Read the layers that `write_weights` wrote; return them with their description.

    Args:
        path: the file of the weights.
        read_description: returns a description and the hash of the weights, given the text.
        shapes_of: returns the shapes that the layers must have, by name, given the description and
            the tensors in the file.
        largest_input: bound on the absolute value of an input.

    Raises:
        FileNotFoundError: if the weights or their description are missing.
        WeightsError: for files that are damaged or were edited, other tensors than described, or
            numbers that are not finite or so large that an output can overflow.
    """
    path = expanded(path)
    check_files(path)
    try:
        told, sha256 = read_description(read_short(path.with_suffix(".json"), LONGEST_JSON))
        tensors = _tensors(read_short(path, LARGEST_FILE), sha256)
        shapes = shapes_of(told, tensors)
        check_tensors(tensors, shapes)
        layers = {name: (tensors[f"{name}.weight"], tensors[f"{name}.bias"]) for name in shapes}
        value = layers.pop("value", None)
        weights = Weights(list(layers.values()), value)
        check_weights(weights, largest_input)
    except WeightsError as error:
        raise WeightsError(f"{path} does not fit: {error}") from None
    return weights, told


def check_files(path: Path) -> None:
    """Raise FileNotFoundError unless a file of weights and its description are there."""
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    beside = path.with_suffix(".json")
    if not beside.is_file():
        raise FileNotFoundError(
            f"no such file: {beside}: it describes the weights in {path.name}, which cannot be "
            "read without it; copy both files"
        )


def _tensors(data: bytes, sha256: str) -> dict[str, np.ndarray]:
    if (found := sha256_of(data)) != sha256:
        raise WeightsError(f"its sha256 is {found!r}, expected is {clipped(repr(sha256))}")
    try:
        return dict(load_tensors(data))
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError, MemoryError) as error:
        text = clipped(f"{type(error).__name__}: {error}")
        raise WeightsError(f"its weights are not valid safetensors ({text})") from None


def read_short(path: Path, limit: int) -> bytes:
    """Return the bytes of a file; raise WeightsError for more than `limit`."""
    if (size := path.stat().st_size) > limit:
        raise WeightsError(f"{path.name} has {size:,} bytes; at most {limit:,} are read")
    return path.read_bytes()


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 of the bytes of a file, as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


# --------------------------------------------------------------- layers that score no actions


def write_layers(
    path: str | Path, layers: list[Layer], told: Mapping[str, Any], largest_input: float
) -> None:
    """Write layers that score no actions, and their description beside them.

    Args:
        path: the file of the weights, which ends in .safetensors.
        layers: the layers in order.
        told: the description, without the hash.
        largest_input: bound on the absolute value of an input.

    Raises:
        WeightsError: if an output can overflow.
    """
    check_weights(Weights(layers), largest_input)
    shapes = {str(number): matrix.shape for number, (matrix, _) in enumerate(layers)}
    write_weights(
        path, layers, shapes, lambda sha256: json.dumps({**told, "sha256": sha256}, indent=1) + "\n"
    )


def read_layers(
    path: str | Path,
    kinds: Kinds,
    wanted: Mapping[str, Any],
    num_inputs: int,
    num_outputs: int,
    largest_input: float,
) -> tuple[list[Layer], dict[str, Any]]:
    """Read layers that `write_layers` wrote; return them with their description.

    Args:
        path: the file of the weights.
        kinds: the fields of the description without the hash, and their kinds.
        wanted: the values that some fields must have, as the format and the table.
        num_inputs, num_outputs: the sizes of the first and the last layer.
        largest_input: bound on the absolute value of an input.

    Raises:
        FileNotFoundError, WeightsError: as for `read_weights`; also for other values than wanted.
    """

    def shapes_of(told: Any, tensors: Mapping[str, np.ndarray]) -> Shapes:
        widths = [tensors[f"{k}.bias"].size for k in range(len(tensors)) if f"{k}.bias" in tensors]
        sizes = [num_inputs, *widths[:-1], num_outputs]
        return {str(k): (sizes[k + 1], sizes[k]) for k in range(max(1, len(widths)))}

    read_description = partial(_described, kinds=kinds, wanted=wanted)
    weights, told = read_weights(path, read_description, shapes_of, largest_input)
    return weights.policy, told


def _described(data: bytes, kinds: Kinds, wanted: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    try:
        found = read_json(data, "the description of layers")
    except ValueError as error:
        raise WeightsError(str(error)) from None
    kinds = {**kinds, "sha256": KINDS["sha256"]}
    if not isinstance(found, dict) or found.keys() != kinds.keys():
        raise WeightsError(f"its description must have exactly the fields {', '.join(kinds)}")
    check_kinds(found, kinds)
    for name, true in wanted.items():
        if json.dumps(found[name]) != json.dumps(true):
            raise WeightsError(f"its {name} {difference(found[name], true)}")
    return found, found.pop("sha256")
