"""The cache folders, which hold one folder of machine code for each entry.

Code is written into the first of `$GUBS_ENV_CACHE`, the user's cache folder and a temporary folder
that can be written, and looked for there and in those before it: a filled one may be read-only, as
in an image. The folder of an entry is named after its `fingerprint`, so that all virtual
environments with the same rules share it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

SUFFIX = ".nbc"
"""The end of the name of a file with machine code."""


def folders_of(name: str) -> list[Path]:
    """Return the folders in which an entry with this fingerprint may have machine code."""
    folders = []
    for base in cache_folders():
        folders.append(base / name)
        if is_writable(base):
            break
    return folders


def writable_folder() -> Path | None:
    """Return the first cache folder that can be written, which is made; None if none can."""
    chosen = next(filter(is_writable, cache_folders()), None)
    with suppress(OSError):
        return chosen or temporary_folder()
    return None


def cache_folders() -> Iterator[Path]:
    """Yield the cache folders of the environment, of the user and of this process, if it has one.

    An empty variable is as unset.
    """
    if chosen := os.environ.get("GUBS_ENV_CACHE"):
        yield Path(os.path.expanduser(chosen)).absolute()
    if of_user := os.environ.get("XDG_CACHE_HOME"):
        yield (Path(os.path.expanduser(of_user)) / "gubs_env").absolute()
    else:
        with suppress(RuntimeError):  # no home: neither $HOME nor an entry in the list of users
            yield Path.home() / ".cache" / "gubs_env"
    if temporary_folder.cache_info().currsize:
        yield temporary_folder()


@cache
def temporary_folder() -> Path:
    """Return a new folder, in which another process may leave machine code for this one."""
    folder, process = Path(tempfile.mkdtemp(prefix="gubs_env_")), os.getpid()

    def remove() -> None:
        if os.getpid() == process:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder


def is_writable(folder: Path) -> bool:
    """Return whether files can be written into a folder, which is made if it is absent."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def has_code(name: str) -> bool:
    """Return whether an entry with this fingerprint has machine code of any kind on disk."""
    return any(path.suffix == SUFFIX for folder in folders_of(name) for path in files_in(folder))


def path_of_refusal(base: Path, name: str) -> Path:
    """Return the file in a cache folder that says why an entry cannot be compiled."""
    return base / f"{name}.txt"


def refusal_of(name: str) -> str:
    """Return why the entry with this fingerprint cannot be compiled; "" if nothing says so."""
    for folder in folders_of(name):
        with suppress(OSError):
            return path_of_refusal(folder.parent, name).read_text("utf-8")
    return ""


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, which may be missing or unreadable."""
    with suppress(OSError):
        yield from folder.iterdir()
