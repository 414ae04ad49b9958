"""The named slices of an observation vector, and the functions that write them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from inspect import signature
from math import prod
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.compiling import Compiled, compile_lines, inlined

PLAYERS = "players"
"""The length of a slice with an entry for each player."""
OTHERS = "other players"
"""The length of a slice with an entry for each player but the viewer."""
DIGIT = 128
"""The base in which numbers above 127 are written."""
Declaration = tuple[str, tuple[int | str, ...], int | str, str]
"""(name, shape, high, meaning) of a slice. One length, and the high, can be `PLAYERS`, `OTHERS` or
the name of an option of the rules, whose value it is then."""


class Slice(NamedTuple):
    """One named slice of the observation vector."""

    name: str
    """Its name, the key in `observation_slices()`."""
    shape: tuple[int, ...]
    """The shape of its entries."""
    high: int
    """Largest value; the smallest is 0."""
    meaning: str
    """A description of its entries, in words."""
    start: int
    """The index of its first entry in the vector."""

    @property
    def size(self) -> int:
        """Number of its entries."""
        return prod(self.shape)

    def of(self, observation: np.ndarray) -> np.ndarray:
        """Return this slice of an observation, or of a batch of them, int8[…, *shape]."""
        piece = observation[..., self.start : self.start + self.size]
        return piece.reshape(observation.shape[:-1] + self.shape)


def size_of(slices: Mapping[str, Slice]) -> int:
    """Return the length of the observation vector that these slices make up."""
    return sum(piece.size for piece in slices.values())


def highs_of(slices: Mapping[str, Slice]) -> np.ndarray:
    """Return the largest value of each entry, int8[observation_size]; the least is 0."""
    return np.concatenate([np.full(piece.size, piece.high, np.int8) for piece in slices.values()])


def lay_out(
    declarations: Iterable[Declaration], num_players: int = 0, rules: Any = None
) -> dict[str, Slice]:
    """Return slices by name, one after the other.

    Args:
        declarations: the slices, in order.
        num_players: the value of `PLAYERS`.
        rules: holds the options that are lengths: rules, or a state; None if there are none.

    Raises:
        TypeError: for two slices of one name.
    """
    lengths: dict[Any, Any] = {PLAYERS: num_players, OTHERS: num_players - 1}
    lengths |= {option: int(getattr(rules, option)) for option in options_in(declarations)}
    slices: dict[str, Slice] = {}
    start = 0
    for name, shape, high, meaning in declarations:
        if name in slices:
            raise TypeError(f"two slices are called {name!r}: give each a name of its own")
        numbers = tuple(lengths.get(length, length) for length in shape)
        slices[name] = Slice(name, numbers, lengths.get(high, high), meaning, start)
        start += slices[name].size
    return slices


def options_in(declarations: Iterable[Declaration]) -> set[str]:
    """Return the names of the options that are lengths or highs of slices."""
    numbers = {number for _, shape, high, _ in declarations for number in (*shape, high)}
    return {name for name in numbers - {PLAYERS, OTHERS} if isinstance(name, str)}


def writes(*slices: Declaration) -> Callable[[Any], Compiled]:
    """Declare the slices of the observation that a function writes: the decorator of a writer.

    A writer is called as (state, viewer, observation, *starts), and writes what `viewer` sees into
    the observation, int8[observation_size], which holds zeros. Each slice gives it a parameter of
    its name: the index of the first entry of the slice.

    Args:
        slices: (name, shape, largest value, meaning) of each slice, in order.

    Raises:
        TypeError: for a function whose parameters after the third are not the names of the slices,
            or a shape with two lengths that depend on the number of players or an option.
    """
    for name, shape, *_ in slices:
        if sum(isinstance(length, str) for length in shape) > 1:
            raise TypeError(
                f"{name}: {shape}: one length may depend on the number of players or an option"
            )

    def declare(writer: Any) -> Compiled:
        names = [name for name, *_ in slices]
        if [*signature(writer).parameters][3:] != names:
            raise TypeError(
                f"{writer.__name__}{signature(writer)} writes {', '.join(names)}: its parameters "
                "are a state, the viewer, the observation, and these"
            )
        writer.slices = slices
        return inlined(writer)

    return declare


@writes(
    (
        "decisions_left",
        (2,),
        DIGIT - 1,
        f"decisions left before max_cycles, capped: {DIGIT} × the first number + the second",
    ),
)
def write_decisions_left(state, viewer, out, decisions_left):
    left = min(max(state.max_cycles - state.decisions, 0), DIGIT * DIGIT - 1)
    out[decisions_left] = left // DIGIT
    out[decisions_left + 1] = left % DIGIT


def slices_of(writers: Sequence[Any]) -> Callable[..., dict[str, Slice]]:
    """Return a function (num_players, rules) → the slices that writers write, in order, by name."""
    declarations = [each for writer in writers for each in writer.slices]
    _lay_out_with(declarations)  # names a mistake at once
    return partial(lay_out, declarations)


def _lay_out_with(
    declarations: Sequence[Declaration], num_players: int = 0, option: str = ""
) -> dict[str, Slice]:
    """Return slices for options that are 0, but one that is 1."""
    values = dict.fromkeys(options_in(declarations), 0) | ({option: 1} if option else {})
    return lay_out(declarations, num_players, SimpleNamespace(**values))


def join(writers: Sequence[Any]) -> Compiled:
    """Return the function (state, viewer, observation) that calls writers one after the other.

    The start of a slice is a whole number, a second one for each player, and one for each unit of
    an option: all are constants. Where nothing is compiled it is an int64, so that an int8 of a
    state can be added to it.
    """
    declarations = [each for writer in writers for each in writer.slices]
    least = _lay_out_with(declarations)
    larger = {"n": _lay_out_with(declarations, 1)}
    for option in sorted(options_in(declarations)):
        larger[f"state.{option}"] = _lay_out_with(declarations, 0, option)
    lines = ["def write_observation(state, viewer, observation):"]
    lines += ["    observation[:] = 0", "    n = state.num_players"]
    for number, writer in enumerate(writers):
        starts = []
        for name, *_ in writer.slices:
            first = least[name].start
            steps = [f" + {each[name].start - first} * {unit}" for unit, each in larger.items()]
            starts.append(f"{first}{''.join(steps)}")
        lines.append(f"    writer_{number}(state, viewer, observation, {', '.join(starts)})")
    functions = {f"writer_{number}": writer for number, writer in enumerate(writers)}
    return compile_lines(lines, functions)
