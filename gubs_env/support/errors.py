"""Errors of code from outside, such as agents, as text that cannot fail itself."""

from __future__ import annotations

from traceback import walk_tb

OURS = __name__.partition(".")[0]
"""The package whose code calls the code from outside; a frozen program has no folder of it."""


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
    return f"{type(error).__name__}: {message_of(error)}{_place(error)}"


def _place(error: BaseException) -> str:
    """Return the innermost line in the first file that is not ours; "" if there is none."""
    outside = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).partition(".")[0] != OURS
    ]
    if not outside:
        return ""
    file = outside[0][0]
    return f" ({file}, line {[line for name, line in outside if name == file][-1]})"
