"""Bad, Bad, Turtle as a picture, made from a view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from gubs_env.drawing.action_emblems import ACTION_EMBLEMS
from gubs_env.drawing.board import SMALL, SMALL_SCALES, Item
from gubs_env.drawing.cards import Face
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    Box,
    Places,
    Spot,
    around,
    columns,
    grid,
    lines_height,
    row,
    spot_at,
)
from gubs_env.drawing.svg import moved, tag, width_of, wrapped
from gubs_env.drawing.table import TablePicture
from gubs_env.engine.text import player_name
from gubs_env.games.bad_bad_turtle.actions import (
    FIRST_PICK,
    FIRST_SHIELD,
    NO_WAY_ASIDE,
    PERFORM,
    PLAY_NEVER_HAPPENED,
    PLAY_NO_WAY,
    TAKE_TURN,
)
from gubs_env.games.bad_bad_turtle.cards import NO_CARD, Card, CardType
from gubs_env.games.bad_bad_turtle.state import PENDING, UNKNOWN_CARD, Phase
from gubs_env.games.bad_bad_turtle.words import (
    modifier_lines,
    pending_lines,
    set_aside_by,
    way_words,
)

COLOURS = {
    CardType.SOCIAL: "pu",
    CardType.MODIFIER: "sk",
    CardType.OWN: "or",
    CardType.TABLE: "ve",
    CardType.SET_ASIDE: "bl",
    CardType.ENDING: "gr",
    CardType.NUMBER: "ye",
}
"""The colour of each type of card."""
SHORT_TYPES = {CardType.MODIFIER: "modifier"}
"""Short words for the types whose names are too long for the band of a card."""
BLANK = (
    '<path class="ye" d="M-20-20H4V20H-20Z"/><path class="pa" d="M-4-12H20V26H-4Z"/>'
    '<path class="no" d="M3-1v14M10-1v14M0 3h14M0 9h14"/>'
)
MIDDLE_SHARES = 1, 1.2
"""The widths of the words and of the cards in the middle of a fitted picture."""
LEAST_PILE = 0.26
"""The scale of a pile below which its size stands beside it, in a fitted picture."""
LEAST_PILES, LEAST_OWN_PILES = 45, 119
"""The least heights of the piles of another seat and of the viewer's in a fitted picture."""
LEAST_ASIDE = 0.26
"""The scale of cards that are set aside below the piles, in a fitted picture."""
LEAST_LISTS = 90
"""The least width of known cards beside the piles in a fitted picture; else they lie below."""
OWN_ASIDE = {Card.NEVER_HAPPENED: PLAY_NEVER_HAPPENED, Card.NO_WAY: PLAY_NO_WAY}
"""The action that plays each card the viewer has set aside, apart from the Shield."""


def face_of(card: Card) -> Face:
    """Return the front of a kind of card."""
    kind = card.kind.type
    emblem = ACTION_EMBLEMS.get(card.title, BLANK)
    return Face(card.title, SHORT_TYPES.get(kind, kind.value), COLOURS[kind], emblem)


FACES = {card: face_of(card) for card in Card}


def runs(kinds: Iterable[int], faded: bool = False) -> list[Item]:
    """Return a pile as cards to draw, in its order; adjacent equal cards become one item."""
    known = groupby(int(kind) for kind in kinds)
    return [Item(FACES[Card(kind)], len(list(cards)), faded=faded) for kind, cards in known]


class TurtleTable(TablePicture):
    """The picture of one view of Bad, Bad, Turtle; its `spots` are the cards that are set aside."""

    hidden = "stacks"
    own_heights = 150, 180

    def _places(self) -> Places:
        middle, high = 330 if self.seats > 3 else 230, 330 if self.open else 206
        return around(self.seats, top=high, side=high, middle=middle, own_height=206)

    # ------------------------------------------------------------------------------- seats

    def _needs(self, seat: int, wide: float) -> float:
        piles, below, _ = self._fitted_needs(seat, wide)
        return piles + below

    def _fitted_needs(self, seat: int, wide: float) -> tuple[float, float, bool]:
        """Return the least heights of a seat's piles and of what lies below them.

        Returns:
            Both heights, and whether the known cards lie below the piles.
        """
        is_own, lists = seat == self.own_seat, [cards for _, cards, _ in self._known_piles(seat)]
        if not self.state.living[seat]:
            return self._lists_height(lists, wide, is_own), 0, False
        least: float = LEAST_OWN_PILES if is_own else LEAST_PILES
        aside = len(set_aside_by(self.state, seat))
        left = self._left(seat, wide)
        below = 0.0
        if left > wide:
            below, left = lines_height(aside, wide, LEAST_ASIDE, 6) + 6, self._left(seat, wide, 0)
        under = self._lists_height(lists, wide, is_own)
        if wide - left < LEAST_LISTS:
            return least, below + under, True
        beside = max(least, self._lists_height(lists, wide - left, is_own))
        if beside > least + under:
            return least, below + under, True
        return beside, below, False

    def _left(self, seat: int, wide: float, aside: int | None = None) -> float:
        """Return the width that the piles and the cards set aside take at most, if fitted."""
        is_own = seat == self.own_seat
        aside = len(set_aside_by(self.state, seat)) if aside is None else aside
        card = CARD_WIDTH * self._most_scale(wide, is_own)
        return 2 * card + 26 + (aside * (card + 6) + 8 if aside else 0)

    @staticmethod
    def _most_scale(wide: float, is_own: bool) -> float:
        """Return the largest scale of the piles of a fitted picture."""
        return min(0.84, 0.25 * wide / CARD_WIDTH) if is_own else min(0.46, wide / 340)

    @staticmethod
    def _lists_height(lists: list[list[Item]], wide: float, is_own: bool) -> float:
        """Return the least height of the known cards of a seat; of many of another's a part."""
        each = [lines_height(len(cards), wide - 24, SMALL_SCALES[-1], 5) for cards in lists]
        return len(lists) * (
            20 + max(each if is_own else [min(high, 73) for high in each], default=0)
        )

    def _seat(self, seat: int, box: Box) -> None:
        state, name, is_own = self.state, player_name(seat), seat == self.own_seat
        first = FIRST_PICK if state.phase == Phase.PICK else FIRST_SHIELD
        is_out, action = not state.living[seat], first + self._steps(seat)
        inner = self._mat(seat, box, state.turn, is_out=is_out, action=action)
        scale: float = 0.84 if is_own else 0.46
        gap, beside, is_below = 30.0, 26.0, False
        x, y = inner.x + 4, inner.y + 12
        if self.is_fitted:
            _, below, is_below = self._fitted_needs(seat, inner.w)
            scale, gap, beside = self._pile_scale(inner.top(inner.h - below), is_own)
            x, y = inner.x, inner.y + 6
        wide = 100 * scale
        if state.living[seat]:
            take = TAKE_TURN if is_own and state.phase == Phase.TURN else None
            size = int(state.stack_size[seat])
            self._pile(Spot(x, y, scale), size, "stack", f"stack of {name}", take)
            self._discards(seat, Spot(x + wide + gap, y, scale))
        left = x + 2 * wide + gap + beside
        aside = set_aside_by(self.state, seat)
        under = y + 140 * scale + (26 if scale >= LEAST_PILE else 4)
        if self.is_fitted and self._left(seat, inner.w) > inner.w:
            self._lay_aside(seat, Spot(x, under, LEAST_ASIDE))
            under += 140 * LEAST_ASIDE + 6
        else:
            self._lay_aside(seat, Spot(left, y, scale))
            left += len(aside) * (wide + 6) + (8 if aside else 0)
        self._lists(seat, inner, left, under - inner.y if is_below else None)

    def _lay_aside(self, seat: int, spot: Spot) -> None:
        """Draw the cards that a seat has set aside, the first at a spot."""
        for at, card in enumerate(set_aside_by(self.state, seat)):
            action = OWN_ASIDE.get(card) if seat == self.own_seat else NO_WAY_ASIDE.get(card)
            here = spot._replace(x=spot.x + at * (100 * spot.scale + 6))
            self.spots[card] = here
            item = Item(FACES[card], action=action)
            self.board.card(here, item, f"set aside by {player_name(seat)}")

    def _discards(self, seat: int, spot: Spot) -> None:
        """Draw the discard pile, with its top card face up if the viewer knows it."""
        state, name = self.state, player_name(seat)
        size = int(state.discard_size[seat])
        self._pile(spot, size, "discard", f"discard pile of {name}")
        if size and state.discard_pile[seat, size - 1] != UNKNOWN_CARD:
            top = Item(FACES[Card(state.discard_pile[seat, size - 1])], faded=not self.open)
            self.board.card(spot, top, f"discard pile of {name}, top")

    def _pile(
        self, spot: Spot, size: int, title: str, where: str, action: int | None = None
    ) -> None:
        """Draw a pile with its size below it, or beside it where that is small."""
        is_small = self.is_fitted and spot.scale < LEAST_PILE
        label = f"{title} {size}" if not self.is_fitted or spot.scale > 0.7 else str(size)
        self.board.pile(spot, size, where, action, " " if is_small else label)
        if is_small:
            x, y = spot.x + 100 * spot.scale + 3, spot.y + 70 * spot.scale + 5
            self.board.text(x, y, label, "count start")

    def _pile_scale(self, box: Box, is_own: bool) -> tuple[float, float, float]:
        """Return the scale of the piles of a fitted picture, and the gaps between and after."""
        scale = min(self._most_scale(box.w, is_own), (box.h - 26) / CARD_HEIGHT)
        if scale >= LEAST_PILE:
            return scale, 12, 14
        return min(0.25, (box.h - 4) / CARD_HEIGHT, (box.w - 72) / 200), 24, 26

    def _lists(self, seat: int, inner: Box, left: float, under: float | None) -> None:
        """Draw the cards of a seat that the viewer knows, each pile from the top.

        Args:
            seat: the seat.
            inner: the inside of its mat.
            left: where its other cards end.
            under: the height that they take, if the known cards lie below them.
        """
        room = Box(left, inner.y - 2, inner.x + inner.w - left, inner.h + 6)
        if not self.state.living[seat]:
            room = Box(inner.x, inner.y - 2, inner.w, inner.h + 6)
        elif under is not None:
            room = inner.below(under)
        elif room.w < 120 and not self.is_fitted:
            room = Box(inner.x, inner.y + 98, inner.w, inner.h - 94)
        lists = list(self._known_piles(seat))
        for at, (title, cards, where) in enumerate(lists):
            each = Box(room.x, room.y + at * room.h / len(lists), room.w, room.h / len(lists))
            if self.is_fitted and (each.h < 53 or width_of(title, 12) > each.w):
                self._known(each.inset(0, 2), cards, where)
                continue
            self.board.text(each.x, each.y + 10, title, "soft")
            self._known(Box(each.x, each.y + 18, each.w, each.h - 20), cards, where)

    def _known(self, box: Box, cards: list[Item], where: str) -> None:
        """Draw cards of a pile: as cards if they are large enough to read, else as labels."""
        spots = grid(len(cards), box, 0.8, gap=6)
        listed = any(item.faded or item.note for item in cards)
        if listed or spots[0].scale < (0.6 if self.is_fitted else SMALL):
            self.board.pills(box, cards, where)
            return
        for spot, item in zip(spots, cards, strict=True):
            self.board.card(spot._replace(x=spot.x - spots[0].x + box.x), item, where)

    def _known_piles(self, seat: int) -> Iterator[tuple[str, list[Item], str]]:
        """Yield (title, known cards, place) for each pile of which the viewer knows cards."""
        state, name, is_own = self.state, player_name(seat), seat == self.own_seat
        if size := int(state.reveal_size[seat]):
            pile = state.reveal_pile[seat, :size][::-1]
            yield "Revealed, from the top", runs(pile), f"reveal pile of {name}"
        if self.open or state.discard_seen[seat]:
            pile = state.discard_pile[seat, : state.discard_size[seat]][::-1]
            known = [at for at, kind in enumerate(pile) if kind != UNKNOWN_CARD]
            faces = [(at, FACES[Card(pile[at])]) for at in known]
            cards = [Item(face, faded=not self.open, note=f"{at + 1}: ") for at, face in faces]
            if cards:
                yield "Discard pile, numbered from the top", cards, f"discard pile of {name}"
        if self.open or (is_own and state.peeking[seat]):
            stack = state.stack[seat, : state.stack_size[seat]][::-1]
            if len(stack):
                yield "Stack, from the top", runs(stack, faded=not self.open), f"stack of {name}"

    # ------------------------------------------------------------------------------ the middle

    def _wide_middle(self, box: Box) -> None:
        self._way(box)
        x, y = box.centre
        state, board = self.state, self.board
        wide = box.w > 800
        high = y - (100 if wide else 84)
        self._modifier(Spot(x - 46, high, 0.92))
        if state.pending != NO_CARD:
            self._pending(Box(x - 190, high, 380, 130))
        lines = [*modifier_lines(state), *pending_lines(state)]
        board.lines(x, high + 150, lines, "mid soft clear", 14)
        left, top = (x - 270, y - 4) if wide else (x, box.y + box.h - 54)
        board.lines(left, top, way_words(state), "mid soft clear", 16)

    def _fitted_middle(self, box: Box) -> None:
        """Draw the middle of a fitted picture: what is revealed, and words about it beside it."""
        left, shown = columns(box, *MIDDLE_SHARES)
        size = min(0.92, (box.h - 16) / CARD_HEIGHT)
        self._modifier(Spot(shown.centre[0] - 50 * size, box.y + 8, size))
        if self.state.pending != NO_CARD:
            self._pending(shown.inset(8, 8))
        self.board.lines(left.x, box.y + 18, self._middle_lines(left.w), "soft clear", 16)

    def _modifier(self, spot: Spot) -> None:
        """Draw the card that lies on the turn, if there is one."""
        state, board = self.state, self.board
        if lines := modifier_lines(state):
            action = PERFORM if self.decides and state.phase == Phase.TURN else None
            card = Item(FACES[Card(state.modifier)], action=action)
            board.thread(self.places.seats[self._steps(state.turn)], spot.centre)
            board.spotlight(spot)
            board.card(spot, card, f"on the turn of {player_name(state.turn)}", lines[0])

    def _middle_needs(self, wide: float) -> float:
        left = columns(Box(0, 0, wide, 0), *MIDDLE_SHARES)[0]
        return 16 * len(self._middle_lines(left.w)) + 10

    def _middle_lines(self, wide: float) -> list[str]:
        """Return the words in the middle of a fitted picture in lines of a width."""
        state = self.state
        lines = [*modifier_lines(state), *pending_lines(state), *way_words(state)]
        return [part for line in lines for part in wrapped(line, 12, wide)]

    def _way(self, box: Box) -> None:
        """Draw the direction of play as a ring with arrows, described in words."""
        x, y = box.centre
        across, down = min(box.w / 2 - 14, 400), box.h / 2 - 16
        turned = 1 if self.state.direction > 0 else -1
        drawn = tag("ellipse", class_="way", cx=x, cy=y, rx=across, ry=down)
        for side in (-1, 1):
            at = f"{moved(x, y + side * down)} scale({-side * turned} 1)"
            drawn += tag("path", class_="tip way", d="M-9-11 9 0-9 11Z", transform=at)
        label = ", ".join(way_words(self.state))
        self.board.add(tag("g", drawn, class_="direction", aria_label=label))

    def _pending(self, box: Box) -> None:
        """Draw the revealed card and the answers to it, each with an arrow to its target."""
        state, board = self.state, self.board
        count = 1 + int(state.depth)
        left = box.x + box.w / 2 - 64 * (count - 1) - 46
        spots = [Spot(left + 128 * k, box.y, 0.92) for k in range(count)]
        if self.is_fitted:
            spots = row(count, box, 0.92, 24, smaller=0.4)
        board.thread(self.places.seats[self._steps(state.owner)], spots[0].centre)
        board.spotlight(spots[-1])
        said = pending_lines(state)
        for level in range(count - 1):
            board.arrow(spots[level + 1].centre, self._aim(level, spots), said[level + 1])
        kinds = [state.pending, *state.reaction[: state.depth]]
        for spot, kind, line in zip(spots, kinds, said, strict=True):
            board.card(spot, Item(FACES[Card(kind)]), "table", line)

    def _aim(self, level: int, spots: list[Spot]) -> Spot:
        """Return what an answer is aimed at: a card on the table or set aside, or a seat."""
        state = self.state
        kind, aim = state.reaction[level], state.reaction_aim[level]
        if aim == PENDING and kind != Card.SHIELD:
            return spots[0]
        if level and state.reaction[level - 1] == aim:
            return spots[level]
        if aim in self.spots:
            return self.spots[aim]
        seat = self.places.seats[self._steps(state.reaction_target[level])]
        return spot_at(seat.nearest(spots[level + 1].centre, 28))


draw = TurtleTable.draw
