"""The games that agents play, and which of them have players by rule."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from agents import gubs
from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.api.game import Game

GAMES: dict[str, Game] = {
    "gubs": gubs_v0.GAME,
    "fubnub": fubnub_v0.GAME,
    "bad_bad_turtle": bad_bad_turtle_v0.GAME,
}
"""By the names of `--game`."""
PLAYERS_BY_RULE: dict[str, ModuleType] = {
    gubs_v0.GAME.name: gubs,
}
"""By the name of the game: packages with `Greedy`, `Heuristic` and the compiled rule
`heuristic_action`(observation, mask, num_players, chooser)."""


def find_game(game: str | Game) -> Game:
    """Raises ValueError for a name that `GAMES` does not list."""
    if isinstance(game, Game):
        return game
    if game not in GAMES:
        raise ValueError(f"no game is called {game!r}: there are {sorted(GAMES)}")
    return GAMES[game]


def players_by_rule(game: Game) -> dict[str, Callable[..., Any]]:
    """The hand-written players of a game, by name; none where nobody has written any."""
    package = PLAYERS_BY_RULE.get(game.name)
    return {"greedy": package.Greedy, "heuristic": package.Heuristic} if package else {}


def heuristic_rule(game: Game) -> Callable[..., Any] | None:
    """What the heuristic of a game does, as a compiled rule, or None."""
    package = PLAYERS_BY_RULE.get(game.name)
    return package.heuristic_action if package else None
