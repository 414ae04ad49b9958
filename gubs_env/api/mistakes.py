"""Mistakes in the definition of a game, each named in one sentence before the first game.

The compiler would say the same of a function in a hundred lines, and nothing of most others: what
is out of place would be found as a wrong number, or not at all.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
import math
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from types import CellType, FunctionType
from typing import Any

import numpy as np

from gubs_env.engine.compiling import names_read, numbers
from gubs_env.engine.fields import COMMON_FIELDS, LONGEST_GAME, MOST_PLAYERS, Field, Seen
from gubs_env.engine.game import check_signatures
from gubs_env.engine.options import is_whole
from gubs_env.engine.slices import options_in

MOST_ACTIONS = 128
"""The most actions of a game, whose numbers are int8 in its history."""
WIDEST = (1 << 31) - 1
"""The largest value of a field: the product of two fits the 64 bits of compiled code."""


def check_numbers(name: str, players: range, bound: int, max_payoff: float) -> None:
    """Raise ValueError for a name, players, a bound or a payoff that no game can have."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"name={name!r}: give the name of its module, as kuhn_poker_v0")
    if find_spec(f"gubs_env.{name}"):
        raise ValueError(f"{name} is the name of a module of gubs_env: choose another one")
    if not isinstance(players, range) or players.step != 1:
        raise ValueError(f"{name}: players={players!r}: give the numbers as range(2, 5)")
    if not players or players[0] < 2 or players[-1] > MOST_PLAYERS:
        raise ValueError(f"{name}: players={players!r}: 2 to {MOST_PLAYERS} are allowed")
    if not is_whole(bound) or not 1 <= bound < LONGEST_GAME:
        raise ValueError(f"{name}: bound={bound!r}: the most decisions of a game, 1 or more")
    is_number = isinstance(max_payoff, (int, float)) and not isinstance(max_payoff, bool)
    if not is_number or not 0 < max_payoff < math.inf:
        raise ValueError(f"{name}: max_payoff={max_payoff!r}: a number above 0 is allowed")


def check_sides(name: str, sides: int, players: range) -> None:
    """Raise ValueError for sides that some number of players cannot fill alike."""
    if not is_whole(sides) or sides < 0 or sides == 1:
        raise ValueError(f"{name}: sides={sides!r}: 0, for everybody alone, or 2 and more")
    if sides and (uneven := [number for number in players if number % sides]):
        raise ValueError(f"{name}: sides={sides}: {uneven[0]} players do not make equal sides")


def check_parts(name: str, parts: Iterable[str], known: Iterable[str]) -> None:
    """Raise TypeError for a part that there is not."""
    if unknown := sorted(set(parts) - set(known)):
        raise TypeError(
            f"{name}: define_game has no part {', '.join(unknown)}: there are "
            f"{', '.join(sorted(known))}"
        )


def check_actions(name: str, actions: Sequence[str]) -> None:
    """Raise ValueError unless there are 1 to 128 actions, each with a name of its own."""
    is_list = isinstance(actions, Sequence) and not isinstance(actions, str)
    if not is_list or not all(isinstance(action, str) for action in actions):
        raise ValueError(f'{name}: actions={actions!r}: give their names, as ("PASS", "BET")')
    if not 1 <= len(actions) <= MOST_ACTIONS:
        raise ValueError(f"{name}: {len(actions)} actions: 1 to {MOST_ACTIONS} are allowed")
    if twice := sorted({action for action in actions if actions.count(action) > 1}):
        raise ValueError(f"{name}: two actions are called {', '.join(twice)}")


def check_same_actions(name: str, actions: Any) -> Sequence[str]:
    """Return the actions of a game with rounds; raise ValueError if they can change."""
    if callable(actions):
        raise ValueError(
            f"{name}: at_once=True needs the same actions for all rules: name the most, and let "
            "`legal` allow those that there are"
        )
    check_actions(name, actions)
    return actions


def check_lengths(name: str, writers: Iterable[Any], options: Sequence[str]) -> set[str]:
    """Return the options that are lengths or highs of slices; raise ValueError for other texts."""
    lengths = options_in([each for writer in writers for each in writer.slices])
    if unknown := sorted(lengths - {*options}):
        there_are = ", ".join(options) or "there are none"
        raise ValueError(
            f"{name}: the observation has a slice of {unknown[0]!r}: allowed are whole numbers, "
            f"PLAYERS, OTHERS, and rules options that a field of their name holds ({there_are})"
        )
    return lengths


def check_fields(name: str, fields: Iterable[Field], most_players: int) -> None:
    """Raise TypeError or ValueError for a field that a state cannot have."""
    taken = {field.name: "a field of every game" for field in COMMON_FIELDS}
    for field in fields:
        if not isinstance(field, Field):
            raise TypeError(f"{name}: fields hold {field!r}, which is no Field")
        if not isinstance(field.name, str):
            raise TypeError(f"{name}: a field is called {field.name!r}: its name is a text")
        if hasattr(np.record, field.name):
            taken[field.name] = "the name of one of NumPy's own methods"
        where = f"{name}: the field {field.name}"
        if field.name in taken:
            raise TypeError(f"{where} has a name that is taken: it is {taken[field.name]}")
        if not field.name.isidentifier() or keyword.iskeyword(field.name):
            raise ValueError(f"{where} has a name that Python cannot read: choose another one")
        taken[field.name] = "another field of the game"
        _check_field(where, field, most_players)


def _check_field(where: str, field: Field, most_players: int) -> None:
    shape, low, high = field.shape, field.low, field.high
    if not isinstance(shape, tuple) or not all(is_whole(length) and length > 0 for length in shape):
        raise ValueError(f"{where} has the shape {shape!r}: give positive lengths, as (2,), or ()")
    if field.dtype is not np.int64:
        raise ValueError(f"{where} is kept as {field.dtype}: leave the dtype out, rows hold int64")
    if not (is_whole(low) and is_whole(high) and -WIDEST <= low <= high <= WIDEST):
        raise ValueError(
            f"{where} has values {low!r} to {high!r}: give whole numbers, the least first, between "
            f"{-WIDEST} and {WIDEST}"
        )
    if field.names and len(field.names) != high - low + 1:
        raise ValueError(
            f"{where} has {len(field.names)} names for {high - low + 1} values: give one for each "
            f"from {low} to {high}"
        )
    entries = () if callable(field.entries) else field.entries
    if entries and (not shape or len(entries) != shape[-1]):
        raise ValueError(
            f"{where} has names for {len(entries)} entries and the shape {shape}: give one "
            "for each along the last axis"
        )
    if not isinstance(field.seen, Seen) or field.seen is Seen.IN_PART:
        raise ValueError(
            f"{where} is seen {field.seen!r}: allowed are BY_ALL, BY_OWNER, BY_NOBODY, and FOLLOWS "
            "for what everybody can work out"
        )
    if field.seen is Seen.BY_OWNER and (not shape or shape[0] < most_players):
        raise ValueError(
            f"{where} is seen by its owners and has the shape {shape}: give it an entry for each "
            f"of {most_players} seats"
        )


def check_functions(
    name: str,
    fields: Iterable[Field],
    declared: Any,
    functions: Mapping[str, Callable[..., Any]],
    writers: Sequence[Callable[..., None]],
) -> None:
    """Raise TypeError for a function that could not be called or compiled.

    It takes other arguments, reads a name or a field that there is not, or calls itself by way of
    others. Functions that they call are checked too.

    Args:
        name: the name of the game.
        fields: all fields of a state.
        declared: the function that declares the types of `functions` by name.
        functions: the rules, by name.
        writers: the functions that write the observation.
    """
    check_signatures(name, declared, functions)
    known = {field.name for field in fields}
    for writer in writers:
        if not hasattr(writer, "slices"):
            word = getattr(writer, "__name__", writer)
            raise TypeError(f"{name}: {word} declares no slices: mark it with `writes(…)`")
    for function in own_functions([*functions.values(), *writers]):
        if function.__code__.co_varnames[:1] != ("state",):
            continue
        where = f"{name}: {function.__qualname__} of {function.__module__}"
        for read in names_read(function.__code__):
            if read not in function.__globals__ and not hasattr(builtins, read):
                raise TypeError(f"{where} names {read}, which is not defined there")
        for field, line in _fields_of(function):
            if field not in known:
                raise TypeError(
                    f"{where}, line {line}, names the field {field}: there are "
                    f"{', '.join(sorted(known))}"
                )
        if circle := _circle(function):
            raise TypeError(
                f"{where} calls itself ({' → '.join(circle)}), which cannot be compiled: write a "
                "loop, or keep in a field what is left to do"
            )


def _circle(function: FunctionType) -> list[str]:
    """Return the names on a way of calls from a function to itself; none if there is no way."""
    ways, visited = [[function]], set()
    while ways:
        way = ways.pop()
        for called in map(way[-1].__globals__.get, names_read(way[-1].__code__)):
            if called is function:
                return [each.__name__ for each in [*way, function]]
            if isinstance(called, FunctionType) and called not in visited:
                visited.add(called)
                ways.append([*way, called])
    return []


def own_functions(functions: Iterable[Any]) -> Iterator[FunctionType]:
    """Yield functions and those that they call, but those of gubs_env."""
    ahead, visited = list(functions), set()
    while ahead:
        function = ahead.pop()
        is_own = isinstance(function, FunctionType) and function not in visited
        if is_own and not function.__module__.startswith("gubs_env."):
            visited.add(function)
            yield function
            ahead += map(function.__globals__.get, names_read(function.__code__))
            ahead += (cell.cell_contents for cell in _cells_of(function))


def read_arrays_as_numbers(functions: Iterable[Any]) -> None:
    """Let the entries of arrays of one's own, as of a table of cards, be Python's numbers.

    In compiled code they are; NumPy's int8 would wrap, and two comparisons of its add up to one.
    """
    for function in own_functions(functions):
        for name in names_read(function.__code__):
            if type(array := function.__globals__.get(name)) is np.ndarray:
                function.__globals__[name] = numbers(array)
        for cell in _cells_of(function):
            if type(cell.cell_contents) is np.ndarray:
                cell.cell_contents = numbers(cell.cell_contents)


def _cells_of(function: FunctionType) -> list[CellType]:
    """Return the cells of the names that a function takes from the one around it, if they hold."""
    return [cell for cell in function.__closure__ or () if cell != CellType()]


def _fields_of(function: FunctionType) -> Iterator[tuple[str, int]]:
    """Yield the fields that a function names with their lines; none if its text is not at hand."""
    try:
        lines, first = inspect.getsourcelines(function)
    except OSError:
        return
    for node in ast.walk(ast.parse(textwrap.dedent("".join(lines)))):
        match node:
            case ast.Attribute(value=ast.Name(id="state"), attr=field):
                yield field, first + node.lineno - 1
