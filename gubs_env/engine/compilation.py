"""How plain Python functions become machine code, and where that code is kept.

`compiled` marks a function that other compiled functions call, `inlined` one whose code is put in
place of every call, and `entry` the few that Python calls. `templates` holds functions that are
written once and specialised for each game. Only entries are cached on disk, each with everything
it calls inside. Numba does not notice when a function imported from another file changes
(numba#1833), so the cache folder is named after a hash of the entry's module and of every module
that it imports, directly or indirectly: an edited rule gets an empty folder and is compiled anew,
and an edited word or drawing, which no compiled code imports, compiles nothing.

Set `NUMBA_DISABLE_JIT=1` to run the same functions uncompiled.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from typing import Any

import numba

Compiled = Any
"""The type of a function that Numba compiles when it is first called, which has no better name."""
CONFIG: Any = numba.config  # its attributes are made at run time
PACKAGE = __name__.partition(".")[0]
INSTALLED = tuple(
    Path(sysconfig.get_path(kind)).resolve()
    for kind in ("stdlib", "platstdlib", "purelib", "platlib")
)
"""Folders of the standard library and of installed packages."""


# --------------------------------------------------------------------------------- the decorators


def compiled(function: Callable[..., Any]) -> Compiled:
    """Compile a function that other compiled functions call."""
    return numba.njit(function, error_model="numpy")


def inlined(function: Callable[..., Any]) -> Compiled:
    """Compile a function that every decision passes through, its code in place of every call.

    The compiler would call it instead: a row and an array take up to a dozen registers to pass.
    Inlining all functions gains little more and compiles three times as long.
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
    if not Path(function.__code__.co_filename).exists():  # typed in, as in a notebook
        return numba.njit(function, **options)
    before = CONFIG.CACHE_DIR
    CONFIG.CACHE_DIR = str(cache_directory(source_hash(function.__module__, *modules)))
    try:
        return numba.njit(function, cache=True, **options)
    finally:
        CONFIG.CACHE_DIR = before


def dispatch(table: Mapping[int, Compiled], arguments: str) -> Compiled:
    """Compile `table` into one function: `chosen(key, …)` calls `table[key](…)`.

    A key that is not in the table does nothing. The function is written out flat, as one would by
    hand: a chain of closures would make the compiler optimise every link with all that follows it.

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


# -------------------------------------------------------------------------- the cache and its hash


def source_hash(*modules: str) -> str:
    """Return a hash of these modules and of all they import, 16 hexadecimal digits."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {numba.__version__}".encode())
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
        if name.partition(".")[0] not in followed and is_installed(path):
            continue
        files[name] = path
        waiting += imports_of(name, path)
    return files


def file_of(module: str) -> Path | None:
    """Return the source file of an imported module; None where it has none."""
    name = getattr(sys.modules.get(module), "__file__", None)
    path = Path(name) if name else None
    return path if path is not None and path.suffix == ".py" and path.exists() else None


def is_installed(path: Path) -> bool:
    return any(folder in path.resolve().parents for folder in INSTALLED)


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
def cache_directory(name: str) -> Path:
    """Return the folder called `name` in the first cache that can be written.

    That is `$GUBS_ENV_CACHE`, the user's cache, or a temporary folder: the installation itself may
    be read-only.
    """
    user_cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    candidates = [os.environ.get("GUBS_ENV_CACHE"), Path(user_cache) / "gubs_env"]
    for base in candidates:
        if base is None:
            continue
        folder = Path(base) / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    return Path(tempfile.mkdtemp(prefix="gubs_env_")) / name


def is_cached(function: Compiled) -> bool:
    """Whether the machine code of an entry is on disk; True where nothing is compiled."""
    if CONFIG.DISABLE_JIT:
        return True
    folder = Path(function.stats.cache_path)
    return any(folder.glob(f"*{function.__qualname__}-*.nbi"))


def announce_compilation(function: Compiled) -> None:
    """Say on the terminal that compiling an entry takes a while; silent when it is cached."""
    if not is_cached(function):
        print(
            "gubs_env: compiling the rules, once for this version (under a minute) …",
            file=sys.stderr,
            flush=True,
        )
