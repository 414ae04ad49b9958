"""Functions that are written once and compiled for each game.

A template is a plain function. Some of its names are `Placeholder`s for the functions of a game,
such as `step`. `Templates.specialise` copies the template with a game's functions in their place.
The compiler sees these as constants, so that a template costs nothing in play.

Simpler patterns do not work with the cache on disk. A closure is pickled with its cells. A compiled
function in a cell is pickled under an identity that is new in every process, so that its machine
code would never be found again. A function passed as an argument has the same problem: its type is
new in every process. Global names of a module are not pickled at all, so they have no such problem.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partialmethod
from types import FunctionType
from typing import Any

from gubs_env._compiler.compilation import Compiled, compiled, entry, long_entry
from gubs_env._compiler.fingerprint import names_read


@dataclass(frozen=True)
class Placeholder:
    """A name in templates that is replaced by a function or value of a game or an agent."""

    name: str
    """The name of the global variable that holds it."""

    def __call__(self, *arguments: Any) -> Any:
        raise NotImplementedError(f"{self.name} is a placeholder: specialise the template first")


class Templates:
    """The templates of a module, in the order in which they call each other."""

    def __init__(self) -> None:
        self._written: list[tuple[Callable[..., Any], Callable[..., Compiled]]] = []

    def template(
        self, function: Callable[..., Any], make: Callable[..., Compiled] = compiled
    ) -> Callable[..., Any]:
        """Declare a template that other templates call; `make` is applied to each copy of it."""
        self._written.append((function, make))
        return function

    entry_template = partialmethod(template, make=entry)
    """Declare a template that Python calls."""
    long_template = partialmethod(template, make=long_entry)
    """Declare a template whose every call is worth waiting for the compiler."""

    @property
    def placeholders(self) -> set[str]:
        """The names of the placeholders that the templates use.

        Raises:
            TypeError: for a placeholder that is held in a variable of another name.
        """
        placeholders: set[str] = set()
        for function, _ in self._written:
            for name in names_read(function.__code__):
                value = function.__globals__.get(name)
                if not isinstance(value, Placeholder):
                    continue
                if value.name != name:
                    raise TypeError(
                        f"{value} is held under the name {name!r}: give both the same name"
                    )
                placeholders.add(name)
        return placeholders

    def specialise(self, label: str, names: Mapping[str, Any]) -> dict[str, Compiled]:
        """Compile the templates with values for their placeholders; return them by name.

        Args:
            label: the name of the game or agent, which keeps its machine code apart in the cache.
            names: the value of each placeholder.

        Raises:
            TypeError: for a placeholder without a value, or a name that no template uses.
        """
        wanted = self.placeholders
        if missing := sorted(wanted - set(names)):
            raise TypeError(f"templates for {label}: nothing is given for {', '.join(missing)}")
        if unused := sorted(set(names) - wanted):
            raise TypeError(
                f"templates for {label}: no template has a placeholder {', '.join(unused)}; there "
                f"are {', '.join(sorted(wanted))}"
            )
        bound: dict[str, Compiled] = {}
        for template, make in self._written:
            name = template.__name__
            known = {**template.__globals__, **names, **bound}
            function = FunctionType(template.__code__, known, name, template.__defaults__)
            function.__module__ = template.__module__
            function.__qualname__ = f"{label}.{name}"
            function.__doc__ = template.__doc__
            bound[name] = make(function)
        return bound
