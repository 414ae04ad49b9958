"""Options of agents and rules as text: `option=value+option=value`."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from gubs_env.engine.game import Game


def parse_options(text: str) -> dict[str, Any]:
    """Return the options that a text names: `option=value`, separated by `+` or `;`.

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
    """Return the value that a text names."""
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_rules(text: str, game: Game) -> Any:
    """Return the rules of a game with the options that a text names (`parse_options`).

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
