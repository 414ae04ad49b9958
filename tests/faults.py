"""Make the n-th call fail that writes, syncs, renames or allocates, as SQLite tests I/O errors."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FILES, ARRAYS = "files", "arrays"
ALLOCATING = "empty", "zeros", "full", "concatenate", "array"
"""The functions of NumPy that allocate in code that is not compiled."""


class Faults:
    """Counts the calls that can fail, and lets one fail.

    Args:
        number: the call that fails, counted from 1; None for none.
        lasting: let every later call fail too, as on a disk that stays full.
    """

    def __init__(self, number: int | None = None, lasting: bool = False) -> None:
        self.number, self.lasting, self.calls = number, lasting, 0

    def fails(self) -> bool:
        """Count a call, and return whether it fails."""
        self.calls += 1
        if self.number is None:
            return False
        return self.calls >= self.number if self.lasting else self.calls == self.number

    def before(self, call: Callable[..., Any], error: Callable[[], Exception]) -> Any:
        """Return a function that fails, or calls another one."""

        def called(*args: Any, **options: Any) -> Any:
            if self.fails():
                raise error()
            return call(*args, **options)

        return called


class FaultyFile:
    """A file whose writes can fail; half of what was to be written is then in the file."""

    def __init__(self, file: Any, faults: Faults) -> None:
        self.file, self.faults = file, faults
        self.flush = faults.before(file.flush, disk_full)
        self.truncate = faults.before(file.truncate, disk_full)

    def write(self, data: Any) -> Any:
        if self.faults.fails():
            self.file.write(data[: len(data) // 2])
            self.file.flush()
            raise disk_full()
        return self.file.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)

    def __enter__(self) -> FaultyFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()


def disk_full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def no_device() -> OSError:
    return OSError(errno.EIO, os.strerror(errno.EIO))


@contextmanager
def injected(kind: str, number: int | None = None, lasting: bool = False) -> Iterator[Faults]:
    """Let the n-th call of a kind fail.

    Args:
        kind: FILES for writing, syncing, renaming and making folders; ARRAYS for allocating.
        number, lasting: as for `Faults`.
    """
    faults = Faults(number, lasting)
    with pytest.MonkeyPatch.context() as patch:
        if kind == ARRAYS:
            for name in ALLOCATING:
                patch.setattr(np, name, faults.before(getattr(np, name), MemoryError))
        else:
            opened = Path.open

            def faulty(path: Path, mode: str = "r", *args: Any, **options: Any) -> Any:
                if not set(mode) & set("wax+"):
                    return opened(path, mode, *args, **options)
                if faults.fails():
                    raise no_device()
                return FaultyFile(opened(path, mode, *args, **options), faults)

            patch.setattr(Path, "open", faulty)
            for owner, name in ((os, "replace"), (os, "fsync"), (Path, "rename"), (Path, "mkdir")):
                patch.setattr(owner, name, faults.before(getattr(owner, name), no_device))
        yield faults
