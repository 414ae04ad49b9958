"""Files that replace others or grow line by line, files of JSON, of packages, and locks."""

from __future__ import annotations

import atexit
import codecs
import gzip
import json
import os
import secrets
import shutil
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeVar

import numpy as np

from gubs_env.engine.border import LONGEST_JSON, read_json

LOCK_FILE = ".lock"
T = TypeVar("T")
KEY_BYTES = 32


class InUseError(OSError):
    """A folder or file that another process is writing to."""


def expanded(path: str | Path) -> Path:
    """Return a path that a person wrote, with a leading ~ or ~user replaced by the home folder."""
    return Path(os.path.expanduser(path))


# ------------------------------------------------------------------------------- whole files


def replace_file(path: str | Path, contents: str | bytes) -> None:
    """Write a file in one step: readers see the old contents or the new ones, never a part.

    Args:
        path: the file, which need not exist.
        contents: a text is written as UTF-8, with its line ends unchanged. In a file whose name
            ends in .gz they are compressed.

    Raises:
        OSError: as for `replacing`.
    """
    data = contents.encode() if isinstance(contents, str) else contents
    with replacing(path) as file:
        file.write(gzip.compress(data, mtime=0) if is_packed(path) else data)


def write_json(path: str | Path, values: Any) -> None:
    """Write values as indented JSON, as `replace_file` does."""
    replace_file(path, json.dumps(values, indent=2) + "\n")


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file to be written in pieces, which replaces another in one step at the end.

    After any exception the old file is unchanged.

    Raises:
        OSError: if it cannot be written, for example because the disk is full; the message names
            the file, which then keeps its old contents.
    """
    path = expanded(path)
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}.unfinished")
    with naming(path):
        opened = unfinished.open("xb")  # never through a link that somebody put there
        try:
            with opened as file:
                yield file
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


def read_object(path: str | Path, what: str) -> dict[str, Any]:
    """Return the object in a file of JSON.

    Args:
        path: the file.
        what: what it should be, for the error, as "the options of a run".

    Raises:
        OSError: if it cannot be read.
        ValueError: for anything else in it, as nothing; the message names the file.
    """
    with Path(path).open("rb") as file:
        data = file.read(LONGEST_JSON + 1)
    try:
        value = read_json(data, what)
        if not isinstance(value, dict):
            raise ValueError(f"this is not {what}, which is an object with fields")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return value


def read_arrays(path: Path, what: str, checked: Callable[[dict[str, np.ndarray]], T]) -> T:
    """Return the arrays in a file that `np.savez` wrote, as a function checks them.

    Args:
        path: the file.
        what: what it should hold, for the error, as "comparisons of this table".
        checked: returns what the arrays are, given by name; raises whatever is wrong with them.

    Raises:
        OSError: if it cannot be read.
        ValueError: for a file that is damaged or holds anything else; nothing is unpickled.
    """
    with path.open("rb") as file:
        try:
            with np.load(file, allow_pickle=False) as arrays:
                return checked({name: arrays[name] for name in arrays.files})
        except Exception as error:  # a damaged archive raises errors of many classes
            raise ValueError(
                f"{path} holds no {what} ({type(error).__name__}: {error}); delete it, and the "
                "same command makes it again"
            ) from None


# ------------------------------------------------------------------------ files of packages


@cache
def folder_of(package: str, name: str) -> Path:
    """Return a folder in a package; one in a zip is unpacked for as long as the process lives."""
    folder = files(package) / name
    if isinstance(folder, Path):
        return folder
    unpacked = Path(tempfile.mkdtemp(prefix="gubs_env-"))
    atexit.register(shutil.rmtree, unpacked, ignore_errors=True)
    _unpack(folder, unpacked)
    return unpacked


def _unpack(folder: Any, to: Path) -> None:
    for each in folder.iterdir():
        path = to / each.name
        if each.is_dir():
            path.mkdir()
            _unpack(each, path)
        else:
            path.write_bytes(each.read_bytes())


# ------------------------------------------------------------------------- files of lines


def is_packed(path: str | Path) -> bool:
    """Return whether a file is written compressed; reading looks at what it holds instead."""
    return Path(path).suffix == ".gz"


def numbered_lines(path: str | Path, longest: int = LONGEST_JSON) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each line of a file that is not blank, counted from 1, and the line.

    A file of gzip is unpacked. A mark of the byte order and the `\\r` of line ends are left out, as
    they change no JSON. The last line may have no line end.

    Args:
        path: the file.
        longest: the most bytes of a line, and the most blank lines, which pack well.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for a folder, a file of gzip that is damaged or not whole, a longer line or more
            blank ones.
    """
    if expanded(path).is_dir():
        raise ValueError(f"{path} is a folder: name a file in it")
    with expanded(path).open("rb") as raw:
        is_gzip = raw.peek(2)[:2] == b"\x1f\x8b"
        file: Any = gzip.GzipFile(fileobj=raw) if is_gzip else raw
        number = blank = 0
        try:
            while line := file.readline(longest + 1):
                number += 1
                if len(line) > longest:
                    raise ValueError(f"{path}, line {number} has more than {longest:,} bytes")
                line = line.removeprefix(codecs.BOM_UTF8)  # wherever `cat` put it
                if line.strip():
                    yield number, line[:-2] + b"\n" if line.endswith(b"\r\n") else line
                else:
                    blank += 1
                if blank > longest:
                    raise ValueError(f"{path} has more than {longest:,} blank lines")
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{path} is not a whole gzip file: {error}") from None


def complete_lines(path: Path) -> tuple[list[tuple[int, bytes]], bytes]:
    """Return the complete lines of a file, as `numbered_lines`, and what follows them.

    Nothing of a missing file.
    """
    lines = [*numbered_lines(path)] if path.exists() else []
    rest = lines.pop()[1] if lines and not lines[-1][1].endswith(b"\n") else b""
    return lines, rest


def append_to(path: Path, lines: Iterable[str]) -> TextIO:
    """Open a file for appending after these lines, which it then begins with and ends with.

    Raises:
        OSError: if it cannot be written; the message names the file.
    """
    kept = "".join(lines).encode()
    with naming(path):
        if path.exists() and path.read_bytes().startswith(kept):
            os.truncate(path, len(kept))
        else:  # other line ends, blank lines
            replace_file(path, kept)
        return path.open("a", encoding="utf-8", newline="\n")


def line_of(values: dict[str, Any]) -> str:
    """Return values as one line of JSON, with its line end."""
    # Rules may hold NumPy's numbers and booleans.
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"), default=np.generic.item)
    return text + "\n"


def write_lines(file: TextIO, lines: Iterable[str]) -> None:
    """Write lines in one call and flush, so that a killed run loses at most the last line."""
    with naming(file.name):
        file.write("".join(lines))
        file.flush()


# ----------------------------------------------------------------------- temporary files


def private_folder() -> Path:
    """Return the folder of this user among the temporary files; only they can write to it.

    Raises:
        OSError: if it cannot be made, or as for `check_private`.
    """
    folder = Path(tempfile.gettempdir()) / f"gubs_env-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    check_private(folder)
    return folder


def private_key(path: Path) -> bytes:
    """Return the secret of a file, KEY_BYTES random bytes; it is made if it is missing.

    Raises:
        OSError: if it cannot be made or read, is not complete, or as for `check_private`.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "wb") as opened:
            opened.write(secrets.token_bytes(KEY_BYTES))
    check_private(path)
    if len(key := path.read_bytes()) != KEY_BYTES:
        raise OSError(f"{path} is not a whole key: remove it")
    return key


def check_private(path: Path) -> None:
    """Raise PermissionError for a link, or for what belongs or is open to somebody else.

    On Windows only links are refused: the folders of a user are private there.
    """
    status = path.lstat()
    is_private = not hasattr(os, "getuid") or (
        status.st_uid == os.getuid() and not status.st_mode & 0o077
    )
    if stat.S_ISLNK(status.st_mode) or not is_private:
        raise PermissionError(f"{path} is not yours alone: remove it")


# --------------------------------------------------------------------------------- locks


def lock_folder(folder: str | Path) -> Any:
    """Make a folder if it is missing, and keep all other processes from locking it too.

    The operating system drops the lock when its process ends, however it ends.

    Returns:
        The lock. It is held until its method `release` is called or nothing refers to it any more;
        the same process can take it again meanwhile.

    Raises:
        InUseError: if another process holds the lock.
        OSError: if the folder cannot be made or written to.
    """
    return _lock(folder, expanded(folder) / LOCK_FILE)


def lock_file(path: str | Path) -> Any:
    """Keep all other processes from locking a file, as `lock_folder` does for a folder.

    The folder of the file is made if it is missing; the lock is a hidden file in it.
    """
    path = expanded(path)
    return _lock(path, path.with_name(f".{path.name}{LOCK_FILE}"))


def _lock(what: str | Path, path: Path) -> Any:
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=0, is_singleton=True)
    try:
        lock.acquire()
    except Timeout:
        raise InUseError(
            f"{what} is in use by another run: wait until it has ended, or write elsewhere with "
            "--out"
        ) from None
    return lock
