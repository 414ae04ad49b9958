"""Bad, Bad, Turtle as a picture, made from a view."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from functools import lru_cache, partial
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from gubs_env.drawing.action_emblems import ACTION_EMBLEMS, BIN, STACK
from gubs_env.drawing.board import (
    LIFT,
    MAT_INSET,
    SMALL_SCALES,
    Heading,
    Item,
    Thing,
    count_width,
    in_lines,
    layers_of,
    widths_of,
)
from gubs_env.drawing.cards import HYPHEN, Face, counted_name
from gubs_env.drawing.layout import (
    CARD_HEIGHT,
    CARD_WIDTH,
    EDGE,
    LEAST_FLAT,
    LEAST_MIDDLE,
    SEAM,
    Box,
    Places,
    Spot,
    columns,
    grid,
    row,
    shared,
    spot_at,
)
from gubs_env.drawing.svg import BOLD, fitting, moved, rect, tag, width_of, wrapped
from gubs_env.drawing.table import TablePicture
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.text import player_name, plural
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
from gubs_env.games.bad_bad_turtle.score import Decided, outcome
from gubs_env.games.bad_bad_turtle.state import PENDING, UNKNOWN_CARD, Phase
from gubs_env.games.bad_bad_turtle.words import (
    end_words,
    modifier_lines,
    outcome_words,
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
PARTED = {
    Card.SING_SOMETHING: f"Sing Some{HYPHEN}thing",
    Card.REVERSE_DIRECTION: f"Reverse Direc{HYPHEN}tion",
    Card.NEVER_HAPPENED: f"Never Hap{HYPHEN}pened",
    Card.ELIMINATED: f"Elimi{HYPHEN}nated",
}
"""The names that hold long words, with the places where a line may end."""
BLANK = (
    '<path class="ye" d="M-20-20H4V20H-20Z"/><path class="pa" d="M-4-12H20V26H-4Z"/>'
    '<path class="no" d="M3-1v14M10-1v14M0 3h14M0 9h14"/>'
)
MARKS = {"stack": STACK.format("pa"), "discards": BIN}
"""The emblems on the piles of a seat, whose numbers have no words where there is little room."""
CORNER = 30, 32
"""The place of such an emblem on a card that lies face up."""
CAPTION, TITLE = 21, 20
"""The heights of the words below the piles, and of those above a list."""
LEAST_PILES, LEAST_LIST = 56, 54
"""The least heights of the piles of a seat, and of each line of lists of cards that are known."""
LISTED, LEAST_LISTED = 42, 30
"""The width of a line of lists for each card in them, if several lists share the line: usually, and
in a window that is too low otherwise.
"""
WIDE, LIST_PARTS = 2.4, (1.0, 0.5, 0.7, 0.85, 1.25)
"""The width of a mat, as a part of its height, from which on lists lie beside the piles, and the
widths that they may have, as parts of that of the piles.
"""
LEAST_LIST_CARDS = 3
"""The number of cards that the width of a list has room for at least."""
LEAST_PILE = 0.4
"""The least scale of the piles in a narrow mat, so that a finger hits them."""
BESIDE = 2.5
"""The space before the size of a pile that lies in one line with all other cards of a seat."""
ASKEW = 5.0
"""The angle of discards, in degrees: unlike a stack, they lie as they have fallen."""
LEAST_REVEALED = 0.26
"""The scale of revealed cards below which they fill lines."""
LEAST_BESIDE_PILES = 104
"""The least width of what lies beside the piles of a seat, with the gaps between them."""
FILLED = 60
"""The width that a card fills in a mat."""
EMPTY, MOST_OF_TWO, LARGEST_MAT = (5, 4), 0.51, 240
"""At a table of two: the number of cards that an empty mat counts as, the viewer's first; the
largest part of the height that the viewer's mat gets; and the height at which its piles are
largest.
"""
OUT = 0.6
"""The part of the viewer's share of the height that is left to them when they are eliminated."""
LOW, LOW_CARD, AROUND_LOW = 44.0, 55.4, 24
"""The least height of the middle of a low table; of what can be touched there, a card in the middle
and the viewer's piles, so that a finger finds it; and the height beside the lines in the middle.
"""
LEAST_LOW, MOST_LOW = 92.0, 1.15
"""The least width of the mats of a low table, and its largest height, as a part of its window's."""
LOW_WINDOW, MOST_ABREAST = 420, 4
"""The height of a lying window below which a table of more seats is low from the beginning."""
MANY = 6
"""The number of seats from which on the viewer's and the middle are smaller."""
LEAST_WON, MOST_WON, MORE_WON = 0.45, 2.0, 0.08
"""The least and the largest scale of the Turtle that has won, and the further part of the height
for it.
"""
END_INSET = 16, 12
"""The margins of the middle when the game is over."""
LEAST_THREE = 560
"""The least width of a middle with words at both sides of the cards."""
PILES_INSET = 6
"""The distance of the piles from what is around them, for the words below them."""
PILE_SCALES = tuple(part / 40 for part in range(48, 15, -1))
"""The scales of the piles of a seat, if they fit into it."""
RING_INSET, RING = 4, 34
"""The distance of the ring that shows the direction of play from what is beside it, and the radius
of its corners.
"""
PILE_GAP, LEAST_TITLED, MOST_TITLED, TITLED = 12, 200, 89, 4.5
"""The distance of the piles and of the words below them; and of a row of cards in which these words
are one line, the least width, without cards set aside, and its height, or a part of its width.
"""
LEAST_HEADER = 32
"""The height of the words above the piles of a seat, with its margin."""
PILE_WORDS = {
    True: (count_width("stack 28"), count_width("discards 28"), CAPTION),
    False: (width_of("stack", 12), width_of("discards", 12), CAPTION + 13),
}
"""The widths and the height of the words below stack and discards, by whether they are one line."""
REVEALED_WORDS = BOLD * width_of("revealed 28", 12) + 1
"""The least width of revealed cards in a row, for the words below them."""
UNWORDED, UNSEEN = 0.6, 0.5
"""The parts of their scale that cards in an open mat count for where the size of a pile is not said
in words, and where some have no room.
"""
REVEALED_SHARE = 0.9
"""The part of their scale that revealed cards in an open mat count for: they should be larger."""
LEAST_WORDED = 300
"""The least width of a line in which words stand beside the piles, and there is room for cards."""
LEAST_OWN = 0.3
"""The least scale of the viewer's piles in an open mat, for a finger."""
LARGE = 0.6
"""The scale of cards in an open mat from which on larger ones are not preferred."""
OPEN_PARTS = (0.36, 0.44, 0.52, 0.6)
"""The parts of an open mat that its piles may have, if the lists lie below them."""
Lists = tuple[tuple[str, ...], list[Item], str]
"""A list of cards: titles, the longest first, cards, place."""
OWN_ASIDE = {Card.NEVER_HAPPENED: PLAY_NEVER_HAPPENED, Card.NO_WAY: PLAY_NO_WAY}
"""The action that plays each card the viewer has set aside, apart from the Shield."""


class Way(NamedTuple):
    """A way to share a mat."""

    piles: Box
    """Where the piles lie, with the cards beside them."""
    below: Box
    """Where the lists lie."""
    lines: list[list[Lists]]
    """The lists, line by line."""
    is_line: bool = False
    """Whether all other cards lie in one line with the piles."""


class Title(Enum):
    """Where the title of a pile stands, if anywhere."""

    BEFORE = "before the size below the pile"
    BELOW = "below that size"
    BESIDE = "below the size beside the pile"
    NONE = ""


class RowSizes(NamedTuple):
    """The sizes of piles, cards set aside and revealed ones in a row."""

    scale: float
    """The scale of the piles."""
    pitches: list[float]
    """The widths of the piles, with the words below them and the gaps after them."""
    before: float
    """The width up to the revealed cards."""
    spots: list[Spot]
    """The spots of the revealed cards."""
    is_wide: bool
    """Whether the words below the piles are one line (`PILE_WORDS`)."""

    @property
    def least(self) -> float:
        """The scale of the smallest cards."""
        return self.spots[0].scale if self.spots else self.scale


def face_of(card: Card) -> Face:
    """Return the front of a kind of card."""
    kind = card.kind.type
    emblem = ACTION_EMBLEMS.get(card.title, BLANK)
    shown = SHORT_TYPES.get(kind, kind.value).capitalize()
    return Face(card.title, shown, COLOURS[kind], emblem, parted=PARTED.get(card, ""))


FACES = {card: face_of(card) for card in Card}


def runs(kinds: Iterable[int], faded: bool = False) -> list[Item]:
    """Return a pile as cards to draw, in its order; adjacent equal cards become one item."""
    known = groupby(int(kind) for kind in kinds)
    return [Item(FACES[Card(kind)], len(list(cards)), faded=faded) for kind, cards in known]


class TurtleTable(TablePicture):
    """The picture of one view of Bad, Bad, Turtle; its `spots` are the cards that are set aside."""

    hidden = "stacks"
    short_notes = MappingProxyType({"may look through their own stack": "sees their stack"})
    is_flat = True
    has_wide_mats = True
    can_be_dense = True
    is_low = False
    """Whether four mats or more stand in a line, and the middle has one line of words, so that a
    lying phone shows them all.
    """
    is_brief = False
    """Whether the cards in piles are left out when the game is over, and each mat has one line."""

    def _shares(self) -> tuple[float, float]:
        own, middle = (0.34, 0.17) if self.seats < MANY else (0.28, 0.15)
        own *= 1 if self.state.living[self.bottom] else OUT
        middle += MORE_WON * len(self._won(int(self.state.winner))) * (1 + self.is_brief)
        if self.seats == 2:
            high = max(1.0, self.size[1] / self.zoom)
            mine, other = (each + self._count(at) for at, each in enumerate(EMPTY))
            part = min(MOST_OF_TWO, mine / (mine + other))
            fair = min((1 - middle) * part, LARGEST_MAT / high)
            own = max(own, fair)
        return own, middle

    def _seated(self) -> Places:
        """Return the boxes of the table. When the game is over, the middle, where the Turtle lies
        that has won, is at the top of a table that is higher than its window.
        """
        places = self._seated_low() or super()._seated()
        if self.is_over and self.is_window and self._is_high(places):
            self.is_brief = True
            places = self._seated_low() or super()._seated()
        if not self.is_over or not self._is_high(places):
            return places
        viewer, *others = places.seats
        lower = [box._replace(y=box.y + places.middle.h + SEAM) for box in others]
        return places._replace(seats=[viewer, *lower], middle=places.middle._replace(y=EDGE))

    def _seated_low(self) -> Places | None:
        """Return the boxes of a low table, if a lying window is too low for another, and nearly all
        of it is seen.
        """
        self._lie(is_low=False)
        is_lying = self.is_window and self.size[0] > self.size[1]
        is_full = self.seats > MOST_ABREAST and self.size[1] < LOW_WINDOW
        if not is_lying or not (is_full or self._is_high(super()._seated())):
            return None
        self._lie(is_low=True)
        places = self._seated_once()
        if places.height * self.zoom <= MOST_LOW * self.size[1]:
            return places
        self._lie(is_low=False)
        return None

    def _lie(self, is_low: bool) -> None:
        """Prepare a low table, or a usual one."""
        self.is_low, self.has_wide_mats = is_low, not is_low
        self.most_abreast, self.least_middle = (2, LOW) if is_low else (1, LEAST_MIDDLE)

    def _is_high(self, places: Places) -> bool:
        """Return whether a table is higher than its window."""
        return places.height * self.zoom > self.size[1] + 1

    def _seated_once(self) -> Places:
        """Return the boxes of the table. If there is room, a seat with more cards is wider than
        others beside it, and its row higher.
        """
        places = super()._seated_once()
        boxes = [*places.seats]
        others = sorted(range(1, self.seats), key=lambda at: boxes[at][1::-1])
        rows = [[*row] for _, row in groupby(others, key=lambda at: boxes[at].y)]
        for line in rows:
            room, x = sum(boxes[at].w for at in line), boxes[line[0]].x
            least = [min(LEAST_FLAT, boxes[at].w) for at in line]
            if self.is_low:
                least = [self._low_width(at) for at in line]
                if sum(least) > room:
                    least = [self._low_width(at, is_counted=True) for at in line]
                if sum(least) > room:
                    return places._replace(height=math.inf)
            for at, wide in zip(line, shared(room, least, [*map(self._part, line)]), strict=True):
                boxes[at] = boxes[at]._replace(x=x, w=wide)
                x += wide + SEAM
        least = [max(self._mat_height(at, boxes[at].w) for at in line) for line in rows]
        room, y = sum(boxes[line[0]].h for line in rows), boxes[rows[0][0]].y
        if sum(least) > room:
            return places
        filled = [max(self._filled(at, boxes[at].w) for at in line) for line in rows]
        for line, high in zip(rows, shared(room, least, filled), strict=True):
            for at in line:
                boxes[at] = boxes[at]._replace(y=y, h=high)
            y += high + SEAM
        return places._replace(seats=boxes)

    def _count(self, steps: int) -> int:
        """Return the number of things that lie on a mat, the titles of lists included."""
        seat = seat_at(self.state, self.bottom, steps)
        lists = self._known_piles(seat)
        return len(self._things(seat)) + sum(1 + len(cards) for _, cards, _ in lists)

    def _part(self, steps: int) -> int:
        """Return the share of a seat in the width of its row; few cards more do not change it."""
        is_alive = bool(self.state.living[seat_at(self.state, self.bottom, steps)])
        return 2 + is_alive + self._count(steps) // 6

    def _filled(self, steps: int, wide: float) -> float:
        """Return the lines on a mat of a width: two of words, and at least one of cards."""
        return 2 + max(1.0, FILLED * self._count(steps) / wide)

    # ------------------------------------------------------------------------------- seats

    def _heading(self, seat: int) -> Heading:
        facts = "" if self.state.living[seat] else "eliminated"  # piles bear their sizes
        return super()._heading(seat)._replace(facts=facts, has_notes=not self.is_brief)

    def _needs(self, seat: int, wide: float) -> float:
        beside = self._beside_needs(seat, wide)
        if seat == self.own_seat:
            return min(beside, self._comfort(seat, wide))
        is_one_line = self.is_low or self.is_brief  # a low table shares out its width
        room = Box(0, 0, math.inf if is_one_line else wide, 0)
        high = in_lines(self._least_things(seat), room, SMALL_SCALES[-1])[1]
        lines = self._list_lines([*self._known_piles(seat)], wide)
        return min(beside, high + LEAST_LIST * len(lines))

    def _least_things(self, seat: int) -> list[Thing]:
        """Return the things in the line of a seat that have room for sure: of those revealed, one
        is drawn at least, or the number of all.
        """
        further = len(self._revealed(seat)[0]) - 1
        return self._things(seat)[: -further if further > 0 else None]

    def _low_width(self, steps: int, is_counted: bool = False) -> float:
        """Return the least width of a mat of a low table, whose things lie in one line: one of the
        cards revealed, or the number of all if `is_counted`.
        """
        seat = seat_at(self.state, self.bottom, steps)
        things = self._least_things(seat)
        widths = widths_of(things, Box(0, 0, math.inf, 0), SMALL_SCALES[-1])
        if is_counted and (revealed := self._revealed(seat)[0]):
            widths[-1] = count_width(f"+{sum(card.number for card in revealed)}")
        return max(LEAST_LOW, sum(widths) + 5 * (len(widths) - 1) + 2 * MAT_INSET)

    def _comfort(self, seat: int, wide: float) -> float:
        """Return the least height of a seat whose piles do not lie in one line with its cards."""
        lines = len(self._list_lines([*self._further_piles(seat, wide)], wide))
        piles = LOW_CARD if self.is_low and seat == self.own_seat else LEAST_PILES
        is_narrow = seat == self.own_seat and wide < MOST_TITLED * TITLED and not self.is_brief
        words = PILE_WORDS[not is_narrow][-1]  # the words leave room for cards beside the piles
        return piles + words + self._lift(seat) + LEAST_LIST * lines

    def _lift(self, seat: int) -> float:
        """Return how far the top of the higher pile of a seat lies above its lowest card."""
        held = max(int(self.state.stack_size[seat]), int(self.state.discard_size[seat]))
        return LIFT[1] * max(0, layers_of(held) - 1)

    def _things(self, seat: int, is_worded: bool = False) -> list[Thing]:
        """Return piles, cards set aside and revealed ones of a seat, as they lie in one line, with
        the number of equal cards on them. Discards lie there only if there are some.

        Args:
            is_worded: whether what the number beside a pile counts stands below it.
        """
        state, things = self.state, list[Thing]()
        if state.living[seat]:
            stack = self._stack, int(state.stack_size[seat]), "stack"
            discards = self._discards, int(state.discard_size[seat]), "discards"
            for draw, size, title in (stack, discards) if discards[1] else (stack,):
                word = width_of(title, 12) * is_worded
                wide = BESIDE + LIFT[0] * layers_of(size) + max(count_width(str(size)), word)
                said = f"{plural(size, 'card')} face down"
                draw_pile = partial(draw, seat, place=Title.BESIDE if is_worded else Title.NONE)
                things.append(Thing(draw_pile, said, wide, number=size))
        for item in self._set_aside(seat):
            draw_aside = partial(self._lay_aside, seat, item)
            least = 0.0 if self.is_brief else LEAST_PILE
            things.append(Thing(draw_aside, item.face.name, least=least))
        cards, where = self._revealed(seat)
        for item in cards:
            draw_card = partial(self._reveal, item, where)
            said = counted_name(item.face.name, item.number)
            things.append(Thing(draw_card, said, number=item.number))
        return things

    def _reveal(self, item: Item, where: str, spot: Spot, _: bool = False) -> None:
        """Draw equal cards that a seat has revealed, with their number on them."""
        self.board.card(spot, item, where, is_listed=True)

    def _seat(self, seat: int, box: Box) -> None:
        state = self.state
        first = FIRST_PICK if state.phase == Phase.PICK else FIRST_SHIELD
        is_out, action = not state.living[seat], first + self._steps(seat)
        inner, _ = self._mat(seat, box, state.turn, is_out=is_out, action=action)
        piles, below, lines, is_line = self._way_to_share(seat, inner)
        (self._line if is_line else self._row)(seat, piles)
        for part, (titles, cards, where) in list_boxes(below, lines):
            self.board.text(part.centre[0], part.y + 15, fitting(part.w, *titles), "soft mid")
            things = self.board.things(cards, where)
            self.board.lay(part.below(TITLE), things, where, is_centred=True)

    def _way_to_share(self, seat: int, inner: Box) -> Way:
        """Return how the piles of a seat and its lists share a mat. If all hands are open, its
        cards are as large as they can be.
        """
        usual = self._usual_way(seat, inner)
        if not self.open or not usual.lines:
            return usual
        return max((usual, *self._open_ways(seat, inner)), key=partial(self._merit, seat))

    def _open_ways(self, seat: int, inner: Box) -> Iterator[Way]:
        """Yield ways to share an open mat: lists beside the piles, or below, in a line or more."""
        lists = [*self._known_piles(seat)]
        for part in LIST_PARTS:
            left, right = columns(inner, 1, part)
            if not self._is_narrow(seat, left.w):
                yield from (Way(left, right, lines) for lines in arranged(lists, right.w))
        lists = [*self._further_piles(seat, inner.w)]
        for part in OPEN_PARTS:
            high = part * inner.h
            below = inner.below(high)
            yield from (Way(inner.top(high), below, lines) for lines in arranged(lists, inner.w))

    def _merit(self, seat: int, way: Way) -> list[float]:
        """Return the scales of cards in a mat up to a large one, the smallest ones first, each less
        if something there is not seen or not said.
        """
        listed = (
            list_scale(self.board.things(cards, where), part.below(TITLE))
            for part, (_, cards, where) in list_boxes(way.below, way.lines)
        )
        row = self._line_merit(seat, way.piles) if way.is_line else self._row_merit(seat, way.piles)
        return sorted(min(LARGE, round(each, 2)) for each in (*row, *listed))

    def _line_merit(self, seat: int, box: Box) -> list[float]:
        """Return the scale of piles and cards in one line."""
        is_worded = self._is_worded(seat, box)
        things = self._things(seat, is_worded)
        return [list_scale(things, box) * (1.0 if is_worded else UNWORDED)]

    def _row_merit(self, seat: int, box: Box) -> list[float]:
        """Return the scales of piles and cards in a row; 0 if it is too low, or its piles are too
        small for a finger.
        """
        sizes, cards = self._row_sizes(seat, box), self._beside_piles(seat, box.w)[1]
        words = PILE_WORDS[sizes.is_wide][-1] * bool(self.state.living[seat])
        least = LEAST_OWN if seat == self.own_seat else SMALL_SCALES[-1]
        if sizes.scale < least or CARD_HEIGHT * sizes.scale + words + self._lift(seat) > box.h + 1:
            return [0.0]
        rest, revealed = box.w - 2 * PILES_INSET - sizes.before, sizes.least
        if cards and revealed < LEAST_REVEALED:
            here = Box(0, 0, max(1.0, rest), box.h - CAPTION)
            revealed = list_scale(self._things(seat)[-len(cards) :], here)
        said = f"revealed {sum(card.number for card in cards)}" if cards else ""
        is_worded = width_of(said, 12) <= rest
        return [sizes.scale, REVEALED_SHARE * revealed * (1.0 if is_worded else UNWORDED)]

    def _usual_way(self, seat: int, inner: Box) -> Way:
        """Return the usual way to share a mat: in a wide one the lists lie beside the piles,
        otherwise below them.
        """
        if self._beside_needs(seat, inner.w) <= inner.h < inner.w / WIDE:
            return self._beside(seat, inner)
        comfort = self._comfort(seat, inner.w)
        is_line = inner.h < comfort - 1 or (seat != self.own_seat and self._has_lines(inner.w))
        lists = self._known_piles(seat) if is_line else self._further_piles(seat, inner.w)
        lines = self._list_lines([*lists], inner.w)
        high, least = inner.h / (1 + 0.7 * len(lines)), LEAST_LIST * len(lines)
        high = inner.h - least if is_line else max(high, comfort - least)
        return Way(inner.top(high), inner.below(high), lines, is_line)

    def _has_lines(self, wide: float) -> bool:
        """Return whether the mats of others, of a width, are on average too low for piles with
        words below them, and for a list of cards in a narrow one; so a seat keeps its form.
        """
        boxes = self.places.seats[1:]
        lines = {box.y: box.h for box in boxes}.values()
        least = LEAST_PILES + CAPTION + LEAST_LIST * (wide < LEAST_TITLED)
        return self.is_low or sum(lines) / len(lines) < LEAST_HEADER + least

    def _beside(self, seat: int, inner: Box) -> Way:
        """Return the way with lists beside the piles in which the smallest cards are as large as
        they can be, and the lists as wide.
        """
        lists = [*self._known_piles(seat)]

        def merit(way: Way) -> tuple[float, float]:
            piles, below, lines, _ = way
            listed = (
                fitting_scale(self.board.things(cards, where), part.below(TITLE))
                for part, (_, cards, where) in list_boxes(below, lines)
            )
            least = min([self._row_sizes(seat, piles).least, *listed])
            return -1.0 if self._is_narrow(seat, piles.w) else least, below.w

        ways = (columns(inner, 1, part) for part in LIST_PARTS)
        return max(
            (Way(left, right, self._list_lines(lists, right.w)) for left, right in ways), key=merit
        )

    def _beside_needs(self, seat: int, wide: float) -> float:
        """Return the least height of a seat with its lists beside its piles; infinite if the mat is
        not wide enough.
        """
        piles, listed = columns(Box(0, 0, wide, 0), 1, LIST_PARTS[0])
        lines = self._list_lines([*self._known_piles(seat)], listed.w)
        high = max(LEAST_PILES + CAPTION + self._lift(seat), LEAST_LIST * len(lines))
        is_wide = wide > WIDE * high and not self._is_narrow(seat, piles.w)
        return high if lines and is_wide else math.inf

    def _list_lines(self, lists: Sequence[Lists], wide: float) -> list[list[Lists]]:
        """Return lists line by line, in a box of a width."""
        listed, lines = LEAST_LISTED if self.is_dense else LISTED, list[list[Lists]]()
        for each in lists:
            last = [*lines[-1], each] if lines else []
            if last and listed * sum(1 + len(cards) for _, cards, _ in last) <= wide:
                lines[-1] = last
            else:
                lines.append([each])
        return lines

    def _line(self, seat: int, box: Box) -> None:
        """Draw the piles and the cards of another seat in lines, with no words below them."""
        things = self._things(seat, self._is_worded(seat, box))
        self.board.lay(box, things, self._revealed(seat)[1], is_centred=True)

    def _is_worded(self, seat: int, box: Box) -> bool:
        """Return whether words stand beside the piles in the line of a seat. While hands are hidden
        that depends on its width alone, so that a seat keeps its form; otherwise the cards must not
        be smaller so.
        """
        if not self.open:
            return box.w >= LEAST_WORDED
        bare, worded = (fitting_scale(self._things(seat, each), box) for each in (False, True))
        return 0 < bare <= worded

    def _row(self, seat: int, box: Box) -> None:
        """Draw stack, discards, cards set aside and revealed in a row, with words below."""
        aside, cards = self._beside_piles(seat, box.w)
        where, lift = self._revealed(seat)[1], self._lift(seat)
        scale, pitches, before, spots, is_wide = self._row_sizes(seat, box)
        box = box.inset(PILES_INSET, 0)
        room, high = box._replace(h=box.h - CAPTION), box.h - PILE_WORDS[is_wide][-1] - lift
        wide, y = CARD_WIDTH * scale, box.y + (high - CARD_HEIGHT * scale) / 2 + lift
        rest, is_list = box.w - before, bool(cards) and spots[0].scale < LEAST_REVEALED
        size, words, taken = sum(card.number for card in cards), "", 0.0
        if cards:
            ordered = [f"revealed {size}, last first"] * (len(cards) > 1)
            words = fitting(rest, *ordered, f"revealed {size}", "")
            reach = spots[-1].scale * CARD_WIDTH + max(spot.x for spot in spots) - spots[0].x
            taken = rest if is_list else max(reach, width_of(words, 12))
        x = box.x + max(0.0, (box.w - before - taken) / 2)
        piles: list[Callable[..., None]] = [self._stack, self._discards]
        for draw_pile, pitch in zip(piles, pitches, strict=False):
            place = Title.BEFORE if is_wide else Title.BELOW
            draw_pile(seat, Spot(x + (pitch - PILE_GAP - wide) / 2, y, scale), place=place)
            x += pitch
        for item in aside:
            self._lay_aside(seat, item, Spot(x, y, scale))
            x += wide + 6
        if aside:
            self._caption(x - (wide + 6) * len(aside), x, y + CARD_HEIGHT * scale, "set aside")
            x += 8
        if is_list:
            things, here = self._things(seat)[-len(cards) :], room._replace(x=x, w=rest)
            foot = box.y + self.board.lay(here, things, where)
        elif cards:
            foot = spots[-1].y + CARD_HEIGHT * spots[-1].scale
            for spot, item in zip(spots, cards, strict=True):
                self._reveal(item, where, spot._replace(x=spot.x - spots[0].x + x))
        if words:
            self._caption(x, x + rest, foot, words, "start")

    def _beside_piles(self, seat: int, wide: float) -> tuple[list[Item], list[Item]]:
        """Return the cards beside the piles of a seat in a width: set aside and revealed."""
        if self._is_narrow(seat, wide):
            return [], []
        return self._set_aside(seat), self._revealed(seat)[0]

    def _row_sizes(self, seat: int, box: Box) -> RowSizes:
        """Return the sizes of the piles of a seat, and of the cards beside them, in a row."""
        aside, cards = map(len, self._beside_piles(seat, box.w))
        piles = 2 * bool(self.state.living[seat])
        return row_sizes(box.inset(PILES_INSET, 0), self._lift(seat), piles, aside, cards)

    def _lay_aside(self, seat: int, item: Item, spot: Spot, _: bool = False) -> None:
        """Draw a card that a seat has set aside."""
        self.spots[item.face.name] = spot
        self.board.card(spot, item, f"set aside by {player_name(seat)}")

    def _caption(self, left: float, right: float, y: float, text: str, side: str = "mid") -> None:
        """Write words below cards, if there is room for them."""
        if width_of(text, 12) <= right - left + 8:
            x = (left + right) / 2 if side == "mid" else left
            self.board.text(x, y + 14, text, f"soft {side}")

    def _stack(self, seat: int, spot: Spot, is_beside: bool = False, *, place: Title) -> None:
        """Draw the stack, which the viewer takes the turn with."""
        takes = seat == self.own_seat and self.state.phase == Phase.TURN
        size, where = int(self.state.stack_size[seat]), f"stack of {player_name(seat)}"
        action = TAKE_TURN if takes else None
        self._pile(spot, size, "stack", where, action, is_beside, place)

    def _discards(self, seat: int, spot: Spot, is_beside: bool = False, *, place: Title) -> None:
        """Draw the discard pile, askew, with its top card face up if the viewer knows it."""
        state, where = self.state, f"discard pile of {player_name(seat)}"
        size = int(state.discard_size[seat])
        self._pile(spot, size, "discards", where, None, is_beside, place, ASKEW)
        if size and state.discard_pile[seat, size - 1] != UNKNOWN_CARD:
            face = FACES[Card(state.discard_pile[seat, size - 1])]
            mark = self._mark("discards", *CORNER) if place is Title.NONE else ""
            top = Item(face, faded=not self.open, mark=mark)
            turned = spot._replace(turn=ASKEW)
            self.board.card(turned, top, f"{where}, top")

    def _pile(
        self,
        spot: Spot,
        size: int,
        title: str,
        where: str,
        action: int | None,
        is_beside: bool,
        place: Title,
        turn: float = 0.0,
    ) -> None:
        """Draw a pile with a mark, and its size below it or beside it. Where its title does not
        stand below the pile, a click tells it.
        """
        label = f"{title} {size}" if place is Title.BEFORE else str(size)
        said = f"{title.capitalize()}: {size}" if place in (Title.NONE, Title.BESIDE) else None
        mark, word = self._mark(title), title if place is Title.BESIDE else ""
        self.board.pile(spot, size, where, action, label, is_beside, said, turn, mark, word)
        if place is Title.BELOW:
            x, y = spot.centre[0], spot.y + CARD_HEIGHT * spot.scale
            self.board.text(x, y + CAPTION + 7, title, "soft mid clear")

    def _mark(self, title: str, x: float = CARD_WIDTH / 2, y: float = CARD_HEIGHT / 2) -> str:
        """Return the markup of the mark of a pile, at a place on its cards."""
        mark = tag("g", MARKS[title], class_="em", transform=moved(x, y))
        return tag("use", href=f"#{self.board.symbol(f'mark-{title}-{x:g}', mark)}")

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
        """Return what a seat has revealed, the last first, and the name of its place.

        The Turtle that has won lies in the middle.
        """
        pile = self.state.reveal_pile[seat, : self.state.reveal_size[seat]][::-1]
        return runs(pile[len(self._won(seat)) :]), f"reveal pile of {player_name(seat)}"

    def _further_piles(self, seat: int, wide: float) -> Iterator[Lists]:
        """Yield (titles, cards, place) of each list below the piles of a seat, in a mat of a width.

        They are what it has revealed, if that does not lie beside the piles, and the cards that the
        viewer knows in its discard pile and stack.
        """
        if self._is_narrow(seat, wide):
            if (revealed := self._revealed(seat))[0]:
                yield ("revealed",), *revealed
            if aside := self._set_aside(seat):
                yield ("set aside",), aside, f"set aside by {player_name(seat)}"
        yield from self._known_piles(seat)

    def _known_piles(self, seat: int) -> Iterator[Lists]:
        """Yield the last of the `_further_piles`: the cards in piles that the viewer knows."""
        state, name, is_own = self.state, player_name(seat), seat == self.own_seat
        if not state.living[seat] or self.is_brief:
            return
        if self.open or state.discard_seen[seat]:
            pile = state.discard_pile[seat, : state.discard_size[seat]][::-1]
            known = [at for at, kind in enumerate(pile) if kind != UNKNOWN_CARD]
            faces = [(at, FACES[Card(pile[at])]) for at in known]
            cards = [Item(face, faded=not self.open, note=f"{at + 1}: ") for at, face in faces]
            if cards and not (self.is_low and known == [0]):  # the pile shows its top card
                places = ", ".join(str(at + 1) for at in known)
                is_top = known == [*range(len(known))]
                which = "" if is_top else f" number {places}"
                titles = f"discards,{which} from the top", "discards"
                yield titles, cards, f"discard pile of {name}"
        if self.open or (is_own and state.peeking[seat]):
            stack = state.stack[seat, : state.stack_size[seat]][::-1]
            if len(stack):
                titles = "stack, from the top", "stack"
                yield titles, runs(stack, faded=not self.open), f"stack of {name}"

    # ------------------------------------------------------------------------------ the middle

    def _middle(self, box: Box) -> None:
        """Draw the middle: what is revealed, and words about it at its sides."""
        state = self.state
        if self.is_over:
            self._end(box)
            return
        self._way(box)
        if not self._is_busy:
            lines, y = way_words(state), box.centre[1] - 5
            if self.is_low:
                lines, y = [", ".join(lines)], y + 9
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

    @property
    def _is_busy(self) -> bool:
        """Whether a card lies in the middle."""
        return bool(self.state.pending != NO_CARD or modifier_lines(self.state))

    def _end(self, box: Box) -> None:
        """Draw who has won, with the Turtle, if it was revealed."""
        box, winner, before = box.inset(*END_INSET), int(self.state.winner), 0.0
        told = [outcome_words(self.state)]
        if winner != NOBODY:
            told = [f"Winner: {player_name(winner)}", end_words(self.state, winner)]
        size = min(MOST_WON, box.h / CARD_HEIGHT, box.w / 4 / CARD_WIDTH)
        if cards := self._won(winner):
            before = size * CARD_WIDTH + 28
        lines = [part for line in told for part in wrapped(line, BOLD * 15, box.w - before)]
        x = box.centre[0] - (before + max(width_of(line, 15) for line in lines)) / 2
        for card in cards:
            spot = Spot(x, box.centre[1] - size * CARD_HEIGHT / 2, size)
            self.board.spotlight(spot)
            self.board.card(spot, card, self._revealed(winner)[1])
        y = box.centre[1] + 16 - 11 * len(lines)
        self.board.lines(x + before, y, lines, "title clear", 22)

    def _won(self, seat: int) -> list[Item]:
        """Return the Turtle if a seat has won by it."""
        if seat == NOBODY or seat != self.state.winner:
            return []
        by_turtle = outcome(self.state).decided_by is Decided.TURTLE
        return [Item(FACES[Card.TURTLE])] if by_turtle else []

    def _columns(self, box: Box) -> list[Box]:
        """Return the boxes of words, one or two, and of the cards."""
        is_wide = box.w >= LEAST_THREE
        down = 0 if self.is_low else 12
        box = box.inset(max(2 * RING_INSET + 24, 0.08 * box.w * is_wide), down)
        if not is_wide:
            words, cards = columns(box, 1.5, 1 + int(self.state.depth))
            return [words, cards]
        left, cards, right = columns(box, 1.2, 1.3, 1.2)
        return [left, right, cards]

    def _lines(self, boxes: list[Box]) -> list[list[str]]:
        """Return the lines of words of each box: the turn at the left, what is revealed beside."""
        state = self.state
        turn = [*self._modifier_words(), *way_words(state)]
        turn = [", ".join(turn)] if self.is_low else turn
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
        return [f"{player_name(state.turn)}'s turn is under {Card(state.modifier).title}"]

    def _middle_needs(self, wide: float) -> float:
        if self._won(int(self.state.winner)):
            return LEAST_WON * CARD_HEIGHT + 2 * END_INSET[1]
        *words, _ = self._columns(Box(0, 0, wide, 100))
        least, around = (LOW_CARD * self._is_busy, AROUND_LOW) if self.is_low else (0, 28)
        return max(least, 16 * max(map(len, self._lines(words))) + around)

    def _way(self, box: Box) -> None:
        """Draw the direction of play as a ring, described in words, with arrows at its sides."""
        x, y, wide, high = box.inset(RING_INSET + 11, 7)
        drawn = rect("way", (x, y, wide, high), min(high / 2, RING))
        for side, up in ((x, self.state.direction), (x + wide, -self.state.direction)):
            shape = f"M-11 {8 * up} 0 {-8 * up} 11 {8 * up}Z"
            at = moved(side, y + high / 2)
            drawn += tag("path", class_="tip way", d=shape, transform=at)
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


def fitting_scale(things: Sequence[Thing], box: Box) -> float:
    """Return the largest scale at which things that fill lines fit into a box; 0 for none."""
    sizes = tuple((thing.beside, thing.least, thing.wide) for thing in things)
    return _fitting_scale(sizes, box.w, box.h)


@lru_cache(8192)  # most mats change little from move to move
def _fitting_scale(sizes: Sequence[tuple[float, float, float]], wide: float, high: float) -> float:
    """Return the `fitting_scale` of things by their sizes: beside, least, wide."""
    things = [Thing(_undrawn, "", *each) for each in sizes]
    room = Box(0, 0, wide, high)

    def fits(scale: float) -> bool:
        return in_lines(things, room, scale)[1] <= high + 1

    at = bisect_left(SMALL_SCALES, True, key=fits)
    return SMALL_SCALES[at] if at < len(SMALL_SCALES) else 0.0


def _undrawn(_: Spot, __: bool) -> None:
    """Draw nothing: of a thing only the size matters."""


def list_scale(things: Sequence[Thing], box: Box) -> float:
    """Return the `fitting_scale`, or a smaller one the fewer lines of things fit into a box."""
    if scale := fitting_scale(things, box):
        return scale
    least = SMALL_SCALES[-1]
    lines, needed = (
        (high + 6) // (CARD_HEIGHT * least + 5) for high in (box.h, in_lines(things, box, least)[1])
    )
    return UNSEEN * least * max(0.0, lines) / max(needed, 2.0)


def arranged(lists: Sequence[Lists], wide: float) -> Iterator[list[list[Lists]]]:
    """Yield lists line by line: each in a line, and all in one if it has room for their titles."""
    yield [[each] for each in lists]
    shares = (max(LEAST_LIST_CARDS, len(cards)) for _, cards, _ in lists)
    boxes = columns(Box(0, 0, wide, 0), *shares)
    words = (width_of(titles[-1], 12) for titles, _, _ in lists)
    if len(lists) > 1 and all(box.w > word for box, word in zip(boxes, words, strict=True)):
        yield [[*lists]]


def list_boxes(box: Box, lines: Sequence[Sequence[Lists]]) -> Iterator[tuple[Box, Lists]]:
    """Yield the lists of cards that share a box line by line, each with its box."""
    each = box.h / max(1, len(lines))
    for at, lists in enumerate(lines):
        shares = (max(LEAST_LIST_CARDS, len(cards)) for _, cards, _ in lists)
        yield from zip(columns(box.below(each * at).top(each), *shares), lists, strict=True)


@lru_cache(4096)  # the tables of a game change little from move to move
def row_sizes(box: Box, lift: float, piles: int, aside: int, cards: int) -> RowSizes:
    """Return the sizes in a row of piles, cards set aside and revealed ones.

    The smaller of piles and revealed cards are as large as they can be.

    Args:
        box: where they lie.
        lift: how far the top of the higher pile lies above its lowest card.
        piles, aside, cards: how many of them there are, and cards set aside and revealed.
    """
    is_flat = box.h < max(MOST_TITLED, box.w / TITLED)
    is_wide = is_flat and box.w >= LEAST_TITLED + CARD_WIDTH * LEAST_PILE * aside
    *words, caption = PILE_WORDS[is_wide]
    most_before = box.w - REVEALED_WORDS * bool(cards)

    def sizes(part: float) -> RowSizes:
        scale = max(0.2, min(part, (box.h - caption - lift) / CARD_HEIGHT))
        wide = CARD_WIDTH * scale
        pitches = [max(wide, each) + PILE_GAP for each in words[:piles]]
        before = sum(pitches) + ((wide + 6) * aside + 8) * bool(aside)
        rest = Box(box.x + before, box.y, box.w - before, box.h - CAPTION)
        return RowSizes(scale, pitches, before, grid(cards, rest, scale, gap=5), is_wide)

    def merit(part: float) -> float:
        tried = sizes(part)
        return tried.least if tried.before <= most_before else -tried.before

    def is_full(part: float) -> bool:
        tried = sizes(part)
        return tried.before <= most_before and tried.least >= tried.scale

    narrowest = (box.w - PILE_GAP * piles - 6 * aside - 8) / max(1, piles + aside) / CARD_WIDTH
    scales = (*PILE_SCALES, min(PILE_SCALES[-1], narrowest))
    at = bisect_left(scales, True, key=is_full)  # with smaller piles, all cards are smaller
    most = max(map(merit, scales[max(0, at - 1) : at + 1]))
    return sizes(scales[bisect_left(scales, most, hi=at, key=merit)])


draw = TurtleTable.draw
