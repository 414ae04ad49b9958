"""The scripted agents of each game, and the facts about each game that search and networks use."""

from __future__ import annotations

from typing import Any, NamedTuple

from gubs_agents.common.scripted import ScriptedAgent, WeightedAgent
from gubs_agents.common.symmetry import Symmetry
from gubs_agents.scripted.bad_bad_turtle import greedy as turtle_greedy
from gubs_agents.scripted.bad_bad_turtle import heuristic as turtle_heuristic
from gubs_agents.scripted.fubnub import greedy as fubnub_greedy
from gubs_agents.scripted.fubnub import heuristic as fubnub_heuristic
from gubs_agents.scripted.fubnub.symmetry import SYMMETRY
from gubs_agents.scripted.gubs import greedy as gubs_greedy
from gubs_agents.scripted.gubs import heuristic as gubs_heuristic
from gubs_env.engine.game import Game
from gubs_env.engine.table import Table


class Scripted(NamedTuple):
    """The scripted agents of a game, and the facts about it that search and networks use."""

    greedy: type[ScriptedAgent] | None = None
    heuristic: type[WeightedAgent] | None = None
    horizon: int = 0
    """The number of own turns or rounds after which a playout ends; 0 plays to the end."""
    seat_field: str | None = None
    """The field of a state that says which row of `hand` is that of the player to decide; None in a
    game without hands."""
    symmetry: Symmetry | None = None
    """The symmetry through which networks see positions."""


GAMES = {
    "gubs_v0": Scripted(gubs_greedy.Greedy, gubs_heuristic.Heuristic, seat_field="actor"),
    "fubnub_v0": Scripted(fubnub_greedy.Greedy, fubnub_heuristic.Heuristic, 1, "asked", SYMMETRY),
    "bad_bad_turtle_v0": Scripted(turtle_greedy.Greedy, turtle_heuristic.Heuristic),
}
"""The scripted agents and the facts of each game, by the name of the game."""


def scripted_in(game: Game) -> Scripted:
    """Return what this package has for a game; nothing for a game of another package."""
    return GAMES.get(game.name, Scripted())


class ScriptedBuilder:
    """A builder of one kind of scripted agent: that of each game."""

    def __init__(self, kind: str, line: str) -> None:
        self.kind = kind
        self.__doc__ = line

    def plays(self, game: Game) -> bool:
        """Return whether a game has this agent."""
        return game.name in GAMES

    def __call__(self, table: Table, seed: int | None = None) -> Any:
        return getattr(GAMES[table.game.name], self.kind)(table, seed)


greedy = ScriptedBuilder("greedy", "One-line priorities, the kind of bot people write first.")
heuristic = ScriptedBuilder("heuristic", "The best hand-written play found so far.")


def scripted_agents(game: Game) -> list[str]:
    """Return the names of the scripted agents of a game, weakest first; empty if it has none."""
    return ["greedy", "heuristic"] if game.name in GAMES else []


def symmetry_of(game: Game) -> Symmetry | None:
    """Return the symmetry through which networks see the positions of a game, or None."""
    return scripted_in(game).symmetry
