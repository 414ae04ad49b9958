"""Files that replace others, and folders that one process at a time may write to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

LOCK_FILE = ".lock"


class FolderInUseError(OSError):
    """A folder that another process is writing to."""


def replace_file(path: str | Path, contents: str | bytes) -> None:
    """Write a file in one step: readers see the old contents or the new ones, never a part.

    Args:
        path: the file, which need not exist.
        contents: a text is written as UTF-8, with its line ends unchanged.

    Raises:
        OSError: if it cannot be written, for example because the disk is full; the message names
            the file, which then keeps its old contents.
    """
    path = Path(path)
    unfinished = path.with_name(f"{path.name}.unfinished")
    with naming(path):
        try:
            with unfinished.open("wb") as file:
                file.write(contents.encode() if isinstance(contents, str) else contents)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let the message of every OSError name a file; that of a full disk does not."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def lock_folder(folder: str | Path) -> Any:
    """Make a folder if it is missing, and keep all other processes from locking it too.

    The operating system drops the lock when its process ends, however it ends.

    Returns:
        The lock. It is held until its method `release` is called or nothing refers to it any more;
        the same process can take it again meanwhile.

    Raises:
        FolderInUseError: if another process holds the lock.
        OSError: if the folder cannot be made or written to.
    """
    from filelock import FileLock, Timeout

    Path(folder).mkdir(parents=True, exist_ok=True)
    lock = FileLock(Path(folder) / LOCK_FILE, timeout=0, is_singleton=True)
    try:
        lock.acquire()
    except Timeout:
        raise FolderInUseError(
            f"{folder} is in use by another run: wait until it has ended, or write elsewhere with "
            "--out"
        ) from None
    return lock
