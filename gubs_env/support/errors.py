"""Errors of code from outside, such as agents, as text that cannot fail itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from traceback import walk_tb
from typing import Any

OURS = ("gubs_env", "importlib", "pkgutil")
"""The packages whose code calls the code from outside: ours, and those that import it."""


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Turn whatever code from outside raises into a ValueError of one printable line.

    Ctrl-C passes. A KeyboardInterrupt that the code itself raises is an error like any other.

    Args:
        what: whose code it is, and what it cannot do; the error follows.
    """
    pressed: list[bool] = []
    before: Any = signal.getsignal(signal.SIGINT)

    def press(*at: Any) -> None:
        pressed.append(True)
        before(*at)

    if callable(before):
        with suppress(ValueError):  # only the main thread hears Ctrl-C, and may set who hears it
            signal.signal(signal.SIGINT, press)
    try:
        yield
    except BaseException as error:
        if pressed:
            raise KeyboardInterrupt from error
        from gubs_env.engine.text import printable  # which takes time to import

        raise ValueError(printable(f"{what}: {described(error)}")) from error
    finally:
        if signal.getsignal(signal.SIGINT) is press:
            signal.signal(signal.SIGINT, before)


def message_of(error: BaseException) -> str:
    """Return the message of an error, whose `__str__` may fail."""
    try:
        return str(error)
    except BaseException as failed:  # whatever a `__str__` from outside raises
        return f"<its message cannot be shown: {type(failed).__name__}>"


def described(error: BaseException) -> str:
    """Return the type and the message of an error, and the line of the code from outside.

    >>> described(KeyError("no idea"))
    "KeyError: 'no idea'"
    """
    description = ": ".join(filter(None, (type(error).__name__, message_of(error))))
    outside = [(file, line) for package, file, line in places_of(error) if package not in OURS]
    if not outside:
        return description
    file = outside[0][0]  # what it calls may fail, but was called by it
    return f"{description} ({file}, line {[line for name, line in outside if name == file][-1]})"


def outlined(error: BaseException) -> str:
    """Return the type of an error and the place where it was raised, for people at other machines.

    They are not told its message, which may hold what an agent knows, nor the folder of the file.

    >>> outlined(KeyError("the hand of player_1"))
    'KeyError'
    """
    place = "".join(f" ({Path(file).name}, line {line})" for _, file, line in places_of(error)[-1:])
    return f"{type(error).__name__}{place}"


def places_of(error: BaseException) -> list[tuple[str, str, int]]:
    """Return the package, file and line of each call that led to an error, the innermost last."""
    calls = [(frame.f_globals, frame.f_code, line) for frame, line in walk_tb(error.__traceback__)]
    return [
        (str(names.get("__name__")).partition(".")[0], code.co_filename, line)
        for names, code, line in calls
    ]
