"""Machine code: Numba, its cache on disk, and the line that says that it compiles.

Only this module, `intrinsics` and `parts` import Numba, when something is compiled or read from the
cache. Only entries are cached, each together with everything it calls. Each file of the cache
begins with a hash of its contents. A file that is damaged or cannot be read counts as absent: the
entry is compiled and written anew. Where nothing can be written, entries are compiled in every
process.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import pickle
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numba
from numba.core.caching import IndexDataCacheFile
from numba.core.event import Event, Listener, register
from numba.extending import register_jitable, typeof_impl

from gubs_env.engine import intrinsics as intrinsics
from gubs_env.engine.parts import EntryCompiler, PartCompiler
from gubs_env.engine.sources import cache_directory, file_of, source_hash

CONFIG: Any = numba.config  # its attributes are made at run time
PATIENCE = 1.0
"""Seconds of compilation after which a line says so."""
COMPILING = "gubs_env: compiling, once for this version"
Dispatcher = Any
"""A function that Numba compiles for each signature; Numba has no public name for it."""


def register_marked(marked: list[tuple[Callable[..., Any], dict[str, bool]]]) -> None:
    """Tell Numba of functions that compiled code may call; empty the list."""
    while marked:
        function, options = marked.pop()
        register_jitable(error_model="numpy", pipeline_class=PartCompiler, **options)(function)


def let_call(kind: type) -> None:
    """Let compiled code call objects of a type, each of which has a `dispatcher`."""
    typeof_impl.register(kind)(lambda found, context: typeof_impl(found.dispatcher, context))


def dispatcher_of(function: Callable[..., Any], modules: tuple[str, ...]) -> Dispatcher:
    """Return the dispatcher of an entry, with its place in the cache.

    Args:
        function: the entry.
        modules: names of modules whose functions it calls without importing them.
    """
    options: Any = {"nogil": True, "error_model": "numpy", "pipeline_class": EntryCompiler}
    # Without a file, as when typed in a notebook or a shell, there is nothing to hash.
    has_file = file_of(function.__module__) is not None
    folder = cache_directory(source_hash(function.__module__, *modules)) if has_file else None
    if folder is None:
        return _announced(numba.njit(function, **options))
    before = CONFIG.CACHE_DIR, CONFIG.CACHE_LOCATOR_CLASSES
    CONFIG.CACHE_DIR = str(folder)
    CONFIG.CACHE_LOCATOR_CLASSES = f"{__name__}.{CacheLocator.__qualname__}"
    try:
        dispatcher: Any = numba.njit(function, cache=True, **options)
    finally:
        CONFIG.CACHE_DIR, CONFIG.CACHE_LOCATOR_CLASSES = before
    kept = dispatcher._cache
    kept._cache_file = CacheFile(kept.cache_path, kept._impl.filename_base, folder.name)
    return _announced(dispatcher)


def signature_of(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the types that Numba sees in arguments."""
    return tuple(map(numba.typeof, arguments))


def is_on_disk(dispatcher: Dispatcher, signature: tuple[Any, ...]) -> bool:
    """Return whether the cache has intact code of a signature."""
    kept = dispatcher._cache
    file = getattr(kept, "_cache_file", None)
    if file is None:
        return False
    codegen = dispatcher.targetctx.codegen()
    return file.load(kept._index_key(signature, codegen)) is not None


# ------------------------------------------------------------------ messages during compilation


class Progress(Listener):
    """A line on standard error that counts the functions and the seconds of this process.

    It appears on a terminal when compiling has taken `PATIENCE` seconds. Elsewhere one line says
    once that something compiles. Worker processes say nothing. Numba reports an event for all that
    it did not find in the cache, and it compiles in one thread at a time.
    """

    def __init__(self) -> None:
        self.entries: WeakSet[Dispatcher] = WeakSet()
        self.functions, self.seconds = 0, 0.0
        self._outermost: Dispatcher | None = None
        self._bar: Any = None
        self._is_said = False

    def on_start(self, event: Event) -> None:
        function = event.data["dispatcher"]
        if self._outermost is None and function in self.entries:
            self._outermost, self._bar = function, self._opened()
        if self._outermost is not None:
            self.functions += 1
            self._bar.update()

    def on_end(self, event: Event) -> None:
        if self._outermost is None:
            return
        seconds = time.time() - self._bar.start_t
        if self._bar.disable and seconds >= PATIENCE and not (self._is_said or is_worker()):
            self._is_said = True
            print(f"{COMPILING} (may take a minute) …", file=sys.stderr, flush=True)
        if event.data["dispatcher"] is self._outermost:
            self.seconds, self._outermost = seconds, None
            self._bar.close()

    def _opened(self) -> Any:
        """Return a new bar that goes on where the last one ended."""
        from tqdm import tqdm

        bar = tqdm(
            desc=COMPILING, initial=self.functions, bar_format="{desc}: {n} functions, {elapsed}",
            delay=PATIENCE, leave=False, disable=True if is_worker() else None,
        )  # fmt: skip
        bar.start_t = time.time() - self.seconds
        return bar


def is_worker() -> bool:
    """Return whether another process of Python started this one to work for it."""
    return multiprocessing.parent_process() is not None


PROGRESS = Progress()
register("numba:compile", PROGRESS)


def _announced(function: Dispatcher) -> Dispatcher:
    PROGRESS.entries.add(function)
    return function


# ------------------------------------------------------------------------------------- the cache


class CacheLocator:
    """The place of the machine code of an entry, by the protocol of Numba's cache locators.

    Numba's own locators name a folder after the path of the source file, so that the same code
    would be compiled anew for every virtual environment. This one uses `CONFIG.CACHE_DIR` as it is,
    because the name of that folder already identifies the sources.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self.folder = CONFIG.CACHE_DIR
        self.module = function.__module__
        self._py_file = file  # Numba names it in the warning about code that it cannot cache

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> CacheLocator:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        with suppress(OSError):  # then nothing is written (`CacheFile.save`)
            os.makedirs(self.folder, exist_ok=True)

    def get_cache_path(self) -> str:
        return self.folder

    def get_source_stamp(self) -> str:
        return Path(self.folder).name

    def get_disambiguator(self) -> str:
        return self.module


class CacheFile(IndexDataCacheFile):
    """The index and the data files of an entry, each behind the SHA-256 of what follows.

    A file that is damaged or cannot be read counts as absent, and what cannot be written is left
    out. Each piece of machine code is stored with its key: two processes that write at once may
    leave an index that leads to the code of another key.
    """

    def save(self, key: Any, data: Any) -> None:
        with suppress(OSError):  # a read-only folder, a full disk
            super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None

    def is_intact(self) -> bool:
        """Return whether there is machine code, and all of it can be read."""
        names = self._load_index().values()
        return bool(names) and all(contents_of(self._data_path(name)) is not None for name in names)

    def _load_index(self) -> dict[Any, str]:
        contents = contents_of(self._index_path)
        stamp, overloads = (None, {}) if contents is None else pickle.loads(contents)
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        contents = contents_of(self._data_path(name))
        return None if contents is None else pickle.loads(contents)

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _write(self, path: str, value: Any) -> None:
        contents = self._dump(value)
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(contents).digest() + contents)


def contents_of(path: str) -> bytes | None:
    """Return what follows the hash in a file of the cache; None for a damaged or absent file."""
    try:
        written = Path(path).read_bytes()
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    digest, contents = written[:size], written[size:]
    return contents if hashlib.sha256(contents).digest() == digest else None
