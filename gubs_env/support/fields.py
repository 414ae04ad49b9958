"""The values of JSON from outside: which fields an object has, and what each may hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from reprlib import repr as shortened
from types import MappingProxyType
from typing import Any, NamedTuple

from gubs_env.engine.options import is_whole
from gubs_env.support.checks import LARGEST

LONGEST_NAME = 200
"""Largest number of characters of a name."""


NOTHING: Mapping[str, Any] = MappingProxyType({})


class Kind(NamedTuple):
    """The values that a field may hold."""

    fits: Callable[[Any], bool]
    words: str
    """The same in words, for errors."""


WHOLE = Kind(lambda v: is_whole(v) and 0 <= v <= LARGEST, "a whole number from 0 on")
NUMBER = Kind(lambda v: type(v) in (int, float) and abs(v) <= LARGEST, "a number")
TEXT = Kind(lambda v: type(v) is str, "a text")
OBJECT = Kind(lambda v: type(v) is dict, "an object")


def row(*kinds: Kind, words: str) -> Kind:
    """Return the kind of a list that has one value of each of these kinds."""

    def fits(value: Any) -> bool:
        pairs = zip(kinds, value, strict=True)
        return len(value) == len(kinds) and all(kind.fits(each) for kind, each in pairs)

    return Kind(lambda v: type(v) is list and fits(v), words)


def listed(kind: Kind, words: str) -> Kind:
    """Return the kind of a list of such values that is not empty."""
    return Kind(lambda v: type(v) is list and len(v) > 0 and all(map(kind.fits, v)), words)


def named(kind: Kind, words: str) -> Kind:
    """Return the kind of an object of such values with printable names."""
    return Kind(
        lambda v: type(v) is dict and all(name.isprintable() and kind.fits(v[name]) for name in v),
        words,
    )


def or_null(kind: Kind) -> Kind:
    """Return the kind of such a value or null."""
    return Kind(lambda v: v is None or kind.fits(v), f"{kind.words} or null")


def check_fields(
    value: Any, kinds: Mapping[str, Kind], where: str, optional: Mapping[str, Kind] = NOTHING
) -> None:
    """Raise ValueError unless an object has these fields, perhaps the optional ones, no others."""
    present = [name for name in optional if type(value) is dict and name in value]
    check_keys(where, value, [*kinds, *present])
    for name, kind in {**kinds, **optional}.items():
        if name in value and not kind.fits(value[name]):
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
