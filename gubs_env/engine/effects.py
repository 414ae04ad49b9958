"""The registry of card effects: one function for one or more kinds of card."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any

from gubs_env._compiler.compilation import Compiled, compiled, dispatch


class Effects:
    """The effect of each kind of card.

    Args:
        kinds: the kinds of card that must have an effect.
    """

    def __init__(self, kinds: Iterable[IntEnum]) -> None:
        self.kinds = list(kinds)
        self.functions: dict[int, Compiled] = {}

    def of(self, *kinds: IntEnum) -> Callable[[Callable[..., Any]], Compiled]:
        """Return a decorator that registers a function (state) as the effect of these kinds.

        Raises:
            TypeError: for a kind that already has an effect, or must not have one.
        """
        for kind in kinds:
            if kind in self.functions:
                raise TypeError(f"{kind!r} has an effect already: register one function for it")
            if kind not in self.kinds:
                raise TypeError(f"{kind!r} takes no effect, as its row of the table says")

        def register(function: Callable[..., Any]) -> Compiled:
            effect = compiled(function)
            self.functions.update(dict.fromkeys(kinds, effect))
            return effect

        return register

    def dispatched(self) -> Compiled:
        """Return one compiled function (kind, state) that calls the effect of a kind.

        Raises:
            TypeError: for kinds without an effect, naming them.
        """
        if absent := [kind.name for kind in self.kinds if kind not in self.functions]:
            raise TypeError(f"no function says what these cards do: {', '.join(absent)}")
        return dispatch(self.functions, "state")
