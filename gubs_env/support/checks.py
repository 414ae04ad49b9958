"""Checks of what the interfaces are given: numbers, seeds, options; of memory and of extras."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from importlib.util import find_spec
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from gubs_env.engine.options import is_whole

MOST_MEMORY = 1 << 40
"""Number of bytes that a machine has at most, where the system does not tell."""
LARGEST = 2**63 - 1
"""The largest number that compiled functions and arrays of NumPy take."""


class Range(NamedTuple):
    """The range of an option that is a number, a part of its type: `Annotated[int, Range(1)]`."""

    least: float
    most: float = math.inf
    open: bool = False
    """Whether the ends are outside."""

    def __contains__(self, value: object) -> bool:
        inside = isinstance(value, int | float) and self.least <= value <= self.most
        return inside and not (self.open and value in self[:2])

    def __str__(self) -> str:
        if self.open:
            return f"above {self.least}" + f" and below {self.most}" * (self.most < math.inf)
        return f"{self.least} to {self.most}" if self.most < math.inf else f"at least {self.least}"


WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}


def check_options(options: Any) -> None:
    """Check that the fields of a dataclass have their types, and are in their `Range` if any.

    A whole number becomes an int, and a float in a field that is one.

    Raises:
        ValueError: names the first field that has not, and says what is allowed.
    """
    hints = get_type_hints(type(options), include_extras=True)
    for entry in fields(options):
        checked = check_option(entry.name, getattr(options, entry.name), hints[entry.name])
        object.__setattr__(options, entry.name, checked)


def check_option(name: str, value: Any, kind: Any) -> Any:
    """Return the value of one field, as `check_options` does.

    Args:
        name: the name of the option, for the error.
        value: the value.
        kind: the declared type: `Annotated` with a `Range`, a `Literal`, or types with a |.
    """
    kind, *extras = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    if get_origin(kind) is Literal:
        if value not in (allowed := get_args(kind)):
            raise ValueError(f"{name}={value!r}: allowed are {', '.join(map(str, allowed))}")
        return value
    types = get_args(kind) or (kind,)
    if is_whole(value):
        value = float(value) if float in types else int(value)
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise ValueError(f"{name}={value!r}: must be {WORDS.get(types[0], types[0].__name__)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name}={value}: must be a finite number")
    for limits in extras:
        if isinstance(limits, Range) and value is not None and value not in limits:
            raise ValueError(f"{name}={value}: must be {limits}")
    return value


def whole_number(action: Any, count: int) -> int:
    """Return an action of a space of `count` actions as an int.

    Raises:
        TypeError: for something that is not a whole number; True and False are none.
        ValueError: for a number outside the space.
    """
    try:
        number = operator.index(action)
    except TypeError:
        raise TypeError(f"an action must be a whole number, not {action!r}") from None
    if isinstance(action, bool):
        raise TypeError(f"an action must be a whole number, not {action!r}")
    if not 0 <= number < count:
        raise ValueError(f"action {number}: the space is 0 to {count - 1}")
    return number


def check_number(name: str, value: Any, least: int, most: float = LARGEST) -> int:
    """Return a whole number as an int.

    Args:
        name: its name, for the error.
        value: the number.
        least, most: the smallest and the largest that is allowed.

    Raises:
        TypeError: for anything but a whole number; True and False are none.
        ValueError: for a number out of the range.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not is_whole(value):
        raise TypeError(f"{name}={value!r}: must be a whole number")
    if not least <= value <= most:
        allowed = f"{least} to {most}" if most < LARGEST or value > most else f"at least {least}"
        raise ValueError(f"{name}={value}: must be {allowed}")
    return int(value)


def check_indices(name: str, values: Any, count: int) -> np.ndarray:
    """Return an index of one of `count` things, or several, as an array, int64[…].

    Raises:
        TypeError: for anything but a whole number, or a list or an array of whole numbers.
        ValueError: for an index out of range.
    """
    if np.ndim(values) == 0:
        return np.array([check_number(name, values, 0, count - 1)])
    indices = np.asarray(values)
    if indices.ndim != 1 or (indices.dtype.kind not in "iu" and indices.size):
        raise TypeError(
            f"{name} must be whole numbers of shape (count,), not {indices.dtype} of shape "
            f"{indices.shape}"
        )
    if ((indices < 0) | (indices >= count)).any():
        raise ValueError(f"{name}: {indices.tolist()}: allowed are 0 to {count - 1}")
    return indices.astype(np.int64)


def check_array(
    name: str, value: Any, like: np.ndarray, low: float = -np.inf, high: float = np.inf
) -> np.ndarray:
    """Return an array that has the shape and dtype of another and only finite numbers in a range.

    Args:
        name: its name, for the error.
        value: the array.
        like: an array of the shape and dtype that are expected.
        low, high: the smallest and the largest number that is allowed.

    Raises:
        ValueError: for anything else.
    """
    if not isinstance(value, np.ndarray):
        raise ValueError(f"{name} must be an array, not {type(value).__name__}")
    if value.shape != like.shape or value.dtype != like.dtype:
        raise ValueError(
            f"{name} must be {like.dtype} of the shape {like.shape}, not {value.dtype} of the "
            f"shape {value.shape}"
        )
    if not (np.isfinite(value) & (value >= low) & (value <= high)).all():
        allowed = "finite numbers" if np.isinf(low) else f"{low} to {high}"
        raise ValueError(f"{name} holds a number that is not allowed: allowed are {allowed}")
    return value


def check_generator(state: Any) -> dict[str, Any]:
    """Return the state of a bit generator as NumPy's default one, PCG64, writes it.

    Raises:
        ValueError: for anything else.
    """
    generator = np.random.PCG64(0)
    with suppress(Exception):  # whatever NumPy raises
        generator.state = state
    plain: dict[str, Any] = dict(generator.state)
    if plain != state or plain["has_uint32"] > 1 or plain["state"]["inc"] % 2 == 0:
        raise ValueError("rng must be the state of a bit generator PCG64, as NumPy writes it")
    return plain


def check_seed(seed: Any) -> int | None:
    """Return a seed as an int, or None for fresh entropy.

    Raises:
        TypeError: for anything but None or a whole number.
        ValueError: for a negative number.
    """
    return None if seed is None else check_number("seed", seed, 0, math.inf)


def check_seeds(seed: Any, count: int, fresh: bool = False) -> list[Any] | None:
    """Return the seeds of `count` games, or None for fresh entropy.

    Args:
        seed: None; the seed of the first game, to which game k adds k; or a list, one for each.
        count: number of games.
        fresh: whether a list may hold None.

    Raises:
        TypeError: for anything else.
        ValueError: for a negative number, or a list of another length.
    """
    if not isinstance(seed, list | tuple | np.ndarray) or np.ndim(seed) == 0:
        first = check_seed(seed)
        return None if first is None else [first + index for index in range(count)]
    if len(seed) != count:
        raise ValueError(f"{len(seed)} seeds: give one for the first game, or {count} in a list")
    return [
        None if fresh and one is None else check_number(f"seed[{k}]", one, 0, math.inf)
        for k, one in enumerate(seed)
    ]


def check_memory(what: str, size: int) -> None:
    """Raise ValueError if something takes more bytes than this machine has."""
    try:
        limit = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no such function
        limit = MOST_MEMORY
    if size > limit:
        raise ValueError(f"{what}: {size:,} bytes are needed, and this machine has {limit:,}")


def check_switch(name: str, value: Any) -> bool:
    """Return the value of an option that is on or off; raise TypeError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name}={value!r}: must be True or False")
    return bool(value)


def check_seat(seat: Any, num_players: int) -> int | None:
    """Return the seat of a learner; None stands for a random one.

    Raises:
        ValueError: for anything but None or the index of a player.
    """
    if seat is not None and not (is_whole(seat) and 0 <= seat < num_players):
        raise ValueError(f"seat={seat!r}: allowed are None and 0 to {num_players - 1}")
    return None if seat is None else int(seat)


def check_render_mode(render_mode: Any, metadata: Mapping[str, Any]) -> None:
    """Raise ValueError for a render mode that an environment does not have."""
    allowed = metadata["render_modes"]
    if render_mode == "rgb_array" and render_mode not in allowed:
        raise ValueError(
            "render_mode='rgb_array' needs the extra `draw`: pip install 'gubs_env[draw]'; without "
            f"it, allowed are None and {allowed}"
        )
    if render_mode is not None and not (isinstance(render_mode, str) and render_mode in allowed):
        raise ValueError(f"render_mode={render_mode!r}: allowed are None and {allowed}")


def is_installed(module: str) -> bool:
    """Return whether a top-level module can be imported; a plain folder of its name is none."""
    spec = find_spec(module)
    return spec is not None and spec.origin is not None


def require_extra(extra: str, *modules: str) -> None:
    """Raise ModuleNotFoundError, saying what to install, unless all modules can be imported.

    Args:
        extra: the extra of `gubs_env` that installs the modules.
        modules: names of top-level modules.
    """
    if absent := [module for module in modules if not is_installed(module)]:
        verb = "is" if len(absent) == 1 else "are"
        raise ModuleNotFoundError(
            f'{", ".join(absent)} {verb} not installed: pip install "gubs_env[{extra}]"'
        )
