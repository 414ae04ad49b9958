"""FUBNUB as a picture, made from a view."""

from __future__ import annotations

import math
from functools import cached_property, partial

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
from gubs_env.drawing.svg import BOLD, fitting, width_of
from gubs_env.drawing.table import LEAST_OWN, NOTE_HEIGHT, TablePicture
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

LEAST_NUMBER = 0.4
"""The least scale of a card that was won, so that it can be read and a finger hits it."""
LEAST_HAND_ALONE = 34
"""The least height of another seat's hand where nothing was won."""
SHIFT, LEAST_SHIFT = 54.0, 40.0
"""The distance between two cards of a trick that was won, in units of a card: usually, and at least
where their numbers can be read.
"""
LEAST_SHOWN_HAND, LEAST_BOTH = 60, 180
"""The least height of another seat's hand with cards that the viewer knows, and that of a box in
which any hand lies below what was won.
"""
LEAST_ONE_LINE, LEAST_WITH_MORE, TWO_LINES = 330, 480, 176
"""The least widths of a middle in one line, without and with action cards or cards in limbo, and
the least height of two lines.
"""
LEAST_STACKED = 110
"""The least height of a box in which one pile lies above another."""
HIGH = 0.42
"""The least height of a middle, as a part of its width, in which each card of a trick lies before
its seat.
"""
TRICK_SPOTS = {
    2: ((0, 1), (0, -1)),
    3: ((0, 1), (-1, -1), (1, -1)),
    4: ((0, 1), (-1, 0), (0, -1), (1, 0)),
}
"""The place of each seat's card in a trick, clockwise from the viewer: steps across and down."""


class FubnubTable(TablePicture):
    """The picture of one view of FUBNUB."""

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
        heading, earned = super()._heading(seat), len(self._points[seat])
        return heading._replace(facts=f"{plural(earned, 'point card')}, {heading.facts}")

    @cached_property
    def _points(self) -> list[np.ndarray]:
        """The point cards of each seat."""
        piles = [pile_of(self.state, seat) for seat in range(self.seats)]
        return [np.flatnonzero(self.state.owned[pile]) for pile in piles]

    @cached_property
    def _tricks(self) -> list[list[int]]:
        """The tricks that each seat won in this hand."""
        winners = self.state.trick_winner.tolist()
        return [[k for k, winner in enumerate(winners) if winner == s] for s in range(self.seats)]

    def _shift(self, wide: float) -> float:
        """Return the distance between two cards of a trick, in units of a card, in a box."""
        room = (wide / LEAST_NUMBER - CARD_WIDTH) / (self.seats - 1)
        return max(LEAST_SHIFT, min(SHIFT, room))

    def _widths(self, seat: int, wide: float = 2000.0) -> list[float]:
        """Return the widths of the point cards and tricks of a seat, in units of a card."""
        trick = CARD_WIDTH + self._shift(wide) * (self.seats - 1)
        return [CARD_WIDTH] * len(self._points[seat]) + [trick] * len(self._tricks[seat])

    def _won(self, seat: int, box: Box, scale: float) -> tuple[list[tuple[float, float]], float]:
        """Return the places of what a seat has won at a scale, and their height."""
        widths = [scale * each for each in self._widths(seat, box.w)]
        spots, high = flow(widths, box, (8, CARD_HEIGHT * scale + 6), is_centred=True)
        return spots, high - 6 if widths else 0.0

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
        won = self._won(seat, Box(0, 0, wide, 0), LEAST_NUMBER)[1]
        if LEAST_NUMBER * max(self._widths(seat, wide), default=0.0) > wide + 1:
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
        held, least = int(state.hand_size[seat]), self._least(seat, inner.w)
        if not self._widths(seat):
            hand = inner
        elif self._lays_hand(seat) or (held and inner.h > max(LEAST_BOTH, 1.6 * sum(least))):
            won, needed = least
            inner, hand = self.halves(
                inner,
                lambda box: self._scale(seat, box),
                lambda box: self.scale_of(held, box.inset(6, 5)),
                won / (won + needed),
            )
        self._lay_won(seat, inner)
        self._hand(seat, hand)

    def _scale(self, seat: int, box: Box) -> float:
        """Return the largest scale at which what a seat has won fits into a box."""
        scale, widest = MOST_SCALE, max(self._widths(seat, box.w))
        scale = max(0.1, min(scale, box.h / CARD_HEIGHT, box.w / widest))
        while scale > 0.2 and self._won(seat, box, scale)[1] > box.h:
            scale *= 0.96
        return scale

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
        for number, (x, y) in zip(tricks, spots[len(points) :], strict=True):
            laid = np.argwhere(state.tricks[number] & state.played)
            for place, (player, card) in enumerate(laid):
                where = f"trick {number + 1}, won by {name}, laid by {seat_name(state, player)}"
                spot = Spot(x + self._shift(box.w) * scale * place, y + down, scale)
                is_covered = place < len(laid) - 1
                self.board.card(spot, Item(NUMBERS[card]), where, is_covered=is_covered)

    def _hand(self, seat: int, box: Box) -> None:
        state, is_own = self.state, seat == self.own_seat
        where = f"hand of {seat_name(state, seat)}"
        cards = self._known(seat)
        hidden = int(state.hand_size[seat]) - len(cards)
        if not is_own:
            items = [Item(NUMBERS[card], faded=not self.open) for card in cards]
            self.board.hand(box, items, hidden, where)
            return
        if not state.hand_size[seat]:
            return
        box = box.below(self._note_height())
        self.board.tray(box, "")
        spots = self.spread(len(cards) + hidden, box.inset(6, 5), is_fan=True)
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
        """Mark a card that the point card in play favours."""
        x, y = spot.x + 95 * spot.scale, spot.y + 5 * spot.scale
        self.board.add(
            f'<g class="star" transform="translate({x:.1f} {y:.1f})" role="img" '
            'aria-label="favoured">'
            '<circle class="badge" r="11"/><path class="ye" d="M0-8l2.300 5 5.700.7-4 3.800 1 5.500'
            '-5-2.600-5 2.600 1-5.500-4-3.800 5.700-.7Z"/></g>'
        )

    # ------------------------------------------------------------------------------ the middle

    def _middle(self, box: Box) -> None:
        trick, points, rest = self._columns(box.inset(6, 4))
        self._lay_trick(trick)
        self._lay_points(points)
        self._lay_rest(rest)

    def _is_narrow(self, wide: float) -> bool:
        """Return whether the middle has two lines."""
        has_more = self.state.action_deck_used or self.state.limbo.any()
        return wide < (LEAST_WITH_MORE if has_more else LEAST_ONE_LINE)

    def _middle_needs(self, wide: float) -> float:
        return TWO_LINES if self._is_narrow(wide) else 0

    def _columns(self, box: Box) -> tuple[Box, Box, Box]:
        """Return the boxes of the trick, of the point cards, and of the other cards."""
        if self._is_narrow(box.w + 12):
            more = 0.4 * bool(self.state.action_deck_used)
            points, rest = columns(box.below(box.h / 2), 1.2, 1 + more)
            return box.top(box.h / 2), points, rest
        more = bool(self.state.action_deck_used)
        shares = (0.8, 2, 0.7 + 0.4 * more) if box.h > HIGH * box.w else (1, 1.4, 0.7 + 0.3 * more)
        limbo = 0.5 * bool(self.state.limbo.any())
        points, trick, rest = columns(box, shares[0] + limbo, *shares[1:])
        return trick, points, rest

    def _lay_trick(self, box: Box) -> None:
        """Draw the trick: each card before its seat, or in a row with the names of the seats."""
        if box.h > 0.75 * box.w:
            across, down = (1.0, 0.5) if self.seats != 3 else (0.55, 0.5)
            scale = min(1.3, box.h / 2 / (CARD_HEIGHT + 4), box.w / (2 * across + 1) / 104)
            x, y = box.centre
            for steps, (right, up) in enumerate(TRICK_SPOTS[self.seats]):
                left = x + right * across * 104 * scale - 50 * scale
                spot = Spot(left, y + up * down * 144 * scale - 70 * scale, scale)
                self._lay(seat_at(self.state, self.bottom, steps), spot)
            return
        spots = row(self.seats, box.top(box.h - 22).below(2), 1.2, 4)
        for steps, spot in enumerate(spots):
            seat = seat_at(self.state, self.bottom, steps)
            name, under = seat_name(self.state, seat), spot.y + 140 * spot.scale + 15
            if self._lay(seat, spot) and width_of(name, BOLD * 13) < 100 * spot.scale:
                self.board.text(spot.centre[0], under, name, "count clear")

    def _lay(self, seat: int, spot: Spot) -> bool:
        """Draw the card of a seat in the trick; return whether there is one."""
        card = int(self.state.trick_card[seat])
        if card != NO_CARD:
            where = f"trick, laid by {seat_name(self.state, seat)}"
            self.board.card(spot, Item(NUMBERS[card]), where)
        else:
            self.board.slot(spot, "")
        return card != NO_CARD

    def _lay_points(self, box: Box) -> None:
        """Draw the point card of this hand, the deck of point cards and the cards in limbo."""
        state, board = self.state, self.board
        limbo = [Item(POINTS[point]) for point in np.flatnonzero(state.limbo)]
        card, deck = beside(box, 0.45 if limbo else 0.58)
        size = max(0.2, min(1.2, (card.h - 24) / CARD_HEIGHT, card.w / CARD_WIDTH))
        spot = Spot(card.centre[0] - 50 * size, card.centre[1] - 70 * size - 8, size)
        board.text(spot.centre[0], spot.y + 140 * size + 15, "in play", "soft mid clear")
        if state.point_card == NO_CARD:
            board.slot(spot, "none")
        else:
            action = PLAY if self._in(Phase.DECIDE) else None
            item = Item(POINTS[state.point_card], action=action)
            board.card(spot, item, "point card in play")
        if limbo:
            deck, aside = columns(deck, 1, 1.1)
            board.text(aside.x, aside.y + 10, fitting(aside.w, "limbo", ""), "soft hot")
            board.small_cards(aside.below(15), limbo, "limbo", 0.3, 0.6)
        label = fitting(deck.w, f"{int(state.point_deck.sum())} left")
        self._lay_pile(deck, int(state.point_deck.sum()), "point deck", label)

    def _lay_pile(
        self, box: Box, count: int, where: str, label: str, action: int | None = None
    ) -> Spot:
        """Draw a pile in the centre of a box, with a label below it; return its place."""
        size = max(0.25, min(0.8, (box.h - 26) / CARD_HEIGHT, (box.w - 8) / CARD_WIDTH))
        spot = Spot(box.centre[0] - 50 * size, box.centre[1] - 70 * size - 8, size)
        self.board.pile(spot, count, where, action, label)
        return spot

    def _lay_rest(self, box: Box) -> None:
        """Draw the undealt number cards and the action cards."""
        state, board = self.state, self.board
        share = 0.65 if state.action_card == NO_CARD else 0.5
        undealt, actions = beside(box, share) if state.action_deck_used else (box, box)
        known = [Item(NUMBERS[card], faded=not self.open) for card in self._known_undealt()]
        if known:
            undealt, shown = columns(undealt, 1, 1.2)
            board.small_cards(shown.inset(0, 8), known, "undealt", 0.3, 0.6)
        action = ACCEPT if self._in(Phase.SWAP_OFFER) else None
        label = fitting(undealt.w, f"{self._undealt()} undealt", str(self._undealt()))
        self._lay_pile(undealt, self._undealt(), "undealt", label, action)
        if not state.action_deck_used:
            return
        left = NUM_ACTION_CARDS - int(state.action_gone.sum())
        if state.action_card != NO_CARD:
            shown, actions = columns(actions, 1.6, 1, gap=6)
            size = min(1.1, (shown.h - 12) / CARD_HEIGHT, shown.w / CARD_WIDTH)
            spot = Spot(shown.centre[0] - 50 * size, shown.centre[1] - 70 * size, size)
            if self._in(Phase.SOCIAL):
                board.spotlight(spot)
            board.card(spot, self._action, "revealed")
        self._lay_pile(
            actions, left, "action cards", fitting(actions.w, f"{left} actions", str(left))
        )

    def _undealt(self) -> int:
        state = self.state
        dealt = state.hand_size.sum() + state.played.sum() + state.trick.sum()
        return int(NUM_CARDS - dealt)

    def _known_undealt(self) -> np.ndarray:
        """Return the undealt number cards that the viewer knows."""
        state = self.state
        known = state.undealt | state.under if self.open else state.known[self.bottom, UNDEALT]
        return np.flatnonzero(known)

    @property
    def _action(self) -> Item:
        """The action card that is revealed."""
        action = ACCEPT if self._in(Phase.SOCIAL) else None
        return Item(ACTIONS[ActionCard(self.state.action_card)], action=action)


def beside(box: Box, share: float) -> tuple[Box, Box]:
    """Return two boxes: side by side in a wide box, else one above the other with `share`."""
    if box.w > box.h or box.h < LEAST_STACKED:
        first, second = columns(box, share, 1 - share)
        return first, second
    return box.top(box.h * share), box.below(box.h * share)


draw = FubnubTable.draw
