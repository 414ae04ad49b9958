"""Checkpoints that survive a kill at any moment and cannot run code when they are read.

A checkpoint is a folder with arrays (safetensors) and numbers (JSON) of each worker, and the hashes
of all. It is written under another name and then renamed, so that it is complete or absent. A
checkpoint whose hashes do not match is skipped in favour of the one before it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from gubs_agents.training.distributed import gathered, rank, size
from gubs_agents.training.errors import TrainingError
from gubs_env.engine.border import read_json
from gubs_env.support.errors import message_of
from gubs_env.support.files import replace_file

ARRAYS_FILE, NUMBERS_FILE, HASHES_FILE = "arrays.safetensors", "numbers.json", "hashes.json"
FOLDER = "checkpoints"
"""The name of their folder in that of a run."""
OF_THE_FIRST = ARRAYS_FILE, NUMBERS_FILE
KEPT = 2
FOREIGN = (
    "another version of gubs_env wrote this checkpoint, or it was edited; resume with the version "
    "in versions.json, delete its folder to go back to the one before it, or start a new run with "
    "--out"
)


class Checkpoint(NamedTuple):
    """The state of a worker after an update."""

    arrays: dict[str, np.ndarray]
    numbers: dict[str, Any]
    """Values that JSON can hold."""
    path: Path
    """The folder that it was read from."""


def check_new(folder: Path) -> None:
    """Raise TrainingError if a folder holds a run."""
    if any((folder / FOLDER).glob("*")):
        raise TrainingError(
            f"{folder} holds a run already: continue it with --resume {folder}, delete it, or "
            "write elsewhere with --out"
        )


def files_of(worker: int) -> tuple[str, str]:
    """Return the names of the files with the arrays and the numbers of a worker."""
    return (f"{worker}-{ARRAYS_FILE}", f"{worker}-{NUMBERS_FILE}") if worker else OF_THE_FIRST


def write(
    folder: Path, update: int, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Any]
) -> None:
    """Write a checkpoint of all workers below `folder`, and delete all but the newest ones.

    What a worker has in common with the first one, such as the network, is written once.

    Raises:
        OSError: if it cannot be written; the older ones are then kept.
    """
    kept = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    if size() > 1:
        hashes = {name: hash_of(array.data) for name, array in kept.items()}
        of_first = gathered(hashes)[0]
        known = of_first if rank() else {}
        kept = {name: array for name, array in kept.items() if hashes[name] != known.get(name)}
    contents = dict(zip(files_of(rank()), (save(kept), json.dumps(numbers).encode()), strict=True))
    unfinished, finished = folder / "unfinished", folder / f"{update:08}"
    if rank() == 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
    gathered(None)  # the folder is there
    try:
        for name, data in contents.items():
            replace_file(unfinished / name, data)
        parts = gathered({name: hash_of(data) for name, data in contents.items()})
        hashes = {name: digest for part in parts for name, digest in part.items()}
        if rank() == 0:
            replace_file(unfinished / HASHES_FILE, json.dumps(hashes).encode())
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    if rank() == 0:
        shutil.rmtree(finished, ignore_errors=True)
        unfinished.rename(finished)
        for old in finished_folders(folder)[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)


def hash_of(data: Any) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def finished_folders(folder: Path) -> list[Path]:
    """Return the folders of the checkpoints, oldest first."""
    folders = [path for path in folder.glob("[0-9]*") if path.name.isdecimal() and path.is_dir()]
    return sorted(folders, key=lambda path: int(path.name))


def newest(folder: Path) -> Checkpoint | None:
    """Return the newest undamaged checkpoint, or None if there is none; say which are damaged.

    Raises:
        TrainingError: if all are damaged.
    """
    checkpoint, damaged = read_newest(folder)
    for path in () if rank() else damaged:
        print(f"{path} is damaged; going back to the checkpoint before it")
    if checkpoint is None and damaged:
        raise TrainingError(f"every checkpoint in {folder} is damaged")
    return checkpoint


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turn whatever the checkpoint of another run raises into a TrainingError of one line."""
    try:
        yield
    except (OSError, MemoryError, TrainingError):
        raise
    except Exception as error:
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        message = " ".join(message_of(error).split())
        raise TrainingError(f"{path}: {kind}{message}: {FOREIGN}") from error


def read_newest(folder: Path) -> tuple[Checkpoint | None, list[Path]]:
    """Return the newest checkpoint that no worker finds damaged, if any, and the newer ones."""
    damaged: list[Path] = []
    for path in reversed(finished_folders(folder)):
        checkpoint = read(path)
        if all(gathered(checkpoint is not None)):
            return checkpoint, damaged
        damaged.append(path)
    return None, damaged


def read(path: Path) -> Checkpoint | None:
    """Read this worker's part of a checkpoint, or the first worker's if it has none.

    Returns:
        None if it is damaged: incomplete, or with another hash.
    """
    try:
        hashes = read_json((path / HASHES_FILE).read_bytes(), "the hashes of a checkpoint")
        files = files_of(rank()) if files_of(rank())[0] in hashes else OF_THE_FIRST
        contents = {name: (path / name).read_bytes() for name in {*OF_THE_FIRST, *files}}
        if any(hash_of(data) != hashes[name] for name, data in contents.items()):
            return None
        arrays = load(contents[ARRAYS_FILE]) | load(contents[files[0]])
        numbers = read_json(contents[files[1]], "the numbers of a run")
        return Checkpoint({name: array.copy() for name, array in arrays.items()}, numbers, path)
    except (OSError, ValueError, KeyError, TypeError, IndexError, SafetensorError):
        return None
