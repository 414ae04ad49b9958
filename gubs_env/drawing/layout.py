"""Layout in units of the picture: boxes, rows, grids, and the seats around a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

CARD_WIDTH, CARD_HEIGHT = 100, 140
"""The size of a card before it is scaled: 5 : 7."""
WIDTH = 1200
"""The width of a picture of the usual size, in pixels."""
GAP = 12
"""The distance between two columns."""
EDGE, SEAM = 10, 5
"""The margin of the table, and the distance between two seats."""
LEAST_WIDTH = 250
"""The least width of a picture."""
LEAST_MAT, LEAST_FLAT, LEAST_MAT_HEIGHT = 112, 150, 58
"""The least width of a seat, also above a middle that is below all others, and the least height."""
FLAT, FLAT_HEADER = 5.2, 56
"""How much wider than high the cards on a flat mat are, and the height of the words on it."""
LEAST_MIDDLE = 80.0
"""The least height of the middle."""
LEAST_BETWEEN = 230
"""The least width of a middle that lies between seats."""
BANNER = 38
"""The height of the line between the middle and the viewer."""
SIDE, SIDE_OF_THREE = 0.26, 0.295
"""The width of the seats at the sides of an oval, as parts of the table's: with others at the top,
and of three players.
"""
TOP_SHARE = 0.4
"""The part of the height above the viewer's seat that the seats at the top of an oval should have.
"""
OVAL_MERIT = 1.5
"""How much larger the smallest seat must be in another way to sit than around an oval."""
LEAST_SEEN = 24
"""The least width that is seen of each card of several that overlap, so that a finger hits it."""
LINE_GAP = 6
"""The distance between two lines of cards."""
MOST_SCALE = 1.9
"""The largest scale of a card."""
FANNED, FAN = 7.0, 1.7
"""The largest angle of a card in a fan, and that between two cards, in degrees."""
COMFORTABLE = 1010 * 760
"""The area of a window in which everything has its usual size; in larger ones it grows."""
MOST_ZOOM = 2.0


class Box(NamedTuple):
    """A rectangle: its upper left corner, width and height."""

    x: float
    y: float
    w: float
    h: float

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of the box."""
        return self.x + self.w / 2, self.y + self.h / 2

    def nearest(self, point: tuple[float, float], depth: float = 0) -> tuple[float, float]:
        """Return the point nearest to another, at least `depth` inside the edge of the box."""
        x, y, wide, high = self.inset(depth, depth)
        return min(max(x, point[0]), x + wide), min(max(y, point[1]), y + high)

    def inset(self, across: float, down: float) -> Box:
        """Return the box without margins: `across` at each side, `down` above and below."""
        return Box(self.x + across, self.y + down, self.w - 2 * across, self.h - 2 * down)

    def below(self, height: float) -> Box:
        """Return the part of the box below its top `height`."""
        return Box(self.x, self.y + height, self.w, self.h - height)

    def top(self, height: float) -> Box:
        """Return the top part of the box, `height` high."""
        return Box(self.x, self.y, self.w, height)


class Spot(NamedTuple):
    """The upper left corner, the scale and the turn of one card, and how much of it is seen."""

    x: float
    y: float
    scale: float
    turn: float = 0.0
    """The angle by which the card is turned, in degrees clockwise."""
    seen: float = 1.0
    """The part of the width of the card on which the next one does not lie; 0 for a card that needs
    no words.
    """

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of the card."""
        return self.x + self.scale * CARD_WIDTH / 2, self.y + self.scale * CARD_HEIGHT / 2


def spot_at(point: tuple[float, float]) -> Spot:
    """Return a small spot around a point, for an arrow to a place without a card."""
    return Spot(point[0] - 10, point[1] - 14, 0.2)


# ------------------------------------------------------------------------------ cards in a box


def row(count: int, box: Box, most: float, gap: float = 8, least: float = 0) -> list[Spot]:
    """Return `count` spots in one centred row.

    If the cards do not fit, they shrink, down to the scale `least`, and then overlap.

    Args:
        count: number of cards.
        box: where they lie.
        most: the largest scale.
        gap: the distance between two cards.
        least: the scale to which they can shrink.
    """
    most = max(0.0, min(most, box.h / CARD_HEIGHT, box.w / CARD_WIDTH))
    beside = (box.w + gap) / max(1, count) - gap
    scale = max(min(least, most), min(most, beside / CARD_WIDTH))
    width = scale * CARD_WIDTH
    step = min(width + gap, (box.w - width) / max(1, count - 1))
    left = box.x + (box.w - width - step * (count - 1)) / 2
    top = box.y + (box.h - scale * CARD_HEIGHT) / 2
    seen = [min(1.0, step / (width or 1))] * (count - 1) + [1.0]
    return [Spot(left + step * k, top, scale, seen=seen[k]) for k in range(count)]


def grid(
    count: int,
    box: Box,
    most: float = MOST_SCALE,
    gap: float = 6,
    groups: Sequence[int] = (),
) -> list[Spot]:
    """Return `count` spots, centred, in as many rows as let the cards be largest.

    Args:
        count: number of cards.
        box: where they lie.
        most: the largest scale.
        gap: the distance between two cards.
        groups: the sizes of groups of cards that share a row; () for none.
    """
    best, rows = _largest(tuple(groups) or (1,) * count, box.w, box.h, most, gap)
    wide, high = best * CARD_WIDTH + gap, best * CARD_HEIGHT + gap
    top = box.y + (box.h - len(rows) * high + gap) / 2
    spots = []
    for line, here in enumerate(rows):
        left = box.x + (box.w - here * wide + gap) / 2
        spots += [Spot(left + k * wide, top + line * high, best) for k in range(here)]
    return spots


@lru_cache(4096)  # the tables of a game change little from move to move
def _largest(
    groups: tuple[int, ...], wide: float, high: float, most: float, gap: float
) -> tuple[float, list[int]]:
    """Return the largest scale of groups of cards in rows (`grid`), and the lengths of the rows."""
    count = sum(groups)
    best, rows = 0.0, [count]
    ways = ((across, _rows(across, groups)) for across in range(max(groups, default=1), count + 1))
    for across, tried in sorted(ways, key=lambda way: len(way[1])):
        scale = min(
            most,
            (wide - gap * (across - 1)) / across / CARD_WIDTH,
            (high - gap * (len(tried) - 1)) / max(1, len(tried)) / CARD_HEIGHT,
        )
        if scale > best + 1e-9:
            best, rows = scale, tried
    return best, rows


def _rows(across: int, groups: Sequence[int]) -> list[int]:
    """Return the lengths of rows of at most `across` cards that groups of cards fill."""
    rows = [0]
    for size in groups:
        if rows[-1] + size > across:
            rows.append(0)
        rows[-1] += size
    return rows


def fanned(spots: Sequence[Spot]) -> list[Spot]:
    """Return the spots of one row as a fan: the outer cards are turned and lie a little lower."""
    half = (len(spots) - 1) / 2
    each = min(FAN, FANNED / half) if half else 0.0
    return [
        spot._replace(
            y=spot.y + 0.18 * spot.scale * (each * (k - half)) ** 2, turn=each * (k - half)
        )
        for k, spot in enumerate(spots)
    ]


def columns(box: Box, *shares: float, gap: float = GAP) -> list[Box]:
    """Return the columns of a box, whose widths are these shares of what the gaps leave."""
    room, x, boxes = box.w - gap * (len(shares) - 1), box.x, []
    for share in shares:
        wide = room * share / sum(shares)
        boxes.append(Box(x, box.y, wide, box.h))
        x += wide + gap
    return boxes


def centred(box: Box, *widths: float) -> list[Box]:
    """Return columns of these widths in a box, with equal gaps between and beside them."""
    gap = (box.w - sum(widths)) / (len(widths) + 1)
    x, boxes = box.x, []
    for wide in widths:
        boxes.append(Box(x + gap, box.y, wide, box.h))
        x += gap + wide
    return boxes


def flow(
    widths: Sequence[float], box: Box, gaps: tuple[float, float], is_centred: bool = False
) -> tuple[list[tuple[float, float]], float]:
    """Return the places of things that fill lines, and their height in all.

    Args:
        widths: their widths.
        box: where they lie.
        gaps: the distance between two of them, and the height of a line with its gap.
        is_centred: whether each line is centred.
    """
    spots, x, y = [], 0.0, 0.0
    for wide in widths:
        if x and x + wide > box.w:
            x, y = 0.0, y + gaps[1]
        spots.append((box.x + x, box.y + y))
        x += wide + gaps[0]
    if is_centred:
        ends = {y: x + wide for (x, y), wide in zip(spots, widths, strict=True)}
        spots = [(x + (box.x + box.w - ends[y]) / 2, y) for x, y in spots]
    return spots, y + (gaps[1] if widths else 0)


def lines_of(count: int, wide: float, scale: float, seen: float = LEAST_SEEN) -> int:
    """Return the number of lines of a width that `count` cards of a scale need.

    Args:
        count: number of cards.
        wide: the width of a line.
        scale: the scale of the cards.
        seen: the width that is seen of a card on which the next one lies; more than its own width
            for cards that do not overlap.
    """
    return math.ceil(count / (1 + int(max(0, wide - CARD_WIDTH * scale) // seen)))


def lines_height(count: int, wide: float, scale: float, seen: float = LEAST_SEEN) -> float:
    """Return the height of these lines (`lines_of`), with gaps between them; 0 without cards, and
    infinite if a line is narrower than a card.
    """
    if count and wide < CARD_WIDTH * scale:
        return math.inf
    lines = lines_of(count, wide, scale, seen)
    return lines * (CARD_HEIGHT * scale + LINE_GAP) - LINE_GAP if lines else 0.0


# -------------------------------------------------------------------------- seats around a table


class Places(NamedTuple):
    """The boxes of a table."""

    seats: Sequence[Box]
    """The mats of the seats, clockwise from the viewer's."""
    middle: Box
    banner: Box
    """The place of the sentence that says who has to decide what; without height for none."""
    width: float
    height: float
    """The size of the picture, in units."""
    is_oval: bool
    """Whether the middle lies between seats."""


class Room(NamedTuple):
    """A window, and what the things on a table need of it."""

    width: float
    height: float
    """The size of the window, in units."""
    needs: Callable[[int, float], float]
    """(steps clockwise from the viewer, width) → the least height of a seat."""
    middle_needs: Callable[[float], float]
    """(width) → the least height of the middle."""
    own_share: float
    middle_share: float
    """The parts of the height for the viewer's seat, and for a middle below the others."""
    banner: float = 0.0
    """The height of the sentence about the decision."""
    is_fixed: bool = False
    """Whether the picture keeps its height, however much lies on the table."""
    least_mat: float = LEAST_MAT
    """The least width of a seat."""
    most_abreast: int = 1
    """The largest number of pairs of seats that share a line above a middle below the others."""

    def heights(self, room: float, least: Sequence[float], shares: Sequence[float]) -> list[float]:
        """Return the heights of parts that share `room`: at least their least ones, if possible."""
        if room < sum(least):
            return [need * room / sum(least) for need in least] if self.is_fixed else [*least]
        return shared(room, least, shares)


def shared(room: float, least: Sequence[float], shares: Sequence[float]) -> list[float]:
    """Return the sizes of parts that share `room`, in which their least sizes fit."""
    wishes = [room * share / sum(shares) for share in shares]
    if all(wish >= need for wish, need in zip(wishes, least, strict=True)):
        return wishes
    spare = room - sum(least)
    more = [max(0.0, wish - need) for wish, need in zip(wishes, least, strict=True)]
    return [need + spare * part / (sum(more) or 1) for need, part in zip(least, more, strict=True)]


def zoom_for(width: float, height: float) -> float:
    """Return how many pixels a unit has in a window: at least one, more in a large one."""
    return min(MOST_ZOOM, max(1.0, math.sqrt(width * height / COMFORTABLE)))


def seated(
    seats: int,
    room: Room,
    planned: Callable[[int, float], float],
    is_flat: bool,
    has_wide_mats: bool,
) -> Places:
    """Return the boxes of a table: the viewer at the bottom, the others clockwise around it.

    Some of the others sit at the left and the right in pairs, the rest at the top. The middle lies
    between these pairs, as on an oval table, or below them. Of all ways in which everything fits
    into the window, that is taken in which the smallest seat is largest. If there is none, the
    picture is higher than the window, so that nothing gets too small.

    Args:
        seats: number of seats, the viewer's included.
        room: the window, and what lies on the table.
        planned: (steps, width) → the height of a seat by which a way is chosen, as `Room.needs`.
        is_flat: whether the middle lies below the others in any case.
        has_wide_mats: whether the mats of the others should be wide, whatever height it takes.
    """
    across = max(room.width, LEAST_WIDTH) - 2 * EDGE
    every = [
        _Way(seats - 1, pairs, is_oval, across, abreast)
        for pairs in range(1 + (seats - 1) // 2)
        for is_oval in ((False,) if is_flat or not pairs else (True, False))
        for abreast in range(1, 1 + room.most_abreast)
        if pairs % abreast == 0
    ]

    def merit(way: _Way) -> tuple[float, float, float]:
        table = _seated(way, room._replace(needs=planned))
        narrowest = min((box.w for box in table.seats[1:]), default=0.0)
        sizes = (
            min(box.w / FLAT, box.h - FLAT_HEADER) if is_flat else box.w * box.h
            for box in table.seats[1:]
        )
        least = min(sizes, default=0.0)
        is_wide = min(narrowest, LEAST_FLAT) if has_wide_mats else 0.0
        return is_wide, -table.height, least * (OVAL_MERIT if table.is_oval else 1)

    return _seated(max((way for way in every if way.fits(room.least_mat)), key=merit), room)


class _Way(NamedTuple):
    """A way to sit: some pairs of seats at the sides, the rest at the top."""

    others: int
    """Number of seats besides the viewer's."""
    pairs: int
    is_oval: bool
    """Whether the middle lies between the pairs, not below them."""
    across: float
    """The width of the table inside its margins."""
    abreast: int
    """Number of pairs that share a line, around that of the viewer's neighbours."""

    @property
    def tops(self) -> int:
        """Number of seats at the top."""
        return self.others - 2 * self.pairs

    @property
    def has_corners(self) -> bool:
        """Whether the seats at the sides reach up to the corners: one at the top leaves room."""
        return self.is_oval and self.tops < 2

    @property
    def side(self) -> float:
        """The width of a seat at a side."""
        if self.is_oval:
            return self.across * (SIDE if self.tops else SIDE_OF_THREE)
        return (self.across + SEAM) / (2 * self.abreast) - SEAM

    @property
    def middle(self) -> float:
        """The width of the middle."""
        return self.across - 2 * (self.side + SEAM) if self.is_oval else self.across

    @property
    def top(self) -> float:
        """The width of a seat at the top."""
        upper = self.middle if self.has_corners else self.across
        return (upper - SEAM * (self.tops - 1)) / max(1, self.tops)

    def fits(self, least_mat: float) -> bool:
        """Return whether everything is wide enough."""
        widths = [self.side] * (self.pairs > 0) + [self.top] * (self.tops > 0)
        is_wide = self.middle >= LEAST_BETWEEN or not self.is_oval
        return min(widths, default=least_mat) >= least_mat and is_wide


class _Heights(NamedTuple):
    """The heights of the parts of a table."""

    top: float
    sides: Sequence[float]
    """Those of the lines of pairs, from the top down."""
    middle: float
    own: float


def _heights(way: _Way, room: Room) -> _Heights:
    """Return the heights of the parts of a table."""
    pairs, others = way.pairs, way.others
    every = [room.needs(1 + pairs + at, way.top) for at in range(way.tops)]
    top = [max(every)] if every else []
    each = [
        max(room.needs(step, way.side) for step in (pairs - at, others - pairs + 1 + at))
        for at in range(pairs)
    ]
    sides = [max(each[at : at + way.abreast]) for at in range(0, pairs, way.abreast)]
    middle, own = room.middle_needs(way.middle), room.needs(0, way.across)
    high = room.height - 2 * EDGE - (room.banner + SEAM) * (room.banner > 0)
    if not way.is_oval:
        lines, rest = len(top) + len(sides), 1 - room.own_share - room.middle_share
        shares = [*[rest / max(1, lines)] * lines, room.middle_share, room.own_share]
        parts = room.heights(high - SEAM * (lines + 1), [*top, *sides, middle, own], shares)
        return _Heights(sum(parts[: len(top)]), parts[len(top) : -2], *parts[-2:])
    column = sum(sides) + SEAM * (len(sides) - 1)
    inner = middle if way.has_corners else max(middle, column)
    least = max(sum([*top, inner]) + SEAM * len(top), column)
    upper, own = room.heights(high - SEAM, [least, own], [1 - room.own_share, room.own_share])
    shares = [TOP_SHARE] * len(top) + [1 - TOP_SHARE]
    *top, middle = room.heights(upper - SEAM * len(top), [*top, inner], shares)
    column = (upper if way.has_corners else middle) - SEAM * (len(sides) - 1)
    return _Heights(sum(top), room.heights(column, sides, [1.0] * pairs), middle, own)


def _seated(way: _Way, room: Room) -> Places:
    """Return the boxes of a table on which people sit in a way."""
    top, sides, middle, own = _heights(way, room)
    left = EDGE + (way.side + SEAM) * way.has_corners
    below = EDGE + (top + SEAM) * (way.tops > 0)
    up = [Box(left + at * (way.top + SEAM), EDGE, way.top, top) for at in range(way.tops)]
    pairs, y = list[tuple[Box, Box]](), EDGE if way.has_corners else below
    for high in sides:
        for at in range(way.abreast):  # from the edges inwards
            in_by = at * (way.side + SEAM)
            box = Box(EDGE + in_by, y, way.side, high)
            pairs.append((box, box._replace(x=EDGE + way.across - way.side - in_by)))
        y += high + SEAM
    lefts, rights = [pair[0] for pair in reversed(pairs)], [pair[1] for pair in pairs]
    x = EDGE + (way.across - way.middle) / 2
    centre = Box(x, below if way.is_oval else y, way.middle, middle)
    y = centre.y + middle + SEAM
    banner = Box(EDGE, y, way.across, room.banner)
    viewer = Box(EDGE, y + (room.banner + SEAM) * (room.banner > 0), way.across, own)
    high = max(room.height, viewer.y + own + EDGE)
    seats = [viewer, *lefts, *up, *rights]
    return Places(seats, centre, banner, way.across + 2 * EDGE, high, way.is_oval)
