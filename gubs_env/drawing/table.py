"""The base class of the pictures of all games."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from gubs_env.drawing.board import CROWN, MAT_INSET, Board, Heading, opened
from gubs_env.drawing.layout import CARD_HEIGHT, CARD_WIDTH, Box, Places, Spot, grid, row, stacked
from gubs_env.engine.game import Game
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.text import viewer_name
from gubs_env.engine.view import Size, View

LEAST_OWN_SCALE = 0.8
"""The least scale of the viewer's cards in a fitted picture, which are then 80 pixels wide."""
LEAST_SHOWN = 24
"""The least width that is seen of each of the viewer's cards, so that a finger hits it."""
NOTE_HEIGHT = 14
"""The height of the note above the viewer's hand in a fitted picture."""
ROW_GAP = 6
"""The distance between two rows of the viewer's cards in a fitted picture."""


def own_lines(count: int, wide: float) -> int:
    """Return the number of rows of the viewer's cards in a fitted picture."""
    card = LEAST_OWN_SCALE * CARD_WIDTH
    return math.ceil(count / (1 + int(max(0, wide - card) // LEAST_SHOWN)))


def own_height(count: int, wide: float) -> float:
    """Return the least height of the viewer's cards in a fitted picture."""
    lines = max(1, own_lines(count, wide))
    return lines * LEAST_OWN_SCALE * CARD_HEIGHT + (lines - 1) * ROW_GAP


class TablePicture(ABC):
    """The picture of one view: the seats, the middle, and who has to decide what.

    Args:
        view: the view to draw, of a seat or of a spectator.
        open_hands: whether the view holds the whole state, which is then drawn open.
        size: the width and height of a fitted picture, in pixels, which has no sentence about the
            decision; None for a picture of the usual width.

    Attributes:
        bottom: the seat at the bottom: the viewer's, or that of player 0 for a spectator.
        own_seat: the seat of the viewer; NOBODY for a spectator.
        seats: number of seats.
        is_over: whether the game is over.
        decides: whether the viewer is to decide.
    """

    hidden: ClassVar[str] = "hands"
    """The hidden cards of the game in words, which `open_hands` shows."""
    own_heights: ClassVar[tuple[float, float]] = (274, 330)
    """The heights that the viewer's seat should have in a fitted picture, at least and at most."""

    def __init__(self, view: View, open_hands: bool, size: Size | None = None) -> None:
        self.view, self.state, self.open = view, view.state, open_hands
        self.game: Game = view.game
        self.words = self.game.table_words(view)
        self.is_fitted = size is not None
        self.spots: dict[Any, Spot] = {}
        """The places of what an arrow can point at, by keys of the game."""
        self.board = Board(view.seat != NOBODY, self.is_fitted)
        self.bottom, self.seats = self._seating()
        self.own_seat = NOBODY if view.seat == NOBODY else self.bottom
        self.is_over = bool(self.state.phase == self.game.mechanics.Phase.OVER)
        self.decides = bool(self.state.actor == view.seat != NOBODY) and not self.is_over
        self.places: Places = (
            stacked(self.seats, size, self.own_heights, self._mat_height, self._middle_needs)
            if size is not None
            else self._places()
        )

    @classmethod
    def draw(cls, view: View, open_hands: bool = False, size: Size | None = None) -> str:
        """Return the picture of a view as SVG, with the arguments of the class."""
        return cls(view, open_hands, size).svg()

    def svg(self) -> str:
        """Return the picture as SVG."""
        viewer = viewer_name(self.view.seat)
        shown = f"all {self.hidden} open" if self.open else f"seen by {viewer}"
        title = f"{self.game.title}, {shown}"
        for steps in range(self.seats):
            self._seat(seat_at(self.state, self.bottom, steps), self.places.seats[steps])
        wide, high = self.places.width, self.places.height
        if self.is_fitted:
            self._fitted_middle(self.places.middle)
            return self.board.svg(high, title, self.game.describe(self.view), wide)
        self._wide_middle(self.places.middle)
        question = self.game.question
        sentence = opened(self.view, question) if self.open else question(self.view)
        self.board.banner(self.places.banner, sentence, title, self.decides)
        return self.board.svg(high, title, self.game.describe(self.view))

    def _seating(self) -> tuple[int, int]:
        """Return the seat at the bottom and the number of seats."""
        return max(self.view.seat, 0), int(self.state.num_players)

    def _steps(self, seat: int) -> int:
        """Return the number of steps clockwise from the bottom seat to a seat."""
        return int(steps_to(self.state, self.bottom, seat))

    def spread(
        self, count: int, box: Box, most: float, gap: float = 8, is_own: bool = True
    ) -> list[Spot]:
        """Return the places of cards: in rows, as large as they can be.

        The viewer's of a fitted picture are at least LEAST_OWN_SCALE large, and overlap if they
        must: in one row, or in as many as let LEAST_SHOWN of each be seen.

        Args:
            count: number of cards.
            box: where they lie.
            most: the largest scale in a picture of the usual width.
            gap: the distance between two cards.
            is_own: whether they are the viewer's.
        """
        if not self.is_fitted:
            return grid(count, box, most, gap)
        if not is_own:
            return grid(count, box, 1, 4)
        lines = own_lines(count, box.w)
        high = (box.h - ROW_GAP * (lines - 1)) / max(1, lines)
        smaller = min(1, LEAST_OWN_SCALE * CARD_HEIGHT / high)
        spots = []
        for line in range(lines):
            here = count * (line + 1) // lines - count * line // lines
            at = Box(box.x, box.y + line * (high + ROW_GAP), box.w, high)
            spots += row(here, at, 1, gap, smaller)
        return spots

    def _mat(self, seat: int, box: Box, due: int, **options: Any) -> Box:
        """Draw the mat of a seat, framed if it has won or is `due`; return the box inside."""
        is_turn = self._wins(seat) or (seat == due and not self.is_over)
        return self.board.mat(box, self._heading(seat), is_turn, **options)

    def _mat_height(self, steps: int, wide: float) -> float:
        """Return the least height of a seat's mat of a width, in a fitted picture."""
        seat = seat_at(self.state, self.bottom, steps)
        header = self.board.header_height(wide, self._heading(seat))
        return header + self._needs(seat, wide - 2 * MAT_INSET)

    def _heading(self, seat: int) -> Heading:
        """Return what stands in the header of a seat's mat."""
        name, marks, facts, *_ = self.words.seats[seat]
        wins, figures = self._wins(seat), self._figures(seat)
        marks = [mark for mark in marks if not (self.open and mark == "you")]
        if wins:
            marks, figures = [*marks, "winner"], figures | {"winner": CROWN}
        return Heading(name, facts, marks, figures)

    def _figures(self, seat: int) -> dict[str, str]:
        """Return the markup of emblems beside the name of a seat, by their names."""
        return {}

    def _wins(self, seat: int) -> bool:
        """Return whether a seat has won."""
        return self.is_over and seat in self.game.outcome(self.state).winners

    @abstractmethod
    def _places(self) -> Places:
        """Return the boxes of the table."""

    @abstractmethod
    def _needs(self, seat: int, wide: float) -> float:
        """Return the least height of what lies on a seat's mat, in a fitted picture.

        Args:
            seat: the seat.
            wide: the width inside the mat.
        """

    @abstractmethod
    def _middle_needs(self, wide: float) -> float:
        """Return the least height of a middle of a width, in a fitted picture."""

    @abstractmethod
    def _seat(self, seat: int, box: Box) -> None:
        """Draw a seat."""

    @abstractmethod
    def _wide_middle(self, box: Box) -> None:
        """Draw the middle of the table, in a picture of the usual width."""

    @abstractmethod
    def _fitted_middle(self, box: Box) -> None:
        """Draw the middle of the table, in a fitted picture."""
