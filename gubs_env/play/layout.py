"""The table as boxes of text: the others at the top, the middle, the viewer at the bottom."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from gubs_env.engine.seats import NOBODY
from gubs_env.engine.text import Line, Paint, SeatWords, TableWords

NARROWEST_BOX = 26
"""Least width of a box, in columns."""
GAP = 3
"""Number of spaces between two columns inside a box."""
MOST_WIDE = 120
"""Largest width of a table, in columns: longer lines are hard to read."""


class Borders(NamedTuple):
    """The characters of the boxes."""

    top_left: str
    top_right: str
    bottom_left: str
    bottom_right: str
    across: str
    down: str
    tee_left: str
    tee_right: str


ROUND, PLAIN = Borders(*"╭╮╰╯─│├┤"), Borders(*"++++-|++")
"""The borders of boxes, and those for terminals that have no others."""


class Layout:
    """A layout that turns tables into lines of text.

    Args:
        width: number of columns of the terminal; at least 20 and at most MOST_WIDE are used.
        paint: adds terminal styles, or none.
        borders: the characters of the boxes.
    """

    def __init__(self, width: int, paint: Paint, borders: Borders) -> None:
        self.width = max(20, min(width, MOST_WIDE))
        self.paint = paint
        self.borders = borders

    # ------------------------------------------------------------------------------- the table

    def table(
        self, table: TableWords, hands: Mapping[int, Sequence[Line]] | None = None
    ) -> list[str]:
        """Return the lines of a table.

        Args:
            table: the table as somebody sees it.
            hands: the open cards to show with each seat, by seat.
        """
        styles, viewer = table.card_styles, table.own_seat
        boxes = [(seat, (hands or {}).get(number, ())) for number, seat in _clockwise(table)]
        lines = self.wrapped(Line(table.heading, "bold"), self.width, {})
        lines += self._others(boxes, styles)
        lines += self._middle(table)
        if viewer != NOBODY:
            lines += self._box(table.seats[viewer], table.private, self.width, styles)
        return lines

    def _others(
        self, seats: list[tuple[SeatWords, Sequence[Line]]], styles: Mapping[str, str]
    ) -> list[str]:
        """Return the boxes of seats in rows, arranged so that they take the fewest lines."""
        most = max(1, min(len(seats), self.width // NARROWEST_BOX))
        tried = []
        for columns in range(most, 0, -1):
            rows = -(-len(seats) // columns)
            ends = [-(-len(seats) * row // rows) for row in range(rows + 1)]
            parts = [seats[start:end] for start, end in pairwise(ends)]
            tried.append([line for part in parts for line in self._row(part, styles)])
        return min(tried, key=len)

    def _row(
        self, seats: Sequence[tuple[SeatWords, Sequence[Line]]], styles: Mapping[str, str]
    ) -> list[str]:
        """Return the boxes of seats side by side."""
        ends = [self.width * number // len(seats) for number in range(len(seats) + 1)]
        widths = [end - start for start, end in pairwise(ends)]
        boxes = [(*seat, width) for seat, width in zip(seats, widths, strict=True)]
        height = max(len(self._box(*box, styles)) for box in boxes)
        drawn = [self._box(*box, styles, height) for box in boxes]
        return ["".join(parts) for parts in zip(*drawn, strict=True)]

    def _middle(self, table: TableWords) -> list[str]:
        row = "   ".join(line.text for line in table.middle)
        lines = textwrap.wrap(row, self.width - 4)
        if len(lines) == 1:
            lines = ["   ".join(self._painted(line, {}) for line in table.middle)]
        lines += self._wrapped_all(table.notes, self.width - 2, table.card_styles)
        return [f"  {line}" for line in lines]

    # ---------------------------------------------------------------------------------- a box

    def _box(
        self,
        seat: SeatWords,
        hand: Sequence[Line],
        width: int,
        styles: Mapping[str, str],
        height: int = 0,
    ) -> list[str]:
        """Return the lines of a box, at least `height`: a seat, and its hand below it."""
        inner, b = width - 4, self.borders
        top, inside = self._head(seat, width)
        inside += self._flow(seat.lines, inner, styles)
        below = self._wrapped_all(hand, inner, styles)
        inside += [""] * (height - len(inside) - len(below) - (3 if below else 2))
        lines = [top, *(self._walled(line, inner) for line in inside)]
        if below:
            lines.append(b.tee_left + b.across * (width - 2) + b.tee_right)
            lines += [self._walled(line, inner) for line in below]
        lines.append(b.bottom_left + b.across * (width - 2) + b.bottom_right)
        return lines

    def _head(self, seat: SeatWords, width: int) -> tuple[str, list[str]]:
        """Return the upper border with the name, and the lines of words that do not fit into it."""
        b, marks = self.borders, ", ".join(seat.marks)
        title, inside = f"{seat.name} ({marks})" if marks else seat.name, []
        if len(title) + 6 > width:
            title = seat.name
            inside = [self.paint(line, "faint") for line in textwrap.wrap(marks, width - 4)]
        left = b.top_left + b.across
        room = width - len(left) - len(title) - 3
        facts = ""
        if len(seat.facts) + 4 <= room:
            facts = f" {seat.facts} {b.across}"
        else:
            inside = textwrap.wrap(seat.facts, width - 4) + inside
        across = b.across * (room - len(facts))
        top = f"{left} {self.paint(title, seat.style)} {across}{facts}{b.top_right}"
        return top, inside

    def _walled(self, line: str, inner: int) -> str:
        b = self.borders
        return f"{b.down} {line}{' ' * (inner - visible(line))} {b.down}"

    def _flow(self, lines: Sequence[Line], inner: int, styles: Mapping[str, str]) -> list[str]:
        """Return lines in as many columns as fit, filled downwards; a single column is wrapped."""
        if not lines:
            return []
        longest = max(len(line.text) for line in lines)
        columns = max(1, min((inner + GAP) // (longest + GAP), len(lines)))
        if columns == 1:
            return self._wrapped_all(lines, inner, styles)
        rows = -(-len(lines) // columns)
        cells = [self._painted(line, styles) + " " * (longest - len(line.text)) for line in lines]
        return [(" " * GAP).join(cells[row::rows]) for row in range(rows)]

    # ---------------------------------------------------------------------------------- words

    def wrapped(self, line: Line, width: int, styles: Mapping[str, str]) -> list[str]:
        """Return a line wrapped to a width, but not inside the title of a card, and painted."""
        text = kept_whole(line.text, styles)
        parts = textwrap.wrap(text, max(width, 10), subsequent_indent="   ", break_on_hyphens=False)
        lines = [Line(part.replace(NO_BREAK, " "), line.style) for part in parts or [""]]
        return [self._painted(each, styles) for each in lines]

    def _wrapped_all(
        self, lines: Sequence[Line], width: int, styles: Mapping[str, str]
    ) -> list[str]:
        return [part for line in lines for part in self.wrapped(line, width, styles)]

    def _painted(self, line: Line, styles: Mapping[str, str]) -> str:
        """Return a line in its style, or with each card in the colour of its type."""
        if line.style:
            return self.paint(line.text, line.style)
        titles = title_pattern(styles)
        return titles.sub(lambda title: self.paint(title[0], styles[title[0]]), line.text)

    def columns(self, texts: Sequence[str], styles: Mapping[str, str]) -> list[str]:
        """Return texts in as many columns as fit, filled downwards."""
        lines = self._flow([Line(text) for text in texts], self.width, styles)
        return [line.rstrip() for line in lines]


def _clockwise(table: TableWords) -> list[tuple[int, SeatWords]]:
    """Return the other seats with their numbers, clockwise from the viewer; all for a spectator."""
    seats = list(enumerate(table.seats))
    after = table.own_seat + 1
    return [seat for seat in seats[after:] + seats[:after] if seat[0] != table.own_seat]


ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def visible(text: str) -> int:
    """Return the number of characters of a text without its terminal styles."""
    return len(ESCAPE.sub("", text))


NO_BREAK = "\xa0"
"""A space at which `textwrap` does not break a line."""


def kept_whole(text: str, styles: Mapping[str, str]) -> str:
    """Return a text without breaks inside the titles of cards, and before their number."""
    whole = title_pattern(styles).sub(lambda title: title[0].replace(" ", NO_BREAK), text)
    return whole.replace(" ×", f"{NO_BREAK}×")


def title_pattern(styles: Mapping[str, str]) -> re.Pattern[str]:
    """Return the pattern of the titles of cards, the longest first."""
    titles = sorted(map(re.escape, styles), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(titles)})\b" if titles else r"(?!)")
