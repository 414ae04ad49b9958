"""Rule options, and checks of their values, which return them as plain values of Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np


@dataclass(frozen=True)
class RuleOptions:
    """The base of the options of all games, and the options of a game that has none."""

    titles: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The names of options for people, by option=value, as `{"mode=royal": "Battle Royal"}`."""

    def as_dict(self) -> dict[str, Any]:
        """Return the options as plain values, for JSON and for `Rules(**…)`."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


def changed_options(rules: Any) -> dict[str, Any]:
    """Return the options of rules that do not have their default value."""
    default = type(rules)().as_dict()
    return {name: value for name, value in rules.as_dict().items() if value != default[name]}


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number, and not True or False."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def check_choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """Return the value of an option that is one of some texts; raise ValueError for others."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"rules option {name}={value!r}: allowed are {tuple(allowed)}")
    return str(value)


def check_flag(name: str, value: Any) -> bool:
    """Return the value of an option that is on or off; raise ValueError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"rules option {name}={value!r}: allowed are True and False")
    return bool(value)


def check_whole(name: str, value: Any, least: int, most: int) -> int:
    """Return a whole number as an int; raise ValueError for anything else, or out of the range."""
    if not is_whole(value) or not least <= value <= most:
        raise ValueError(
            f"rules option {name}={value!r}: allowed are whole numbers from {least} to {most}"
        )
    return int(value)
