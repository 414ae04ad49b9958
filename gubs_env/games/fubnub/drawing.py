"""FUBNUB as a picture, made from a view."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cached_property, lru_cache, partial
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np

from gubs_env.drawing.board import FOOT, LEAST_HAND, MAT_INSET, SMALL_HAND, Heading, Item, Thing
from gubs_env.drawing.cards import LEAST_SIZE
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    GAP,
    LEAST_SEEN,
    LINE_GAP,
    MOST_SCALE,
    Box,
    Places,
    Spot,
    columns,
    flow,
    grid,
    lines_of,
    row,
)
from gubs_env.drawing.svg import BOLD, fitting, tag, width_of
from gubs_env.drawing.table import LEAST_BESIDE, LEAST_OWN, NOTE_HEIGHT, TRAY_INSET, TablePicture
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.text import plural
from gubs_env.games.fubnub.actions import ACCEPT, FIRST_SEAT, FIRST_STEAL, PLAY
from gubs_env.games.fubnub.cards import (
    FAVOURED,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUM_CARDS,
    NUMBER_TITLES,
    ActionCard,
)
from gubs_env.games.fubnub.faces import ACTIONS, GHOST, NUMBERS, POINTS
from gubs_env.games.fubnub.state import MOST_SWAPS, UNDEALT, Phase, pile_of
from gubs_env.games.fubnub.words import seat_name, strength_words

LEAST_TARGET, LEAST_SMALL = 0.4, 0.3
"""The least scale of a card that a finger hits, and of cards that lie in lines, so that their
numbers can be read.
"""
SHIFTS, SMALL_TRICK = (42.0, 30.0), 0.32
"""The distance between two cards of a trick that was won, in units of a card: usually, and where
their scale would be less than this.
"""
LEAST_HANDS, LEAST_SHOWN_HAND = (90, 34, 60), 60
"""The least size of another seat's hand in its mat: its width, its height beside what was won and
below it; and its least height if it is known.
"""
LEAST_HELD = 0.5
"""The least scale of the viewer's hand."""
OWN_SHARES, NARROW = (0.3, 0.36, 0.44, 0.52, 0.6, 0.68), 300
"""The parts of the viewer's mat for what was won, of which that is taken at which it can be read,
and the width of a mat up to which the first one counts.
"""
WON_SHARE = 0.62
"""The part of another seat's mat for what was won."""
MOST_WON, MOST_REST = 0.8, 0.6
"""The largest scales of what was won, and of the undealt cards when the game is over."""
OWN_ROOM, LITTLE_ROOM, PLACE, USUAL_TRICKS = 92.0, 44.0, 1600.0, 4
"""Room that is kept free in mats: the height in the viewer's mat, the least height in others, the
area of a point card, and the area of the usual tricks, counted in point cards.
"""
SEEN, COUNTED = (LEAST_SEEN, 21, 18), 18
"""The widths that are seen of cards that overlap in a dense mat, of which that is taken at which
all have room, and the height that a number of cards needs.
"""
LITTLE, LITTLE_MAT = 100_000, 84
"""The area of a window up to which only headers have room for sure, and the least width of a mat
there.
"""
LYING = 0.4
"""The part of it that is reserved in a window that is wider than high."""
TITLE, TITLES, NOTED, ONE_LINE = 37, 53, 69, 230
"""The heights of headers of one, two and three lines, and the least width of a mat that needs only
one.
"""
LEAST_CELL, LEAST_CENTRED, TWO_LINES, LINE = 43, 480, 136, 72
"""The least width of a pile or a card of the trick in a line of the middle, that of a middle with
the trick in its centre, and the least heights of two lines and of a third one.
"""
HIGH, TRICK = 0.42, 0.56
"""The least height of a middle, as a part of its width, in which the piles lie below the trick, and
the largest part of the height for the trick above them.
"""
PILE, LABEL, SCORE, LITTLE_TRICK = 6.0, 22.0, 18.0, 48.0
"""The distance between two piles, and the heights of the words below them, of the score, and of a
trick above the piles in a little window.
"""
WIDER, LITTLE_CELLS = 1.2, (1.5, 34, 46)
"""How much wider the place of a pile is than that of a card of the trick beside it; and this in a
little window, with the least widths there of a card of the trick and of a pile.
"""
BEFORE_SEATS = 0.85
"""How large the cards of a trick before their seats must be, compared with those in a row."""
LEAST_TRICK = 0.47
"""The scale below which the cards of a trick overlap."""
Pile = Callable[[Spot, Box], None]
"""Draws a pile: (its first spot, its box)."""
LEAST_WON = 0.2
"""The scale below which what a seat has won does not shrink any more."""
FACTORS = [0.96**k for k in range(60)]
"""The scales that are tried for it, as parts of the largest one."""
HEART = (
    '<g transform="translate(8 8) scale(.9)"><circle class="badge" r="11"/><path class="pa" '
    'd="M0 7C-9.500 0-7.500-6-4-6-2-6-.500-4.500 0-3 .5-4.500 2-6 4-6 7.500-6 9.500 0 0 7Z"/></g>'
)
"""The mark of a card that the point card in play favours: a shape of no suit, at the left, which no
other card hides.
"""
TRICK_SPOTS = {
    2: ((0, 1), (0, -1)),
    3: ((0, 1), (-1, -1), (1, -1)),
    4: ((0, 1), (-1, 0), (0, -1), (1, 0)),
}
"""The place of each seat's card in a trick, clockwise from the viewer: steps across and down."""
IN_A_ROW = {2: (1, 0), 3: (1, 0, 2), 4: (1, 2, 0, 3)}
"""The order of these cards in a row, by steps clockwise from the viewer."""


class Density(IntEnum):
    """The ways in which what other seats have won lies on their mats."""

    APART = 0
    OVERLAPPING = 1
    LINE = 2
    """One line has room for sure."""
    COUNT = 3
    """The number of what was won has room for sure."""


class FubnubTable(TablePicture):
    """The picture of one view of FUBNUB.

    Where not everything fits into the window, the mats are dense: what was won overlaps, and a
    number stands for what has no room.
    """

    density: Density = Density.APART
    is_trick_above: bool = False
    """Whether all piles lie in one row, below the trick."""
    rest_edges: tuple[float, float] = (0, 0)
    """The left and right edges of the piles at the right of the trick, or of all."""

    short_notes = MappingProxyType(
        {"put the point card in play": "put card in play"}
        | {f"swapped {plural(n, 'card')}": f"swapped {n}" for n in range(1, MOST_SWAPS + 1)}
    )

    def _seating(self) -> tuple[int, int]:
        return int(self.state.seat_of[max(self.view.seat, 0)]), int(self.state.num_seats)

    def _seated(self) -> Places:
        if self._is_little:
            self.density, self.least_mat, self.least_middle = Density.LINE, LITTLE_MAT, 0.0
        self.has_wide_mats = not self._is_little
        self.can_be_dense = bool(self.is_over or not self.open)  # open hands are for looking
        ways = list(Density)[self.density :]
        if not (self._is_little or (self.is_window and self.can_be_dense)):
            ways = ways[:1]
        for self.density in ways:
            self.is_dense = self.density > Density.APART
            places = self._seated_once()
            if places.height * self.zoom <= self.size[1] + 1:
                break
        return places

    @property
    def _is_little(self) -> bool:
        """Whether only headers have room for sure; then piles have no words below them."""
        return self.is_window and self.size[0] * self.size[1] < LITTLE

    def _in(self, *phases: Phase) -> bool:
        """Return whether the viewer decides in one of these phases."""
        return self.decides and self.state.phase in phases

    # ------------------------------------------------------------------------------- seats

    def _wins(self, seat: int) -> bool:
        return bool(self.is_over and self.state.won[seat])

    def _figures(self, seat: int) -> dict[str, str]:
        is_ghost = self.state.player_at[seat] == NOBODY
        return {"ghost": GHOST} if is_ghost else {}

    def _heading(self, seat: int) -> Heading:
        heading, state = super()._heading(seat), self.state
        facts = plural(int(state.tricks_won[seat]), "trick")
        if not state.teams:
            facts = f"{plural(int(state.owned[seat].sum()), 'point')}, {facts}"
        return heading._replace(
            facts=facts, has_lines=False, is_whole=True, has_notes=not self._is_little
        )

    @cached_property
    def _points(self) -> list[np.ndarray]:
        """The point cards before each seat; those of partners lie before the first of them."""
        lying, piles = [np.array([], int)] * self.seats, set[int]()
        for seat in sorted(range(self.seats), key=self._steps):
            if (pile := int(pile_of(self.state, seat))) not in piles:
                lying[seat] = np.flatnonzero(self.state.owned[pile])
                piles.add(pile)
        return lying

    @cached_property
    def _tricks(self) -> list[list[int]]:
        """The tricks that each seat won in this hand."""
        winners = self.state.trick_winner.tolist()
        return [[k for k, winner in enumerate(winners) if winner == s] for s in range(self.seats)]

    def _widths(self, seat: int, shift: float = SHIFTS[-1]) -> list[float]:
        """Return the widths of the point cards and tricks of a seat, in units of a card."""
        trick = CARD_WIDTH + shift * (self.seats - 1)
        return [CARD_WIDTH] * len(self._points[seat]) + [trick] * len(self._tricks[seat])

    def _has_hand(self, seat: int) -> bool:
        return seat != self.own_seat and not self.is_over and not self._is_little

    def _known(self, seat: int) -> np.ndarray:
        """Return the cards in a hand that the viewer knows."""
        state = self.state
        is_seen = seat == self.own_seat or self.open
        return np.flatnonzero(state.hand[seat] if is_seen else state.known[self.bottom, seat])

    def _note_height(self) -> float:
        """Return the height of the note above the viewer's hand."""
        return NOTE_HEIGHT if self.state.drawn != NO_CARD and not self._is_little else 0

    def _mat_height(self, steps: int, wide: float) -> float:
        if self.density >= Density.LINE:
            seat, is_lined = seat_at(self.state, self.bottom, steps), self.density == Density.LINE
            content = self._needs(seat, wide - 2 * MAT_INSET)
            least = (TITLE if wide >= ONE_LINE else NOTED) + LEAST_SMALL * CARD_HEIGHT + 2
            high = self.board.mat_height(wide, self._heading(seat), content)
            return max(high, least * (steps > 0 and is_lined))
        return max(self._planned_height(steps, wide), super()._mat_height(steps, wide))

    def _planned_height(self, steps: int, wide: float) -> float:
        """Return the height of a mat with room for later, so that all keep their places."""
        if self._is_little:
            return self._mat_height(steps, wide)
        room = OWN_ROOM
        if self.is_over:
            room = 0
        elif steps:
            sides = 2 if self.state.teams else self.seats
            points = 1 + int(self.state.num_points) / sides
            cards = USUAL_TRICKS + points * (steps == 1 or not self.state.teams)
            part = LYING if self.size[0] > self.size[1] else 1
            room = max(LITTLE_ROOM, part * PLACE * cards / (wide - 2 * MAT_INSET))
        title = TITLE if wide >= ONE_LINE or not steps else TITLES
        return title + room

    def _needs(self, seat: int, wide: float) -> float:
        if seat == self.own_seat and not self.is_over and self.density < Density.COUNT:
            return min(
                max(self._least(seat, one.w)[0], self._least(seat, other.w)[1])
                for one, other in self._splits(Box(0, 0, wide, 0))
            )
        if self.density < Density.LINE:
            return self._full_height(seat, wide)
        won, hand = self._least(seat, wide)
        least = won if self._may_steal(seat) else -FOOT if self._is_little else COUNTED
        return hand if self._is_held(seat) else least

    def _full_height(self, seat: int, wide: float) -> float:
        """Return the least height of all that lies on the mat of another seat."""
        if self._lays_hand(seat) and self._widths(seat):
            return self.halves_height(wide, partial(self._least, seat))
        return self._least(seat, wide)[self._lays_hand(seat)]

    @staticmethod
    def _splits(box: Box) -> list[list[Box]]:
        """Return the ways to part the viewer's mat between what was won and the hand."""
        return [columns(box, part, 1 - part) for part in OWN_SHARES[box.w > NARROW :]]

    def _least(self, seat: int, wide: float) -> tuple[float, float]:
        """Return the least heights of what a seat has won and of a hand below it or beside it."""
        least = self._least_scale(seat)
        won = laid(self._widths(seat), Box(0, 0, wide, 0), least)[1]
        if least * max(self._widths(seat), default=0.0) > wide + 1:
            won = math.inf
        if self.is_dense:
            seen = CARD_WIDTH * least if self._may_steal(seat) else LEAST_SEEN
            won = min(won, laid(self._widths(seat), Box(0, 0, wide, 0), least, seen)[1])
        if seat != self.own_seat:
            is_shown = wide >= LEAST_HAND or not self._lays_hand(seat)
            return won, LEAST_SHOWN_HAND if is_shown else math.inf
        lines = lines_of(int(self.state.hand_size[seat]), wide - 12, LEAST_OWN)
        if self._is_little:
            return won, lines * (LEAST_TARGET * CARD_HEIGHT + LINE_GAP) - LINE_GAP + 4
        return won, lines * (LEAST_HELD * CARD_HEIGHT + LINE_GAP) + 4 + self._note_height()

    def _may_steal(self, seat: int) -> bool:
        """Return whether the viewer may steal a point card of a seat."""
        return self._in(Phase.STEAL) and seat != self.own_seat

    def _least_scale(self, seat: int) -> float:
        """Return the least scale of what a seat has won."""
        return LEAST_TARGET if self._may_steal(seat) else LEAST_SMALL

    def _is_held(self, seat: int) -> bool:
        """Return whether a hand is the viewer's, and not empty."""
        return bool(seat == self.own_seat and self.state.hand_size[seat])

    def _lays_hand(self, seat: int) -> bool:
        """Return whether a hand lies below what was won or beside it, large enough to be read."""
        held = self.state.hand_size[seat]
        return bool(held and (seat == self.own_seat or len(self._known(seat))))

    def _seat(self, seat: int, box: Box) -> None:
        steps = self._steps(seat)
        action = FIRST_SEAT + steps - 1 if steps else None
        inner, _ = self._mat(seat, box, self.state.asked, action=action)
        won, hand = self._parted(seat, box, inner)
        self._lay_won(seat, won)
        self._hand(seat, hand)

    def _parted(self, seat: int, box: Box, inner: Box) -> tuple[Box, Box]:
        """Return the boxes of what a seat has won and of its hand.

        They depend on the size of its mat, unless what was won would be too small to be read.
        """
        if self.is_over and not self.state.hand_size[seat]:
            return inner, inner
        if seat == self.own_seat:
            ways, held = self._splits(inner), int(self.state.hand_size[seat])
            is_first = bool(held) and not self._widths(seat)
            if is_first and grid(held, ways[0][1])[0].scale < LEAST_OWN:
                return inner.top(0), inner  # cards that would overlap need not, yet
            fitting = [way for way in ways if self._fits(seat, *way)]
            if self.is_dense and not fitting:
                fitting = [way for way in ways if self._holds(seat, way[1])][-1:]
            won, hand = (fitting or [[inner.top(0), inner]] * self.is_dense or ways[-1:])[0]
            if held or not self._widths(seat):
                return won, hand
            has_room = self._spread(seat, won)[1] >= self._least_scale(seat)
            return (won, hand) if has_room else (inner, inner)
        is_low = self.is_dense and self._full_height(seat, inner.w) > inner.h
        if self._lays_hand(seat) and not is_low:
            return self._halves(seat, inner) if self._widths(seat) else (inner, inner)
        is_wide = inner.w > LEAST_BESIDE * inner.h
        won, hand = columns(inner, WON_SHARE, 1 - WON_SHARE)
        if not is_wide:
            won, hand = inner.top(WON_SHARE * inner.h), inner.below(WON_SHARE * inner.h + GAP)
        has_room = hand.w >= LEAST_HANDS[0] and hand.h >= LEAST_HANDS[2 - is_wide]
        if has_room and self._least(seat, won.w)[0] <= won.h and not self._lays_hand(seat):
            return won, hand
        if not self._has_hand(seat):
            return inner, inner.top(0)
        small = SMALL_HAND - 6
        high = min(34, inner.y - box.y - 6)
        return inner, Box(inner.x + inner.w - small, box.y + 5, small, high)

    def _fits(self, seat: int, won: Box, hand: Box) -> bool:
        """Return whether what the viewer has won fits; in a dense mat, also whether a hand does."""
        has_room = self._least(seat, won.w)[0] <= won.h + 1
        return has_room and (not self.is_dense or self._holds(seat, hand))

    def _holds(self, seat: int, box: Box) -> bool:
        """Return whether a box has room for the viewer's hand."""
        return self._least(seat, box.w)[1] <= box.h + 1

    def _halves(self, seat: int, box: Box) -> tuple[Box, Box]:
        """Return the boxes of what another seat has won and of its hand, which the viewer knows."""
        held, (won, hand) = int(self.state.hand_size[seat]), self._least(seat, box.w)
        return self.halves(
            box,
            partial(self._won_scale, seat),
            lambda box: self.hand_scale(held, len(self._known(seat)), box, is_own=False),
            won / (won + hand),
        )

    def _spread(self, seat: int, box: Box) -> tuple[float, float]:
        """Return the shift of tricks and the scale at which what a seat has won fits into a box."""
        least = self._least_scale(seat)
        for shift in SHIFTS:
            scale = min(MOST_WON, largest(tuple(self._widths(seat, shift)), box.w, box.h, least))
            if scale >= SMALL_TRICK:
                break
        return shift, scale

    def _won_scale(self, seat: int, box: Box) -> float:
        """Return the scale at which what a seat has won fits into a box; 0 if it does not."""
        scale = self._spread(seat, box)[1]
        if scale >= self._least_scale(seat):
            return scale
        return LEAST_WON * (self._least(seat, box.w)[0] <= box.h)

    def _lay_won(self, seat: int, box: Box) -> None:
        """Draw the point cards of a seat and the tricks of this hand, all equally large."""
        if not self._widths(seat):
            if seat == self.own_seat and box.h and not self.is_over:
                x, y = box.centre
                self.board.text(x, y, fitting(box.w, "nothing won yet", ""), "soft mid")
            return
        points, tricks = self._points[seat], self._tricks[seat]
        shift, scale = self._spread(seat, box)
        if self.is_dense and scale < self._least_scale(seat):
            self._lay_densely(seat, box)
            return
        spots, high = laid(self._widths(seat, shift), box._replace(y=0), scale)
        down = box.y + (box.h - high) / 2
        self._lay_points(seat, [Spot(x, y + down, scale) for x, y in spots[: len(points)]])
        for trick, (x, y) in zip(tricks, spots[len(points) :], strict=True):
            self._lay_trick_won(seat, trick, Spot(x, y + down, scale), shift)

    def _lay_points(self, seat: int, spots: Sequence[Spot]) -> None:
        """Draw the point cards of a seat."""
        where = f"pile of {seat_name(self.state, seat)}"
        for item, spot in zip(self._point_items(seat), spots, strict=True):
            self.board.card(spot, item, where)

    def _lay_densely(self, seat: int, box: Box) -> None:
        """Draw what a seat has won, overlapping; the number of what does not fit."""
        where = f"pile of {seat_name(self.state, seat)}"
        things = self.board.things(self._point_items(seat), where)
        things += map(partial(self._trick, seat), self._tricks[seat])
        widths, sizes = self._widths(seat), (LEAST_SMALL, LEAST_SMALL)
        ways = (seen for seen in SEEN if laid(widths, box, LEAST_SMALL, seen)[1] <= box.h + 1)
        if box.h >= LEAST_SIZE:
            seen = next(ways, SEEN[-1])
            self.board.lay(box, things, where, sizes, is_centred=True, seen=seen)

    def _trick(self, seat: int, trick: int) -> Thing:
        """Return a trick that a seat won, for the lines of a dense mat."""
        cards = np.argwhere(self.state.tricks[trick] & self.state.played)
        said = ", ".join(NUMBER_TITLES[card] for _, card in cards)
        return Thing(
            lambda spot, _: self._lay_trick_won(seat, trick, spot, SHIFTS[-1]),
            f"trick {trick + 1}: {said}",
            wide=self._widths(seat)[-1],
            number=len(cards),
        )

    def _lay_trick_won(self, seat: int, trick: int, spot: Spot, shift: float) -> None:
        """Draw a trick that a seat won, of which each card lies a shift beside the one before."""
        state, name = self.state, seat_name(self.state, seat)
        cards = np.argwhere(state.tricks[trick] & state.played)
        for place, (player, card) in enumerate(cards):
            where = f"trick {trick + 1}, won by {name}, laid by {seat_name(state, player)}"
            at = spot._replace(x=spot.x + shift * spot.scale * place)
            if place < len(cards) - 1:
                at = at._replace(seen=0)
            self.board.card(at, self._number(card), where)

    def _point_items(self, seat: int) -> list[Item]:
        """Return the point cards of a seat."""
        first = FIRST_STEAL if self._may_steal(seat) else None
        points = self._points[seat].tolist()
        return [Item(POINTS[point], action=first and first + point) for point in points]

    def _hand(self, seat: int, box: Box) -> None:
        state, is_own = self.state, seat == self.own_seat
        if not box.h:
            return
        where = f"hand of {seat_name(state, seat)}"
        cards = self._known(seat)
        hidden = int(state.hand_size[seat]) - len(cards)
        if not is_own:
            items = [self._number(card, faded=not self.open) for card in cards]
            self.board.hand(box, items, hidden, where)
            return
        if not state.hand_size[seat]:
            return
        box = box.below(self._note_height())
        self.board.tray(box, "")
        inset = (TRAY_INSET[0], 2) if self._is_little else TRAY_INSET
        spots = self.spread(len(cards) + hidden, box.inset(*inset), is_fan=True)
        for spot, card in zip(spots, cards, strict=False):
            self._lay_number(spot, card, where, int(card))
        for spot in spots[len(cards) :]:
            self.board.back(spot, where)
        if self._note_height():
            title = NUMBER_TITLES[state.drawn]
            note = f"Just drawn, not to be given back: {title}"
            note = fitting(box.w - 12, note, f"Just drawn: {title}")
            self.board.text(box.x + box.w - 12, box.y - 4, note, "soft end")

    def _number(self, card: int, **shown: Any) -> Item:
        """Return a number card, of which a click tells what makes it strong."""
        return Item(NUMBERS[card], said=strength_words(self.state, card), **shown)

    def _lay_number(self, spot: Spot, card: int, where: str, action: int | None = None) -> None:
        """Draw a number card, with a heart if the point card in play favours it."""
        point, label = self.state.point_card, NUMBER_TITLES[card]
        item = self._number(card, action=action)
        if point != NO_CARD and FAVOURED[point, card]:
            heart = tag("use", href=f"#{self.board.symbol('heart', HEART)}")
            item, label = item._replace(mark=heart), f"{label}, favoured"
        self.board.card(spot, item, where, label)

    # ------------------------------------------------------------------------------ the middle

    def _middle(self, box: Box) -> None:
        inner = box.inset(2 if self._is_little else 6, 4)
        if self.state.teams:
            self._lay_score(inner)
        inner = inner.below(self._score_height())
        if self.is_over:
            self._lay_rest(inner)
            return
        trick, *sides = self._columns(inner)
        self.is_trick_above = len(sides) == 1
        self.rest_edges = sides[-1].x - 2, inner.x + inner.w
        self._lay_trick(trick)
        parts = self._parts() if len(sides) > 1 else [[*chain(*self._parts())]]
        for side, piles in zip(sides, parts, strict=True):
            self._lay_piles(side, piles)

    def _lay_rest(self, box: Box) -> None:
        """Draw what is left when the game is over: the deck, and the undealt cards, mostly open."""
        known = self._known_undealt()
        piles: list[tuple[Pile, int]] = [(self._lay_deck, 1)]
        if len(known) < self._undealt():
            piles.append((self._lay_undealt, 1))
        if self.state.limbo.any():
            piles.append((self._lay_limbo, 1))
        left, right = columns(box, len(piles), max(2, len(known) / 1.5)) if known else (box, box)
        self._lay_piles(left, piles)
        if not known:
            return
        step = MOST_REST * CARD_WIDTH + GAP
        lines = lines_of(len(known), right.w, MOST_REST, step)
        high = min(right.h, lines * (MOST_REST * CARD_HEIGHT + LINE_GAP) + LABEL)
        room = right.below((right.h - high) / 2).top(high)
        things, laid_in = self.board.things(known, "undealt"), room.top(high - LABEL)
        self.board.lay(laid_in, things, "undealt", (LEAST_SMALL, MOST_REST), is_centred=True)
        self.board.text(room.centre[0], room.y + high - 7, "undealt", "count clear mid")

    def _score_height(self) -> float:
        """Return the height of the score of both sides."""
        return SCORE * bool(self.state.teams)

    def _lay_score(self, box: Box) -> None:
        """Write what both sides have won, which decides hands and games."""
        state, sides = self.state, (self.bottom, self.bottom ^ 1)
        tricks = [int(state.tricks_won[side] + state.tricks_won[side ^ 2]) for side in sides]
        points = [int(state.owned[pile_of(state, side)].sum()) for side in sides]
        side, win = f"{seat_name(state, self.bottom)}'s side: ", state.num_points // 2 + 1
        short = f"tricks {tricks[0]}:{tricks[1]}, points {points[0]}:{points[1]}; {win} win"
        score = f"tricks {tricks[0]} to {tricks[1]}, points {points[0]} to {points[1]}"
        scores = f"{score}: the first with {win} wins", f"{score}; {win} win", short
        room = box.w * 12 / 13 + 14  # most names are shorter than those of seats
        said = fitting(room, *(side + each for each in scores), *map(str.capitalize, scores))
        self.board.text(box.centre[0], box.y + 11, said, "count clear")

    def _piles(self) -> int:
        """Return the width of all piles, in cards."""
        return sum(wide for _, wide in chain(*self._parts()))

    def _is_narrow(self, wide: float) -> bool:
        """Return whether the middle has several lines."""
        trick, pile = LITTLE_CELLS[1:] if self._is_little else (LEAST_CELL, LEAST_CELL)
        return wide < trick * self.seats + pile * self._piles()

    @property
    def _label_height(self) -> float:
        """The height of the words below piles."""
        return 0 if self._is_little else LABEL

    def _middle_needs(self, wide: float) -> float:
        if self.is_over:
            return LINE + 4 + self._score_height()
        high = LEAST_TARGET * CARD_HEIGHT + self._label_height + 8
        if self._is_little:
            high += LITTLE_TRICK * self._is_narrow(wide)
        elif self._is_narrow(wide):
            high = TWO_LINES + LINE * (wide < LEAST_CELL * self._piles())
        return high + self._score_height()

    def _columns(self, box: Box) -> list[Box]:
        """Return the boxes of the trick, and of the piles: below it, or at its left and right."""
        if self._is_narrow(box.w + 12) or box.h > HIGH * box.w:
            if box.w + 12 < LEAST_CELL * self._piles() and not self._is_little:
                each = max(box.h / 3, LEAST_TARGET * CARD_HEIGHT + LABEL)
                first = box.h - 2 * each
                return [box.top(first), box.below(first).top(each), box.below(first + each)]
            high = box.h - LEAST_TARGET * CARD_HEIGHT - self._label_height - 4
            if not self._is_little:
                high = min(TRICK * box.h, high)
            return [box.top(high), box.below(high + 4)]
        points, rest = (sum(wide for _, wide in piles) for piles in self._parts())
        most = max(points, rest)
        if box.w > max(LEAST_CENTRED, LEAST_CELL * (self.seats + 2 * most)):
            points = rest = most  # with the trick in the centre
        wider = LITTLE_CELLS[0] if self._is_little else WIDER
        left, trick, right = columns(box, wider * points, self.seats, wider * rest)
        return [trick, left, right]

    def _lay_trick(self, box: Box) -> None:
        """Draw the trick: each card before its seat, or in a row with the names of the seats."""
        lift = max(0.0, min(LABEL, box.h - 2 - LEAST_TRICK * CARD_HEIGHT)) / 2
        spots = row(self.seats, box.top(box.h - 2 * lift).below(2), 1.2, PILE, LEAST_TRICK)
        across, down = (1.0, 0.5) if self.seats != 3 else (0.55, 0.5)
        scale = min(1.3, box.h / 2 / (CARD_HEIGHT + 20), box.w / (2 * across + 1) / 120)
        if scale > BEFORE_SEATS * spots[0].scale:
            x, y = box.centre
            for steps, (right, up) in enumerate(TRICK_SPOTS[self.seats]):
                left = x + right * across * 120 * scale - 50 * scale
                spot = Spot(left, y + up * down * 160 * scale - 70 * scale, scale)
                self._lay(seat_at(self.state, self.bottom, steps), spot)
            return
        names = [seat_name(self.state, seat) for seat in range(self.seats)]
        is_named = max(width_of(name, BOLD * 13) for name in names) < 100 * spots[0].scale + 2
        places = []
        for steps, spot in zip(IN_A_ROW[self.seats], spots, strict=True):
            seat = seat_at(self.state, self.bottom, steps)
            if is_named:
                under = spot.y + 140 * spot.scale + 15
                self.board.text(spot.centre[0], under, names[seat], "count clear")
            else:  # nearer to those who sit above and below
                spot = spot._replace(y=spot.y + lift * (1 + TRICK_SPOTS[self.seats][steps][1]))
            places.append((seat, spot))
        laid = self.state.trick_card >= 0
        lefts = [spot.x for seat, spot in places if laid[seat]]
        for seat, spot in sorted(places, key=lambda place: laid[place[0]]):
            if laid[seat]:  # it hides the places of those who are still to play
                after = min((x for x in lefts if x > spot.x), default=math.inf)
                seen = min(1.0, (after - spot.x) / (CARD_WIDTH * spot.scale))
                spot = spot._replace(seen=seen)
            self._lay(seat, spot)

    def _lay(self, seat: int, spot: Spot) -> None:
        """Draw the card of a seat in the trick, or its place."""
        card, where = (
            int(self.state.trick_card[seat]),
            f"trick, laid by {seat_name(self.state, seat)}",
        )
        if card != NO_CARD:
            self._lay_number(spot, card, where)
        else:
            self.board.slot(spot, "", of=seat_name(self.state, seat))

    def _parts(self) -> tuple[list[tuple[Pile, int]], list[tuple[Pile, int]]]:
        """Return the piles of point cards, and the others: each as (draws it, width in cards).

        Those that are sometimes empty keep their places.
        """
        state = self.state
        points: list[tuple[Pile, int]] = [(self._lay_point, 1), (self._lay_deck, 1)]
        rest: list[tuple[Pile, int]] = [(self._lay_undealt, 1)]
        if self.open and not self._is_little:
            rest = [(self._lay_known, 3)]
        elif self._may_swap and not self._is_little:
            rest.insert(0, (self._lay_known, min(3, 1 + len(self._known_undealt()) // 3)))
        if state.action_deck_used:
            limbo = int(np.count_nonzero(state.limbo))
            points.append((self._lay_limbo, 1 + (limbo > 2 and not self._is_little)))
            rest += [(self._lay_action, 1), (self._lay_actions, 1)]
        return points, rest

    @property
    def _may_swap(self) -> bool:
        """Whether players may return cards to the undealt ones, which they know then."""
        return bool(self.state.teams or self.state.action_deck_used)

    def _lay_piles(self, box: Box, piles: list[tuple[Pile, int]]) -> None:
        """Draw piles in a row, all equally large."""
        label = self._label_height
        spots = row(sum(wide for _, wide in piles), box.top(box.h - label), 1.1, PILE)
        at = 0
        for lay, wide in piles:
            first, last = spots[at], spots[at + wide - 1]
            right = last.x + CARD_WIDTH * last.scale
            lay(first, Box(first.x, first.y, right - first.x, box.y + box.h - label - first.y))
            at += wide

    def _lay_point(self, spot: Spot, box: Box) -> None:
        """Draw the point card of this hand."""
        state, board = self.state, self.board
        lies = "offered" if state.phase == Phase.DECIDE else "in play"
        label = fitting(BOLD * (box.w + PILE) * (not self._is_little), lies, "")
        board.text(box.centre[0], spot.y + CARD_HEIGHT * spot.scale + 15, label, "soft mid clear")
        if state.point_card == NO_CARD:
            board.slot(spot, "none")
            return
        action = PLAY if self._in(Phase.DECIDE) else None
        board.card(spot, Item(POINTS[state.point_card], action=action), "point card in play")

    def _lay_deck(self, spot: Spot, box: Box) -> None:
        """Draw the deck of point cards."""
        count = int(self.state.point_deck.sum())
        room = (1.6 if self.is_over else 1.2) * box.w
        label = self._label(room, f"{count} left", str(count))
        said = f"{plural(count, 'point card')} left, face down"
        self._lay_pile(spot, count, "point deck", label, said)

    def _lay_limbo(self, spot: Spot, box: Box) -> None:
        """Draw the point cards in limbo."""
        if not self.state.limbo.any():
            return
        cards = [Item(POINTS[point]) for point in np.flatnonzero(self.state.limbo)]
        room = box.top(CARD_HEIGHT * spot.scale)
        things = self.board.things(cards, "limbo")
        self.board.lay(room, things, "limbo", (LEAST_SMALL, spot.scale))
        label = fitting((box.w + PILE - 2) * (not self._is_little), "limbo", "")
        self.board.text(
            box.centre[0], spot.y + CARD_HEIGHT * spot.scale + 15, label, "soft hot mid clear"
        )

    def _lay_undealt(self, spot: Spot, box: Box) -> None:
        """Draw the undealt number cards."""
        count = self._undealt()
        action = ACCEPT if self._in(Phase.SWAP_OFFER) else None
        said = f"{plural(count, 'number card')} undealt: nobody holds them in this hand"
        is_last = not (self.is_over or self.state.action_deck_used)
        left, right = self.rest_edges if is_last else (box.x - box.w, box.x + box.w)
        room, label, style = box.w if self.is_over else right - left, f"{count} undealt", "count"
        if not self._is_little and self._label(room, label, ""):
            self.board.pile(spot, count, "undealt", action, said=said)
        else:
            self.board.back(spot, "undealt", action, said, count)
            label, style = "undealt", "soft mid"
        half = width_of(label, BOLD * 13 if style == "count" else 12) / 2
        if self._is_little or 2 * half > room:
            return
        x = min(box.centre[0], right - half)
        if self.is_trick_above and is_last and not self._may_swap:
            x = max(x, box.x + half)  # beside the words below the deck
        self.board.text(x, spot.y + CARD_HEIGHT * spot.scale + 15, label, f"{style} clear")

    def _lay_known(self, spot: Spot, box: Box) -> None:
        """Draw the undealt cards that the viewer knows."""
        if not (known := self._known_undealt()):
            return
        room = box.top(CARD_HEIGHT * spot.scale)
        spots = row(len(known), room, spot.scale, PILE, min(LEAST_SMALL, spot.scale))
        for at, item in zip(spots, known, strict=True):
            self.board.card(at, item, "undealt")
        if self.open:
            under = spot.y + CARD_HEIGHT * spot.scale + 15
            label = self._label(box.w, f"{len(known)} undealt", str(len(known)))
            self.board.text(box.centre[0], under, label, "count clear mid")

    def _lay_action(self, spot: Spot, box: Box) -> None:
        """Draw the action card that is revealed."""
        if self.state.action_card == NO_CARD:
            return
        is_asked = self._in(Phase.SOCIAL)
        if is_asked:
            self.board.spotlight(spot)
        face = ACTIONS[ActionCard(self.state.action_card)]
        self.board.card(spot, Item(face, action=ACCEPT if is_asked else None), "revealed")

    def _lay_actions(self, spot: Spot, box: Box) -> None:
        """Draw the deck of action cards."""
        count = NUM_ACTION_CARDS - int(self.state.action_gone.sum())
        label = self._label(box.w, f"{count} actions", str(count))
        said = f"{plural(count, 'action card')} left, face down"
        self._lay_pile(spot, count, "action cards", label, said)

    def _lay_pile(
        self, spot: Spot, count: int, where: str, label: str, said: str, action: int | None = None
    ) -> None:
        """Draw a pile with a label below it, or its number on it."""
        if self._is_little and count:
            self.board.back(spot, where, action, said, count)
        else:
            label = "" if self._is_little else label
            self.board.pile(spot, count, where, action, label, said=said)

    def _undealt(self) -> int:
        state = self.state
        dealt = state.hand_size.sum() + state.played.sum() + state.trick.sum()
        return int(NUM_CARDS - dealt)

    def _known_undealt(self) -> list[Item]:
        """Return the undealt number cards that the viewer knows."""
        state = self.state
        known = state.undealt | state.under if self.open else state.known[self.bottom, UNDEALT]
        return [self._number(card, faded=not self.open) for card in np.flatnonzero(known).tolist()]

    @staticmethod
    def _label(wide: float, *texts: str) -> str:
        """Return the first of some words that fits below a pile, beside the words of others."""
        return fitting((wide + PILE - 2) * 12 / 13, *texts)


@lru_cache(4096)  # the tables of a game change little from move to move
def largest(widths: tuple[float, ...], wide: float, high: float, least: float) -> float:
    """Return the largest scale at which things of these widths fit into a box.

    Args:
        widths: their widths, in units of a card.
        wide, high: the size of the box.
        least: the scale that they have at least, if they fit at it.
    """
    most = max(0.1, min(MOST_SCALE, high / CARD_HEIGHT, wide / max(widths)))

    def fits(factor: float) -> bool:
        scale = most * factor
        return scale <= LEAST_WON or laid(widths, Box(0, 0, wide, high), scale)[1] <= high

    found = most * FACTORS[bisect_left(FACTORS, True, key=fits)]
    is_read = laid(widths, Box(0, 0, wide, high), least)[1] <= high + 1
    return max(found, least) if is_read else found


def laid(
    widths: Sequence[float], box: Box, scale: float, seen: float = CARD_WIDTH
) -> tuple[list[tuple[float, float]], float]:
    """Return the places of things of these widths at a scale, and their height.

    A card on which another one lies is `seen` that far, if it is wider.
    """
    gaps = min(5, seen - CARD_WIDTH * scale), CARD_HEIGHT * scale + 5
    spots, high = flow([scale * each for each in widths], box, gaps, is_centred=True)
    return spots, high - 5 if widths else 0.0


draw = FubnubTable.draw
