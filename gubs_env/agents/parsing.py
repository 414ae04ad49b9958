"""Agents and rules written as text, as on a command line or in `gymnasium.make`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gubs_env.engine.game import Game
from gubs_env.engine.option_texts import parse_options


def parse_label(text: str) -> tuple[str, str]:
    """Return the label of an agent and the text of the agent, which is its label if it has none.

    >>> parse_label("large=llm:base_url=http://localhost:8000/v1+model=NAME")
    ('large', 'llm:base_url=http://localhost:8000/v1+model=NAME')
    >>> parse_label("ismcts:playouts=50")
    ('ismcts:playouts=50', 'ismcts:playouts=50')
    """
    label, equals, agent = text.partition("=")
    return (label.strip(), agent.strip()) if equals and ":" not in label else (text, text)


def names_in(text: str) -> list[str]:
    """Return the names that a text separates by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def split_agents(text: str) -> list[str]:
    """Return the agents that a text names, separated by commas.

    Raises:
        ValueError: for an agent or a label (`parse_label`) that is named twice.
    """
    texts = names_in(text)
    labels = [parse_label(piece)[0] for piece in texts]
    if twice := sorted({label for label in labels if labels.count(label) > 1}):
        raise ValueError(f"agents named twice: {', '.join(twice)}")
    return texts


def parse_rules(given: str | Mapping[str, Any], game: Game) -> Any:
    """Return the rules of a game with options given as a text (`parse_options`) or a mapping.

    Raises:
        ValueError: for an option that the game does not have, or a value that is not allowed.
    """
    return game.make_rules(parse_options(given) if isinstance(given, str) else given)
