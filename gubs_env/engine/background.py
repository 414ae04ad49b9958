"""A process of low priority that compiles entries while they are interpreted.

What is interpreted for longer than a moment starts it. It reads from a pipe which entries to
compile for which arguments, writes the machine code into the cache, and ends when the pipe is
closed and all is done: it outlives its parent. One process at a time compiles for a cache folder.
"""

from __future__ import annotations

import glob
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.sources import PACKAGE, cache_directory, cache_folders, file_of, source_hash

COMPILERS: dict[int, Any] = {}
"""The process that compiles for this one, by the number of this process: a fork has none yet."""


class Array(NamedTuple):
    """The properties of an array on which its compiled type depends."""

    dtype: np.dtype
    ndim: int
    contiguous: bool
    writeable: bool


class Request(NamedTuple):
    """An entry to compile."""

    key: tuple[str, str]
    modules: list[str]
    """Modules to import first: those of its package and of the packages of its functions."""
    arguments: tuple[Any, ...]


@cache
def folder_of(*modules: str) -> Path | None:
    """Return the folder of the machine code of an entry; None if it cannot be kept.

    Args:
        modules: the names of its module, and of those whose functions it calls.
    """
    return cache_directory(source_hash(*modules)) if file_of(modules[0]) is not None else None


def may_be_there(function: Callable[..., Any], used: Sequence[str]) -> bool:
    """Return whether the cache has a file of the entry; Numba is not needed to see it."""
    folder = folder_of(function.__module__, *used)
    module, name = function.__module__.rpartition(".")[2], function.__qualname__
    return folder is not None and any(folder.glob(f"{glob.escape(f'{module}.{name}')}-*.nbi"))


def ask_for(function: Callable[..., Any], used: Sequence[str], arguments: tuple[Any, ...]) -> bool:
    """Have an entry compiled for the types of these arguments; return whether somebody does it.

    It is left alone where it was compiled before, or a process beside this one would hurt.
    """
    if may_be_there(function, used):
        return True
    key = function.__module__, function.__qualname__
    folder = folder_of(key[0], *used)
    if folder is None or (os.cpu_count() or 1) == 1 or key[0] == "__main__":
        return False
    if os.getpid() not in COMPILERS:
        COMPILERS[os.getpid()] = start(folder.parent)
    compiler = COMPILERS[os.getpid()]
    packages = {name.partition(".")[0] for name in (PACKAGE, key[0], *used)}
    modules = [name for name in sys.modules if name.partition(".")[0] in packages]
    try:
        pickle.dump(Request(key, modules, tuple(map(described, arguments))), compiler.stdin)
        compiler.stdin.flush()
    except (AttributeError, OSError, TypeError, pickle.PicklingError):
        return False  # it could not be started, or has ended; or a value cannot be sent
    return True


def start(cache: Path) -> subprocess.Popen[bytes] | None:
    """Start the process that compiles into a cache folder; return None if that fails."""
    command = [sys.executable, "-c", f"from {__name__} import main; main()"]
    paths = os.pathsep.join(map(os.path.abspath, sys.path))
    environment = os.environ | {
        "GUBS_ENV_CACHE": str(cache),
        "GUBS_ENV_COMPILE": "wait",
        "PYTHONPATH": paths,
    }
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
    except OSError:
        return None


def described(value: Any) -> Any:
    """Return an argument with a description in place of each array."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        return Array(value.dtype, value.ndim, flags.c_contiguous, flags.writeable)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(described, value))
    return value


def example_of(described: Any) -> Any:
    """Return an argument of the described type."""
    if isinstance(described, Array):
        array = np.zeros((4,) * described.ndim, described.dtype)
        if not described.contiguous:
            array = array[(slice(None, None, 2),) * described.ndim]
        array.flags.writeable = described.writeable
        return array
    if isinstance(described, tuple) and hasattr(described, "_fields"):
        return type(described)(*map(example_of, described))
    return described


def main() -> None:
    """Compile what is asked for on standard input."""
    from filelock import FileLock

    if hasattr(os, "nice"):
        os.nice(19)
    base = next(iter(cache_folders()), None)
    if base is None:
        return
    base.mkdir(parents=True, exist_ok=True)
    requests: SimpleQueue[Request | None] = SimpleQueue()
    threading.Thread(target=read_into, args=(requests,), daemon=True).start()
    with suppress(OSError), FileLock(base / "compiling.lock", poll_interval=0.5):
        for request in iter(requests.get, None):
            compile_one(request)


def read_into(requests: SimpleQueue[Request | None]) -> None:
    """Read all requests as they come, so that the process that asks never waits."""
    with suppress(EOFError):
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    requests.put(None)


def compile_one(request: Request) -> None:
    for name in request.modules:
        with suppress(Exception):
            import_module(name)
    entry = import_module(f"{PACKAGE}.engine.compilation").ENTRIES.get(request.key)
    if entry is not None:
        machine_code = import_module(f"{PACKAGE}.engine.machine_code")
        arguments = tuple(map(example_of, request.arguments))
        entry.dispatcher.compile(machine_code.signature_of(arguments))
