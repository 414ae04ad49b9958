"""The lines of the rules about each card of a game."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gubs_env.engine.game import Game


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs and list items of a text, each as one line."""
    lines: list[str] = []
    for line in text.splitlines():
        begins = not line or re.match(r"- |\d+\. ", line) or not (lines and lines[-1])
        if begins:
            lines.append(line)
        else:
            lines[-1] += f" {line.strip()}"
    return lines


def card_lines(game: Game) -> dict[str, str]:
    """Return the line of the rules about each card, by its name."""
    lines = [line[2:] for line in paragraphs(game.rules_text()) if line.startswith("- ")]
    return {re.split(" ×|, |: ", line)[0]: line for line in lines}


def card_texts(game: Game) -> dict[str, str]:
    """Return what each card does, by its name, as the rules say it."""
    texts = {name: line.partition(": ")[2] for name, line in card_lines(game).items()}
    return {name: text for name, text in texts.items() if text}


def card_help(game: Game) -> dict[str, str]:
    """Return the line of the rules about each card, and what can answer it, by its name.

    Beside one card, "Lure ×7" would be seven there: "Lure ×7, Hazard" is "Lure, Hazard (7 in the
    printed deck)".
    """
    answers = game.answers()
    return {
        name: re.sub(r"^([^:,]+) ×(\d+)([^:]*)", r"\1\3 (\2 in the printed deck)", line)
        + _answered(answers.get(name))
        for name, line in card_lines(game).items()
    }


def _answered(titles: Sequence[str] | None) -> str:
    """Return which cards can answer a card, as a sentence; "" for None, of a card without any."""
    if titles is None:
        return ""
    if not titles:
        return " Nothing answers it."
    *most, last = titles
    return f" Answered by {', '.join(most)} or {last}." if most else f" Answered by {last}."
