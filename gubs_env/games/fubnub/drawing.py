"""FUBNUB as a picture, made from a view."""

from __future__ import annotations

import numpy as np

from gubs_env.drawing.board import Item
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    GAP,
    SMALLER,
    Box,
    Places,
    Spot,
    around,
    columns,
    grid,
    lines_height,
    row,
)
from gubs_env.drawing.svg import BOLD, fitting, width_of
from gubs_env.drawing.table import LEAST_SHOWN, NOTE_HEIGHT, TablePicture, own_height
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.fubnub.actions import ACCEPT, FIRST_SEAT, FIRST_STEAL, PLAY
from gubs_env.games.fubnub.cards import (
    FAVOURED,
    HAND_CARDS,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUM_CARDS,
    NUMBER_TITLES,
    ActionCard,
)
from gubs_env.games.fubnub.faces import ACTIONS, GHOST, NUMBERS, POINTS
from gubs_env.games.fubnub.state import UNDEALT, Phase, pile_of
from gubs_env.games.fubnub.words import last_award_words, seat_name

HAND_HEIGHT, OPEN_HEIGHT = 46, 84
"""The height of another seat's hand: hidden, and open.

A hand that is known in part is as high as an open one in the seats at the left and the right.
"""
LEAST_NUMBER = 0.3
"""The least scale of a number card in a fitted picture, so that its number can be read."""
SMALL_HAND = 42
"""The least height of another seat's hand in a fitted picture."""
LEAST_ONE_LINE, LEAST_WITH_MORE, TWO_LINES = 330, 520, 176
"""The least widths of a middle in one line in a fitted picture, without and with action cards or
cards in limbo, and the least height of two lines.
"""
LIMBO_HEIGHT, LEAST_WITH_LIMBO = 63, 137
"""The height of the cards in limbo below the deck of point cards in a fitted picture, and the least
height of a middle with them.
"""
TRICK_SPOTS = {
    2: ((0, 1), (0, -1)),
    3: ((0, 1), (-1, -1), (1, -1)),
    4: ((0, 1), (-1, 0), (0, -1), (1, 0)),
}
"""The place of each seat's card in a trick, clockwise from the viewer: steps across and down."""


class FubnubTable(TablePicture):
    """The picture of one view of FUBNUB."""

    own_heights = 222, 300

    def _seating(self) -> tuple[int, int]:
        return int(self.state.seat_of[max(self.view.seat, 0)]), int(self.state.num_seats)

    def _places(self) -> Places:
        top, middle = 244 if self.open else 206, 330 if self.seats > 3 else 238
        return around(self.seats, top=top, side=0, middle=middle, own_height=290)

    def _in(self, *phases: Phase) -> bool:
        """Return whether the viewer decides in one of these phases."""
        return self.decides and self.state.phase in phases

    # ------------------------------------------------------------------------------- seats

    def _wins(self, seat: int) -> bool:
        return bool(self.is_over and self.state.won[seat])

    def _figures(self, seat: int) -> dict[str, str]:
        is_ghost = self.state.player_at[seat] == NOBODY
        return {"ghost": GHOST} if is_ghost and not self.is_fitted else {}

    def _seat(self, seat: int, box: Box) -> None:
        state, is_own, steps = self.state, seat == self.own_seat, self._steps(seat)
        action = FIRST_SEAT + steps - 1 if steps else None
        inner = self._mat(seat, box, state.asked, action=action)
        if self.is_fitted:
            self._fitted_seat(seat, inner)
            return
        is_tall = self.open or (state.known[self.bottom, seat].any() and inner.w < 300)
        high = 130 if is_own else OPEN_HEIGHT if is_tall else HAND_HEIGHT
        hand = Box(inner.x, inner.y + inner.h - high, inner.w, high)
        rest = Box(inner.x, inner.y + 4, inner.w, inner.h - high - 12)
        used = self._earned(seat, rest.top(rest.h * 0.55))
        self._tricks(seat, rest.below(used + 6 if used else 0))
        self._hand(seat, hand)

    def _needs(self, seat: int, wide: float) -> float:
        above = self._rest_needs(seat, wide) + self._note_height(seat)
        return above + 4 + self._hand_needs(seat, wide)

    def _hand_needs(self, seat: int, wide: float) -> float:
        """Return the least height of a hand in a fitted picture."""
        if seat != self.own_seat:
            return SMALL_HAND
        return own_height(int(self.state.hand_size[seat]), wide - 20) + 12

    def _rest_needs(self, seat: int, wide: float) -> float:
        """Return the least height of the point cards and tricks of a seat in a fitted picture."""
        points = int(self.state.owned[pile_of(self.state, seat)].sum())
        won = int((self.state.trick_winner == seat).sum())
        half = (wide - GAP) / 2
        if points and half >= self._trick_width:
            return max(self._points_height(points, half), self._tricks_height(won, half))
        between = 6 if points and won else 0
        return self._points_height(points, wide) + between + self._tricks_height(won, wide)

    def _note_height(self, seat: int) -> float:
        """Return the height of the note above a hand in a fitted picture."""
        return NOTE_HEIGHT if seat == self.own_seat and self.state.drawn != NO_CARD else 0

    @property
    def _trick_width(self) -> float:
        """The least width of a trick in a fitted picture, whose cards can overlap."""
        return 100 * LEAST_NUMBER + LEAST_SHOWN * (self.seats - 1)

    def _points_height(self, points: int, wide: float) -> float:
        return lines_height(points, wide, LEAST_NUMBER, 5)

    def _tricks_height(self, won: int, wide: float) -> float:
        across = int((wide + 12) // (self._trick_width + 12))
        return -(-won // max(1, across)) * (CARD_HEIGHT * LEAST_NUMBER + 5)

    def _fitted_seat(self, seat: int, box: Box) -> None:
        """Draw the cards of a seat in a fitted picture: point cards and tricks above the hand."""
        points = int(self.state.owned[pile_of(self.state, seat)].sum())
        is_own, least = seat == self.own_seat, self._hand_needs(seat, box.w)
        high = min(130.0, 0.55 * box.h if is_own else 0.4 * box.h)
        note = self._note_height(seat)
        high = max(least, min(high, box.h - 4 - note - self._rest_needs(seat, box.w)))
        rest = box.top(box.h - high - 4 - note)
        earned, tricks = columns(rest, 1, 1) if points else (rest, rest)
        if tricks.w < self._trick_width:
            needed = self._points_height(points, rest.w)
            earned, tricks = rest.top(needed), rest.below(needed + 6 if points else 0)
        self._earned(seat, earned)
        self._tricks(seat, tricks)
        self._hand(seat, box.below(box.h - high))

    def _earned(self, seat: int, box: Box) -> float:
        """Draw the point cards of a seat; return the height that they take."""
        state, is_own = self.state, seat == self.own_seat
        earned = [
            Item(POINTS[point], action=None if is_own else FIRST_STEAL + int(point))
            for point in np.flatnonzero(state.owned[pile_of(state, seat)])
        ]
        return self.board.pills(box, earned, f"pile of {seat_name(state, seat)}", LEAST_NUMBER)

    def _hand(self, seat: int, box: Box) -> None:
        state, is_own = self.state, seat == self.own_seat
        where = f"hand of {seat_name(state, seat)}"
        known = state.hand[seat] if is_own or self.open else state.known[self.bottom, seat]
        cards = np.flatnonzero(known)
        hidden = int(state.hand_size[seat]) - len(cards)
        if not is_own:
            items = [Item(NUMBERS[card], faded=not self.open) for card in cards]
            smaller = 1 if self.is_fitted and items else SMALLER  # numbers stay large
            self.board.hand(box, items, hidden, where, smaller)
            return
        self.board.tray(box, "" if self.is_fitted else "Hand")
        spots = self.spread(len(cards) + hidden, box.inset(10, 6), 0.84)
        for spot, card in zip(spots, cards, strict=False):
            self.board.card(spot, Item(NUMBERS[card], action=int(card)), where)
            if state.point_card != NO_CARD and FAVOURED[state.point_card, card]:
                self._star(spot)
        for spot in spots[len(cards) :]:
            self.board.back(spot, where)
        if state.drawn != NO_CARD:
            title = NUMBER_TITLES[state.drawn]
            note = f"Just drawn, not to be given back: {title}"
            note = fitting(box.w - 12, note, f"Just drawn: {title}") if self.is_fitted else note
            self.board.text(box.x + box.w - 12, box.y - 5, note, "soft end")

    def _star(self, spot: Spot) -> None:
        """Mark a card that the point card in play favours."""
        x, y = spot.x + 95 * spot.scale, spot.y + 5 * spot.scale
        self.board.add(
            f'<g class="star" transform="translate({x:.1f} {y:.1f})" role="img" '
            'aria-label="favoured">'
            '<circle class="badge" r="11"/><path class="ye" d="M0-8l2.300 5 5.700.7-4 3.800 1 5.500'
            '-5-2.600-5 2.600 1-5.500-4-3.800 5.700-.7Z"/></g>'
        )

    def _tricks(self, seat: int, box: Box) -> None:
        """Draw the tricks that a seat won in this hand, each as its cards side by side."""
        won = [k for k in range(HAND_CARDS) if self.state.trick_winner[k] == seat]
        winner = seat_name(self.state, seat)
        for scale in (0.46, 0.42, 0.36, LEAST_NUMBER if self.is_fitted else 0.29):
            step = 100 * scale + 1
            wide, high = step * self.seats + 12, 140 * scale + 5
            across = max(1, int((box.w + 12) // wide))
            fits = not self.is_fitted or wide <= box.w + 12
            if fits and -(-len(won) // across) * high <= box.h:
                break
        else:
            if self.is_fitted:
                step, wide = LEAST_SHOWN, self._trick_width + 12
                across = max(1, int((box.w + 12) // wide))
        for at, number in enumerate(won):
            x, y = box.x + (at % across) * wide, box.y + (at // across) * high
            laid = np.argwhere(self.state.tricks[number] & self.state.played)
            for place, (player, card) in enumerate(laid):
                by = seat_name(self.state, player)
                where = f"trick {number + 1}, won by {winner}, laid by {by}"
                self.board.card(Spot(x + step * place, y, scale), Item(NUMBERS[card]), where)

    # ------------------------------------------------------------------------------ the middle

    def _fitted_middle(self, box: Box) -> None:
        trick, points, limbo, rest = self._columns(box)
        self._fitted_trick(trick)
        self._fitted_points(points)
        self._limbo(limbo, "limbo", 11, 16, LEAST_NUMBER)
        self._fitted_rest(rest)

    def _is_narrow(self, wide: float) -> bool:
        """Return whether the middle of a fitted picture has two lines."""
        has_more = self.state.action_deck_used or self.state.limbo.any()
        return wide < (LEAST_WITH_MORE if has_more else LEAST_ONE_LINE)

    def _middle_needs(self, wide: float) -> float:
        if self._is_narrow(wide):
            return TWO_LINES
        return LEAST_WITH_LIMBO if self.state.limbo.any() else 0

    def _columns(self, box: Box) -> tuple[Box, Box, Box, Box]:
        """Return the boxes of the trick, the point cards, those in limbo, and the other cards."""
        if self._is_narrow(box.w):
            line = box.top(box.h / 2)
            trick, limbo = columns(line, 1.7, 1) if self.state.limbo.any() else (line, line)
            points, rest = columns(box.below(box.h / 2), 1, 1.6)
            return trick, points, limbo, rest
        shares = (1, 1.2, 1) if box.w > 500 else (1, 1.7, 0.9)
        points, trick, rest = columns(box, *shares)
        below = columns(points, 1, 1)[1].below(points.h - LIMBO_HEIGHT)
        return trick, points, below, rest

    def _wide_middle(self, box: Box) -> None:
        high = min(box.h, 300)
        x, y = box.centre
        mid = Box(x - 140, y - high / 2, 280, high)
        self._laid(mid)
        left = Box(max(box.x, mid.x - 300), box.y + 8, 130, box.h - 8)
        right = Box(mid.x + mid.w - 8, box.y + 8, box.x + box.w - mid.x - mid.w + 8, box.h - 8)
        wide = box.w > 800
        self._points(Box(box.x + 40, left.y, 380, left.h) if wide else left)
        self._rest(Box(right.x + 40, right.y, 380, right.h) if wide else right)

    def _laid(self, box: Box) -> None:
        """Draw the trick, with each card in front of its seat."""
        x, y = box.centre
        across = 84 if self.seats < 4 else 92
        for steps, (right, down) in enumerate(TRICK_SPOTS[self.seats]):
            spot = Spot(x + right * across - 33, y + down * 52 - 46, 0.66)
            self._lay(seat_at(self.state, self.bottom, steps), spot)

    def _lay(self, seat: int, spot: Spot) -> bool:
        """Draw the card of a seat in the trick; return whether there is one."""
        card = int(self.state.trick_card[seat])
        if card != NO_CARD:
            where = f"trick, laid by {seat_name(self.state, seat)}"
            self.board.card(spot, Item(NUMBERS[card]), where)
        elif self.state.phase == Phase.PLAY:
            self.board.slot(spot, "")
        return card != NO_CARD

    def _fitted_trick(self, box: Box) -> None:
        """Draw the trick as a row, each card above the name of its seat."""
        spots = row(self.seats, box.top(box.h - 24).below(6), 0.84, smaller=0.4)
        for steps, spot in enumerate(spots):
            seat = seat_at(self.state, self.bottom, steps)
            name, under = seat_name(self.state, seat), spot.y + 140 * spot.scale + 15
            if self._lay(seat, spot) and width_of(name, BOLD * 13) < 100 * spot.scale + 8:
                self.board.text(spot.centre[0], under, name, "count clear")

    def _fitted_points(self, box: Box) -> None:
        """Draw the point card of this hand and the deck of point cards."""
        state, board = self.state, self.board
        card, deck = columns(box, 1, 1)
        size = min(0.9, (box.h - 20) / CARD_HEIGHT, card.w / CARD_WIDTH)
        self._in_play(Spot(card.x, card.y + 6, size), "none" if size < 0.95 else "no point card")
        below = state.limbo.any() and not self._is_narrow(self.places.middle.w)
        small = min(0.5, size, (box.h - (LIMBO_HEIGHT if below else 0) - 30) / CARD_HEIGHT)
        count = int(state.point_deck.sum())
        label = f"{count} left" if deck.w > 60 else str(count)
        board.pile(Spot(deck.x, deck.y + 10, small), count, "point deck", label=label)

    def _in_play(self, spot: Spot, nothing: str, style: str = "faint") -> None:
        """Draw the point card of this hand, or a slot with a text."""
        if self.state.point_card == NO_CARD:
            return self.board.slot(spot, nothing, style)
        action = PLAY if self._in(Phase.DECIDE) else None
        item = Item(POINTS[self.state.point_card], action=action)
        return self.board.card(spot, item, "point card in play")

    def _limbo(self, box: Box, title: str, line: float, below: float, least: float = 0) -> None:
        """Draw the point cards in limbo, `below` the top of a box, with a title on a line above."""
        limbo = [Item(POINTS[point]) for point in np.flatnonzero(self.state.limbo)]
        if limbo:
            self.board.text(box.x, box.y + line, title, "soft hot")
            self.board.pills(box.below(below), limbo, "limbo", least)

    def _fitted_rest(self, box: Box) -> None:
        """Draw the undealt number cards and the action cards."""
        state, board = self.state, self.board
        undealt, actions = columns(box, 1, 1.2) if state.action_deck_used else (box, box)
        known = [Item(NUMBERS[card], faded=not self.open) for card in self._known_undealt()]
        beside = 100 * LEAST_NUMBER + 8 if known else 0
        size = min(0.5, (box.h - 40) / CARD_HEIGHT, (undealt.w - beside) / CARD_WIDTH)
        action = ACCEPT if self._in(Phase.SWAP_OFFER) else None
        board.text(undealt.x, undealt.y + 10, "undealt", "soft")
        spot = Spot(undealt.x, undealt.y + 18, size)
        board.pile(spot, self._undealt(), "undealt", action, str(self._undealt()))
        room = Box(spot.x + 100 * size + 8, spot.y, undealt.w - 100 * size - 8, undealt.h - 20)
        board.pills(room, known, "undealt", LEAST_NUMBER)
        if state.action_deck_used:
            left = NUM_ACTION_CARDS - int(state.action_gone.sum())
            board.text(actions.x, actions.y + 10, "actions", "soft")
            spot = Spot(actions.x, actions.y + 18, size)
            board.pile(spot, left, "action cards", label=str(left))
            if state.action_card != NO_CARD:
                wide = max(0.2, min(0.84, (actions.w - 100 * size - 8) / CARD_WIDTH))
                big = min(wide, (box.h - 20) / CARD_HEIGHT)
                down = 8 if width_of("actions", 12) < 100 * size + 8 else 18
                board.card(
                    Spot(spot.x + 100 * size + 8, actions.y + down, big), self._action, "revealed"
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

    def _points(self, box: Box) -> None:
        """Draw the point card of this hand, the deck of point cards and the cards in limbo."""
        state, board = self.state, self.board
        board.text(box.x + 8, box.y + 10, f"Hand {state.hands}", "title")
        self._in_play(Spot(box.x + 8, box.y + 20, 0.84), "no point card", "soft mid")
        wide, count = box.w > 200, int(state.point_deck.sum())
        pile = Spot(box.x + (120 if wide else 26), box.y + (20 if wide else 166), 0.6)
        board.pile(pile, count, "point deck", label=f"Point deck: {count}")
        limbo = Box(box.x + 200, box.y + 20, 200, 90) if wide else box.below(286)
        self._limbo(limbo, "In limbo", 4, 12)

    def _rest(self, box: Box) -> None:
        """Draw the undealt number cards, the action cards, and who won the hand before."""
        state, board = self.state, self.board
        size, known = self._undealt(), self._known_undealt()
        board.text(box.x, box.y + 10, "Undealt", "title")
        action = ACCEPT if self._in(Phase.SWAP_OFFER) else None
        board.pile(Spot(box.x, box.y + 22, 0.6), size, "undealt", action)
        spots = grid(len(known), Box(box.x + 68, box.y + 22, min(box.w - 72, 130), 84), 0.42, gap=3)
        for spot, card in zip(spots, known, strict=True):
            board.card(spot, Item(NUMBERS[card], faded=not self.open), "undealt")
        if state.action_deck_used:
            wide = box.w > 200
            self._action_cards(Box(box.x + 170, box.y, 220, box.h) if wide else box.below(132))

    def _action_cards(self, box: Box) -> None:
        state, board = self.state, self.board
        board.text(box.x, box.y + 10, "Action cards", "title")
        left = NUM_ACTION_CARDS - int(state.action_gone.sum())
        board.pile(Spot(box.x, box.y + 24, 0.5), left, "action cards")
        if state.action_card != NO_CARD:
            spot = Spot(box.x + 66, box.y + 26, 0.64)
            if self._in(Phase.SOCIAL):
                board.spotlight(spot)
            board.card(spot, self._action, "revealed")
        for line in last_award_words(state):
            board.wrapped(Box(box.x, box.y + 128, box.w, 60), line)

    @property
    def _action(self) -> Item:
        """The action card that is revealed."""
        action = ACCEPT if self._in(Phase.SOCIAL) else None
        return Item(ACTIONS[ActionCard(self.state.action_card)], action=action)


draw = FubnubTable.draw
