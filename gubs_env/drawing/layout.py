"""Layout in units of the picture: boxes, rows, grids, and the seats around a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

CARD_WIDTH, CARD_HEIGHT = 100, 140
"""The size of a card before it is scaled: 5 : 7."""
WIDTH = 1200
"""The width of a picture."""
GAP = 12
"""The distance between two boxes."""
SMALLER = 0.8
"""The part of their size to which the cards of a row can shrink; then they overlap."""
SIDE = 296
"""The width of the seats at the left and the right."""
LEAST_WIDTH = 256
"""The least width of a fitted picture."""
LEAST_MAT = 112
"""The least width of a seat in a fitted picture."""
HALF_MAT_HEIGHT = 58
"""Half of the height that a row of other seats has before the middle of a fitted picture grows;
further rows may have a half each.
"""
LEAST_MIDDLE, MOST_MIDDLE = 84.0, 190.0
"""The least and the largest height of the middle of a fitted picture."""
BANNER = 40
"""The height of the line between the middle and the viewer."""
NARROW_GAP = 6
"""The distance between two boxes of a fitted picture."""


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
    """The upper left corner and the scale of one card."""

    x: float
    y: float
    scale: float

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of the card."""
        return self.x + self.scale * CARD_WIDTH / 2, self.y + self.scale * CARD_HEIGHT / 2


def spot_at(point: tuple[float, float]) -> Spot:
    """Return a small spot around a point, for an arrow to a place without a card."""
    return Spot(point[0] - 10, point[1] - 14, 0.2)


class Places(NamedTuple):
    """The boxes of a table."""

    seats: Sequence[Box]
    """The mats of the seats, clockwise from the viewer's."""
    middle: Box
    banner: Box
    """The place of the sentence that says who has to decide what."""
    height: float
    """The height of the picture."""
    width: float = WIDTH
    """The width of the picture."""


def row(count: int, box: Box, most: float, gap: float = 8, smaller: float = SMALLER) -> list[Spot]:
    """Return `count` spots in one centred row.

    If the cards do not fit, they shrink, down to `smaller` times their size, and then overlap.

    Args:
        count: number of cards.
        box: where they lie.
        most: the largest scale.
        gap: the distance between two cards.
        smaller: the part of their size to which they can shrink.
    """
    scale = min(most, box.h / CARD_HEIGHT, box.w / CARD_WIDTH)
    beside = (box.w + gap) / max(1, count) - gap
    scale = max(smaller * scale, min(scale, beside / CARD_WIDTH))
    width = scale * CARD_WIDTH
    step = min(width + gap, (box.w - width) / max(1, count - 1))
    left = box.x + (box.w - width - step * (count - 1)) / 2
    return [Spot(left + step * k, box.y, scale) for k in range(count)]


def grid(count: int, box: Box, most: float, gap: float = 8) -> list[Spot]:
    """Return `count` spots, centred, in as many rows as let the cards be largest.

    Args:
        count: number of cards.
        box: where they lie.
        most: the largest scale.
        gap: the distance between two cards.
    """
    best, columns, rows = 0.0, 1, 1
    for lines in range(1, 1 + max(1, count)):
        across = math.ceil(count / lines) or 1
        scale = min(
            most,
            (box.w - gap * (across - 1)) / across / CARD_WIDTH,
            (box.h - gap * (lines - 1)) / lines / CARD_HEIGHT,
        )
        if scale > best + 1e-9:
            best, columns, rows = scale, across, lines
    wide, high = best * CARD_WIDTH + gap, best * CARD_HEIGHT + gap
    top = box.y + (box.h - rows * high + gap) / 2
    spots = []
    for k in range(count):
        line = k // columns
        here = min(columns, count - line * columns)
        left = box.x + (box.w - here * wide + gap) / 2
        spots.append(Spot(left + (k % columns) * wide, top + line * high, best))
    return spots


def columns(box: Box, *shares: float) -> list[Box]:
    """Return the columns of a box, whose widths are these shares of what the gaps leave."""
    room, x, boxes = box.w - GAP * (len(shares) - 1), box.x, []
    for share in shares:
        wide = room * share / sum(shares)
        boxes.append(Box(x, box.y, wide, box.h))
        x += wide + GAP
    return boxes


def lines_of(count: int, wide: float, each: float, gap: float) -> int:
    """Return the number of lines that `count` things need, each of a width."""
    return math.ceil(count / max(1, int((wide + gap) // (each + gap))))


def lines_height(count: int, wide: float, scale: float, gap: float) -> float:
    """Return the height of `count` cards of a scale in lines of a width."""
    lines = lines_of(count, wide, CARD_WIDTH * scale, gap)
    return lines * (CARD_HEIGHT * scale + gap) - gap if lines else 0.0


def stacked(
    seats: int,
    size: tuple[float, float],
    own_heights: tuple[float, float],
    needs: Callable[[int, float], float],
    middle_needs: Callable[[float], float],
) -> Places:
    """Return the boxes of a table for a window or a phone of a given size.

    The others are in rows at the top, clockwise from the left, then the middle, then the viewer.
    Where they do not fit, the picture is larger than the size, so that nothing gets too small.

    Args:
        seats: number of seats, the viewer's included.
        size: the width and height of the window.
        own_heights: the heights that the viewer's seat should have, at least and at most.
        needs: (steps clockwise from the viewer, width) → the least height of a seat.
        middle_needs: (width) → the least height of the middle.
    """
    wide, gap, others = max(size[0], LEAST_WIDTH), NARROW_GAP, seats - 1
    across = wide - 2 * gap
    rows = lines_of(others, across, LEAST_MAT, gap)
    columns = -(-others // max(1, rows))
    filled = [min(columns, others - line * columns) for line in range(rows)]
    widths = [(across - (here - 1) * gap) / here for here in filled]
    least = [
        max(HALF_MAT_HEIGHT, *(needs(1 + line * columns + at, widths[line]) for at in range(here)))
        for line, here in enumerate(filled)
    ]
    least += [max(LEAST_MIDDLE, middle_needs(across)), needs(0, across)]
    high = max(size[1], sum(least) + gap * (len(least) + 1))
    *tall, middle, own_height = _heights(least, high - 2 * gap, own_heights)
    mats, y = [], float(gap)
    for line, here in enumerate(filled):
        each = widths[line]
        mats += [Box(gap + at * (each + gap), y, each, tall[line]) for at in range(here)]
        y += tall[line] + gap
    viewer = Box(gap, y + middle + gap, across, own_height)
    return Places([viewer, *mats], Box(gap, y, across, middle), Box(gap, y, across, 0), high, wide)


def _heights(least: Sequence[float], room: float, own_heights: tuple[float, float]) -> list[float]:
    """Return the heights of the rows of other seats, of the middle and of the viewer's seat.

    Args:
        least: their least heights.
        room: the height of them all with the gaps between them.
        own_heights: the heights that the viewer's seat should have, at least and at most.
    """
    gap, rows = NARROW_GAP, len(least) - 2
    own_height = max(least[-1], min(own_heights[1], max(own_heights[0], 0.42 * room)))
    above = room - own_height - gap
    left = above - gap - (rows + 1) * HALF_MAT_HEIGHT
    middle = max(LEAST_MIDDLE, min(MOST_MIDDLE, 0.24 * room, left)) if rows else above
    wished = [*rows * [(above - middle) / max(1, rows) - gap], middle, own_height]
    if all(wish >= need for wish, need in zip(wished, least, strict=True)):
        return wished
    more = [max(0.0, wish - need) for wish, need in zip(wished, least, strict=True)]
    spare = room - gap * (len(least) - 1) - sum(least)
    return [need + spare * each / (sum(more) or 1) for need, each in zip(least, more, strict=True)]


def around(seats: int, top: float, side: float, middle: float, own_height: float) -> Places:
    """Return the boxes of a table: the viewer at the bottom, the others clockwise around it.

    Args:
        seats: number of seats, the viewer's included.
        top: height of the seats at the top.
        side: least height of a seat at the left or the right.
        middle: least height of the middle.
        own_height: height of the viewer's seat.
    """
    others = seats - 1
    sides = 0 if others < 3 else 1 if others < 6 else 2
    tops = others - 2 * sides
    high = max(middle, sides * side + (sides - 1) * GAP)
    y: float = 2 * GAP
    wide = (WIDTH - 2 * GAP - (tops - 1) * GAP - 2 * GAP) / max(1, tops)
    up = [Box(2 * GAP + k * (wide + GAP), y, wide, top) for k in range(tops)]
    if tops:
        y += top + GAP
    each = (high - (sides - 1) * GAP) / max(1, sides)
    rows = [y + k * (each + GAP) for k in range(sides)]
    lefts = [Box(2 * GAP, at, SIDE, each) for at in reversed(rows)]
    rights = [Box(WIDTH - SIDE - 2 * GAP, at, SIDE, each) for at in rows]
    inner = SIDE + GAP if sides else 0
    centre = Box(2 * GAP + inner, y, WIDTH - 4 * GAP - 2 * inner, high)
    y += high + GAP
    line = Box(2 * GAP, y, WIDTH - 4 * GAP, BANNER)
    y += BANNER + GAP
    viewer = Box(2 * GAP, y, WIDTH - 4 * GAP, own_height)
    height = 2 * math.ceil((y + own_height + 2 * GAP) / 2)  # videos have an even number of rows
    return Places([viewer, *lefts, *up, *rights], centre, line, height)
