"""Compilation of plain Python functions to machine code, and the cache of that code on disk.

`compiled` marks a function that other compiled functions call, `inlined` a function whose code
replaces every call, and `entry` the few functions that Python calls. `templates` is for functions
that are written once and specialised for each game.

Only entries are cached on disk, each together with everything it calls. Numba does not notice when
a function imported from another file changes (numba#1833). Therefore the cache folder is named
after a hash of the entry's module and of every module that it imports, directly or indirectly. An
edit of a rule leads to a new, empty folder, so the rules are compiled anew. An edit of `words`,
which no entry imports, changes nothing. The folder does not depend on the place of the source
files: all virtual environments with the same sources and the same versions of Numba, llvmlite and
NumPy share it.

Each file of the cache begins with a hash of its contents. A file that is damaged or cannot be read
counts as absent: the entry is compiled and written anew. Where nothing can be written, entries are
compiled in every process.

Set `NUMBA_DISABLE_JIT=1` to run the same functions uncompiled, and `NUMBA_BOUNDSCHECK=1` to check
every index in compiled code. Code that is checked, or optimised otherwise (`NUMBA_OPT`), has cache
folders of its own.
"""

from __future__ import annotations

import ast
import hashlib
import os
import pickle
import re
import site
import sys
import sysconfig
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.util import resolve_name
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import llvmlite
import numba
import numpy as np
from numba.core.caching import IndexDataCacheFile
from numba.core.event import Event, Listener, register

Compiled = Any
"""The type of a function that Numba compiles on its first call; Numba has no public name for it."""
CONFIG: Any = numba.config  # its attributes are made at run time
VERSIONS = (sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__)
"""The versions that the machine code depends on."""
PATIENCE = 1.0
"""Seconds of compilation after which a message says so."""
PACKAGE = __name__.partition(".")[0]
INSTALLED = tuple(
    Path(folder).resolve()
    for folder in (
        *map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib")),
        *site.getsitepackages(),
        site.getusersitepackages(),
    )
)
"""Folders of the standard library and of installed packages."""


# --------------------------------------------------------------------------------- the decorators


def compiled(function: Callable[..., Any]) -> Compiled:
    """Compile a function that other compiled functions call."""
    return numba.njit(function, error_model="numpy")


def inlined(function: Callable[..., Any]) -> Compiled:
    """Compile a function that every decision passes through, its code in place of every call.

    Without this decorator the compiler emits calls, and passing a state and an array takes up to a
    dozen registers. Inlining all functions gains little more and takes three times as long to
    compile.
    """
    return numba.njit(function, error_model="numpy", forceinline=True)


def entry(function: Callable[..., Any], *modules: str) -> Compiled:
    """Compile a function that Python calls, and keep the machine code between runs.

    Args:
        function: the function to compile.
        modules: names of modules whose functions it calls without importing them, as a specialised
            template does.
    """
    if CONFIG.DISABLE_JIT:
        return function
    options: Any = {"nogil": True, "error_model": "numpy"}
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


def dispatch(table: Mapping[int, Compiled], arguments: str) -> Compiled:
    """Compile `table` into one function: `chosen(key, …)` calls `table[key](…)`.

    A key that is not in the table does nothing. The function is one flat chain of comparisons, as
    one would write it by hand. With nested closures, the compiler would optimise each of them
    together with all that follow.

    Args:
        table: functions by key.
        arguments: names of the arguments after the key, as "state, action".
    """
    functions = {f"case_{int(key)}": function for key, function in table.items()}
    lines = [f"def chosen(key, {arguments}):"]
    for key in table:
        lines += [f"    if key == {int(key)}:", f"        return case_{int(key)}({arguments})"]
    exec("\n".join(lines), functions)
    return compiled(functions["chosen"])


# ------------------------------------------------------------------ messages during compilation


class Announcer(Listener):
    """A listener that reports on standard error an entry that takes `PATIENCE` seconds to compile.

    Numba reports an event only for code that it did not find in the cache.
    """

    def __init__(self) -> None:
        self.entries: WeakKeyDictionary[Compiled, str] = WeakKeyDictionary()
        self._timers: dict[Compiled, threading.Timer] = {}

    def on_start(self, event: Event) -> None:
        function = event.data["dispatcher"]
        if function in self.entries and function not in self._timers:
            timer = threading.Timer(PATIENCE, announce, [self.entries[function]])
            timer.daemon = True
            timer.start()
            self._timers[function] = timer

    def on_end(self, event: Event) -> None:
        if timer := self._timers.pop(event.data["dispatcher"], None):
            timer.cancel()


ANNOUNCER = Announcer()
register("numba:compile", ANNOUNCER)


def _announced(function: Compiled) -> Compiled:
    ANNOUNCER.entries[function] = function.__qualname__
    return function


def announce(name: str) -> None:
    """Say on standard error that an entry is being compiled."""
    print(
        f"gubs_env: compiling {name}, once for this version (may take a minute) …",
        file=sys.stderr,
        flush=True,
    )


# -------------------------------------------------------------------------- the cache and its hash


def source_hash(*modules: str) -> str:
    """Return a hash of these modules and of all they import, 16 hexadecimal digits."""
    # Numba's own key leaves these settings out.
    settings = (*VERSIONS, bool(CONFIG.BOUNDSCHECK), CONFIG.OPT)
    digest = hashlib.sha256(repr(settings).encode())
    for name, path in sorted(source_files(*modules).items()):
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def source_files(*modules: str) -> dict[str, Path]:
    """Return the files of these modules and of all they import, by the name of the module.

    Imports are followed into this package, into the packages of `modules`, and into whatever is not
    installed: the standard library and installed packages cannot change without a new version.
    """
    followed = {PACKAGE, *(name.partition(".")[0] for name in modules)}
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = file_of(name)
        if name in files or path is None:
            continue
        if name.partition(".")[0] not in followed and is_installed(name, path):
            continue
        files[name] = path
        waiting += imports_of(name, path)
    return files


def file_of(module: str) -> Path | None:
    """Return the source file of an imported module; None where it has none."""
    name = getattr(sys.modules.get(module), "__file__", None)
    path = Path(name) if name else None
    return path if path is not None and path.suffix == ".py" and path.exists() else None


def is_installed(module: str, path: Path) -> bool:
    """Return whether a module belongs to the standard library or to an installed distribution."""
    if any(folder in path.resolve().parents for folder in INSTALLED):
        return True
    package, *inner = module.split(".")
    folder = path.parents[min(len(inner) + (path.name == "__init__.py"), len(path.parents) - 1)]
    return package in distributed(folder)


@cache
def distributed(folder: Path) -> frozenset[str]:
    """Return the top-level names that distributions installed into a folder, as `pip --target`."""
    found = metadata.distributions(path=[str(folder)])
    records = [one.read_text("RECORD") or "" for one in found]
    return frozenset(name for record in records for name in re.findall(r"^\w+", record, re.M))


@cache
def imports_of(module: str, path: Path) -> tuple[str, ...]:
    """Return the names of the modules that a module imports."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return tuple(_imported(ast.parse(path.read_bytes()), package))


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield inner if inner in sys.modules else source


@cache
def cache_directory(name: str) -> Path | None:
    """Return the folder `name` in the first cache folder that can be used; None if none can.

    The cache folders are `$GUBS_ENV_CACHE`, the user's cache folder, and a temporary folder, in
    this order. The installation itself may be read-only. So may a cache folder that is filled.
    """
    for base in cache_folders():
        folder = base.absolute() / name
        if is_writable(folder) or is_filled(folder):
            return folder
    try:
        return Path(tempfile.mkdtemp(prefix="gubs_env_")) / name
    except OSError:
        return None


def cache_folders() -> Iterator[Path]:
    """Yield the cache folders of the environment and of the user; an empty variable is as unset."""
    if chosen := os.environ.get("GUBS_ENV_CACHE"):
        yield Path(os.path.expanduser(chosen))
    if of_user := os.environ.get("XDG_CACHE_HOME"):
        yield Path(os.path.expanduser(of_user)) / "gubs_env"
        return
    with suppress(RuntimeError):  # no home: neither $HOME nor an entry in the list of users
        yield Path.home() / ".cache" / "gubs_env"


def is_writable(folder: Path) -> bool:
    """Return whether files can be written into a folder, which is made if it is absent."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def is_filled(folder: Path) -> bool:
    """Return whether a folder holds machine code that can be read."""
    try:
        return any(path.suffix == ".nbi" for path in folder.iterdir())
    except OSError:
        return False


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


def is_cached(function: Compiled) -> bool:
    """Return whether the machine code of an entry is on disk; True if compilation is disabled."""
    if CONFIG.DISABLE_JIT:
        return True
    kept = getattr(function._cache, "_cache_file", None)
    return kept is not None and kept.is_intact()
