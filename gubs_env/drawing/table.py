"""The base class of the pictures of all games."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from gubs_env.drawing.board import Board, opened
from gubs_env.drawing.layout import CARD_HEIGHT, Box, Places, Spot, grid, row, stacked
from gubs_env.engine.game import Game
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.text import viewer_name
from gubs_env.engine.view import Size, View

LEAST_OWN_SCALE = 0.8
"""The least scale of the viewer's cards in a fitted picture, which are then 80 pixels wide."""


class TablePicture(ABC):
    """The picture of one view: the seats, the middle, and who has to decide what.

    Args:
        view: the view to draw, of a seat or of a spectator.
        open_hands: whether the view holds the whole state, which is then drawn open.
        size: the width and height of a fitted picture, in pixels, which has no sentence about the
            decision; None for a picture of the usual width.

    Attributes:
        bottom: the seat at the bottom: the viewer's, or that of player 0 for a spectator.
        own: the seat of the viewer; NOBODY for a spectator.
        seats: number of seats.
        is_over: whether the game is over.
        decides: whether the viewer is to decide.
    """

    hidden: ClassVar[str] = "hands"
    """The hidden cards of the game in words, which `open_hands` shows."""
    own_heights: ClassVar[tuple[float, float]] = (274, 330)
    """The least and the largest height of the viewer's seat in a fitted picture."""

    def __init__(self, view: View, open_hands: bool, size: Size | None = None) -> None:
        self.view, self.state, self.open = view, view.state, open_hands
        self.game: Game = view.game
        self.words = self.game.table_words(view)
        self.size, self.is_fitted = size, bool(size)
        self.board = Board(view.seat != NOBODY, self.is_fitted)
        self.bottom, self.seats = self._seating()
        self.own = NOBODY if view.seat == NOBODY else self.bottom
        self.is_over = bool(self.state.phase == self.game.mechanics.Phase.OVER)
        self.decides = bool(self.state.actor == view.seat != NOBODY) and not self.is_over
        self.places: Places = (
            stacked(self.seats, size, self.own_heights) if size else self._places()
        )

    def svg(self) -> str:
        """Return the picture as SVG."""
        viewer = viewer_name(self.view.seat)
        seen = f"all {self.hidden} open" if self.open else f"seen by {viewer}"
        title = f"{self.game.title}, {seen}"
        for steps in range(self.seats):
            self._seat(seat_at(self.state, self.bottom, steps), self.places.seats[steps])
        self._middle(self.places.middle)
        if self.size:
            wide, high = self.size
            return self.board.svg(high, title, self.game.describe(self.view), wide)
        question = self.game.question
        sentence = opened(self.view, question) if self.open else question(self.view)
        self.board.banner(self.places.banner, sentence, title, self.decides)
        return self.board.svg(self.places.height, title, self.game.describe(self.view))

    def _seating(self) -> tuple[int, int]:
        """Return the seat at the bottom and the number of seats."""
        return max(self.view.seat, 0), int(self.state.num_players)

    def _steps(self, seat: int) -> int:
        """Return the number of steps clockwise from the bottom seat to a seat."""
        return int(steps_to(self.state, self.bottom, seat))

    def spread(
        self, count: int, box: Box, most: float, gap: float = 8, own: bool = True
    ) -> list[Spot]:
        """Return the places of cards: in rows, or in one row for the viewer's of a fitted picture.

        There they are at least LEAST_OWN_SCALE large, and overlap if they must.

        Args:
            count: number of cards.
            box: where they lie.
            most: the largest scale in a picture of the usual width.
            gap: the distance between two cards.
            own: whether they are the viewer's.
        """
        if not self.is_fitted:
            return grid(count, box, most, gap)
        if not own:
            return grid(count, box, 1, 4)
        return row(count, box, 1, gap, min(1, LEAST_OWN_SCALE * CARD_HEIGHT / box.h))

    @abstractmethod
    def _places(self) -> Places:
        """Return the boxes of the table."""

    @abstractmethod
    def _seat(self, seat: int, box: Box) -> None:
        """Draw a seat."""

    @abstractmethod
    def _middle(self, box: Box) -> None:
        """Draw the middle of the table."""
