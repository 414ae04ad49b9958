"""Who takes part: agents by name or as factories, and the games they can play."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import gubs_agents
from gubs_env.api import parsing
from gubs_env.engine.game import Game

Factory = Callable[[int, int], Any]
"""(num_players, seed) → an `Agent` or a `SearchAgent`."""


@dataclass(frozen=True)
class Named:
    """A factory for an agent of `gubs_agents.names(game)`."""

    name: str
    options: tuple[tuple[str, Any], ...] = ()
    game: str | Game = "gubs"

    def __call__(self, num_players: int, seed: int) -> Any:
        return gubs_agents.make(self.name, num_players, seed, self.game, **dict(self.options))


def parse_agent(text: str, game: str | Game = "gubs") -> Named:
    """The factory that a text names: `name` or `name:option=value+option=value`.

    Options are as for `parse_options`.

    Raises:
        ValueError: for an unknown agent or option, naming those there are.
    """
    name, options = parsing.parse_agent(text)
    gubs_agents.check_options(name, options, game)
    return Named(name, tuple(options.items()), game)


def enter(
    entrants: str | Iterable[str] | Mapping[str, str | Factory], game: str | Game = "gubs"
) -> dict[str, Factory]:
    """The field by label, in alphabetical order, so that no result depends on the order given.

    Args:
        entrants: texts for `parse_agent`, in one string with commas or one by one, which are then
            the labels; or a mapping of labels to such texts or to factories.
        game: that they are to play.

    Raises:
        ValueError: for fewer than two agents, a label that occurs twice, or an unknown agent.
    """
    if isinstance(entrants, str):
        entrants = entrants.split(",")
    if not isinstance(entrants, Mapping):
        texts = [text.strip() for text in entrants]
        if twice := sorted({text for text in texts if texts.count(text) > 1}):
            raise ValueError(f"agents named twice: {', '.join(twice)}")
        entrants = {text: text for text in texts}
    if len(entrants) < 2:
        raise ValueError(f"a tournament needs at least 2 agents, not {len(entrants)}")
    return {
        label: parse_agent(entrant, game) if isinstance(entrant, str) else entrant
        for label, entrant in sorted(entrants.items())
    }


def description(factory: Factory) -> str:
    """What the results file says of a factory."""
    if isinstance(factory, Named):
        options = "+".join(f"{key}={value}" for key, value in factory.options)
        return f"{factory.name}:{options}" if options else factory.name
    qualified = getattr(factory, "__qualname__", type(factory).__qualname__)
    return f"{getattr(factory, '__module__', '')}.{qualified}"


def is_timed(factory: Factory) -> bool:
    """Whether the agent's budget is wall-clock time, so that its games cannot be repeated."""
    return isinstance(factory, Named) and "ms" in dict(factory.options)
