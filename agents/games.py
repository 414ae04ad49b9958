"""The games that agents play, and which of them have players by rule."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from types import ModuleType
from typing import Any

from agents import bad_bad_turtle, fubnub, gubs
from agents.symmetry import Symmetry
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
    fubnub_v0.GAME.name: fubnub,
    bad_bad_turtle_v0.GAME.name: bad_bad_turtle,
}
"""By the name of the game: packages with `Greedy`, `Heuristic` and the compiled rule
`heuristic_action`(observation, mask, num_players, chooser); and `HORIZON`, own turns after which
the lead tells a search more than the end of the game would, 0 for none; and `SYMMETRY`, by which
networks see its positions, or None."""


def find_game(game: str | Game) -> Game:
    """Raises ValueError for a name that `GAMES` does not list."""
    if isinstance(game, Game):
        return game
    if game not in GAMES:
        raise ValueError(f"no game is called {game!r}: there are {sorted(GAMES)}")
    return GAMES[game]


def parse_options(text: str) -> dict[str, Any]:
    """The options that a text names: `option=value`, separated by `+` or `;`.

    A value is True or False, int, float or str, the first that fits; with a comma in it a list of
    such.

    Raises:
        ValueError: for a piece that is no option.
    """
    options = {}
    for piece in re.split(r"[+;](?=\w+=)", text) if text else ():
        key, equals, value = piece.partition("=")
        if not equals:
            raise ValueError(f"{piece!r} is not an option, write option=value")
        parts = [parse_value(part) for part in value.split(",")]
        options[key] = parts if len(parts) > 1 else parts[0]
    return options


def parse_value(text: str) -> bool | int | float | str:
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_rules(text: str, game: Game) -> Any:
    """The rules of a game with the options that a text names (`parse_options`).

    Raises:
        ValueError: for an option that the game does not have, or a value it does not offer.
    """
    options = parse_options(text)
    known = [entry.name for entry in fields(game.rules)]
    if unknown := sorted(set(options) - set(known)):
        raise ValueError(
            f"the rules of {game.name} have no option {', '.join(unknown)}: there are "
            f"{', '.join(known)}"
        )
    return game.rules(**options)


def players_by_rule(game: Game) -> dict[str, Callable[..., Any]]:
    """The hand-written players of a game, by name; none where nobody has written any."""
    package = PLAYERS_BY_RULE.get(game.name)
    return {"greedy": package.Greedy, "heuristic": package.Heuristic} if package else {}


def playout_horizon(game: Game) -> int:
    """Own turns after which a search should count the lead; 0: it should play to the end."""
    package = PLAYERS_BY_RULE.get(game.name)
    return package.HORIZON if package else 0


def symmetry_of(game: Game) -> Symmetry | None:
    """How a network sees the positions of a game, unless as they are."""
    package = PLAYERS_BY_RULE.get(game.name)
    return package.SYMMETRY if package else None


def heuristic_rule(game: Game) -> Callable[..., Any] | None:
    """What the heuristic of a game does, as a compiled rule, or None."""
    package = PLAYERS_BY_RULE.get(game.name)
    return package.heuristic_action if package else None
