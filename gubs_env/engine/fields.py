"""The declaration of a state: named fields, which form one row of a structured array.

Each field declares the range of its values and who sees it. The border refuses states outside the
ranges (`border`), and the tests change every field that all players see and look for the change in
the observations.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.compiling import Compiled, compile_lines, inlined, numbers


class Seen(Enum):
    """Who sees a field of a state."""

    BY_ALL = "everybody sees it, and so does every observation"
    BY_OWNER = "each player sees the entry of their own seat, and nobody that of another"
    IN_PART = "each player sees a part of it, or some of the time, as the module `view` says"
    BY_NOBODY = "nobody sees it"
    FOLLOWS = "it follows from the table, the other fields or the course of the game"


class Field(NamedTuple):
    """One field of a state, as `Field("bet", (2,), "the chips each player has bet", 0, 2)`.

    In order: its name, its shape, its meaning in words, its least and its largest value, who sees
    it (`Seen`), the words for its values, and the names of its entries.
    """

    name: str
    """The name, by which the rules read it: `state.name`."""
    shape: tuple[int, ...]
    """The shape; () is a single number."""
    meaning: str
    """What it means, for pages and error messages."""
    low: int = 0
    """Least value, in a state or a view."""
    high: int = 1
    """Largest value."""
    seen: Seen = Seen.BY_ALL
    """Who knows it."""
    names: tuple[str, ...] = ()
    """The words for its values, from the least one on; numbers stand for themselves."""
    entries: Sequence[str] | Callable[[int, Any], Sequence[str]] = ()
    """The names of its entries along the last axis, as of the cards that flags are for; or
    (num_players, state) → the names of those in use, where they depend on an option."""
    dtype: type = np.int64
    """How a row stores its numbers. Sums of int8 wrap where nothing is compiled."""

    def entry_names(self, state: Any) -> Sequence[str]:
        """Return the names of its entries in a state, as far as they are in use."""
        if callable(self.entries):
            return self.entries(int(state.num_players), state)
        return self.entries

    def word(self, value: int) -> str:
        """Return the word for a value."""
        return self.names[value - self.low] if self.names else str(value)

    def words(self, values: Any, state: Any) -> str:
        """Return the words for its values in a state, or for those of one seat.

        With names for the entries these are told that differ from the least value; of a flag, whose
        value says nothing more, the name alone.
        """
        numbers = np.asarray(values)
        if not self.entries or not numbers.shape:
            return " ".join(map(self.word, numbers.ravel().tolist()))
        is_flag = self.high == self.low + 1 and not self.names
        rows, entries = numbers.reshape(-1, numbers.shape[-1]).tolist(), self.entry_names(state)
        named = [pair for row in rows for pair in zip(entries, row, strict=False)]
        told = [(entry, value) for entry, value in named if value != self.low]
        return ", ".join(e if is_flag else f"{e} {self.word(v)}" for e, v in told) or "none"


Byte = partial(Field, dtype=np.int8)
"""A field of many small numbers, whose rows are copied often."""
MOST_PLAYERS = 8
"""The largest number of players in any game."""
LONGEST_GAME = 1 << 40
"""A number of decisions that no game reaches; counters stop there, and so stay in their range."""

# fmt: off
COMMON_FIELDS = (
    Field("num_players", (), "players at the table", 1, MOST_PLAYERS, Seen.FOLLOWS),
    Field("num_seats", (), "seats at the table; more than players if there are ghosts",
          2, MOST_PLAYERS, Seen.FOLLOWS),
    Field("phase", (), "a Phase: the decision to be made", 0, 15),
    Field("actor", (), "the player to decide; after the end any player",
          -1, MOST_PLAYERS - 1),
    Field("decisions", (), "calls of `step` so far in this game", 0, LONGEST_GAME),
    Field("rng", (4,), "state of the random number generator, four words of 32 bits",
          0, 0xFFFFFFFF, Seen.BY_NOBODY),
)
"""The fields of every game, first in its state; the kernel and the search read them."""
# fmt: on


@inlined
def one_more(count):
    """Return a counter increased by one, or LONGEST_GAME."""
    return min(count + 1, LONGEST_GAME)


def with_common(
    fields: Iterable[Field], viewers: Mapping[str, Seen] | None = None
) -> tuple[Field, ...]:
    """Return COMMON_FIELDS, then the fields of the game.

    Args:
        fields: the fields of the game.
        viewers: who sees a common field, by its name, where it differs from COMMON_FIELDS.
    """
    viewers = viewers or {}
    common = (field._replace(seen=viewers.get(field.name, field.seen)) for field in COMMON_FIELDS)
    return (*common, *fields)


class _RowType(type):
    """The class of the classes of rows, which are pickled by the names of their fields."""


@cache
def _row_type(names: tuple[str, ...], as_numbers: tuple[str, ...] = ()) -> Any:
    """Return the class of a row with these fields.

    Its attributes are the fields, as those of np.record are. That class looks each of them up in
    Python, which takes half of the time of a game whose rules are not compiled.

    Args:
        names: the names of the fields.
        as_numbers: those that are read as Python's own numbers.
    """

    def set_field(row: Any, name: str, value: Any) -> None:
        if name not in names:
            raise AttributeError(f"the row has no field {name!r}")
        row[name] = value

    def number_of(name: str) -> Callable[[Any], Any]:
        def read(row: Any) -> Any:
            found = row[name]
            return numbers(found) if isinstance(found, np.ndarray) else found.item()

        return read

    methods = {
        "__getattribute__": object.__getattribute__,
        "__getitem__": np.void.__getitem__,
        "__setattr__": set_field,
        "__module__": np.record.__module__,
    }
    fields = {
        name: property(number_of(name) if name in as_numbers else itemgetter(name))
        for name in names
    }
    return _RowType("record", (np.record,), methods | fields | {"_as_numbers": as_numbers})


def _by_names(row_type: Any) -> tuple[Any, ...]:
    names = (name for name, each in vars(row_type).items() if isinstance(each, property))
    return _row_type, (tuple(names), row_type._as_numbers)


copyreg.pickle(_RowType, _by_names)


def row_dtype(
    fields: Sequence[tuple[str, Any] | tuple[str, Any, tuple[int, ...]]],
    as_numbers: tuple[str, ...] = (),
) -> np.dtype:
    """Return the dtype of rows whose fields are read as attributes, as NumPy describes fields.

    Args:
        fields: the fields.
        as_numbers: the names of those that are read as Python's own numbers.
    """
    return _one_dtype(tuple(fields), as_numbers)


@cache
def _one_dtype(fields: tuple[Any, ...], as_numbers: tuple[str, ...]) -> np.dtype:
    """Return the dtype of `row_dtype`, the same object each time.

    NumPy joins arrays of other objects, however equal, to one whose rows have no attributes.
    """
    return np.dtype((_row_type(tuple(field[0] for field in fields), as_numbers), list(fields)))


def state_dtype(fields: Iterable[Field]) -> np.dtype:
    """Return the dtype of a state with these fields.

    Where all are int64, as in a game of one's own, they are read as Python's own numbers: the rules
    compute the same then, whether they are compiled or not.
    """
    fields = tuple(fields)
    names = tuple(field.name for field in fields)
    as_numbers = names if all(field.dtype is np.int64 for field in fields) else ()
    return row_dtype([(field.name, field.dtype, field.shape) for field in fields], as_numbers)


def copied(states: np.ndarray) -> np.ndarray:
    """Return a copy of states, STATE[…]; NumPy copies them field by field, ten times as slowly."""
    return np.ndarray(states.shape, states.dtype, states.view(np.uint8).copy())


def clearing(fields: Iterable[Field], names: str) -> Compiled:
    """Compile a function (state) that sets some fields, named in a text, to their least values."""
    by_name = {field.name: field for field in fields}
    cleared = [by_name[name] for name in names.split()]
    lines = [f"    state.{f.name}{'[:]' * bool(f.shape)} = {f.low}" for f in cleared]
    return compile_lines(["def clear(state):", *lines])


def range_check(fields: Iterable[Field]) -> Compiled:
    """Compile a function (state) → the index of the first field out of range, −1 if there is none.

    The function is written out field by field, because compiled code cannot look up a field by its
    name. It looks at all values of a field before it decides, so that the loops compile to vector
    instructions.
    """
    lines = ["def field_out_of_range(state):"]
    for number, field in enumerate(fields):
        low, high = field.low, field.high
        if field.shape:
            lines.append("    outside = False")
            lines.append(f"    for value in state.{field.name}.ravel():")
            lines.append(f"        outside |= (value < {low}) | (value > {high})")
            lines.append("    if outside:")
            lines.append(f"        return {number}")
        else:
            lines.append(f"    if state.{field.name} < {low} or state.{field.name} > {high}:")
            lines.append(f"        return {number}")
    return compile_lines([*lines, "    return -1"])
