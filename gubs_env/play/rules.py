"""The page of rules, as people read it while they play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gubs_env.engine.card_texts import card_help, paragraphs
from gubs_env.engine.game import Game
from gubs_env.engine.table import Table

CONDITION = re.compile(
    r"(?:\d+\. )?(?:[\w' ]+, )?(?:in|where each plays) ([\w ]+?)(?: and in ([\w ]+))?"
    r"(?:[,:]| only\b)",
    re.IGNORECASE,
)
"""The beginning of a sentence that holds in some modes, with what the rules call them."""
UNSAID = re.compile(r"^(\d+\. |)(?:In|Where) [^,]+, (\w)")
"""Words that need not be said where such a sentence holds, and the letter after them."""


def rules_of(table: Table) -> list[str]:
    """Return the rules of a table as lines (`paragraphs`), without what they say of other modes.

    A sentence that begins with "In teams, " is of the modes that the rules mention as "teams
    (mode=team)", one with "In Full Deck" of the mode with this title; so is the rest of its
    paragraph, and the list below a heading "The action cards, in Full Deck only".
    """
    lines, is_left_out, number = list[str](), False, 0
    for line in paragraphs(table.game.rules_text()):
        is_card = line.startswith("- ")
        kept = line if is_card else _kept(table, line)
        is_left_out = is_left_out if is_card else bool(line) and not kept
        if is_left_out:
            continue
        number = number + 1 if re.match(r"\d+\. ", kept) else 0
        lines.append(re.sub(r"^\d+(?=\. )", str(number), kept))
    return lines


def _kept(table: Table, line: str) -> str:
    """Return a line of the rules without sentences about other modes, and options by their titles.

    An option without a title, or whose title is in the line, is left out, and so are the words "In
    teams, " at the beginning of a sentence that holds.
    """
    text, titles, options = table.game.rules_text(), table.rules.titles, table.rules.as_dict()

    def said(sentence: str) -> str:
        begun = CONDITION.match(sentence)
        names = [name for name in begun.groups() if name] if begun else []
        modes = {option for option, title in titles.items() if title in names}
        for name in names:
            modes.update(re.findall(rf"\b{re.escape(name)} \((\w+=\w+)\)", text))
        if not modes:
            return sentence
        holds = any(f"{name}={value}" in modes for name, value in options.items())
        return UNSAID.sub(lambda m: m[1] + m[2].upper(), sentence) if holds else ""

    def titled(option: re.Match[str]) -> str:
        title = titles.get(option[1], "")
        return f" ({title})" if title not in line else ""

    kept = "".join(map(said, re.split(r"(?<=\D\. )(?=In |Where )", line))).rstrip()
    return re.sub(rf" \((({'|'.join(options)})=\w+)\)", titled, kept)


def goal(table: Table) -> str:
    """Return what one plays for, as the rules say it; "" if they have no paragraph "Goal."."""
    lines = (line.partition("Goal. ")[2] for line in rules_of(table))
    return next(filter(None, lines), "")


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
