"""Options of rules and of agents written as text: `letters=anywhere+deck=Gub:6,Lure:3`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

OPTION_STARTS = re.compile(r"[+;](?=\w+=)")
COUNT = re.compile(r"[^:,+]+:\d+")


def parse_options(text: str) -> dict[str, Any]:
    """Return the options that a text names.

    >>> parse_options("letters=anywhere+ask_everyone=true+deck=Gub:6,Lure:3")
    {'letters': 'anywhere', 'ask_everyone': True, 'deck': {'Gub': 6, 'Lure': 3}}

    Args:
        text: `option=value`; separate several options by `+` or `;`.

    Raises:
        ValueError: for a piece that is not an option, or an option that is given twice.
    """
    options: dict[str, Any] = {}
    for piece in OPTION_STARTS.split(text) if text else ():
        key, equals, value = piece.partition("=")
        if not equals:
            raise ValueError(f"{piece!r} is not an option: write option=value")
        if key in options:
            raise ValueError(f"option {key} is given twice")
        options[key] = parse_value(value)
    return options


def options_text(options: Mapping[str, Any]) -> str:
    """Return options as a text that `parse_options` reads.

    >>> options_text({"ms": 50, "deck": {"Gub": 6, "Lure": 3}})
    'ms=50+deck=Gub:6,Lure:3'
    """
    return "+".join(f"{name}={_value_text(value)}" for name, value in options.items())


def _value_text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{count}" for name, count in value.items())
    if isinstance(value, list):
        return ",".join(map(str, value)) + "," * (len(value) == 1)
    return str(value)


def parse_value(text: str) -> Any:
    """Return the value that a text names.

    The first form that fits applies. Pieces `name:count`, separated by `,` or `+`, are a dict.
    Pieces separated by `,` are a list, and `piece,` is a list of one. `true` and `false` are bools,
    in any capitalisation. Then int, float and str are tried.

    Raises:
        ValueError: for a name that is counted twice.
    """
    pieces = re.split(r"[,+]", text)
    if all(COUNT.fullmatch(piece) for piece in pieces):
        return _counts(pieces)
    parts = [_plain_value(part) for part in text.removesuffix(",").split(",")]
    return parts if "," in text else parts[0]


def _counts(pieces: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for piece in pieces:
        name, _, count = piece.rpartition(":")
        if name.strip() in counts:
            raise ValueError(f"{name.strip()} is counted twice")
        counts[name.strip()] = int(count)
    return counts


def _plain_value(text: str) -> bool | int | float | str:
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
