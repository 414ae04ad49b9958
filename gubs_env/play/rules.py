"""The page of rules, as people read it while they play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gubs_env.engine.game import Game
from gubs_env.engine.table import Table


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


def rules_of(table: Table) -> list[str]:
    """Return the rules of a game as lines (`paragraphs`), without lists of cards that are, as their
    headings say, "in Full Deck only", where the table has no "Full Deck (mode=full)".
    """
    text, lines, is_left_out = table.game.rules_text(), list[str](), False
    for line in paragraphs(text):
        if not line.startswith("- "):
            only = re.search(r", in ([\w ]+) only\b", line)
            option = only and re.search(rf"{only[1]} \((\w+)=(\w+)\)", text)
            is_left_out = bool(option and getattr(table.rules, option[1], option[2]) != option[2])
        lines += [] if is_left_out else [line]
    return lines


def goal(game: Game) -> str:
    """Return what one plays for, as the rules say it; "" if they have no paragraph "Goal."."""
    lines = (line.partition("Goal. ")[2] for line in paragraphs(game.rules_text()))
    return next(filter(None, lines), "")


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

    Beside one card, "Lure ×7" would be seven there: it is "Lure (7 in the printed deck)".
    """
    answers = game.answers()
    return {
        name: re.sub(r"^([^:,]+) ×(\d+)", r"\1 (\2 in the printed deck)", line)
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


def card_words(game: Game, name: str) -> list[str]:
    """Return the lines about the cards that a name fits (`card_help`).

    These are the cards with this name; else those whose names begin with it; else those whose names
    contain it; else one line that lists all names.
    """
    lines, wanted = card_help(game), " ".join(name.split()).casefold()
    for fits in (str.__eq__, str.startswith, str.__contains__):
        if matches := [lines[name] for name in lines if wanted and fits(name.casefold(), wanted)]:
            return matches
    return [f"{'no card has this name' if wanted else 'name a card'}: {', '.join(lines)}"]


def explained(lines: Sequence[str], card_texts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return lines, each with the rule of the first card in it; "" if a line before had it.

    Of a card that is played as another one, the rule of the other one is told. A rule that the line
    itself quotes is not repeated. Cards that only turned up do nothing.

    Args:
        lines: lines of the log.
        card_texts: the rules of the cards, by their names.
    """
    known, account = set[str](), []
    pattern = "|".join(sorted(map(re.escape, card_texts), key=len, reverse=True))
    for line in lines:
        card = (
            re.search(rf"\b(?:(?:{pattern}) as )?({pattern})\b(?! \d|.* turned up)", line)
            if pattern
            else None
        )
        name = card[1] if card else ""
        rule = card_texts.get(name, "")
        is_new = name not in known and rule not in line and rule.endswith(".")
        known.add(name)
        account.append((line, f"{name}: {rule}" if is_new else ""))
    return account
