"""Cards: their fronts, their backs, and small labels for cards in lists."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from gubs_env.drawing.svg import BOLD, moved, number, rect, slug, tag, width_of, words, wrapped

EDGE = 1, 1, 98, 138
"""The box of a card inside its edge."""
SHADE = rect("shade", (3, 5, 98, 138), 11)
"""The shadow of a card on the table."""
BAND = "M1 26V11a10 10 0 0 1 10-10h78a10 10 0 0 1 10 10v15z"
HALF_BAND = "M50 26V1h39a10 10 0 0 1 10 10v15z"
TYPE_SIZES = {13: "", 16: " small"}
"""The font sizes of types in the band, and their styles: on most cards, and on small ones of a game
whose types have marks.
"""
BANDED, BESIDE_MARK = 96, 73
"""The largest width of a type in the band, and beside its mark."""
NAME_SIZE = 14
"""The font size of names on all but small cards: one line has room for what lies on a Gub, so
that the names of a row have one size.
"""
LEAST_SIZE = 12
"""The least font size, in units of the picture."""
LINE_SEEN = 0.65
"""The part of a card that is seen up to which its name has one line."""
FOOT, LEAST_FOOT = 126, 132
"""Where the last line of a name ends, usually and in a large font."""
EMBLEMS = {"": (95, (50, 67)), "raised": (79, (50, 54, 0.75)), "high": (0, (50, 48, 0.66))}
"""The places and scales of an emblem: the least height at which the name below it begins, where the
emblem lies, and its scale.
"""
LARGEST, LARGEST_LISTED = 27, 23.1
"""The largest font sizes of a name, and of one in a list of cards: where many names would have no
room, none is written.
"""
HYPHEN = "\u00ad"
"""The soft hyphen, where a long word may be parted."""
STRIPED, NAMED, NAMED_BELOW_WORDS = 32, (3, 72), (2, 60)
"""The largest height of such words; the most lines of a name and its largest height, usually and
below an emblem with words, which stay larger.
"""
UPRIGHT = 6, 136
"""Where a name along the edge of a card ends, and where it begins, below."""


class Face(NamedTuple):
    """The front of a card."""

    name: str
    type: str
    """The type of the card in words, for the band; "" for none."""
    colour: str
    """The class of the colour of the type."""
    emblem: str
    """The markup of plain shapes around (0, 0), within 30 units."""
    second: str = ""
    """The class of the second colour of the band, for a card of two types."""
    variant: str = ""
    """A word that distinguishes fronts of the same name; "" for the usual one."""
    parted: str = ""
    """The name with a HYPHEN in a long word; "" for names without one."""
    mark: str = ""
    """The path of the mark of the type in the band, at its left; "" for none."""

    @property
    def key(self) -> str:
        """The identifier of the symbol."""
        return slug(f"{self.name} {self.type} {self.variant}")


def type_size(face: Face, scale: float) -> int:
    """Return the font size of the type of a card of a scale in its band; 0 if it has no room."""
    sizes = [*TYPE_SIZES] if face.mark else [*TYPE_SIZES][: bool(face.type)]
    fitting = (size for size in sizes if BOLD * width_of(face.type, size) <= BANDED)
    return next((size for size in fitting if size >= least_size(scale)), 0)


@cache
def face_symbol(face: Face, size: int, place: str) -> str:
    """Return the markup of the front of a card without its name, for a symbol.

    Args:
        face: the front.
        size: the font size of the type of the card in its band; 0 for its mark alone.
        place: the place of the emblem, a key of EMBLEMS.
    """
    band = tag("path", d=BAND, class_=f"band {face.colour}")
    if face.second:
        band += tag("path", d=HALF_BAND, class_=f"band {face.second}")
    style = "type light" if face.colour == "bl" else "type"
    has_mark = bool(face.mark) and BOLD * width_of(face.type, size) <= BESIDE_MARK
    if has_mark:
        band += tag("path", class_=style, d=face.mark)
    if size:
        band += words(50 + 10 * has_mark, 19, face.type, style + TYPE_SIZES[size])
    at = moved(*EMBLEMS[place][1])
    return (
        SHADE
        + rect("pa", EDGE, 10)
        + band
        + tag("g", face.emblem, class_="em", transform=at)
        + rect("frame", EDGE, 10)
    )


def _weave() -> str:
    """Return the path of strands that cross each other like those of a basket."""
    strands = []
    for column in range(4):
        for line in range(6):
            x, y = 11.5 + 19.6 * column, 11.5 + 19.8 * line
            for k in (2, 8, 14):
                across, down = number(x), number(y + k)
                lying = f"M{across} {down}h16"
                strands.append(lying if (column + line) % 2 else f"M{number(x + k)} {number(y)}v16")
    return "".join(strands)


BACK = (
    SHADE
    + rect("pa", EDGE, 10)
    + rect("back", (7, 7, 86, 126), 6)
    + tag("path", class_="weave", d=_weave())
    + rect("frame", EDGE, 10)
)
"""The back that all cards share: a woven pattern with an edge of paper."""


def fitted_words(
    text: str,
    scale: float,
    foot: float,
    style: str,
    width: float = 96,
    most: int = 2,
    high: float = STRIPED,
    seen: float = 1.0,
) -> str:
    """Return lines of text on a card that is drawn at a scale, the last at y = `foot`.

    Nothing is returned if the text would be smaller than LEAST_SIZE, wider than `width` or the part
    of the card that is `seen`, or would take more than `most` lines or be higher than `high`, where
    the emblem is.
    """
    size, lines = _fitted(text, scale, width, most, high, seen)
    return _written(lines, size, foot, style, seen) if lines else ""


def name_on(
    face: Face, scale: float, seen: float, count: int = 1, is_listed: bool = False
) -> tuple[str, str]:
    """Return the name of a card that is drawn at a scale, and the place of the emblem, a key of
    EMBLEMS, that leaves it room.

    It stands at the foot, or else upright along the edge of a card on which another one lies.
    """
    most, high = NAMED_BELOW_WORDS if "<text" in face.emblem else NAMED
    size, lines = _fitted(face.parted or face.name, scale, 95, most, high, seen)
    if is_listed and least_size(scale) > LARGEST_LISTED:
        return "", ""
    if size > LARGEST:
        return _upright(face, scale, seen, count), ""
    foot = min(LEAST_FOOT, FOOT + max(0.0, size - NAME_SIZE))
    top = foot - (len(lines) - 0.26) * size
    place = next(place for place, (least, _) in EMBLEMS.items() if top >= least)
    return _written(lines, size, foot, "", seen), place


def _upright(face: Face, scale: float, seen: float, count: int) -> str:
    """Return the name of a card upright along its left edge, below its badge; nothing where the
    part that is seen is too narrow, and for a card with words in its emblem.
    """
    size, top = least_size(scale), UPRIGHT[0] if count < 2 else 2 + 2 * badge_edge(scale)
    most = int((100 * seen - 5) / size) if seen < 1 and "<text" not in face.emblem else 0
    for said in (face.name, (face.parted or face.name).replace(HYPHEN, "- ")):
        lines = wrapped(said, BOLD * size, UPRIGHT[1] - top)
        longest = max(width_of(line, BOLD * size) for line in lines)
        if longest <= UPRIGHT[1] - top and len(lines) <= most:
            break
    else:
        return ""
    markup, shown = "", f"font-size:{number(size)}px"
    for at, line in enumerate(lines):
        x, y = 4 + size * (0.8 + at), UPRIGHT[1]
        turn = f"rotate(-90 {number(x)} {number(y)})"
        markup += words(x, y, line, "name start upright", style=shown, transform=turn)
    return markup


def _fitted(
    text: str, scale: float, width: float, most: int, high: float, seen: float
) -> tuple[float, list[str]]:
    """Return the font size of a text (`fitted_words`), and its lines; infinite for a text that does
    not fit. A line ends at a HYPHEN only if the text does not fit otherwise.
    """
    size = max(NAME_SIZE, least_size(scale))
    width = width if seen == 1 else min(width, 100 * seen - 8)
    most = most if seen > LINE_SEEN else 1
    for said in (text.replace(HYPHEN, ""), text.replace(HYPHEN, "- ")):
        lines = wrapped(said, BOLD * size, width)
        fits = max(width_of(line, BOLD * size) for line in lines) <= width
        if fits and len(lines) * size <= high and len(lines) <= most:
            return size, lines
    return math.inf, []


def _written(lines: Sequence[str], size: float, foot: float, style: str, seen: float) -> str:
    """Return lines of text in the middle of the part of a card that is seen."""
    first, shown = foot - (len(lines) - 1) * size, f"font-size:{number(size)}px"
    return "".join(
        words(50 * seen, first + size * k, line, f"name {style}".rstrip(), style=shown)
        for k, line in enumerate(lines)
    )


def least_size(scale: float) -> float:
    """Return the least font size on a card of a scale, which is drawn rounded to two decimals."""
    return LEAST_SIZE / max(0.01, round(scale, 2)) + 0.01


def badge_edge(scale: float) -> float:
    """Return the distance of the centre of a badge from the edges of a card of a scale."""
    return 1 + 15 * max(1.0, least_size(scale) / 16.5)


def badge(count: int, scale: float = 1.0, seen: float = 1.0, is_named: bool = False) -> str:
    """Return the mark of several equal cards of a scale, on the part of a card that is seen;
    nothing for one. A large one lies above the name, if there is one.
    """
    if count < 2:
        return ""
    edge = badge_edge(scale)
    grown = (edge - 1) / 15
    x, y = (83, 43) if grown == 1 else (100 - edge, edge if is_named else 140 - edge)
    x, y = max(edge, x - 100 * (1 - seen)), edge if is_named and seen < 1 else y
    size = None if grown == 1 else f"font-size:{number(16.5 * grown)}px"
    circle = tag("circle", class_="badge", cx=number(x), cy=number(y), r=number(15 * grown))
    return circle + words(x, y + 6 * grown, f"×{count}", "times", style=size)


def counted_name(name: str, count: int) -> str:
    """Return the name of a card with its count: `Lure ×2`."""
    return f"{name} ×{count}" if count > 1 else name
