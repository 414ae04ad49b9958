"""Words and terminal styles that all games share."""

from __future__ import annotations

from collections.abc import Callable

STYLES = {"bold": "1", "faint": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
Paint = Callable[[str, str], str]
"""(text, style) → the text in that style."""


def painter(colour: bool) -> Paint:
    """Return a function that adds terminal styles; without `colour` it leaves texts alone."""

    def paint(text: str, style: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if colour else text

    return paint


def player_name(player: int) -> str:
    """Return the name of a player, as PettingZoo names the agent: `player_0`."""
    return f"player_{player}"


def plural(count: int, word: str) -> str:
    """Return `1 card` or `2 cards`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def marked(name: str, marks: list[str]) -> str:
    """Return a name with its marks, if any, in brackets: `player_1 (you, to move)`."""
    return f"{name} ({', '.join(marks)})" if marks else name
