"""Calls of the operating system that not every system, or not every thread, has."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

if sys.platform == "linux":
    import fcntl


@contextmanager
def handling(**handlers: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    """Handle signals in a block, and afterwards as before.

    Only the main thread of a program can: in any other thread, signals stay with the program.

    Args:
        handlers: a handler for each signal by its name, as SIGINT. Signals that this system lacks
            are left out.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    known = {name: handler for name, handler in handlers.items() if hasattr(signal, name)}
    before = {name: signal.signal(getattr(signal, name), known[name]) for name in known}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), signal.SIG_DFL if handler is None else handler)


def leave_terminal() -> None:
    """Keep Ctrl-C at the terminal from this process; where that is not possible, do nothing."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


def pass_interrupt_on(process: int) -> None:
    """Interrupt a process that has left the terminal; any other gets Ctrl-C from there itself."""
    if hasattr(os, "setpgid"):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGINT)


def kill_at_close(pipe: int, process: int) -> None:
    """Let Linux kill a process once a pipe's other end closes, whatever the process is doing.

    Args:
        pipe: the file descriptor of the end to read, into which nobody writes; the process has it
            too.
        process: the process.
    """
    if sys.platform == "linux":
        fcntl.fcntl(pipe, fcntl.F_SETOWN, process)
        fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)


def end_after(wait: Callable[[], object]) -> None:
    """End this process when a call in another thread returns, whatever the main thread is doing."""

    def end() -> None:
        wait()
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def end_with_parent() -> None:
    """End this process within a second of the one that started it.

    It is for a process that a program of others starts; Windows does not tell when that has ended.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)

    end_after(watch)
