"""The process of low priority that compiles entries while a game interprets them.

It reads from a pipe which entries to compile for which arguments and writes the machine code into
the cache. It ends when it has nothing to do: the program that started it may end before. One
process at a time compiles for a cache folder, and only while it does so it holds the lock.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue

from filelock import FileLock

from gubs_env._compiler.background import example_of
from gubs_env._compiler.cache import cache_folders, path_of_refusal
from gubs_env._compiler.fingerprint import fingerprint
from gubs_env._compiler.uncompilable import NotCompilable

IDLE = 5.0
"""Seconds without work after which the process ends."""


def main() -> None:
    """Compile what is asked for on standard input."""
    if hasattr(os, "nice"):
        os.nice(19)
    folder = next(cache_folders())
    requests: SimpleQueue[bytes | None] = SimpleQueue()
    threading.Thread(target=read_into, args=(requests,), daemon=True).start()
    with suppress(Empty, OSError):
        for request in iter(partial(requests.get, timeout=IDLE), None):
            with FileLock(folder / "compiling.lock", poll_interval=0.5):
                compile_one(request)
    os._exit(0)  # the thread may still be reading


def read_into(requests: SimpleQueue[bytes | None]) -> None:
    """Read all requests as they come, so that the process that asks never waits."""
    with suppress(Exception):  # the pipe was closed, perhaps in the middle of a request
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    requests.put(None)


def compile_one(request: bytes) -> None:
    """Compile an entry, unless it is another one here: its modules may have been edited."""
    with suppress(Exception):  # a module that is not found, rules that do not compile
        entry, name, arguments = pickle.loads(request)
        if fingerprint(entry.function) == name:
            try:
                entry.compile(tuple(map(example_of, arguments)))
            except NotCompilable as error:
                path_of_refusal(next(cache_folders()), name).write_text(str(error), "utf-8")
