"""The folder of the machine code of a function, named after a hash of all its sources.

Numba does not notice when a function imported from another file changes (numba#1833). Therefore the
cache folder is named after a hash of the entry's module and of every module that it imports,
directly or indirectly. An edit of a rule leads to a new, empty folder, so the rules are compiled
anew. An edit of `words`, which no entry imports, changes nothing. The folder does not depend on the
place of the source files: all virtual environments with the same sources and the same versions of
Numba, llvmlite and NumPy share it.
"""

from __future__ import annotations

import ast
import hashlib
import os
import re
import site
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.util import resolve_name
from pathlib import Path

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
COMPILER = tuple(
    Path(__file__).with_name(f"{name}.py") for name in ("intrinsics", "machine_code", "parts")
)
"""Files on which all machine code depends."""


@cache
def versions() -> tuple[object, ...]:
    """Return what the machine code depends on besides its sources: versions, settings of Numba."""
    packages = [version_of(name) for name in ("numba", "llvmlite", "numpy")]
    return (
        sys.version_info[:2],
        *packages,
        is_set("NUMBA_BOUNDSCHECK"),
        os.environ.get("NUMBA_OPT"),
    )


def version_of(package: str) -> str | None:
    """Return the version of an installed package; None if it is missing."""
    with suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return None


def is_set(variable: str) -> bool:
    """Return whether a variable of the environment is a number other than 0, as Numba reads it."""
    return os.environ.get(variable, "").strip() not in ("", "0")


def source_hash(*modules: str) -> str:
    """Return a hash of these modules and of all they import, 16 hexadecimal digits."""
    digest = hashlib.sha256(repr(versions()).encode())
    files = source_files(*modules) | {path.stem: path for path in COMPILER}
    for name, path in sorted(files.items()):
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
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield inner if inner in sys.modules else source


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements; `ast.walk` would visit ten times as many nodes."""
    for inner in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(tree, inner, ()):
            yield node
            yield from _statements(node)


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
