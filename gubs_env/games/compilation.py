"""How rules written in plain Python become machine code, and where that code is kept.

`rule` marks a function that other rules call, `inlined` one that is put in place of every call, and
`entry` the few that Python calls; `Templates` holds those that are written once and compiled for
each game. Only entries are cached on disk, each with everything it calls inside. Numba does not
notice when a function imported from another file changes (numba#1833), so the cache folder is named
after a hash of every source file below `gubs_env/games`, and below the package of an entry that
lies elsewhere (an agent's): an edited rule gets an empty folder and is compiled anew.

Set `NUMBA_DISABLE_JIT=1` to run the same functions uncompiled.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba

SOURCES = Path(__file__).parent
CONFIG: Any = numba.config  # its attributes are made at run time


def source_hash(*folders: Path) -> str:
    """Hash of the names and contents of all Python files below `folders`, 16 hexadecimal digits."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {numba.__version__}".encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_directory(*folders: Path) -> Path:
    """Folder of the compiled code: below `$GUBS_ENV_CACHE`, the user's cache, or a temporary one.

    The installation itself may be read-only; the first of these that can be written is taken.
    `folders` hold sources beside the rules that the code is made from.
    """
    name = source_hash(SOURCES, *folders)
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


def rule(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that other compiled functions call."""
    return numba.njit(function, error_model="numpy")


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a rule that every decision passes through, its code in place of every call.

    The compiler would call it instead: a row and an array take up to a dozen registers to pass.
    Inlining all rules gains little more and compiles three times as long.
    """
    return numba.njit(function, error_model="numpy", forceinline=True)


def entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that Python calls, and keep the machine code between runs."""
    if CONFIG.DISABLE_JIT:
        return function
    path = Path(function.__code__.co_filename)
    before = CONFIG.CACHE_DIR
    CONFIG.CACHE_DIR = str(
        cache_directory(*([] if SOURCES in path.parents else [package_folder(path)]))
    )
    try:
        return numba.njit(function, cache=True, nogil=True, error_model="numpy")
    finally:
        CONFIG.CACHE_DIR = before


def package_folder(path: Path) -> Path:
    """The folder of the outermost package that a source file is in; its own if it is in none."""
    folder = path.parent
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


class Templates:
    """Rules and entries that are written once and compiled for each game.

    A template is a plain function. Some of the names it uses stand for what each game has of its
    own, as `step`; others are templates above it. The compiler sees all of them as constants, so
    that a template costs nothing in play.
    """

    def __init__(self) -> None:
        self._written: list[tuple[Callable[..., Any], Callable[..., Any]]] = []

    def rule(self, template: Callable[..., Any]) -> Callable[..., Any]:
        """A template of a `rule`."""
        self._written.append((rule, template))
        return template

    def entry(self, template: Callable[..., Any]) -> Callable[..., Any]:
        """A template of an `entry`."""
        self._written.append((entry, template))
        return template

    def bind(self, game: str, names: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
        """The templates compiled for one game, by name.

        Args:
            game: what the game is called, which keeps its machine code apart in the cache.
            names: what the names that stand for the game's own mean there.
        """
        bound: dict[str, Callable[..., Any]] = {}
        for compiled, template in self._written:
            name = template.__name__
            known = {**template.__globals__, **names, **bound}
            function = FunctionType(template.__code__, known, name, template.__defaults__)
            function.__module__ = template.__module__
            function.__qualname__ = f"{game}.{name}"
            function.__doc__ = template.__doc__
            bound[name] = compiled(function)
        return bound


def dispatch(table: Mapping[int, Callable[..., Any]], arguments: str) -> Callable[..., Any]:
    """Compile `table` into one function: `chosen(key, …)` calls `table[key](…)`.

    `arguments` are the names of what follows the key, as "game, action". A key that is not in the
    table does nothing. The function is written out flat, as one would by hand: a chain of closures
    would make the compiler optimise every link with all that follows it.
    """
    functions = {f"case_{int(key)}": function for key, function in table.items()}
    lines = [f"def chosen(key, {arguments}):"]
    for key in table:
        lines += [f"    if key == {int(key)}:", f"        return case_{int(key)}({arguments})"]
    exec("\n".join(lines), functions)
    return rule(functions["chosen"])


def announce_compilation() -> None:
    """Say on the terminal that compiling takes a while; silent when the cache is filled."""
    if not CONFIG.DISABLE_JIT and not any(cache_directory().rglob("*.nbi")):
        print(
            "gubs_env: compiling the rules, once for this version (under a minute) …",
            file=sys.stderr,
            flush=True,
        )
