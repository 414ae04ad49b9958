"""The base class of the pictures of all games."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from gubs_env.drawing.board import Board, opened
from gubs_env.drawing.layout import Box, Places
from gubs_env.engine.game import Game
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.text import viewer_name
from gubs_env.engine.view import View


class TablePicture(ABC):
    """The picture of one view: the seats, the middle, and who has to decide what.

    Args:
        view: the view to draw, of a seat or of a spectator.
        open_hands: whether the view holds the whole state, which is then drawn open.

    Attributes:
        bottom: the seat at the bottom: the viewer's, or that of player 0 for a spectator.
        own: the seat of the viewer; NOBODY for a spectator.
        seats: number of seats.
        is_over: whether the game is over.
        decides: whether the viewer is to decide.
    """

    hidden: ClassVar[str] = "hands"
    """The hidden cards of the game in words, which `open_hands` shows."""

    def __init__(self, view: View, open_hands: bool) -> None:
        self.view, self.state, self.open = view, view.state, open_hands
        self.game: Game = view.game
        self.words = self.game.table_words(view)
        self.board = Board(names_actions=view.seat != NOBODY)
        self.bottom, self.seats = self._seating()
        self.own = NOBODY if view.seat == NOBODY else self.bottom
        self.is_over = bool(self.state.phase == self.game.mechanics.Phase.OVER)
        self.decides = bool(self.state.actor == view.seat != NOBODY) and not self.is_over
        self.places: Places = self._places()

    def svg(self) -> str:
        """Return the picture as SVG."""
        viewer = viewer_name(self.view.seat)
        seen = f"all {self.hidden} open" if self.open else f"seen by {viewer}"
        title = f"{self.game.title}, {seen}"
        for steps in range(self.seats):
            self._seat(seat_at(self.state, self.bottom, steps), self.places.seats[steps])
        self._middle(self.places.middle)
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

    @abstractmethod
    def _places(self) -> Places:
        """Return the boxes of the table."""

    @abstractmethod
    def _seat(self, seat: int, box: Box) -> None:
        """Draw a seat."""

    @abstractmethod
    def _middle(self, box: Box) -> None:
        """Draw the middle of the table."""
