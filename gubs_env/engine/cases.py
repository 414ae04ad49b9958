"""The registry of functions by case: one for each kind of card, or for each phase of a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from gubs_env.engine.compiling import Compiled, compiled, dispatch


@dataclass
class Cases:
    """Functions for the members of an enum, which become one function."""

    members: Sequence[IntEnum]
    """The members that must have a function."""
    arguments: str = "state"
    """The names of the arguments of all functions, as "state, action"."""
    mark: Callable[[Any], Compiled] = compiled
    """`compiled` or `inlined`."""
    functions: dict[int, Compiled] = field(default_factory=dict)
    """The function of each member."""

    def of(self, *members: IntEnum) -> Callable[[Callable[..., Any]], Compiled]:
        """Return a decorator that registers a function for these members.

        Raises:
            TypeError: for a member that already has a function, or must not have one.
        """
        for member in members:
            if member in self.functions:
                raise TypeError(f"{member!r} has a function already: register one for it")
            if member not in self.members:
                names = ", ".join(each.name for each in self.members)
                raise TypeError(f"{member!r} must not have a function here: only {names}")

        def register(function: Callable[..., Any]) -> Compiled:
            marked = self.mark(function)
            self.functions.update(dict.fromkeys(members, marked))
            return marked

        return register

    def join(self) -> Compiled:
        """Return one compiled function (member, …) that calls the function of a member.

        Raises:
            TypeError: for members without a function, naming them.
        """
        if absent := [member.name for member in self.members if member not in self.functions]:
            raise TypeError(f"no function is registered for {', '.join(absent)}")
        return dispatch(dict(sorted(self.functions.items())), self.arguments)
