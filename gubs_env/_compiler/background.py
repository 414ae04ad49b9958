"""Machine code that comes to an entry from beside: from the cache, or from another process.

Compiling beside a game is a convenience. Soon after the first call of an entry, a thread looks into
the cache and loads what is there for this machine. If nothing is, another process is asked to
compile (`compiler_process`), and a thread looks again from time to time. Whatever goes wrong, the
game goes on interpreted, and after a while calls wait for the compiler (`Entry.is_alone`).
"""

from __future__ import annotations

import atexit
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import cloudpickle
import numpy as np

from gubs_env._compiler.cache import has_code, refusal_of, writable_folder
from gubs_env._compiler.fingerprint import NotHashable, fingerprint

LOOK_AFTER = 0.15
"""Seconds after its first call at which machine code of an entry is looked for. Loading Numba takes
longer than a first game."""
ASK_AFTER = 0.5
"""Seconds after its first call at which an entry that has none is given to another process: a
program that ends before has no need of it."""
LOOK_EVERY = 0.5
"""Seconds between two looks for machine code that another process has written."""
PATIENCE, PATIENCE_ALONE = 300.0, 10.0
"""Seconds after which calls wait for the compiler: where another process compiles (it may hang),
and where none does."""
TURN = 0.005
"""Seconds for which a call gives way to the thread that looks. Left to Python, the thread waits for
its turn after each of the hundreds of files of Numba, and loads them for seconds."""
LONGEST_LOOK = 5.0
"""The most seconds for which calls, a fork and the end of the program wait for a look, and a look
for a compiler that does not read."""
COMPILERS: dict[int, Compiler | None] = {}
"""The process that compiles for this one, by the number of this process: a fork has none yet."""
LOOKING: list[Look] = []
"""The thread that looks, or looked last: one at a time."""
STARTING = threading.Lock()


class Entry(Protocol):
    """The part of an entry (`compilation`) that this module needs."""

    function: Callable[..., Any]
    attention: Interpreted | None
    is_alone: bool

    def load(self, arguments: tuple[Any, ...]) -> bool: ...


class Array(NamedTuple):
    """The properties of an array on which its compiled type depends."""

    dtype: np.dtype
    ndim: int
    contiguous: bool
    writeable: bool


def described(value: Any) -> Any:
    """Return an argument with a description in place of each array."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        return Array(value.dtype, value.ndim, flags.c_contiguous, flags.writeable)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(described, value))
    return value


def example_of(value: Any) -> Any:
    """Return an argument like the one that was described."""
    if isinstance(value, Array):
        array = np.zeros((4,) * value.ndim, value.dtype)
        if not value.contiguous:
            array = array[(slice(None, None, 2),) * value.ndim]
        array.flags.writeable = value.writeable
        return array
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(example_of, value))
    return value


class Interpreted:
    """An entry that is interpreted, and what has been done to have it compiled.

    Args:
        entry: the entry.
        arguments: those of its first call.
    """

    def __init__(self, entry: Entry, arguments: tuple[Any, ...]) -> None:
        self.entry, self.arguments = entry, tuple(map(described, arguments))
        self.process = os.getpid()
        self.since = time.monotonic()
        self.next_look = self.since + LOOK_AFTER
        self.tried_at: float | None = None
        self.is_asked_for = False

    @cached_property
    def name(self) -> str | None:
        """The fingerprint of the entry; None if its machine code cannot be kept."""
        try:
            return fingerprint(self.entry.function)
        except NotHashable:
            return None

    def look(self) -> None:
        """Load the machine code if it is on disk; have it compiled if it is not."""
        if hasattr(signal, "pthread_sigmask"):  # of a compiler that has ended
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGPIPE})
        try:
            is_there = self.name is not None and has_code(self.name)
            if is_there and self.entry.load(tuple(map(example_of, self.arguments))):
                return
            if self.name is not None and (refusal := refusal_of(self.name)):
                self.next_look = math.inf
                say_interpreted(refusal)
                return
            now = time.monotonic()
            if self.tried_at is None and now > self.since + ASK_AFTER:
                self.tried_at, self.is_asked_for = now, self._is_taken()
            if self.tried_at is not None:
                is_at_work = self.is_asked_for and is_running(COMPILERS.get(self.process))
                patience = PATIENCE if is_at_work else PATIENCE_ALONE
                self.entry.is_alone = now > self.tried_at + patience
        except Exception:  # Numba or the cache is broken: calls that wait will say so
            self.entry.is_alone = True
        self.next_look = time.monotonic() + LOOK_EVERY

    def _is_taken(self) -> bool:
        """Give the entry to the process that compiles; return whether that worked."""
        try:
            request = pickle.dumps(cloudpickle.dumps((self.entry, self.name, self.arguments)))
        except Exception:  # a global value that cannot be pickled
            return False
        for _ in range(2):  # one that had nothing to do may end at this moment
            compiler = COMPILERS.get(self.process)
            if not is_running(compiler):
                if compiler is not None:
                    compiler.close()
                compiler = COMPILERS[self.process] = started()
            if compiler is None:
                return False
            try:
                compiler.take(request)
                return True
            except OSError:
                with suppress(subprocess.TimeoutExpired):
                    compiler.wait(1)
        return False


@cache
def say_interpreted(refusal: str) -> None:
    """Say once on standard error why rules stay interpreted."""
    if sys.stderr is not None:
        print(f"gubs_env: interpreted, and slow: {refusal}", file=sys.stderr)


class Look(threading.Thread):
    """A thread that looks for the machine code of an entry."""

    def start(self) -> None:
        self.since = time.monotonic()
        super().start()


def attend(entry: Entry, arguments: tuple[Any, ...]) -> None:
    """Look for the machine code of an entry that is called with these arguments, if it is time.

    A thread looks, and ends: a program that has only one thread may fork.
    """
    one = entry.attention
    if one is None or one.process != os.getpid():
        entry.attention = Interpreted(entry, arguments)
    elif is_looking():
        if time.monotonic() < LOOKING[0].since + LONGEST_LOOK:
            LOOKING[0].join(TURN)
    elif time.monotonic() > one.next_look and STARTING.acquire(blocking=False):
        try:
            if not is_looking():
                look = Look(target=one.look, daemon=True)
                look.start()
                LOOKING[:] = [look]
        except RuntimeError:  # this system gives no more threads
            entry.is_alone = True
        finally:
            STARTING.release()


def is_looking() -> bool:
    return any(thread.is_alive() for thread in LOOKING)


def settle() -> None:
    """Wait for the thread that looks: it may be importing Numba or inside LLVM."""
    for thread in LOOKING:
        if thread is not threading.current_thread():
            thread.join(LONGEST_LOOK)


def begin_anew() -> None:
    """Forget what another thread held when this process was forked."""
    global STARTING
    STARTING = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=settle, after_in_child=begin_anew)
atexit.register(settle)


# ------------------------------------------------------------------------ the process that compiles


class Compiler(subprocess.Popen[bytes]):
    """A process that compiles. It may outlive this one, so nothing warns that it still runs.

    Args:
        python: the program.
        folder: the cache folder into which it writes.
    """

    def __init__(self, python: str, folder: Path) -> None:
        main = f"from {__package__}.compiler_process import main; main()"
        start = f"import sys; sys.path[:] = sys.argv[1:]; {main}"
        paths = map(os.path.abspath, sys.path)
        reader, self._writer = os.pipe()
        with suppress(AttributeError, OSError):  # Windows, before Python 3.12
            os.set_blocking(self._writer, False)
        flags = sys.flags
        options = "I" * flags.isolated + "E" * flags.ignore_environment + "s" * flags.no_user_site
        as_this_one = [f"-{option}" for option in options + "O" * flags.optimize]
        try:
            super().__init__(
                [python, *as_this_one, "-c", start, *paths],
                stdin=reader,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"GUBS_ENV_CACHE": str(folder), "GUBS_ENV_COMPILE": "wait"},
                start_new_session=True,
            )
        except BaseException:
            os.close(self._writer)
            raise
        finally:
            os.close(reader)

    def take(self, request: bytes) -> None:
        """Send a request; raise OSError if the process has ended, or does not read."""
        over = time.monotonic() + LONGEST_LOOK
        try:
            while request:
                try:
                    request = request[os.write(self._writer, request) :]
                except BlockingIOError:  # it is not that far yet
                    if time.monotonic() > over:
                        raise
                    time.sleep(0.05)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """End the process, and what leads to it."""
        self.kill()
        if self._writer >= 0:
            os.close(self._writer)
        self._writer = -1

    def __del__(self) -> None:
        """Do not warn."""


def is_running(compiler: Compiler | None) -> bool:
    return compiler is not None and compiler.poll() is None


def started() -> Compiler | None:
    """Start the process that compiles; return None where that is impossible or would hurt."""
    python, folder = python_program(), writable_folder()
    if python is None or folder is None or usable_cores() == 1:
        return None
    with suppress(OSError, ValueError):
        return Compiler(python, folder)
    return None


def python_program() -> str | None:
    """Return the program of this Python; None where a frozen or an embedding program runs it."""
    program = sys.executable or ""
    name = r"(python|pypy)[\d.]*[a-z]?(w|_d|-dbg|-intel64)?(\.exe)?"
    is_python = re.fullmatch(name, Path(program).name, re.IGNORECASE)
    return program if is_python and not getattr(sys, "frozen", False) else None


def usable_cores() -> int:
    """Return the number of cores on which this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
