"""Bad, Bad, Turtle as a picture, made from a view."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import groupby

from gubs_env.drawing.action_emblems import ACTION_EMBLEMS
from gubs_env.drawing.board import SMALL_SCALES, Item, count_width
from gubs_env.drawing.cards import Face
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    LINE_GAP,
    Box,
    Spot,
    columns,
    flow,
    grid,
    row,
    spot_at,
)
from gubs_env.drawing.svg import fitting, moved, number, tag, width_of, wrapped
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
CAPTION = 17
"""The height of the words below the piles."""
LEAST_PILES, LEAST_LIST = 56, 52
"""The least heights of the piles of a seat, and of each further list of cards that are known."""
LEAST_PILE = 0.4
"""The least scale of the piles in a narrow mat, so that a finger hits them."""
LEAST_IN_LINE = 0.26
"""The scale of piles that lie in one line with all other cards of a seat."""
BESIDE, LEAST_REVEALED_LINE = 10, 26
"""The space around the size of a pile in such a line, and the least width of the revealed cards."""
LEAST_REVEALED = 0.26
"""The scale of revealed cards below which they fill lines."""
LEAST_BESIDE_PILES = 104
"""The least width of what lies beside the piles of a seat, with the gaps between them."""
LEAST_THREE = 560
"""The least width of a middle with words at both sides of the cards."""
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
    is_flat = True
    shares = 0.34, 0.2

    # ------------------------------------------------------------------------------- seats

    def _needs(self, seat: int, wide: float) -> float:
        if seat == self.own_seat:
            return self._comfort(seat, wide)
        return self._lines_of(seat, wide)[1] + LEAST_LIST * len(list(self._known_piles(seat)))

    def _comfort(self, seat: int, wide: float) -> float:
        """Return the least height of a seat whose piles do not lie in one line with its cards."""
        return LEAST_PILES + CAPTION + LEAST_LIST * len(list(self._further_piles(seat, wide)))

    def _lines_of(
        self, seat: int, wide: float, scale: float = LEAST_IN_LINE
    ) -> tuple[list[tuple[float, float]], float]:
        """Return the places of piles, cards set aside and revealed ones in lines, and their height.

        The piles have their sizes beside them. What was revealed takes two fifths of a line, and
        LEAST_REVEALED_LINE at the least scale.
        """
        state, aside = self.state, len(set_aside_by(self.state, seat))
        sizes = (state.stack_size[seat], state.discard_size[seat])
        piles = sum(CARD_WIDTH * scale + BESIDE + count_width(str(size)) for size in sizes)
        revealed = LEAST_REVEALED_LINE if scale == LEAST_IN_LINE else 0.4 * wide
        shown = bool(state.living[seat]), aside > 0, bool(state.reveal_size[seat])
        each = max(LEAST_PILE, scale)
        widths = (piles, aside * (CARD_WIDTH * each + 5), revealed)
        line = CARD_HEIGHT * (each if aside else scale) + LINE_GAP
        kept = [width * is_shown for width, is_shown in zip(widths, shown, strict=True)]
        spots, high = flow(kept, Box(0, 0, wide, 0), (0, line))
        is_wide = max(kept) > wide and scale > LEAST_IN_LINE
        return spots, math.inf if is_wide else high - LINE_GAP

    def _seat(self, seat: int, box: Box) -> None:
        state = self.state
        first = FIRST_PICK if state.phase == Phase.PICK else FIRST_SHIELD
        is_out, action = not state.living[seat], first + self._steps(seat)
        inner, _ = self._mat(seat, box, state.turn, is_out=is_out, action=action)
        is_line = inner.h < self._comfort(seat, inner.w) - 1
        lists = list(self._known_piles(seat) if is_line else self._further_piles(seat, inner.w))
        high = inner.h - LEAST_LIST * len(lists) if is_line else inner.h / (1 + 0.7 * len(lists))
        (self._line if is_line else self._row)(seat, inner.top(high))
        for at, (title, cards, where) in enumerate(lists):
            each = (inner.h - high) / len(lists)
            line = inner.below(high + each * at).top(each)
            self.board.text(line.x, line.y + 12, fitting(line.w, title, ""), "soft")
            self.board.small_cards(line.below(17), cards, where)

    def _line(self, seat: int, box: Box) -> None:
        """Draw the piles and the cards of another seat in lines, with no words below them."""
        fitting = (each for each in SMALL_SCALES if self._lines_of(seat, box.w, each)[1] <= box.h)
        scale = max(LEAST_IN_LINE, next(fitting, LEAST_IN_LINE))
        (piles, aside, revealed), high = self._lines_of(seat, box.w, scale)
        box = box.below((box.h - high) / 2)
        if self.state.living[seat]:
            first = Spot(box.x + piles[0], box.y + piles[1], scale)
            after = BESIDE + count_width(str(self.state.stack_size[seat]))
            self._stack(seat, first, True)
            self._discards(seat, first._replace(x=first.x + 100 * scale + after), True)
        each = max(LEAST_PILE, scale)
        for at, item in enumerate(self._set_aside(seat)):
            x = box.x + aside[0] + at * (CARD_WIDTH * each + 5)
            spot = self.spots[item.face.name] = Spot(x, box.y + aside[1], each)
            self.board.card(spot, item, f"set aside by {player_name(seat)}")
        cards, where = self._revealed(seat)
        x, y = revealed
        self.board.small_cards(Box(box.x + x, box.y + y, box.w - x, high - y), cards, where)

    def _row(self, seat: int, box: Box) -> None:
        """Draw stack, discards, cards set aside and revealed in a row, with words below."""
        state, name = self.state, player_name(seat)
        aside, size = self._set_aside(seat), int(state.reveal_size[seat])
        if self._is_narrow(seat, box.w):
            aside, size = [], 0
        across = max(LEAST_PILE, 0.17 * box.w / CARD_WIDTH)
        room = box.w * (0.75 if size else 1.0) - 30 - 8 * len(aside)
        across = min(across, room / (2 + len(aside)) / CARD_WIDTH)
        scale = max(0.2, min(1.2, (box.h - CAPTION) / CARD_HEIGHT, across))
        wide, x = 100 * scale, box.x + 2
        y = box.y + (box.h - CAPTION - 140 * scale) / 2
        if state.living[seat]:
            self._stack(seat, Spot(x, y, scale))
            self._discards(seat, Spot(x + wide + 10, y, scale))
            x += 2 * wide + 24
        for item in aside:
            spot = self.spots[item.face.name] = Spot(x, y, scale)
            self.board.card(spot, item, f"set aside by {name}")
            x += wide + 6
        if aside:
            self._caption(x - wide * len(aside) - 6 * len(aside), x, y + 140 * scale, "set aside")
            x += 8
        if not size:
            return
        rest = Box(x, box.y, box.x + box.w - x, box.h - CAPTION)
        cards, where = self._revealed(seat)
        spots = grid(len(cards), rest, scale, gap=5)
        if spots[0].scale < LEAST_REVEALED:
            foot = rest.y + self.board.small_cards(rest, cards, where)
        else:
            foot = spots[-1].y + 140 * spots[-1].scale
            for spot, item in zip(spots, cards, strict=True):
                self.board.card(spot._replace(x=spot.x - spots[0].x + x), item, where)
        caption = fitting(
            rest.w, f"revealed, the last first: {size}", f"revealed {size}", str(size)
        )
        self._caption(x, x + rest.w, foot, caption, "start")

    def _caption(self, left: float, right: float, y: float, text: str, side: str = "mid") -> None:
        """Write words below cards, if there is room for them."""
        if width_of(text, 12) <= right - left + 8:
            x = (left + right) / 2 if side == "mid" else left
            self.board.text(x, y + 14, text, f"soft {side}")

    def _stack(self, seat: int, spot: Spot, is_beside: bool = False) -> None:
        """Draw the stack, which the viewer takes the turn with, its size below or beside it."""
        takes = seat == self.own_seat and self.state.phase == Phase.TURN
        size, where = int(self.state.stack_size[seat]), f"stack of {player_name(seat)}"
        self._pile(spot, size, "stack", where, TAKE_TURN if takes else None, is_beside)

    def _discards(self, seat: int, spot: Spot, is_beside: bool = False) -> None:
        """Draw the discard pile, with its top card face up if the viewer knows it."""
        state, name = self.state, player_name(seat)
        size = int(state.discard_size[seat])
        self._pile(spot, size, "discards", f"discard pile of {name}", None, is_beside)
        if size and state.discard_pile[seat, size - 1] != UNKNOWN_CARD:
            top = Item(FACES[Card(state.discard_pile[seat, size - 1])], faded=not self.open)
            self.board.card(spot, top, f"discard pile of {name}, top")

    def _pile(
        self,
        spot: Spot,
        size: int,
        title: str,
        where: str,
        action: int | None,
        is_beside: bool,
    ) -> None:
        """Draw a pile with its size below it or beside it."""
        label = fitting(0 if is_beside else 100 * spot.scale + 12, f"{title} {size}", str(size))
        self.board.pile(spot, size, where, action, label, is_beside)

    def _is_narrow(self, seat: int, wide: float) -> bool:
        """Return whether what a seat has revealed does not lie beside its piles."""
        cards = 2 + len(set_aside_by(self.state, seat))
        return bool(self.state.living[seat]) and wide < cards * 40 + LEAST_BESIDE_PILES

    def _set_aside(self, seat: int) -> list[Item]:
        """Return the cards that a seat has set aside."""
        actions = OWN_ASIDE if seat == self.own_seat else NO_WAY_ASIDE
        cards = set_aside_by(self.state, seat)
        return [Item(FACES[card], action=actions.get(card)) for card in cards]

    def _revealed(self, seat: int) -> tuple[list[Item], str]:
        """Return what a seat has revealed, the last first, and the name of its place."""
        pile = self.state.reveal_pile[seat, : self.state.reveal_size[seat]][::-1]
        return runs(pile), f"reveal pile of {player_name(seat)}"

    def _further_piles(self, seat: int, wide: float) -> Iterator[tuple[str, list[Item], str]]:
        """Yield (title, cards, place) of each line below the piles of a seat, in a mat of a width.

        They are what it has revealed, if that does not lie beside the piles, and the cards that the
        viewer knows in its discard pile and stack.
        """
        state, name = self.state, player_name(seat)
        if self._is_narrow(seat, wide):
            if state.reveal_size[seat]:
                yield "Revealed, the last first", *self._revealed(seat)
            if aside := self._set_aside(seat):
                yield "Set aside", aside, f"set aside by {name}"
        yield from self._known_piles(seat)

    def _known_piles(self, seat: int) -> Iterator[tuple[str, list[Item], str]]:
        """Yield the last of the `_further_piles`: the cards in piles that the viewer knows."""
        state, name, is_own = self.state, player_name(seat), seat == self.own_seat
        if not state.living[seat]:
            return
        if self.open or state.discard_seen[seat]:
            pile = state.discard_pile[seat, : state.discard_size[seat]][::-1]
            known = [at for at, kind in enumerate(pile) if kind != UNKNOWN_CARD]
            faces = [(at, FACES[Card(pile[at])]) for at in known]
            cards = [Item(face, faded=not self.open, note=f"{at + 1}: ") for at, face in faces]
            if cards:
                yield "Discards, numbered from the top", cards, f"discard pile of {name}"
        if self.open or (is_own and state.peeking[seat]):
            stack = state.stack[seat, : state.stack_size[seat]][::-1]
            if len(stack):
                yield "Stack, from the top", runs(stack, faded=not self.open), f"stack of {name}"

    # ------------------------------------------------------------------------------ the middle

    def _middle(self, box: Box) -> None:
        """Draw the middle: what is revealed, and words about it at its sides."""
        state = self.state
        is_busy = state.pending != NO_CARD or bool(modifier_lines(state))
        self._way(box)
        if not is_busy:
            lines, y = way_words(state), box.centre[1] - 5
            style = "title" if box.w > LEAST_THREE else "soft"
            self.board.lines(box.centre[0], y, lines, f"mid {style} clear", 22)
            return
        *words, cards = self._columns(box)
        for side, lines in zip(words, self._lines(words), strict=True):
            y = side.centre[1] - 8 * len(lines) + 12
            self.board.lines(side.centre[0], y, lines, "mid soft clear", 16)
        if state.pending != NO_CARD:
            self._pending(cards)
        else:
            size = min(1.2, cards.h / CARD_HEIGHT)
            x, y = cards.centre
            self._modifier(Spot(x - 50 * size, y - 70 * size, size))

    def _columns(self, box: Box) -> list[Box]:
        """Return the boxes of words, one or two, and of the cards."""
        box = box.inset(min(64, 0.06 * box.w), 12)
        if box.w < LEAST_THREE:
            words, cards = columns(box, 1, 1.3)
            return [words, cards]
        left, cards, right = columns(box, 1, 1.5, 1)
        return [left, right, cards]

    def _lines(self, boxes: list[Box]) -> list[list[str]]:
        """Return the lines of words of each box: the turn at the left, what is revealed beside."""
        state = self.state
        turn = [*self._modifier_words(), *way_words(state)]
        said = pending_lines(state)
        texts = [turn, said] if len(boxes) > 1 else [said or turn]
        return [
            [part for line in lines for part in wrapped(line, 12, box.w)]
            for box, lines in zip(boxes, texts, strict=True)
        ]

    def _modifier(self, spot: Spot) -> None:
        """Draw the card that lies on the turn, if there is one."""
        state, board = self.state, self.board
        if lines := self._modifier_words():
            action = PERFORM if self.decides and state.phase == Phase.TURN else None
            card = Item(FACES[Card(state.modifier)], action=action)
            board.thread(self.places.seats[self._steps(state.turn)], spot.centre)
            board.spotlight(spot)
            board.card(spot, card, f"on the turn of {player_name(state.turn)}", lines[0])

    def _modifier_words(self) -> list[str]:
        """Return the card that lies on the turn in words, if one does."""
        state = self.state
        if not modifier_lines(state):
            return []
        return [f"{Card(state.modifier).title} lies on {player_name(state.turn)}'s turn"]

    def _middle_needs(self, wide: float) -> float:
        *words, _ = self._columns(Box(0, 0, wide, 100))
        return 16 * max(map(len, self._lines(words))) + 24

    def _way(self, box: Box) -> None:
        """Draw the direction of play as a ring with arrows, described in words."""
        x, y = box.centre
        across, down = box.w / 2 - 14, box.h / 2 - 9
        turned = 1 if self.state.direction > 0 else -1
        drawn = tag("ellipse", class_="way", cx=x, cy=y, rx=across, ry=down)
        for angle in (-0.25 * math.pi, 0.75 * math.pi):
            right, low = across * math.cos(angle), down * math.sin(angle)
            along = math.atan2(turned * down * math.cos(angle), -turned * across * math.sin(angle))
            at = f"{moved(x + right, y + low)} rotate({number(math.degrees(along))})"
            drawn += tag("path", class_="tip way", d="M-9-11 9 0-9 11Z", transform=at)
        label = ", ".join(way_words(self.state))
        self.board.add(tag("g", drawn, class_="direction", aria_label=label))

    def _pending(self, box: Box) -> None:
        """Draw the revealed card and the answers to it, each with an arrow to its target."""
        state, board = self.state, self.board
        count = 1 + int(state.depth)
        spots = row(count, box.inset(8, 4), 1.2, 28)
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
        if aim != PENDING and (title := Card(aim).title) in self.spots:
            return self.spots[title]
        seat = self.places.seats[self._steps(state.reaction_target[level])]
        return spot_at(seat.nearest(spots[level + 1].centre, 28))


draw = TurtleTable.draw
