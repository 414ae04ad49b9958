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
otherwise (`NUMBA_OPT`), has cache folders of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Mapping
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

import cloudpickle
import numpy as np

from gubs_env.engine import background
from gubs_env.engine.sources import is_set

Compiled = Any
"""A function that the compiler knows."""
Function = TypeVar("Function", bound=Callable[..., Any])
AUTO, BESIDE, WAIT, NEVER = "auto", "beside", "wait", "never"
MODES = (AUTO, BESIDE, WAIT, NEVER)
FEW = 64
"""The most rows of a call that is interpreted while the compiler is at work."""
ASK_AFTER = 0.5
"""Seconds after its first call at which an entry asks another process to compile it. Asking takes
as long as a game: a program that ends before has no need of it."""
LOOK_EVERY = 1.0
"""Seconds between two looks for machine code that another process has written."""
PATIENCE, PATIENCE_ALONE = 300.0, 10.0
"""Seconds after which an entry waits for the compiler: where another process compiles beside this
one (it may have ended, or be unable to write), and where none does."""
ENTRIES: dict[tuple[str, str], Entry] = {}
"""All entries of this process, by module and qualified name."""
LOCK = threading.RLock()
MARKED: list[tuple[Callable[..., Any], dict[str, bool]]] = []
"""Functions that Numba has not been told of yet, with their options."""


def compiling_mode() -> str:
    """Return the mode of this process; raise ValueError for a value that is not in `MODES`.

    Worker processes wait: what they do is much work, and nobody looks at it.
    """
    if is_set("NUMBA_DISABLE_JIT"):
        return NEVER
    mode = os.environ.get("GUBS_ENV_COMPILE") or AUTO
    if mode not in MODES:
        raise ValueError(f"GUBS_ENV_COMPILE={mode!r}: allowed are {', '.join(MODES)}")
    hurts = is_set("NUMBA_BOUNDSCHECK") or multiprocessing.parent_process() is not None
    return WAIT if mode == AUTO and hurts else mode


# --------------------------------------------------------------------------------- the decorators


def compiled(function: Function) -> Function:
    """Mark a function that other compiled functions call."""
    MARKED.append((function, {}))
    return function


def inlined(function: Function) -> Function:
    """Mark a function that every decision passes through: its code takes the place of every call.

    Without this decorator the compiler emits calls, and passing a state and an array takes up to a
    dozen registers. Inlining all functions gains little more and takes three times as long to
    compile.
    """
    MARKED.append((function, {"forceinline": True}))
    return function


def entry(function: Callable[..., Any], *modules: str) -> Compiled:
    """Make a function that Python calls an `Entry`.

    Args:
        function: its first array has a row for each game or decision.
        modules: names of modules whose functions it calls without importing them, as a specialised
            template does.
    """
    return function if compiling_mode() == NEVER else Entry(function, modules, waits=False)


def long_entry(function: Callable[..., Any], *modules: str) -> Compiled:
    """Make a function an `Entry` whose every call is much work, and so waits for the compiler.

    Args:
        function, modules: as for `entry`.
    """
    return function if compiling_mode() == NEVER else Entry(function, modules, waits=True)


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
    exec("\n".join(lines), functions)
    return compiled(functions["chosen"])


class Entry:
    """A function that is interpreted until its machine code is at hand.

    Attributes:
        function: the plain function.
        on_ready: called with the machine code when it takes the place of the function.
    """

    def __init__(self, function: Callable[..., Any], modules: tuple[str, ...], waits: bool) -> None:
        update_wrapper(self, function)
        self.function, self.modules, self.waits = function, modules, waits
        self.on_ready: Callable[[Any], None] | None = None
        self._machine: Any = None
        self._next_look: float | None = None
        self._patience: float | None = None
        ENTRIES[function.__module__, function.__qualname__] = self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the function by value: one of a template has no name to import."""
        return unpickled, (cloudpickle.dumps(self.function), self.modules, self.waits)

    def __call__(self, *arguments: Any) -> Any:
        if self._machine is None:
            if not (self._is_worth_waiting(arguments) or self._is_found(arguments)):
                return self.function(*arguments)
            self._machine = self.dispatcher
            if self.on_ready is not None:
                self.on_ready(self._machine)
        return self._machine(*arguments)

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
            return code.dispatcher_of(self.function, self.modules)

    @property
    def is_interpreted(self) -> bool:
        """Whether the machine code is not at hand yet."""
        return self._machine is None

    @property
    def was_interpreted(self) -> bool:
        """Whether calls have been interpreted, and the next one may be."""
        return self._machine is None and self._next_look is not None

    def _is_worth_waiting(self, arguments: tuple[Any, ...]) -> bool:
        if (mode := compiling_mode()) == BESIDE:
            return False
        rows = next((len(each) for each in arguments if isinstance(each, np.ndarray)), 0)
        return self.waits or mode == WAIT or rows > FEW

    def _is_found(self, arguments: tuple[Any, ...]) -> bool:
        """Return whether the machine code is on disk, or nobody else writes it; look rarely."""
        now, never_waits = time.monotonic(), compiling_mode() == BESIDE
        if self._next_look is None:
            self._next_look = now if never_waits else now + ASK_AFTER
        if now < self._next_look:
            return False
        self._next_look = now + LOOK_EVERY
        if self._patience is None:
            is_asked = background.ask_for(self.function, self.modules, arguments)
            self._patience = now + (PATIENCE if is_asked else PATIENCE_ALONE)
        if now > self._patience and not never_waits:
            return True
        if not background.may_be_there(self.function, self.modules):
            return False
        if self.dispatcher is self.function:  # Numba does not work here
            return True
        return machine_code().is_on_disk(self.dispatcher, machine_code().signature_of(arguments))


@cache
def machine_code() -> ModuleType:
    """Import Numba and what needs it."""
    code = import_module("gubs_env.engine.machine_code")
    code.let_call(Entry)
    return code


def unpickled(function: bytes, modules: tuple[str, ...], waits: bool) -> Compiled:
    make = long_entry if waits else entry
    return make(pickle.loads(function), *modules)


@cache
def say_without_numba(reason: str) -> None:
    """Say once on standard error that nothing is compiled."""
    print(f"gubs_env: interpreted, because Numba does not work here ({reason})", file=sys.stderr)


def is_interpreted(function: Compiled) -> bool:
    """Return whether an entry is interpreted: until its machine code is at hand, or always."""
    return function.is_interpreted if isinstance(function, Entry) else True


def is_long_work_interpreted() -> bool:
    """Return whether an entry of much work was called whose machine code is not at hand yet."""
    return any(entry.waits and entry.was_interpreted for entry in ENTRIES.values())


def is_cached(function: Compiled) -> bool:
    """Return whether machine code of an entry is on disk, or it is never compiled."""
    if not isinstance(function, Entry):
        return True
    kept = getattr(function.dispatcher._cache, "_cache_file", None)
    return kept is not None and kept.is_intact()
