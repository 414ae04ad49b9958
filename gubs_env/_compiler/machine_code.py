"""Machine code: Numba, its cache on disk, and the line that says that it compiles.

Only this module, `intrinsics` and `parts` import Numba, when something is compiled or read from the
cache. Only entries are cached, each together with everything it calls. Each file of the cache
begins with a checksum of its name and contents. A file that is damaged or cannot be read counts as
absent: the entry is compiled and written anew. Where nothing can be written, entries are compiled
in every process.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import multiprocessing
import os
import pickle
import re
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import llvmlite
import numba
import numpy as np
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler import CompileResult
from numba.core.environment import Environment, lookup_environment
from numba.core.errors import NumbaError
from numba.core.event import Event, Listener, register
from numba.core.serialize import NumbaPickler
from numba.extending import register_jitable, typeof_impl

from gubs_env._compiler import intrinsics as intrinsics
from gubs_env._compiler.cache import SUFFIX, files_in, folders_of, writable_folder
from gubs_env._compiler.fingerprint import NotHashable, fingerprint, hashes_of
from gubs_env._compiler.parts import EntryCompiler, PartCompiler
from gubs_env._compiler.uncompilable import explained

CONFIG: Any = numba.config  # its attributes are made at run time
PATIENCE = 1.0
"""Seconds of compilation after which a line says so."""
COMPILING = "compiling, once for this version"
Dispatcher = Any
"""A function that Numba compiles for each signature; Numba has no public name for it."""
REGISTERED: WeakSet[Any] = WeakSet()
"""Functions that Numba has been told of."""
COMPILED_AS: WeakKeyDictionary[Any, bytes] = WeakKeyDictionary()
"""The hash of each function when it was compiled first in this process, which later calls use."""


def count_from_anywhere() -> None:
    """Let Numba number its functions from a random number on.

    It begins at 1 in each process, so that code of two processes may have the same names: then one
    of two games of the same name would be linked with parts of the other.
    """
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))


count_from_anywhere()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=count_from_anywhere)


def register_marked(marked: list[Any]) -> None:
    """Tell Numba of functions that compiled code may call; empty the list."""
    while marked:
        function = marked.pop()
        if function not in REGISTERED:
            REGISTERED.add(function)
            options = {"forceinline": True} if function.is_inlined else {}
            register_jitable(error_model="numpy", pipeline_class=PartCompiler, **options)(function)


def let_call(kind: type) -> None:
    """Let compiled code call objects of a type, each of which has a `dispatcher`."""
    typeof_impl.register(kind)(lambda found, context: typeof_impl(found.dispatcher, context))


def dispatcher_of(function: Callable[..., Any]) -> Dispatcher:
    """Return the dispatcher of an entry, with its place in the cache."""
    options: Any = {"nogil": True, "error_model": "numpy", "pipeline_class": EntryCompiler}
    dispatcher: Any = numba.njit(function, **options)
    try:
        dispatcher._cache = Cache(function, fingerprint(function))
    except NotHashable as reason:
        say(f"the machine code of {function.__qualname__} is not kept: {reason}")
    PROGRESS.entries.add(dispatcher)
    return dispatcher


def signature_of(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the types that Numba sees in arguments."""
    return tuple(map(numba.typeof, arguments))


def compile_for(dispatcher: Dispatcher, arguments: tuple[Any, ...]) -> None:
    """Compile an entry for arguments like these; raise NotCompilable if that cannot be."""
    try:
        dispatcher.compile(signature_of(arguments))
    except NumbaError as error:
        raise explained(error, dispatcher.__qualname__) from None


def is_on_disk(dispatcher: Dispatcher, signature: tuple[Any, ...] | None = None) -> bool:
    """Return whether the cache has intact code for this processor, of a signature or of any."""
    kept = dispatcher._cache
    return isinstance(kept, Cache) and kept.has(signature, dispatcher.targetctx)


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
            say(f"{COMPILING} (may take a minute) …")
        if event.data["dispatcher"] is self._outermost:
            self.seconds, self._outermost = seconds, None
            self._bar.close()

    def _opened(self) -> Any:
        """Return a new bar that goes on where the last one ended."""
        from tqdm import tqdm

        bar = tqdm(
            desc=f"gubs_env: {COMPILING}", initial=self.functions, delay=PATIENCE, leave=False,
            bar_format="{desc}: {n} functions, {elapsed}", disable=True if is_worker() else None,
        )  # fmt: skip
        bar.start_t = time.time() - self.seconds
        return bar


def say(words: str) -> None:
    """Write a line about the compiler to standard error, if it is open."""
    if sys.stderr is not None:
        print(f"gubs_env: {words}", file=sys.stderr, flush=True)


def is_worker() -> bool:
    """Return whether another process of Python started this one to work for it."""
    return multiprocessing.parent_process() is not None


PROGRESS = Progress()
register("numba:compile", PROGRESS)


# ------------------------------------------------------------------------------------- the cache


class Cache:
    """The machine code of an entry on disk, by the protocol of Numba's own caches.

    The folder is named after the fingerprint of the entry, and each file after what else the code
    depends on: the processor, versions, settings of Numba and the types of the arguments. Numba's
    own caches go by the path of the source file, and look at no other file.

    Args:
        function: the entry.
        name: its fingerprint.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        readable = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
        self.name, self.function = name, function
        self._stem = re.sub(r"[^\w.]", "_", readable)

    @property
    def cache_path(self) -> str:
        """The first folder in which the code may lie."""
        return str(next(iter(folders_of(self.name)), ""))

    def load_overload(self, signature: tuple[Any, ...], context: Any) -> Any:
        """Return the code of a signature; None if there is none that can be used."""
        context.refresh()
        for path in self._files(signature, context):
            contents = contents_of(path)
            with suppress(Exception):  # written by a program that is not this one
                if contents is not None:
                    return CompileResult._rebuild(context, *pickle.loads(contents))
        return None

    def save_overload(self, signature: tuple[Any, ...], result: Any) -> None:
        """Write the code of a signature; a read-only folder or a full disk is no error."""
        folder = writable_folder()
        holds_addresses = result.library.has_dynamic_globals
        if holds_addresses or not all(each.can_cache for each in result.lifted):
            return
        if folder is None or not self._is_code_of_today():
            return
        contents = pickled(result._reduce())
        place = folder / self.name / self._file_name(signature, result.target_context)
        unfinished = place.with_name(f"{place.name}.{secrets.token_hex(8)}")
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                unfinished.write_bytes(checksum(place, contents) + contents)
                os.replace(unfinished, place)
            finally:
                unfinished.unlink(missing_ok=True)

    def _is_code_of_today(self) -> bool:
        """Return whether nothing has changed in this process since any part was compiled."""
        hashes = hashes_of(self.function)
        was = [COMPILED_AS.setdefault(function, own) for function, own in hashes.items()]
        return was == list(hashes.values()) and fingerprint(self.function) == self.name

    def has(self, signature: tuple[Any, ...] | None, context: Any) -> bool:
        """Return whether there is intact code of a signature, or of any."""
        return any(contents_of(path) is not None for path in self._files(signature, context))

    def _files(self, signature: tuple[Any, ...] | None, context: Any) -> list[Path]:
        pattern = self._file_name(signature, context)
        files = [path for folder in folders_of(self.name) for path in files_in(folder)]
        return [path for path in files if fnmatchcase(path.name, pattern)]

    def _file_name(self, signature: tuple[Any, ...] | None, context: Any) -> str:
        """Return the name of the file with the code of a signature; a pattern for that of any."""
        machine = (
            sys.version_info[:2], numba.__version__, llvmlite.__version__, np.__version__,
            CONFIG.BOUNDSCHECK, CONFIG.OPT, context.codegen().magic_tuple(),
        )  # fmt: skip
        types = "*" if signature is None else short_hash(signature)
        return f"{self._stem}-{short_hash(machine)}-{types}{SUFFIX}"


class Pickler(NumbaPickler):
    """Numba's pickler, which lets code be loaded whose module cannot be imported by its name."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Environment):
            module = value.globals.get("__name__")
            return unpickled_environment, (module, list(value.consts), value.env_name)
        return super().reducer_override(value)


def pickled(value: Any) -> bytes:
    with io.BytesIO() as file:
        Pickler(file).dump(value)
        return file.getvalue()


def unpickled_environment(module: str, constants: list[Any], name: str) -> Environment:
    """Return the environment of a function: its constants and the names of its module."""
    environment = lookup_environment(name)
    if environment is None:
        names = getattr(sys.modules.get(module), "__dict__", {"__name__": module})
        environment = Environment(names)
        environment.consts[:] = constants
        environment.env_name = name
        Environment._memo[name] = environment
    return environment


def short_hash(value: Any) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:12]


def contents_of(path: Path) -> bytes | None:
    """Return what follows the checksum in a file of the cache; None if it is damaged or absent."""
    try:
        written = path.read_bytes()
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    contents = written[size:]
    return contents if checksum(path, contents) == written[:size] else None


def checksum(path: Path, contents: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + contents).digest()
