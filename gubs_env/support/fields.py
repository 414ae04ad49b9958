"""The values of JSON from outside: which fields an object has, and what each may hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from reprlib import repr as shortened
from typing import Any, NamedTuple

from gubs_env.engine.options import is_whole
from gubs_env.support.checks import LARGEST

LONGEST_NAME = 200
"""Largest number of characters of a name."""


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
    check_keys(where, found, kinds)
    for name, kind in kinds.items():
        if not kind.fits(found[name]):
            raise ValueError(f"{where}: {name} must be {kind.words}")


def check_keys(name: str, value: Any, keys: Collection[str]) -> None:
    """Raise ValueError unless a value is an object with these keys and no others."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be an object, not {shortened(value)}")
    for key in value:
        if key not in keys:
            raise ValueError(f"{name} has an unknown key, {shortened(key)}")
    for key in keys:
        if key not in value:
            raise ValueError(f"{name} lacks {key!r}")


def check_name(what: str, name: Any) -> str:
    """Return a name; raise ValueError unless it is a short printable text."""
    if not (isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise ValueError(
            f"{what} is {shortened(name)}: it must be a text of 1 to {LONGEST_NAME} printable "
            "characters"
        )
    return name


def list_of(name: str, value: Any, size: int | None = None) -> list[Any]:
    """Return a list; raise ValueError for anything else, or for another size."""
    if not isinstance(value, list) or size not in (None, len(value)):
        of_size = "" if size is None else f" of {size}"
        raise ValueError(f"{name} must be a list{of_size}, not {shortened(value)}")
    return value


def whole(name: str, value: Any, least: int = 0, most: int = LARGEST) -> int:
    """Return a whole number in a range; raise ValueError for anything else."""
    if not is_whole(value):
        raise ValueError(f"{name} must be a whole number, not {shortened(value)}")
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}: allowed are {least} to {most}")
    return value


def wholes(
    name: str, value: Any, shape: tuple[int | None, ...], least: int = 0, most: int = LARGEST
) -> list[int]:
    """Return the whole numbers of nested lists of a shape, one after the other.

    Args:
        name: the name of the value, for errors.
        value: the lists.
        shape: the length of the lists, from the outermost on; None allows any.
        least, most: the range of each number.

    Raises:
        ValueError: for anything else.
    """
    if not shape:
        return [whole(name, value, least, most)]
    parts = enumerate(list_of(name, value, shape[0]))
    return [n for k, part in parts for n in wholes(f"{name}[{k}]", part, shape[1:], least, most)]
