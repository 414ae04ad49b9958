"""Files of layers that score no actions: safetensors, with a description in JSON beside them.

The description names the format, the table, whatever else a reader asks for, and the hash of the
weights. Networks that play have a description of their own (`architecture`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from gubs_agents.architecture import WeightsError
from gubs_agents.layers import Layer, check_layer
from gubs_agents.network import check_files, read_short, sha256_of
from gubs_env.api.files import expanded, replace_file
from gubs_env.engine.border import LONGEST_JSON, read_json

LARGEST = 1 << 22
"""The most bytes of a file of weights."""


def write_layers(path: str | Path, layers: list[Layer], told: Mapping[str, Any]) -> None:
    """Write layers to `path`, which ends in .safetensors, and their description beside it.

    Args:
        path: the file of the weights.
        layers: the layers in order.
        told: the description, without the hash.
    """
    path = expanded(path)
    tensors = {}
    for number, (weights, biases) in enumerate(layers):
        tensors[f"{number}.weight"] = np.ascontiguousarray(weights)
        tensors[f"{number}.bias"] = np.ascontiguousarray(biases)
    data = save_tensors(tensors)
    replace_file(path, data)
    found = {**told, "sha256": sha256_of(data)}
    replace_file(path.with_suffix(".json"), json.dumps(found, indent=1) + "\n")


def read_layers(
    path: str | Path,
    kinds: Mapping[str, type],
    wanted: Mapping[str, Any],
    num_inputs: int,
    num_outputs: int,
) -> tuple[list[Layer], dict[str, Any]]:
    """Read layers that `write_layers` wrote; return them with their description.

    Args:
        path: the file of the weights.
        kinds: the fields of the description without the hash, and their types.
        wanted: the values that some fields must have, as the format and the table.
        num_inputs, num_outputs: the sizes of the first and the last layer.

    Raises:
        FileNotFoundError: if the weights or their description are missing.
        WeightsError: for other values, or for files that were edited or are damaged.
    """
    path = expanded(path)
    check_files(path)
    try:
        found = _description(read_short(path.with_suffix(".json"), LONGEST_JSON), kinds)
        for name, true in wanted.items():
            if found[name] != true:
                raise WeightsError(f"its {name} is {found[name]!r}, expected is {true!r}")
        layers = _layers(read_short(path, LARGEST), found["sha256"])
        _check_sizes(layers, num_inputs, num_outputs)
    except WeightsError as error:
        raise WeightsError(f"{path} does not fit: {error}") from None
    return layers, found


def _description(data: bytes, kinds: Mapping[str, type]) -> dict[str, Any]:
    try:
        found = read_json(data, "the description of layers")
    except ValueError as error:
        raise WeightsError(f"its description cannot be read ({error})") from None
    fields = {**kinds, "sha256": str}
    if (
        not isinstance(found, dict)
        or found.keys() != fields.keys()
        or any(type(found[name]) is not kind for name, kind in fields.items())
    ):
        raise WeightsError(f"its description must have exactly the fields {', '.join(fields)}")
    return found


def _layers(data: bytes, sha256: str) -> list[Layer]:
    if (found := sha256_of(data)) != sha256:
        raise WeightsError(f"its sha256 is {found!r}, expected is {sha256!r}")
    try:
        tensors = load_tensors(data)
        count = len(tensors) // 2
        layers = [(tensors[f"{k}.weight"], tensors[f"{k}.bias"]) for k in range(count)]
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise WeightsError(f"its weights are not valid ({type(error).__name__})") from None
    return layers


def _check_sizes(layers: list[Layer], num_inputs: int, num_outputs: int) -> None:
    if not layers:
        raise WeightsError("it has no layers")
    width = num_inputs
    for number, layer in enumerate(layers):
        last = number == len(layers) - 1
        check_layer(f"layer {number}", layer, width, num_outputs if last else None)
        width = len(layer[1])
