"""Errors of code from outside, such as agents, as text that cannot fail itself."""

from __future__ import annotations

from pathlib import Path
from traceback import walk_tb

OURS = str(Path(__file__).parents[1])
"""The folder whose code calls the code from outside."""


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
    outside = [place for place in places_of(error) if not place[0].startswith(OURS)]
    if not outside:
        return f"{type(error).__name__}: {message_of(error)}"
    file = outside[0][0]  # what it calls may fail, but was called by it
    line = [line for name, line in outside if name == file][-1]
    return f"{type(error).__name__}: {message_of(error)} ({file}, line {line})"


def outlined(error: BaseException) -> str:
    """Return the type of an error and the place where it was raised, for people at other machines.

    They are not told its message, which may hold what an agent knows, nor the folder of the file.

    >>> outlined(KeyError("the hand of player_1"))
    'KeyError'
    """
    place = "".join(f" ({Path(file).name}, line {line})" for file, line in places_of(error)[-1:])
    return f"{type(error).__name__}{place}"


def places_of(error: BaseException) -> list[tuple[str, int]]:
    """Return the file and the line of each call that led to an error, the innermost last."""
    return [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
