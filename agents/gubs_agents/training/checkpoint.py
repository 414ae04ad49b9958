"""Checkpoints that survive a kill at any moment and cannot run code when they are read.

A checkpoint is a folder with arrays (safetensors), numbers (JSON) and the hashes of both. It is
written under another name and then renamed, so that it is complete or absent. A checkpoint whose
hashes do not match is skipped in favour of the one before it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from gubs_env.engine.border import read_json
from gubs_env.support.files import replace_file

ARRAYS_FILE, NUMBERS_FILE, HASHES_FILE = "arrays.safetensors", "numbers.json", "hashes.json"
KEPT = 2


class Checkpoint(NamedTuple):
    """The state of a run after an update."""

    arrays: dict[str, np.ndarray]
    numbers: dict[str, Any]
    """Values that JSON can hold."""
    path: Path
    """The folder that it was read from."""


def write_checkpoint(
    folder: Path, update: int, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]
) -> None:
    """Write a checkpoint below `folder`, and delete all but the newest ones.

    Raises:
        OSError: if it cannot be written; the older ones are then kept.
    """
    contents = {
        ARRAYS_FILE: save({name: np.ascontiguousarray(array) for name, array in arrays.items()}),
        NUMBERS_FILE: json.dumps(numbers).encode(),
    }
    hashes = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    contents[HASHES_FILE] = json.dumps(hashes).encode()
    unfinished, finished = folder / "unfinished", folder / f"{update:08}"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        for name, data in contents.items():
            replace_file(unfinished / name, data)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    shutil.rmtree(finished, ignore_errors=True)
    unfinished.rename(finished)
    for old in finished_folders(folder)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def finished_folders(folder: Path) -> list[Path]:
    """Return the folders of the checkpoints, oldest first."""
    found = [path for path in folder.glob("[0-9]*") if path.name.isdecimal() and path.is_dir()]
    return sorted(found, key=lambda path: int(path.name))


def read_newest(folder: Path) -> tuple[Checkpoint | None, list[Path]]:
    """Return the newest undamaged checkpoint, if any, and the damaged ones that are newer."""
    damaged: list[Path] = []
    for path in reversed(finished_folders(folder)):
        checkpoint = read_checkpoint(path)
        if checkpoint is not None:
            return checkpoint, damaged
        damaged.append(path)
    return None, damaged


def read_checkpoint(path: Path) -> Checkpoint | None:
    """Read a checkpoint; return None if it is damaged: incomplete, or with another hash."""
    try:
        hashes = read_json((path / HASHES_FILE).read_bytes(), "the hashes of a checkpoint")
        contents = {name: (path / name).read_bytes() for name in (ARRAYS_FILE, NUMBERS_FILE)}
        if any(hashlib.sha256(data).hexdigest() != hashes[name] for name, data in contents.items()):
            return None
        arrays = {name: array.copy() for name, array in load(contents[ARRAYS_FILE]).items()}
        return Checkpoint(arrays, read_json(contents[NUMBERS_FILE], "the numbers of a run"), path)
    except (OSError, ValueError, KeyError, TypeError, IndexError, SafetensorError):
        return None
