"""The fields of an object of JSON: which there must be, and which values each may hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from gubs_env.engine.options import is_whole
from gubs_env.engine.text import printable
from gubs_env.support.checks import LARGEST


class Kind(NamedTuple):
    """The values that a field may hold."""

    fits: Callable[[Any], bool]
    words: str
    """The same in words, for errors."""


def is_count(value: Any) -> bool:
    """Return whether a value is a whole number from 0 on."""
    return is_whole(value) and 0 <= value <= LARGEST


def is_number(value: Any) -> bool:
    """Return whether a value is a number."""
    return type(value) in (int, float) and abs(value) <= LARGEST


def is_text(value: Any) -> bool:
    """Return whether a value is a text."""
    return type(value) is str


WHOLE, TEXT = Kind(is_count, "a whole number from 0 on"), Kind(is_text, "a text")


def check_fields(found: Any, kinds: Mapping[str, Kind], where: str) -> None:
    """Raise ValueError unless an object has these fields, and no others."""
    if type(found) is not dict:
        raise ValueError(f"{where}: this is {type(found).__name__}, not an object with fields")
    if differing := sorted(map(str, found.keys() ^ kinds.keys())):
        raise ValueError(f"{where}: unknown or missing fields: {printable(', '.join(differing))}")
    for name, kind in kinds.items():
        if not kind.fits(found[name]):
            raise ValueError(f"{where}: {name} must be {kind.words}")
