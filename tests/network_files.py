"""The files of networks, read and edited without the code that is tested."""

from __future__ import annotations

import hashlib
import json

from safetensors import safe_open
from safetensors.numpy import load_file, save, save_file


def told_of(path):
    """Return the description in a file."""
    with safe_open(path, "np") as file:
        return json.loads(file.metadata()["description"])


def describe(path, text):
    """Replace the description in a file by a text; None leaves it out."""
    save_file(load_file(path), path, None if text is None else {"description": text})


def edit(path, change=lambda tensors: None, **fields):
    """Change the tensors and fields of the description; its hash is that of the new tensors."""
    told, tensors = told_of(path), load_file(path)
    change(tensors)
    told |= {"sha256": hashlib.sha256(save(tensors)).hexdigest(), **fields}
    save_file(tensors, path, {"description": json.dumps(told)})
