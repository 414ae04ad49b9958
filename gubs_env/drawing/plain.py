"""The table of a game without a drawing of its own as a picture, made from its words."""

from __future__ import annotations

from gubs_env.drawing.board import notes
from gubs_env.drawing.layout import Box, Places, around
from gubs_env.drawing.svg import wrapped
from gubs_env.drawing.table import TablePicture
from gubs_env.engine.text import player_name
from gubs_env.engine.view import Size, View

LINE, SIZE = 20, 15
"""The distance between two lines of words, and the size of their font."""


def draw(view: View, open_hands: bool = False, size: Size | None = None) -> str:
    """Return the picture of a view as SVG.

    Args:
        view: the view to draw, of a seat or of a spectator.
        open_hands: whether the view holds the whole state.
        size: the width and height that the picture has to fit; None for the usual width.
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

    def _seat(self, seat: int, box: Box) -> None:
        told = self.words.seats[seat]
        wins = self.is_over and seat in self.game.outcome(self.state).winners
        name = player_name(seat)
        turn = bool(seat == self.state.actor and not self.is_over)
        marks = notes(told.marks, wins, self.open)
        inner = self.board.mat(box, name, "", marks, is_turn=wins or turn)
        own = self.words.own if seat == self.own else ()
        self._write(inner, [told.facts, *(line.text for line in (*told.lines, *own))])

    def _middle(self, box: Box) -> None:
        self._write(box, [line.text for line in (*self.words.middle, *self.words.notes)])

    def _write(self, box: Box, texts: list[str]) -> None:
        lines = [line for text in texts for line in wrapped(text, SIZE, box.w)]
        self.board.lines(box.x, box.y + LINE, lines, "title", LINE)
