"""The table of a game without a drawing of its own as a picture, made from its words."""

from __future__ import annotations

from gubs_env.drawing.board import MAT_INSET, notes
from gubs_env.drawing.layout import Box, Places, around
from gubs_env.drawing.svg import BOLD, wrapped
from gubs_env.drawing.table import Heading, TablePicture
from gubs_env.engine.seats import seat_at
from gubs_env.engine.text import player_name
from gubs_env.engine.view import Size, View

LINE, SIZE = 20, 15
"""The distance between two lines of words, and the size of their font."""


def draw(view: View, open_hands: bool = False, size: Size | None = None) -> str:
    """Return the picture of a view as SVG.

    Args:
        view: the view to draw, of a seat or of a spectator.
        open_hands: whether the view holds the whole state.
        size: the width and height of the window for the picture; None for the usual width.
    """
    return PlainTable(view, open_hands, size).svg()


class PlainTable(TablePicture):
    """The words of a table, each seat's on its mat."""

    def _places(self) -> Places:
        most = max((len(seat.lines) for seat in self.words.seats), default=0)
        high = 84 + LINE * most
        middle = 40 + LINE * len([*self.words.middle, *self.words.notes])
        own = high + LINE * len(self.words.own)
        return around(self.seats, top=high, side=high, middle=middle, own=own)

    def _needs(self, steps: int, wide: float) -> float:
        seat = seat_at(self.state, self.bottom, steps)
        lines = self._lines(self._texts(seat), wide - 2 * MAT_INSET)
        return self._inner_needs(seat, wide, LINE * (len(lines) + 0.5))

    def _middle_needs(self, wide: float) -> float:
        return LINE * (len(self._lines(self._middle_texts(), wide)) + 0.5)

    def _heading(self, seat: int) -> Heading:
        marks = notes(self.words.seats[seat].marks, self._wins(seat), self.open)
        return Heading(player_name(seat), "", marks, {})

    def _wins(self, seat: int) -> bool:
        return self.is_over and seat in self.game.outcome(self.state).winners

    def _seat(self, seat: int, box: Box) -> None:
        turn = bool(seat == self.state.actor and not self.is_over)
        inner = self.board.mat(box, *self._heading(seat), is_turn=self._wins(seat) or turn)
        self._write(inner, self._texts(seat))

    def _texts(self, seat: int) -> list[str]:
        told, own = self.words.seats[seat], self.words.own if seat == self.own else ()
        return [told.facts, *(line.text for line in (*told.lines, *own))]

    def _middle(self, box: Box) -> None:
        self._write(box, self._middle_texts())

    def _middle_texts(self) -> list[str]:
        return [line.text for line in (*self.words.middle, *self.words.notes)]

    def _write(self, box: Box, texts: list[str]) -> None:
        self.board.lines(box.x, box.y + LINE, self._lines(texts, box.w), "title", LINE)

    def _lines(self, texts: list[str], wide: float) -> list[str]:
        size = BOLD * SIZE if self.is_fitted else SIZE
        return [line for text in texts for line in wrapped(text, size, wide)]
