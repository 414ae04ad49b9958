"""The scripted agents of each game, and the facts about each game that search and networks use."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from gubs_agents.common.scripted import WeightedAgent
from gubs_agents.common.symmetry import Symmetry
from gubs_agents.scripted import bad_bad_turtle, fubnub, gubs
from gubs_env.engine.game import Game
from gubs_env.engine.table import Table

PACKAGES: dict[str, ModuleType] = {
    "gubs_v0": gubs,
    "fubnub_v0": fubnub,
    "bad_bad_turtle_v0": bad_bad_turtle,
}
"""The package of each game, by the name of the game. Each defines the agents `Greedy` and
`Heuristic`, the `HORIZON` of playouts, the `SYMMETRY` of positions, and the `SEAT_FIELD`, the field
of a state that says which row of `hand` is that of the player to decide; None in a game without
hands."""


class ScriptedBuilder:
    """A builder of one kind of scripted agent: the class of that name in each game's package."""

    def __init__(self, kind: str, line: str) -> None:
        self.kind = kind
        self.__doc__ = line

    def plays(self, game: Game) -> bool:
        """Return whether a game has this agent."""
        return game.name in PACKAGES

    def __call__(self, table: Table, seed: int | None = None) -> Any:
        return getattr(PACKAGES[table.game.name], self.kind)(table, seed)


greedy = ScriptedBuilder("Greedy", "One-line priorities, the kind of bot people write first.")
heuristic = ScriptedBuilder("Heuristic", "The best hand-written play found so far.")


def scripted_agents(game: Game) -> list[str]:
    """Return the names of the scripted agents of a game, weakest first; empty if it has none."""
    return ["greedy", "heuristic"] if game.name in PACKAGES else []


def playout_horizon(game: Game) -> int:
    """Return after how many own turns or rounds a search counts the lead; 0 plays to the end."""
    return PACKAGES[game.name].HORIZON if game.name in PACKAGES else 0


def symmetry_of(game: Game) -> Symmetry | None:
    """Return the symmetry through which networks see the positions of a game, or None."""
    return PACKAGES[game.name].SYMMETRY if game.name in PACKAGES else None


def seat_field(game: Game) -> str | None:
    """Return the field of a state that says whose hand the player to decide has, or None."""
    return PACKAGES[game.name].SEAT_FIELD if game.name in PACKAGES else None


def heuristic_of(game: Game) -> type[WeightedAgent] | None:
    """Return the class of a game's heuristic, or None."""
    return PACKAGES[game.name].Heuristic if game.name in PACKAGES else None
