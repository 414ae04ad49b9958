"""Who takes part: agents by name or as factories, and the games they can play."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import agents
from gubs_env import gubs_v0
from gubs_env.api.game import Game

GAMES: dict[str, Game] = {"gubs": gubs_v0.GAME}
"""The games of `--game`."""

Factory = Callable[[int, int], Any]
"""(num_players, seed) → an `Agent` or a `SearchAgent`."""


@dataclass(frozen=True)
class Named:
    """A factory for an agent of `agents.names()`."""

    name: str
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, num_players: int, seed: int) -> Any:
        return agents.make(self.name, num_players, seed, **dict(self.options))


def find_game(game: str | Game) -> Game:
    """Raises ValueError for a name that `GAMES` does not list."""
    if isinstance(game, Game):
        return game
    if game not in GAMES:
        raise ValueError(f"no game is called {game!r}: there are {sorted(GAMES)}")
    return GAMES[game]


def parse_agent(text: str) -> Named:
    """The factory that a text names: `name` or `name:option=value+option=value`.

    Options are separated by `+` or `;`. A value is taken as int, float or str, the first that fits.

    Raises:
        ValueError: for an unknown agent or option, naming those there are.
    """
    name, _, rest = text.strip().partition(":")
    options = {}
    for piece in re.split(r"[+;](?=\w+=)", rest) if rest else ():
        key, equals, value = piece.partition("=")
        if not equals:
            raise ValueError(f"agent {text!r}: {piece!r} is not an option, write option=value")
        options[key] = parse_value(value)
    agents.check_options(name, options)
    return Named(name, tuple(options.items()))


def parse_value(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def enter(
    entrants: str | Iterable[str] | Mapping[str, str | Factory],
) -> dict[str, Factory]:
    """The field by label, in alphabetical order, so that no result depends on the order given.

    Args:
        entrants: texts for `parse_agent`, in one string with commas or one by one, which are then
            the labels; or a mapping of labels to such texts or to factories.

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
        label: parse_agent(entrant) if isinstance(entrant, str) else entrant
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
