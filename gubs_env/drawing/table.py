"""The base class of the pictures of all games."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar

from gubs_env.drawing.board import (
    CROWN,
    LEAST_HAND,
    LEAST_KNOWN,
    MAT_INSET,
    Board,
    Heading,
    hand_scale,
    opened,
)
from gubs_env.drawing.layout import (
    BANNER,
    CARD_HEIGHT,
    CARD_WIDTH,
    GAP,
    LEAST_MAT,
    LEAST_MAT_HEIGHT,
    LEAST_MIDDLE,
    LEAST_SEEN,
    LINE_GAP,
    MOST_SCALE,
    WIDTH,
    Box,
    Places,
    Room,
    Spot,
    columns,
    fanned,
    grid,
    lines_of,
    row,
    seated,
    zoom_for,
)
from gubs_env.engine.game import Game
from gubs_env.engine.seats import NOBODY, seat_at, steps_to
from gubs_env.engine.text import viewer_name
from gubs_env.engine.view import Size, View

LEAST_OWN = 0.62
"""The scale of the viewer's cards below which they overlap."""
OVERLAPPING, LEAST_APART = 1.3, 0.4
"""How much larger cards are that overlap, where there is room for it, and the least scale of those
that do not, where others would.
"""
NOTE_HEIGHT = 14
"""The height of the note above the viewer's hand."""
LEAST_BESIDE = 2.2
"""The width of a box, as a part of its height, from which on two groups of cards lie side by side.
"""
SPLITS = tuple(part / 100 for part in range(12, 92, 4))
"""The parts of the width that the first of two groups can have."""
UNUSUAL, EQUAL = 0.85, 0.99
"""The factor by which the cards of two groups must be larger to lie otherwise than the shape of
their box suggests, and that from which on they are as large as they can be.
"""
TRAY_INSET = 6, 5
"""The margins of the viewer's hand: across and down."""
IMPORTANCE, KEPT = 2.0, 0.6
"""How much larger what lies open before other seats is than their hands, and the part of its size
that it keeps at least where a hand lies below or beside it.
"""
OWN_NOTES = {
    "has the turn": "your turn",
    "leads": "your lead",
    "leads every trick": "you lead every trick",
    "plays unseen": "you play unseen",
}
"""The notes about the viewer that speak to them."""
USUAL_HEIGHTS = (900, 960, 1040, 1400)
"""The heights of pictures of the usual width: of two seats, of up to four, six and eight."""


class TablePicture(ABC):
    """The picture of one view: the seats, the middle, and who has to decide what.

    Args:
        view: the view to draw, of a seat or of a spectator.
        open_hands: whether the view holds the whole state, which is then drawn open.
        size: the width and height of the window in pixels; the picture is larger where the table
            needs more. None for a picture of a size that depends only on the number of seats, which
            also holds the sentence about the decision.

    Attributes:
        bottom: the seat at the bottom: the viewer's, or that of player 0 for a spectator.
        own_seat: the seat of the viewer; NOBODY for a spectator.
        seats: number of seats.
        is_over: whether the game is over.
        decides: whether the viewer is to decide.
        size: the width and height of the window, in pixels.
    """

    hidden: ClassVar[str] = "hands"
    """The hidden cards of the game in words, which `open_hands` shows."""
    is_flat: ClassVar[bool] = False
    """Whether the middle lies below all other seats, so that their mats are wide."""
    has_wide_mats: bool = False
    """Whether wide mats come before everything else."""
    least_mat: float = LEAST_MAT
    """The least width of a mat."""
    least_middle: float = LEAST_MIDDLE
    """The least height of the middle."""
    most_abreast: int = 1
    """The largest number of pairs of seats in a line (`Room`)."""
    can_be_dense: bool = False
    """Whether something can be left out or lie closer together where the window is too low."""
    is_dense: bool = False
    """Whether this is so in this picture."""
    short_notes: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Short words for notes and facts about a seat, for narrow ones."""
    kept_note: ClassVar[str] = ""
    """A note that comes and goes, for which the mats of the others always have room."""

    def __init__(self, view: View, open_hands: bool, size: Size | None = None) -> None:
        self.view, self.state, self.open = view, view.state, open_hands
        self.game: Game = view.game
        self.words = self.game.table_words(view)
        self.spots: dict[Any, Spot] = {}
        """The places of what an arrow can point at, by keys of the game."""
        self.board = Board(view.seat != NOBODY)
        self.bottom, self.seats = self._seating()
        self.own_seat = NOBODY if view.seat == NOBODY else self.bottom
        self.is_over = bool(self.state.phase == self.game.mechanics.Phase.OVER)
        self.decides = bool(self.state.actor == view.seat != NOBODY) and not self.is_over
        self.is_window = size is not None
        wide, high = size or (WIDTH, USUAL_HEIGHTS[(self.seats - 1) // 2])
        self.size: Size = wide, high
        self.zoom = zoom_for(wide, high)
        self.places = self._seated()

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
        self._middle(self.places.middle)
        if not self.is_window:
            question = self.game.question
            sentence = opened(self.view, question) if self.open else question(self.view)
            self.board.banner(self.places.banner, sentence, title, self.decides)
        size = self.places.width, self.places.height
        described = self.game.describe(self.view)
        return self.board.svg(size, self.zoom, title, described, self.is_dense)

    def _seated(self) -> Places:
        """Return the boxes of the table; where it is too high for the window, of a dense one."""
        places = self._seated_once()
        is_high = places.height * self.zoom > self.size[1] + 1
        if self.is_window and is_high and self.can_be_dense and not self.is_dense:
            self.is_dense = True
            places = self._seated_once()
        return places

    def _seated_once(self) -> Places:
        """Return the boxes of the table, dense or not."""
        wide, high = self.size
        room = Room(
            wide / self.zoom,
            high / self.zoom,
            self._mat_height,
            lambda wide: max(self.least_middle, self._middle_needs(wide)),
            *self._shares(),
            0 if self.is_window else BANNER,
            not self.is_window,
            self.least_mat,
            self.most_abreast,
        )
        return seated(self.seats, room, self._planned_height, self.is_flat, self.has_wide_mats)

    def _seating(self) -> tuple[int, int]:
        """Return the seat at the bottom and the number of seats."""
        return max(self.view.seat, 0), int(self.state.num_players)

    def _shares(self) -> tuple[float, float]:
        """Return the parts of the height that the viewer's seat, and a middle below the others,
        should have.
        """
        return 0.38, 0.24

    def _steps(self, seat: int) -> int:
        """Return the number of steps clockwise from the bottom seat to a seat."""
        return int(steps_to(self.state, self.bottom, seat))

    @staticmethod
    def spread(
        count: int,
        box: Box,
        least: float = LEAST_OWN,
        is_fan: bool = False,
        groups: Sequence[int] = (),
    ) -> list[Spot]:
        """Return the places of cards, as large as they can be.

        If they would be smaller than the scale `least`, they overlap, unless more is seen of them
        otherwise (`seen_of`).

        Args:
            count: number of cards.
            box: where they lie.
            least: the scale below which they overlap.
            is_fan: whether cards in one line are fanned.
            groups: the sizes of groups that share a line if possible; () for none.
        """
        inner = box.inset(3, 4) if is_fan else box
        spots = grid(count, inner, groups=groups)
        if groups and spots[0].scale < least:
            spots = grid(count, inner)
        if count and (scale := spots[0].scale) < least:
            overlapping = overlapped(count, box, least)
            if scale < LEAST_APART or scale < seen_of(overlapping):
                spots = overlapping
        return fanned(spots) if is_fan and len({spot.y for spot in spots}) == 1 else spots

    @staticmethod
    @lru_cache(4096)  # the tables of a game change little from move to move
    def scale_of(count: int, box: Box, least: float = LEAST_OWN) -> float:
        """Return the scale of cards in a box (`spread`), as if they did not overlap (`seen_of`)."""
        return seen_of(TablePicture.spread(count, box, least)) if count else MOST_SCALE

    @staticmethod
    def halves(
        box: Box, first: Callable[[Box], float], second: Callable[[Box], float], share: float
    ) -> tuple[Box, Box]:
        """Return the boxes of two groups of cards, side by side or one above the other.

        The cards are as large as they can be, and what is left of the box is shared. In a wide box
        they lie side by side, and in a high one one above the other, unless the other way makes
        them much larger.

        Args:
            box: where they lie.
            first, second: (box) → the scale of the cards of a group in it.
            share: the part of the height that the first need, if they lie above the second.
        """
        is_wide = box.w > LEAST_BESIDE * box.h
        beside = [columns(box, part, 1 - part) for part in SPLITS]
        highs = [(box.h - GAP) * part for part in sorted((share, 0.4, 0.5, 0.6))]
        above = [[box.top(high), box.below(high + GAP)] for high in highs]
        best, chosen = 0.0, beside[:1]
        for ways, is_usual in ((beside, is_wide), (above, not is_wide)):
            scales = [min(first(one), second(other)) for one, other in ways]
            merit = max(scales) * (1.0 if is_usual else UNUSUAL)
            if merit > best:
                least, best = EQUAL * max(scales), merit
                chosen = [way for way, each in zip(ways, scales, strict=True) if each >= least]
        one, other = chosen[len(chosen) // 2]
        return one, other

    @classmethod
    def hand_scale(cls, held: int, known: int, box: Box, is_own: bool) -> float:
        """Return the scale of the cards of a hand in a box, times IMPORTANCE for another seat if
        they can be read, and a tenth of it for known ones that are not shown.

        Args:
            held: number of cards.
            known: number of those that the viewer knows.
            box: where they lie.
            is_own: whether they are the viewer's.
        """
        if not is_own:
            scale = hand_scale(held, known, box) * (0.1 if known and box.w < LEAST_HAND else 1)
            return scale * (1.0 if known and scale < LEAST_KNOWN else IMPORTANCE)
        return cls.scale_of(held, box.inset(*TRAY_INSET))

    @staticmethod
    def halves_height(wide: float, least: Callable[[float], tuple[float, float]]) -> float:
        """Return the least height of a box of a width for two groups of cards (`halves`).

        Args:
            wide: the width.
            least: (width) → the least height of each group.
        """
        beside = [
            max(least(part * (wide - GAP))[0], least((1 - part) * (wide - GAP))[1])
            for part in SPLITS
        ]
        return min(*beside, sum(least(wide)) + GAP)

    def _mat(self, seat: int, box: Box, due: int, **options: Any) -> tuple[Box, Box]:
        """Draw the mat of a seat, framed if it has won or is `due`.

        Returns:
            The boxes of what lies on it, and of a hand in its header.
        """
        is_turn = self._wins(seat) or (seat == due and not self.is_over)
        return self.board.mat(box, self._heading(seat), is_turn, **options)

    def _mat_height(self, steps: int, wide: float) -> float:
        """Return the least height of a seat's mat of a width."""
        seat = seat_at(self.state, self.bottom, steps)
        content = self._needs(seat, wide - 2 * MAT_INSET)
        return max(LEAST_MAT_HEIGHT, self.board.mat_height(wide, self._heading(seat), content))

    def _planned_height(self, steps: int, wide: float) -> float:
        """Return the height of a seat's mat of a width by which the way to sit is chosen."""
        return self._mat_height(steps, wide)

    def _heading(self, seat: int) -> Heading:
        """Return what stands in the header of a seat's mat."""
        name, marks, facts, *_ = self.words.seats[seat]
        wins, figures = self._wins(seat), self._figures(seat)
        marks = [mark for mark in marks if mark != "you"]  # who sits at the bottom
        if seat == self.own_seat and (self.is_window or not self.open):
            marks = [OWN_NOTES.get(mark, mark.replace("their", "your")) for mark in marks]
        if wins:
            marks, figures = [*marks, "winner"], figures | {"winner": CROWN}
        has_lines = seat != self.own_seat and not self.is_flat
        return Heading(
            name, facts, marks, figures, self._has_hand(seat), has_lines, self.short_notes,
            kept="" if seat == self.own_seat else self.kept_note,
        )  # fmt: skip

    def _has_hand(self, seat: int) -> bool:
        """Return whether a hand lies in the header of a seat's mat."""
        return False

    def _figures(self, seat: int) -> dict[str, str]:
        """Return the markup of emblems beside the name of a seat, by their names."""
        return {}

    def _wins(self, seat: int) -> bool:
        """Return whether a seat has won."""
        return self.is_over and seat in self.game.outcome(self.state).winners

    @abstractmethod
    def _needs(self, seat: int, wide: float) -> float:
        """Return the least height of what lies on a seat's mat.

        Args:
            seat: the seat.
            wide: the width inside the mat.
        """

    @abstractmethod
    def _middle_needs(self, wide: float) -> float:
        """Return the least height of a middle of a width."""

    @abstractmethod
    def _seat(self, seat: int, box: Box) -> None:
        """Draw a seat."""

    @abstractmethod
    def _middle(self, box: Box) -> None:
        """Draw the middle of the table."""


def overlapped(count: int, box: Box, least: float) -> list[Spot]:
    """Return the places of cards that overlap, in as many lines of cards of the scale `least` as
    there is room for, and in at least as many as `lines_of` says.
    """
    room = int((box.h + LINE_GAP) // (least * CARD_HEIGHT + LINE_GAP))
    apart = lines_of(count, box.w, least, least * CARD_WIDTH + LINE_GAP)
    lines, spots = max(lines_of(count, box.w, least), min(room, apart)), list[Spot]()
    high = (box.h - LINE_GAP * (lines - 1)) / lines
    for line in range(lines):
        here = count * (line + 1) // lines - count * line // lines
        at = Box(box.x, box.y + line * (high + LINE_GAP), box.w, high)
        seen = (box.w - LEAST_SEEN * (here - 1)) / CARD_WIDTH
        spots += row(here, at, MOST_SCALE, 6, min(OVERLAPPING * least, seen))
    return spots


def seen_of(spots: Sequence[Spot]) -> float:
    """Return the scale of cards, less if they overlap: that of a card of which a whole one shows as
    much.
    """
    return spots[0].scale * math.sqrt(min(spot.seen for spot in spots))
