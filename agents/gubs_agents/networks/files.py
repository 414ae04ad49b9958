"""The files of all networks: safetensors, a format that cannot run code, which describe themselves.

The description is JSON in the metadata of the file. Its `format` says which kind of network this
is: one that plays (`network`), values of outcomes, or beliefs. Its `sha256` is the hash of the
tensors as safetensors writes them without a description, so that it names the weights alone. One
reader with one set of checks reads all of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from gubs_agents.networks.architecture import (
    NAME,
    Shapes,
    WeightsError,
    check_shapes,
    check_values,
    clipped,
    difference,
)
from gubs_agents.networks.layers import Weights
from gubs_env.engine.border import read_json
from gubs_env.engine.table import Table
from gubs_env.support.fields import WHOLE, Kind, check_fields
from gubs_env.support.files import expanded, folder_of, replace_file

SHIPPED = folder_of("gubs_agents", "weights")
"""The folder of the networks that this package ships."""
LARGEST_FILE = 1 << 30
"""The most bytes of a file."""
DESCRIPTION = "description"
"""The name of the description in the metadata."""
COUNT = WHOLE
"""The kind of a field that counts something."""

Metadata = dict[str, Any]
"""A description: its fields by name, as JSON types."""
Tensors = dict[str, np.ndarray]
"""The tensors of a file by name: NAME.weight and NAME.bias for each of `Weights.named`."""


class Format(NamedTuple):
    """A format of descriptions."""

    name: str
    """Its name and version, the field `format`."""
    kinds: Mapping[str, Kind]
    """The other fields but `sha256`, and their kinds."""


def write(
    path: str | Path,
    form: Format,
    weights: Weights,
    metadata: Mapping[str, Any],
    shapes: Shapes | None = None,
) -> None:
    """Write a network and its description to one file.

    Args:
        path: the file, which ends in .safetensors.
        form: the format of the description.
        weights: the network.
        metadata: the fields of the description.
        shapes: the shapes that the layers must have, by name; None for any.

    Raises:
        WeightsError: for layers of other shapes.
        OSError: if the file cannot be written.
    """
    tensors = {
        f"{name}.{kind}": np.ascontiguousarray(part)
        for name, layer in weights.named.items()
        for kind, part in zip(("weight", "bias"), layer, strict=True)
    }
    if shapes is not None:
        check_shapes(tensors, shapes)
    described = {"format": form.name, **metadata, "sha256": sha256_of(tensors)}
    replace_file(path, save_tensors(tensors, {DESCRIPTION: json.dumps(described)}))


def read(
    path: str | Path,
    form: Format,
    expected: Callable[[Metadata, Tensors], tuple[Shapes, np.ndarray | None]],
    largest_input: float,
) -> tuple[Weights, Metadata]:
    """Read the network that `write` wrote; return it with its description.

    Args:
        path: the file.
        form: the format of the description.
        expected: checks the description, given the tensors too; returns the shapes that the layers
            must have, by name, and the entries that the first one reads, as in `Weights`.
        largest_input: bound on the absolute value of an input.

    Raises:
        FileNotFoundError: if the file is missing.
        WeightsError: for a file that is damaged or was edited, one of another format, other tensors
            than described, or numbers that are not finite or so large that an output can overflow.
    """
    with about_file(path):
        metadata, tensors = parse(read_short(path), form)
        shapes, inputs = expected(metadata, tensors)
        check_shapes(tensors, shapes)
        layers = {name: (tensors[f"{name}.weight"], tensors[f"{name}.bias"]) for name in shapes}
        value = layers.pop("value", None)
        return Weights(list(layers.values()), value, inputs, largest_input), metadata


def shipped_file(folder: Path, what: str, advice: str, table: Table) -> Path:
    """Return the file for a table in a folder of what this package ships.

    Raises:
        ValueError: if there is none; the message lists those that there are, and gives an advice.
    """
    path = folder / f"{table.name}.safetensors"
    if not path.exists():
        there_are = ", ".join(sorted(path.stem for path in folder.glob("*.safetensors")))
        game, options = table.game, table.changed_options(table.game.table_options)
        wanted = ", ".join([f"{game.name} with {table.num_players} players", *options])
        raise ValueError(f"no {what} are shipped for {wanted}, only for {there_are}; {advice}")
    return path


def description_of(path: str | Path, form: Format) -> Metadata:
    """Return the description of a network, not yet compared with a table.

    Raises:
        FileNotFoundError, WeightsError: as for `read`.
    """
    with about_file(path):
        return parse(read_short(path), form)[0]


@contextmanager
def about_file(path: str | Path) -> Iterator[None]:
    """Let the message of a WeightsError begin with the file."""
    try:
        yield
    except WeightsError as error:
        raise WeightsError(f"{expanded(path)} does not fit: {error}") from None


def read_short(path: str | Path) -> bytes:
    """Return the bytes of a file; raise WeightsError for more than LARGEST_FILE."""
    path = expanded(path)
    if not path.is_file():
        raise FileNotFoundError(f"no such file: {path}")
    if (size := path.stat().st_size) > LARGEST_FILE:
        raise WeightsError(f"it has {size:,} bytes; at most {LARGEST_FILE:,} are read")
    return path.read_bytes()


def parse(data: bytes, form: Format) -> tuple[Metadata, Tensors]:
    """Return the description and the tensors in a file, not yet compared with each other.

    Raises:
        WeightsError: for anything but safetensors with a description of this format and the hash of
            the tensors.
    """
    try:
        tensors = dict(load_tensors(data))
    except (SafetensorError, KeyError, ValueError, TypeError, OverflowError, MemoryError) as error:
        text = clipped(f"{type(error).__name__}: {error}")
        raise WeightsError(f"it is not valid safetensors ({text})") from None
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    metadata = _described(header.get("__metadata__", {}).get(DESCRIPTION), form)
    if (digest := sha256_of(tensors)) != metadata["sha256"]:
        raise WeightsError(
            f"the sha256 of its tensors is {digest!r}, expected is "
            f"{clipped(repr(metadata['sha256']))}: the file is damaged or was edited"
        )
    return metadata, tensors


def _described(text: str | None, form: Format) -> Metadata:
    if text is None:
        raise WeightsError(
            "it does not say what it computes: an older version of gubs_env or another program "
            "wrote it; train the network again with this version"
        )
    try:
        metadata = read_json(text, "the description of a network")
        if isinstance(metadata, dict) and (name := metadata.get("format")) != form.name:
            raise ValueError(f"its format {difference(name, form.name)}")
        check_fields(metadata, {"format": NAME, **form.kinds, "sha256": NAME}, "its description")
    except ValueError as error:
        raise WeightsError(clipped(str(error))) from None
    return dict(metadata)


def sha256_of(tensors: Tensors) -> str:
    """Return the SHA-256 of tensors as safetensors writes them without a description."""
    return hashlib.sha256(save_tensors(tensors)).hexdigest()


# --------------------------------------------------------------- layers that score no actions


def read_layers(
    path: str | Path,
    form: Format,
    wanted: Mapping[str, Any],
    num_inputs: int,
    num_outputs: int,
    largest_input: float,
) -> tuple[Weights, Metadata]:
    """Read layers that score no actions; return them with their description.

    Args:
        path: the file.
        form: the format of the description.
        wanted: the values that some fields must have, as the table.
        num_inputs, num_outputs: the sizes of the first and the last layer.
        largest_input: bound on the absolute value of an input.

    Raises:
        FileNotFoundError, WeightsError: as for `read`; also for other values than wanted.
    """

    def expected(metadata: Metadata, tensors: Tensors) -> tuple[Shapes, None]:
        check_values(wanted, metadata)
        widths = [tensors[f"{k}.bias"].size for k in range(len(tensors)) if f"{k}.bias" in tensors]
        sizes = [num_inputs, *widths[:-1], num_outputs]
        return {str(k): (sizes[k + 1], sizes[k]) for k in range(max(1, len(widths)))}, None

    return read(path, form, expected, largest_input)
