"""FUBNUB as a picture, made from a view."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from itertools import chain
from types import MappingProxyType

import numpy as np

from gubs_env.drawing.board import Heading, Item
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    MOST_SCALE,
    Box,
    Spot,
    columns,
    flow,
    lines_height,
    row,
)
from gubs_env.drawing.svg import BOLD, fitting, moved, number, width_of
from gubs_env.drawing.table import KEPT, LEAST_OWN, NOTE_HEIGHT, TRAY_INSET, TablePicture
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
from gubs_env.games.fubnub.state import UNDEALT, Phase, pile_of
from gubs_env.games.fubnub.words import seat_name

LEAST_TARGET, LEAST_NUMBER = 0.4, 0.36
"""The least scale of a card that a finger hits, and of one that was won, so that it can be read."""
LEAST_HAND_ALONE = 34
"""The least height of another seat's hand where nothing was won."""
SHIFT, LEAST_SHIFT = 54.0, 40.0
"""The distance between two cards of a trick that was won, in units of a card: usually, and at least
where their numbers can be read.
"""
OWN_HAND = 1.4
"""How much larger the viewer's hand is than what the viewer won."""
LEAST_SHOWN_HAND = 60
"""The least height of another seat's hand that lies below what was won or beside it."""
LEAST_CELL, LEAST_CENTRED, TWO_LINES, LINE = 44, 480, 176, 72
"""The least width of a pile or a card of the trick in a line of the middle, that of a middle with
the trick in its centre, and the least heights of two lines and of a third one.
"""
HIGH, TRICK = 0.42, (0.56, 0.48)
"""The least height of a middle, as a part of its width, in which the piles lie below the trick, and
the part of this height for the trick: usually, and with a pile that is chosen or an action card.
"""
PILE, LABEL = 10.0, 22.0
"""The distance between two piles, and the height of the words below them."""
LEAST_SMALL = 0.3
"""The least scale of cards that fill lines, so that their numbers can be read."""
BEFORE_SEATS = 0.85
"""How large the cards of a trick before their seats must be, compared with those in a row."""
Pile = Callable[[Spot, Box], None]
"""Draws a pile: (its first spot, its box)."""
LEAST_WON = 0.2
"""The scale below which what a seat has won does not shrink any more."""
FACTORS = [0.96**k for k in range(60)]
"""The scales that are tried for it, as parts of the largest one."""
TRICK_SPOTS = {
    2: ((0, 1), (0, -1)),
    3: ((0, 1), (-1, -1), (1, -1)),
    4: ((0, 1), (-1, 0), (0, -1), (1, 0)),
}
"""The place of each seat's card in a trick, clockwise from the viewer: steps across and down."""


class FubnubTable(TablePicture):
    """The picture of one view of FUBNUB."""

    short_notes = MappingProxyType({"put the card in play": "put it in play"})

    def _seating(self) -> tuple[int, int]:
        return int(self.state.seat_of[max(self.view.seat, 0)]), int(self.state.num_seats)

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
        heading, earned = super()._heading(seat), self.state.owned[pile_of(self.state, seat)].sum()
        return heading._replace(facts=f"{plural(earned, 'point card')}, {heading.facts}")

    @cached_property
    def _points(self) -> list[np.ndarray]:
        """The point cards before each seat; those of partners lie before the first of them."""
        lying, piles = [np.array([], int)] * self.seats, set[int]()
        for seat in sorted(range(self.seats), key=self._steps):
            if (pile := int(pile_of(self.state, seat))) not in piles:
                lying[seat] = np.flatnonzero(self.state.owned[pile])
                piles.add(pile)
        return lying

    @property
    def _least_number(self) -> float:
        """The least scale of cards that were won."""
        return LEAST_TARGET if self._in(Phase.STEAL) else LEAST_NUMBER

    @cached_property
    def _tricks(self) -> list[list[int]]:
        """The tricks that each seat won in this hand."""
        winners = self.state.trick_winner.tolist()
        return [[k for k, winner in enumerate(winners) if winner == s] for s in range(self.seats)]

    def _shift(self, wide: float) -> float:
        """Return the distance between two cards of a trick, in units of a card, in a box."""
        room = (wide / self._least_number - CARD_WIDTH) / (self.seats - 1)
        return max(LEAST_SHIFT, min(SHIFT, room))

    def _widths(self, seat: int, wide: float = 2000.0) -> list[float]:
        """Return the widths of the point cards and tricks of a seat, in units of a card."""
        trick = CARD_WIDTH + self._shift(wide) * (self.seats - 1)
        return [CARD_WIDTH] * len(self._points[seat]) + [trick] * len(self._tricks[seat])

    def _won(self, seat: int, box: Box, scale: float) -> tuple[list[tuple[float, float]], float]:
        """Return the places of what a seat has won at a scale, and their height."""
        return laid(self._widths(seat, box.w), box, scale)

    def _has_hand(self, seat: int) -> bool:
        held = self.state.hand_size[seat]
        return bool(seat != self.own_seat and held and self._widths(seat))

    def _known(self, seat: int) -> np.ndarray:
        """Return the cards in a hand that the viewer knows."""
        state = self.state
        is_seen = seat == self.own_seat or self.open
        return np.flatnonzero(state.hand[seat] if is_seen else state.known[self.bottom, seat])

    def _note_height(self) -> float:
        """Return the height of the note above the viewer's hand."""
        return NOTE_HEIGHT if self.state.drawn != NO_CARD else 0

    def _needs(self, seat: int, wide: float) -> float:
        if not self._lays_hand(seat):
            return self._least(seat, wide)[0]
        if not self._widths(seat):
            return self._least(seat, wide)[1]
        return self.halves_height(wide, partial(self._least, seat))

    def _least(self, seat: int, wide: float) -> tuple[float, float]:
        """Return the least heights of what a seat has won and of a hand below it or beside it."""
        won = self._won(seat, Box(0, 0, wide, 0), self._least_number)[1]
        if self._least_number * max(self._widths(seat, wide), default=0.0) > wide + 1:
            won = math.inf
        if seat != self.own_seat:
            return won or LEAST_HAND_ALONE, LEAST_SHOWN_HAND
        hand = lines_height(int(self.state.hand_size[seat]), wide - 12, LEAST_OWN)
        return won, hand + 10 + self._note_height()

    def _lays_hand(self, seat: int) -> bool:
        """Return whether a hand lies below what was won or beside it, large enough to be read."""
        held = self.state.hand_size[seat]
        return bool(held and (seat == self.own_seat or len(self._known(seat))))

    def _seat(self, seat: int, box: Box) -> None:
        state, steps = self.state, self._steps(seat)
        action = FIRST_SEAT + steps - 1 if steps else None
        inner, hand = self._mat(seat, box, state.asked, action=action)
        is_beside = True
        if not self._widths(seat):
            hand = inner
        elif state.hand_size[seat]:
            parts = self._halves(seat, inner)
            is_beside = self._lays_hand(seat) or self._has_room(seat, inner, *parts)
            inner, hand = parts if is_beside else (inner, hand)
        self._lay_won(seat, inner)
        self._hand(seat, hand, is_right=not is_beside)

    def _halves(self, seat: int, box: Box) -> tuple[Box, Box]:
        """Return the boxes of what a seat has won and of its hand."""
        held, (won, hand) = int(self.state.hand_size[seat]), self._least(seat, box.w)
        is_own = seat == self.own_seat
        share = 1 / OWN_HAND if is_own else 1.0
        return self.halves(
            box,
            lambda box: self._scale(seat, box),
            lambda box: self.hand_scale(held, len(self._known(seat)), box, is_own) * share,
            won / (won + hand),
        )

    def _has_room(self, seat: int, box: Box, won: Box, hand: Box) -> bool:
        """Return whether a hand lies beside what was won without making it much smaller."""
        smaller, alone = self._scale(seat, won), self._scale(seat, box)
        return hand.h >= LEAST_SHOWN_HAND and smaller >= max(self._least_number, KEPT * alone)

    def _scale(self, seat: int, box: Box) -> float:
        """Return the largest scale at which what a seat has won fits into a box."""
        return largest(tuple(self._widths(seat, box.w)), box.w, box.h)

    def _lay_won(self, seat: int, box: Box) -> None:
        """Draw the point cards of a seat and the tricks of this hand, all equally large."""
        state, name, is_own = self.state, seat_name(self.state, seat), seat == self.own_seat
        if not self._widths(seat):
            return
        scale = self._scale(seat, box)
        spots, high = self._won(seat, box._replace(y=0), scale)
        down = box.y + (box.h - high) / 2
        points, tricks = self._points[seat], self._tricks[seat]
        for point, (x, y) in zip(points, spots, strict=False):
            action = None if is_own else FIRST_STEAL + int(point)
            item = Item(POINTS[point], action=action)
            self.board.card(Spot(x, y + down, scale), item, f"pile of {name}")
        for trick, (x, y) in zip(tricks, spots[len(points) :], strict=True):
            laid = np.argwhere(state.tricks[trick] & state.played)
            for place, (player, card) in enumerate(laid):
                where = f"trick {trick + 1}, won by {name}, laid by {seat_name(state, player)}"
                left = x + self._shift(box.w) * scale * place
                spot = Spot(left, y + down, scale, seen=int(place == len(laid) - 1))
                self.board.card(spot, Item(NUMBERS[card]), where)

    def _hand(self, seat: int, box: Box, is_right: bool = False) -> None:
        state, is_own = self.state, seat == self.own_seat
        where = f"hand of {seat_name(state, seat)}"
        cards = self._known(seat)
        hidden = int(state.hand_size[seat]) - len(cards)
        if not is_own:
            items = [Item(NUMBERS[card], faded=not self.open) for card in cards]
            self.board.hand(box, items, hidden, where, is_right)
            return
        if not state.hand_size[seat]:
            return
        box = box.below(self._note_height())
        self.board.tray(box, "")
        spots = self.spread(len(cards) + hidden, box.inset(*TRAY_INSET), is_fan=True)
        for spot, card in zip(spots, cards, strict=False):
            self.board.card(spot, Item(NUMBERS[card], action=int(card)), where)
            if state.point_card != NO_CARD and FAVOURED[state.point_card, card]:
                self._star(spot)
        for spot in spots[len(cards) :]:
            self.board.back(spot, where)
        if state.drawn != NO_CARD:
            title = NUMBER_TITLES[state.drawn]
            note = f"Just drawn, not to be given back: {title}"
            note = fitting(box.w - 12, note, f"Just drawn: {title}")
            self.board.text(box.x + box.w - 12, box.y - 4, note, "soft end")

    def _star(self, spot: Spot) -> None:
        """Mark a card that the point card in play favours, at the left, which no other hides."""
        at = f"{moved(*spot[:3])} rotate({number(spot.turn)} 50 70) {moved(12, 13.5, 0.8)}"
        self.board.add(
            f'<g class="star" transform="{at}" role="img" aria-label="favoured">'
            '<circle class="badge" r="11"/><path class="ye" d="M0-8l2.300 5 5.700.7-4 3.800 1 5.500'
            '-5-2.600-5 2.600 1-5.500-4-3.800 5.700-.7Z"/></g>'
        )

    # ------------------------------------------------------------------------------ the middle

    def _middle(self, box: Box) -> None:
        trick, *sides = self._columns(box.inset(6, 4))
        if not self.is_over:
            self._lay_trick(trick)
        parts = self._parts() if len(sides) > 1 else [[*chain(*self._parts())]]
        for side, piles in zip(sides, parts, strict=True):
            self._lay_piles(side, piles)

    def _piles(self) -> int:
        """Return the width of all piles, in cards."""
        return sum(wide for _, wide in chain(*self._parts()))

    def _is_narrow(self, wide: float) -> bool:
        """Return whether the middle has several lines."""
        return wide < LEAST_CELL * (self.seats + self._piles())

    def _middle_needs(self, wide: float) -> float:
        if self.is_over:
            return 0
        if not self._is_narrow(wide):
            return LEAST_TARGET * CARD_HEIGHT + LABEL + 8 if self._offers_pile() else 0
        return TWO_LINES + LINE * (wide < LEAST_CELL * self._piles())

    def _offers_pile(self) -> bool:
        """Return whether the viewer can choose a pile."""
        return self._in(Phase.DECIDE, Phase.SWAP_OFFER, Phase.SOCIAL)

    def _columns(self, box: Box) -> list[Box]:
        """Return the boxes of the trick, and of the piles: below it, or at its left and right."""
        if self.is_over:
            return [box.top(0), box]
        if self._is_narrow(box.w + 12) or box.h > HIGH * box.w:
            if box.w + 12 < LEAST_CELL * self._piles():
                return [box.below(line * box.h / 3).top(box.h / 3) for line in range(3)]
            is_read = bool(self.state.action_card != NO_CARD)
            high = TRICK[is_read or self._offers_pile()] * box.h
            return [box.top(high), box.below(high + 4)]
        points, rest = (sum(wide for _, wide in piles) for piles in self._parts())
        if box.w > LEAST_CENTRED:  # with the trick in the centre
            points = rest = max(points, rest)
        left, trick, right = columns(box, points, self.seats, rest)
        return [trick, left, right]

    def _lay_trick(self, box: Box) -> None:
        """Draw the trick: each card before its seat, or in a row with the names of the seats."""
        spots = row(self.seats, box.top(box.h - LABEL).below(2), 1.2, 10)
        across, down = (1.0, 0.5) if self.seats != 3 else (0.55, 0.5)
        scale = min(1.3, box.h / 2 / (CARD_HEIGHT + 20), box.w / (2 * across + 1) / 120)
        if scale > BEFORE_SEATS * spots[0].scale:
            x, y = box.centre
            for steps, (right, up) in enumerate(TRICK_SPOTS[self.seats]):
                left = x + right * across * 120 * scale - 50 * scale
                spot = Spot(left, y + up * down * 160 * scale - 70 * scale, scale)
                self._lay(seat_at(self.state, self.bottom, steps), spot)
            return
        for steps, spot in enumerate(spots):
            seat = seat_at(self.state, self.bottom, steps)
            name, under = seat_name(self.state, seat), spot.y + 140 * spot.scale + 15
            self._lay(seat, spot)
            if width_of(name, BOLD * 13) < 100 * spot.scale + 8:
                self.board.text(spot.centre[0], under, name, "count clear")

    def _lay(self, seat: int, spot: Spot) -> None:
        """Draw the card of a seat in the trick, or its place."""
        card, where = (
            int(self.state.trick_card[seat]),
            f"trick, laid by {seat_name(self.state, seat)}",
        )
        if card != NO_CARD:
            self.board.card(spot, Item(NUMBERS[card]), where)
        else:
            self.board.slot(spot, "", of=seat_name(self.state, seat))

    def _parts(self) -> tuple[list[tuple[Pile, int]], list[tuple[Pile, int]]]:
        """Return the piles of point cards, and the others: each as (draws it, width in cards)."""
        state = self.state
        points: list[tuple[Pile, int]] = [(self._lay_point, 1), (self._lay_deck, 1)]
        if limbo := int(np.count_nonzero(state.limbo)):
            points.append((self._lay_limbo, 1 + (limbo > 2)))
        rest: list[tuple[Pile, int]] = [(self._lay_undealt, 1)]
        if known := len(self._known_undealt()):
            rest.append((self._lay_known, min(3, 1 + known // 3)))
        if state.action_card != NO_CARD:
            rest.append((self._lay_action, 1))
        if state.action_deck_used:
            rest.append((self._lay_actions, 1))
        return points, rest

    @staticmethod
    def _lay_piles(box: Box, piles: list[tuple[Pile, int]]) -> None:
        """Draw piles in a row, all equally large."""
        spots = row(sum(wide for _, wide in piles), box.top(box.h - LABEL), 1.1, PILE)
        at = 0
        for lay, wide in piles:
            first, last = spots[at], spots[at + wide - 1]
            right = last.x + CARD_WIDTH * last.scale
            lay(first, Box(first.x, first.y, right - first.x, box.y + box.h - LABEL - first.y))
            at += wide

    def _lay_point(self, spot: Spot, box: Box) -> None:
        """Draw the point card of this hand."""
        state, board = self.state, self.board
        lies = "offered" if state.phase == Phase.DECIDE else "in play"
        label = fitting(box.w + 4, lies, "")
        board.text(box.centre[0], spot.y + CARD_HEIGHT * spot.scale + 15, label, "soft mid clear")
        if state.point_card == NO_CARD:
            board.slot(spot, "none")
            return
        action = PLAY if self._in(Phase.DECIDE) else None
        board.card(spot, Item(POINTS[state.point_card], action=action), "point card in play")

    def _lay_deck(self, spot: Spot, box: Box) -> None:
        """Draw the deck of point cards."""
        count = int(self.state.point_deck.sum())
        label = fitting(box.w + 4, f"{count} left", str(count))
        said = f"{plural(count, 'point card')} left, face down"
        self.board.pile(spot, count, "point deck", label=label, said=said)

    def _lay_limbo(self, spot: Spot, box: Box) -> None:
        """Draw the point cards in limbo."""
        cards = [Item(POINTS[point]) for point in np.flatnonzero(self.state.limbo)]
        room = box.top(CARD_HEIGHT * spot.scale)
        things = self.board.things(cards, "limbo")
        self.board.lay(room, things, "limbo", (LEAST_SMALL, spot.scale))
        label = fitting(box.w + 4, "limbo", "")
        self.board.text(
            box.centre[0], spot.y + CARD_HEIGHT * spot.scale + 15, label, "soft hot mid clear"
        )

    def _lay_undealt(self, spot: Spot, box: Box) -> None:
        """Draw the undealt number cards."""
        count = self._undealt()
        action = ACCEPT if self._in(Phase.SWAP_OFFER) else None
        label = fitting(box.w + 2 * PILE - 4, f"{count} undealt", "undealt", str(count))
        said = f"{plural(count, 'number card')} undealt: nobody holds them in this hand"
        self.board.pile(spot, count, "undealt", action, label, said=said)

    def _lay_known(self, spot: Spot, box: Box) -> None:
        """Draw the undealt cards that the viewer knows."""
        cards = [Item(NUMBERS[card], faded=not self.open) for card in self._known_undealt()]
        things = self.board.things(cards, "undealt")
        self.board.lay(box, things, "undealt", (LEAST_SMALL, spot.scale))

    def _lay_action(self, spot: Spot, box: Box) -> None:
        """Draw the action card that is revealed."""
        is_asked = self._in(Phase.SOCIAL)
        if is_asked:
            self.board.spotlight(spot)
        face = ACTIONS[ActionCard(self.state.action_card)]
        self.board.card(spot, Item(face, action=ACCEPT if is_asked else None), "revealed")

    def _lay_actions(self, spot: Spot, box: Box) -> None:
        """Draw the deck of action cards."""
        count = NUM_ACTION_CARDS - int(self.state.action_gone.sum())
        label = fitting(box.w + 4, f"{count} actions", str(count))
        said = f"{plural(count, 'action card')} left, face down"
        self.board.pile(spot, count, "action cards", label=label, said=said)

    def _undealt(self) -> int:
        state = self.state
        dealt = state.hand_size.sum() + state.played.sum() + state.trick.sum()
        return int(NUM_CARDS - dealt)

    def _known_undealt(self) -> np.ndarray:
        """Return the undealt number cards that the viewer knows."""
        state = self.state
        known = state.undealt | state.under if self.open else state.known[self.bottom, UNDEALT]
        return np.flatnonzero(known)


@lru_cache(4096)  # the tables of a game change little from move to move
def largest(widths: tuple[float, ...], wide: float, high: float) -> float:
    """Return the largest scale at which things of these widths fit into a box."""
    most = max(0.1, min(MOST_SCALE, high / CARD_HEIGHT, wide / max(widths)))

    def fits(factor: float) -> bool:
        scale = most * factor
        return scale <= LEAST_WON or laid(widths, Box(0, 0, wide, high), scale)[1] <= high

    return most * FACTORS[bisect_left(FACTORS, True, key=fits)]


def laid(
    widths: Sequence[float], box: Box, scale: float
) -> tuple[list[tuple[float, float]], float]:
    """Return the places of things of these widths at a scale, and their height."""
    spots, high = flow(
        [scale * each for each in widths], box, (8, CARD_HEIGHT * scale + 6), is_centred=True
    )
    return spots, high - 6 if widths else 0.0


draw = FubnubTable.draw
