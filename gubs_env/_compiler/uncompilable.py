"""Errors of the compiler, in three lines instead of hundreds."""

from __future__ import annotations

import linecache
import re
from pathlib import Path

COLOURS = re.compile(r"\x1b\[\d*m")
CALLS = re.compile(r"typing of \w[\w -]* at (.+) \((\d+)\)")
PLACES = re.compile(r'File "([^"]+)", line (\d+)')
NAMES = re.compile(r"def (\w+)\(")
ADVICE = (
    (r"Cannot unify|Can't unify", "A name has values of two kinds: give it one, as 0 or 0.0."),
    (r"Reference before|referenced before|not defined", "A name has no value on some way there."),
    (r"Unknown attribute", "There is no such attribute: a state has its fields, an array NumPy's."),
)
USUAL = (
    "Write it with whole numbers, arrays, loops and functions that are marked by `compiled`; what "
    "is for the eye, such as text, has no place in rules."
)


class NotCompilable(TypeError):
    """A function that the compiler refuses, with its line and what to write instead."""


def explained(error: Exception, entry: str) -> NotCompilable:
    """Return an error of Numba in three lines: the place, its code, and what to write instead.

    Args:
        error: the error; the innermost function comes first in its text.
        entry: the name of the function that was to be compiled.
    """
    text = COLOURS.sub("", str(error))
    found = CALLS.search(text) or PLACES.search(text)
    advice = next((advice for pattern, advice in ADVICE if re.search(pattern, text)), USUAL)
    if found is None:
        reason = next((line.strip() for line in text.splitlines() if line.strip()), "")
        return NotCompilable(f"{entry} cannot be compiled: {reason}\n{advice}")
    path, number = found[1], int(found[2])
    lines = linecache.getlines(str(Path(path).resolve()))
    names = [match[1] for line in lines[:number] if (match := NAMES.search(line))]
    code = "".join(f"\n    {line.strip()}" for line in lines[number - 1 : number])
    function = names[-1] if names else entry
    where = f"{Path(path).name}, line {number}"
    return NotCompilable(f"{function} cannot be compiled ({where}):{code}\n{advice}")
