"""Rules as plain Python functions, and the machine code that takes their place when it is at hand.

`compiled` marks a function that other compiled functions call, `inlined` a function whose code
replaces every call, and `entry` the few functions that Python calls. Marked functions stay plain
functions. An entry is interpreted until its machine code is at hand; then it is that code. Both do
the same to the last byte. `templates` is for functions that are written once and specialised for
each game.

The variable `GUBS_ENV_COMPILE` says when the compiler is waited for:

- `auto`, the default: in calls for many games. Calls for few are interpreted while a process of low
  priority compiles (`background`).
- `beside`: in no call, as where a person plays.
- `wait`: in every call.
- `never`: nothing is compiled, and Numba is not needed. `NUMBA_DISABLE_JIT=1` does the same.

`NUMBA_BOUNDSCHECK=1` checks every index in compiled code. Code that is checked, or optimised
otherwise (`NUMBA_OPT`), is kept in files of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar
from weakref import WeakSet

import cloudpickle
import numpy as np

from gubs_env._compiler import background
from gubs_env._compiler.fingerprint import reached

Compiled = Any
"""A function that the compiler knows."""
Function = TypeVar("Function", bound=Callable[..., Any])
AUTO, BESIDE, WAIT, NEVER = "auto", "beside", "wait", "never"
MODES = (AUTO, BESIDE, WAIT, NEVER)
FEW = 64
"""The most rows of a call that is interpreted while the compiler is at work."""
ENTRIES: WeakSet[Entry] = WeakSet()
"""All entries of this process."""
LOCK = threading.RLock()
MARKED: list[Any] = []
"""Functions that Numba has not been told of yet."""


def compiling_mode() -> str:
    """Return the mode of this process; raise ValueError for a value that is not in `MODES`.

    Worker processes wait: what they do is much work, and nobody looks at it.
    """
    if is_set("NUMBA_DISABLE_JIT"):
        return NEVER
    mode = os.environ.get("GUBS_ENV_COMPILE") or AUTO
    if mode not in MODES:
        raise ValueError(f"GUBS_ENV_COMPILE={mode!r}: allowed are {', '.join(MODES)}")
    is_check_or_work = is_set("NUMBA_BOUNDSCHECK") or multiprocessing.parent_process() is not None
    return WAIT if mode == AUTO and is_check_or_work else mode


# --------------------------------------------------------------------------------- the decorators


def compiled(function: Function) -> Function:
    """Mark a function that other compiled functions call."""
    return marked(function, is_inlined=False)


def inlined(function: Function) -> Function:
    """Mark a function that every decision passes through: its code takes the place of every call.

    Without this decorator the compiler emits calls, and passing a state and an array takes up to a
    dozen registers. Inlining all functions gains little more and takes three times as long to
    compile.
    """
    return marked(function, is_inlined=True)


def marked(function: Any, is_inlined: bool) -> Any:
    function.is_inlined = is_inlined
    MARKED.append(function)
    return function


def entry(function: Callable[..., Any]) -> Compiled:
    """Make a function that Python calls an `Entry`.

    Args:
        function: its first array has a row for each game or decision.
    """
    return function if compiling_mode() == NEVER else Entry(function, waits=False)


def long_entry(function: Callable[..., Any]) -> Compiled:
    """Make a function an `Entry` whose every call is much work, and so waits for the compiler.

    Args:
        function: as for `entry`.
    """
    return function if compiling_mode() == NEVER else Entry(function, waits=True)


def dispatch(table: Mapping[int, Compiled], arguments: str) -> Compiled:
    """Compile `table` into one function: `chosen(key, …)` calls `table[key](…)`.

    A key that is not in the table does nothing. The function is one flat chain of comparisons, as
    one would write it by hand. With nested closures, the compiler would optimise each of them
    together with all that follow.

    Args:
        table: functions by key.
        arguments: names of the arguments after the key, as "state, action".
    """
    functions = {f"case_{int(key)}": function for key, function in table.items()}
    lines = [f"def chosen(key, {arguments}):"]
    for key in table:
        lines += [f"    if key == {int(key)}:", f"        return case_{int(key)}({arguments})"]
    return compile_lines(lines, functions)


def compile_lines(lines: Iterable[str], known: Mapping[str, Any] | None = None) -> Compiled:
    """Compile a function whose code follows from what a game declares.

    Args:
        lines: the definition of the function.
        known: the global names that it reads, with their values.
    """
    names = {"__name__": __name__, **(known or {})}
    exec("\n".join(lines), names)
    return compiled(names.popitem()[1])


class Entry:
    """A function that is interpreted until its machine code is at hand.

    Attributes:
        function: the plain function.
        on_ready: called with the machine code when it takes the place of the function.
        is_alone: whether no other process will compile it, so that calls have to wait.
        attention: what has been done to have it compiled, from its first call on.
    """

    def __init__(self, function: Callable[..., Any], waits: bool) -> None:
        update_wrapper(self, function)
        self.function, self.waits = function, waits
        self.on_ready: Callable[[Any], None] | None = None
        self.is_alone = False
        self.attention: background.Interpreted | None = None
        self._machine: Any = None
        with LOCK:
            ENTRIES.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the function by value: one of a template has no name to import."""
        return unpickled, (cloudpickle.dumps(self.function), self.waits)

    def __call__(self, *arguments: Any) -> Any:
        if self._machine is None:
            if not self._is_worth_waiting(arguments):
                background.attend(self, arguments)
                return self.function(*arguments)
            self.compile(arguments)
            self.switch()
        return self._machine(*arguments)

    def compile(self, arguments: tuple[Any, ...]) -> None:
        """Compile for arguments like these, if Numba works here.

        Raises:
            NotCompilable: for a function that it cannot compile.
        """
        if self.dispatcher is not self.function:
            machine_code().compile_for(self.dispatcher, arguments)

    def load(self, arguments: tuple[Any, ...]) -> bool:
        """Load machine code for arguments like these; return whether there is some on disk."""
        code = machine_code()
        signature = code.signature_of(arguments)
        if not code.is_on_disk(self.dispatcher, signature):
            return False
        self.dispatcher.compile(signature)
        self.switch()
        return True

    def switch(self) -> None:
        """Put the machine code in the place of the function."""
        self._machine = self.dispatcher
        if self.on_ready is not None:
            self.on_ready(self._machine)

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's dispatcher of the function, which compiles at its first call.

        Where Numba is missing or broken, the function itself.
        """
        try:
            code = machine_code()
        except Exception as error:  # a new Python, an unusual platform
            say_without_numba(str(error))
            return self.function
        with LOCK:
            code.register_marked(MARKED)
            return code.dispatcher_of(self.function)

    @property
    def is_interpreted(self) -> bool:
        """Whether the machine code is not at hand yet."""
        return self._machine is None

    def _is_worth_waiting(self, arguments: tuple[Any, ...]) -> bool:
        if (mode := compiling_mode()) == BESIDE:
            return False
        rows = next((len(each) for each in arguments if isinstance(each, np.ndarray)), 0)
        return self.waits or self.is_alone or mode == WAIT or rows > FEW


@cache
def machine_code() -> ModuleType:
    """Import Numba and what needs it."""
    code = import_module("gubs_env._compiler.machine_code")
    code.let_call(Entry)
    return code


def unpickled(function: bytes, waits: bool) -> Compiled:
    """Return an entry that was pickled; of the functions it calls, some came by value with it."""
    original = pickle.loads(function)
    MARKED.extend(each for each in reached(original) if hasattr(each, "is_inlined"))
    return (long_entry if waits else entry)(original)


@cache
def say_without_numba(reason: str) -> None:
    """Say once on standard error that nothing is compiled."""
    if sys.stderr is not None:
        words = f"gubs_env: interpreted, because Numba does not work here ({reason})"
        print(words, file=sys.stderr)


def interpreted(function: Compiled) -> Callable[..., Any]:
    """Return the plain function of an entry, or of its machine code."""
    plain: Any = getattr(function, "py_func", function)
    return plain.function if isinstance(plain, Entry) else plain


def is_interpreted(function: Compiled) -> bool:
    """Return whether a function is interpreted: until its machine code is at hand, or always."""
    if isinstance(function, Entry):
        return function.is_interpreted
    return not hasattr(function, "py_func")  # machine code can take the place of its entry


def is_long_work_interpreted() -> bool:
    """Return whether an entry of much work was called whose machine code is not at hand yet."""
    with LOCK:
        return any(e.waits and e.is_interpreted and e.attention is not None for e in ENTRIES)


def is_cached(function: Compiled) -> bool:
    """Return whether machine code of an entry is on disk, or it is never compiled."""
    return not isinstance(function, Entry) or machine_code().is_on_disk(function.dispatcher)


def is_set(variable: str) -> bool:
    """Return whether a variable of the environment is a number other than 0, as Numba reads it."""
    return os.environ.get(variable, "").strip() not in ("", "0")
