"""Words and terminal styles that all games share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from gubs_env.engine.seats import NOBODY

STYLES = {
    "bold": "1", "faint": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34",
    "magenta": "35", "cyan": "36",
}  # fmt: skip
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


def viewer_name(player: int) -> str:
    """Return the name of the player who sees a table; NOBODY is a spectator, as all see it."""
    return "all" if player == NOBODY else player_name(player)


def printable(text: str) -> str:
    """Return a text of somebody else on one line, as a terminal may show it.

    White space becomes single spaces. Characters that are not printable, such as those that control
    a terminal or change the direction of the text, become escapes: `\\x1b`.
    """
    line = " ".join(text.split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def plural(count: int, word: str) -> str:
    """Return `1 card` or `2 cards`."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def of_another(text: str) -> str:
    """Return a move or a question, which addresses the one who decides, as it is told to others."""
    said = re.sub(r"\byour turn\b", "the turn", text)
    said = re.sub(r"\b(Y|y)our\b", lambda found: "Their" if found[1] == "Y" else "their", said)
    return re.sub(r"\byourself\b", "themselves", said)


def asked_of_another(question: str) -> str:
    """Return a question as it is told to others, after a colon, so without further ones: "take the
    turn – reveal a card" for "You: take your turn: reveal a card".
    """
    return of_another(question.removeprefix("You: ")).replace(": ", " – ")


def marked(name: str, marks: list[str]) -> str:
    """Return a name with its marks, if any, in brackets: `player_1 (you, has the turn)`."""
    return f"{name} ({', '.join(marks)})" if marks else name


# ------------------------------------------------------------------------- the table, part by part


class Line(NamedTuple):
    """A line of words, in one terminal style."""

    text: str
    style: str = ""
    """A key of STYLES, or empty."""


class SeatWords(NamedTuple):
    """The cards and marks of one seat, in words."""

    name: str
    marks: Sequence[str] = ()
    """Notes about the seat, such as "you" or "has the turn"."""
    facts: str = ""
    """Points and counts, in a few words."""
    lines: Sequence[Line] = ()
    """The cards that lie there, one line each."""
    style: str = "bold"
    """The style of the name."""


class TableWords(NamedTuple):
    """The table in words, in the parts that a layout puts in their places."""

    heading: str
    """The game, and who sees it so."""
    seats: Sequence[SeatWords]
    """The seats, clockwise from seat 0."""
    own_seat: int
    """The seat of the viewer; NOBODY for a spectator."""
    middle: Sequence[Line] = ()
    """A few words about the things in the middle: the deck, the Letters and so on."""
    private: Sequence[Line] = ()
    """Private information of the viewer: their hand, then their knowledge of the others."""
    notes: Sequence[Line] = ()
    """Further lines about the middle of the table; the card announced comes last."""
    card_styles: Mapping[str, str] = MappingProxyType({})
    """The style of each card by its title, a colour for each type."""
    interrupts: bool = False
    """Whether the viewer is asked although it is not their turn."""


class Trick(NamedTuple):
    """A trick that was taken, in words."""

    winner: str
    """The name of the seat that took it."""
    cards: Sequence[tuple[str, str]]
    """The name of each seat, and its card."""
    state: Any
    """The state in which all its cards still lie and its winner is credited with it."""
    ending: Sequence[str] = ()
    """Sentences about the end of the hand; none if the hand goes on."""


def table_text(table: TableWords, paint: Paint) -> str:
    """Return a table as lines of text, one part after the other."""
    lines = ["   ".join([paint(table.heading, "bold"), *_painted(table.middle, paint)])]
    spaced = any(seat.lines for seat in table.seats)
    lines += [] if spaced else [""]
    for seat in table.seats:
        name = paint(marked(seat.name, list(seat.marks)), seat.style)
        lines += ["", f"{name}: {seat.facts}"] if spaced else [f"{name}: {seat.facts}"]
        lines += [f"   {line}" for line in _painted(seat.lines, paint)]
    if table.private or table.notes:
        lines += ["", *_painted(table.private, paint), *_painted(table.notes, paint)]
    return "\n".join(lines)


def _painted(lines: Sequence[Line], paint: Paint) -> list[str]:
    return [paint(line.text, line.style) if line.style else line.text for line in lines]
