"""The table of a game without a drawing of its own as a picture, made from its words."""

from __future__ import annotations

from gubs_env.drawing.board import Heading
from gubs_env.drawing.layout import Box
from gubs_env.drawing.svg import BOLD, wrapped
from gubs_env.drawing.table import TablePicture

LINE, SIZE = 20, 15
"""The distance between two lines of words, and the size of their font."""
SMALL_LINE, SMALL_SIZE = 15, 12
"""The same where the words of a mat are many: a video needs pictures of one height."""


class PlainTable(TablePicture):
    """The words of a table, each seat's on its mat."""

    def _needs(self, seat: int, wide: float) -> float:
        return LINE * (len(self._lines(self._texts(seat), wide)) + 0.5)

    def _middle_needs(self, wide: float) -> float:
        return LINE * (len(self._lines(self._middle_texts(), wide)) + 0.5)

    def _heading(self, seat: int) -> Heading:
        return super()._heading(seat)._replace(facts="", figures={})

    def _seat(self, seat: int, box: Box) -> None:
        self._write(self._mat(seat, box, self.state.actor)[0], self._texts(seat))

    def _texts(self, seat: int) -> list[str]:
        words, private = self.words.seats[seat], self.words.private if seat == self.own_seat else ()
        return [words.facts, *(line.text for line in (*words.lines, *private))]

    def _middle(self, box: Box) -> None:
        self._write(box, self._middle_texts())

    def _middle_texts(self) -> list[str]:
        return [line.text for line in (*self.words.middle, *self.words.notes)]

    def _write(self, box: Box, texts: list[str]) -> None:
        lines, style, line = self._lines(texts, box.w), "title", LINE
        if LINE * len(lines) > box.h:
            lines, style, line = self._lines(texts, box.w, SMALL_SIZE), "soft", SMALL_LINE
            if len(lines) > (room := int(box.h // line)):
                lines[room - 1 :] = [f"{lines[room - 1]} …"]
        self.board.lines(box.x, box.y + line, lines, style, line)

    def _lines(self, texts: list[str], wide: float, size: float = BOLD * SIZE) -> list[str]:
        return [line for text in texts for line in wrapped(text, size, wide)]


draw = PlainTable.draw
