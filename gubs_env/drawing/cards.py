"""Cards: their fronts, their backs, and small labels for cards in lists."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from gubs_env.drawing.svg import BOLD, escaped, number, rect, slug, tag, width_of, words, wrapped

EDGE = 1, 1, 98, 138
"""The box of a card inside its edge."""
BAND = "M1 26V11a10 10 0 0 1 10-10h78a10 10 0 0 1 10 10v15z"
HALF_BAND = "M50 26V1h39a10 10 0 0 1 10 10v15z"
NAME_SIZES = ((15.5, "n1"), (13.5, "n2"), (12, "n3"))
"""The font sizes of names, largest first, with their classes."""
PILL_HEIGHT = 22
LEAST_SIZE = 12
"""The least font size of a fitted picture, in pixels."""


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

    @property
    def key(self) -> str:
        """The identifier of the symbol."""
        return slug(f"{self.name} {self.type} {self.variant}")


@cache
def face_symbol(face: Face, has_type: bool = True) -> str:
    """Return the markup of the front of a card without its name, for a symbol.

    Args:
        face: the front.
        has_type: whether to write the type of the card in its band.
    """
    band = tag("path", d=BAND, class_=f"band {face.colour}")
    if face.second:
        band += tag("path", d=HALF_BAND, class_=f"band {face.second}")
    style = "type" + (" light" if face.colour == "bl" else "")
    style += " long" if len(face.type) > 9 else ""
    kind = words(50, 18, face.type.upper(), style) if face.type and has_type else ""
    return (
        rect("pa", EDGE, 10)
        + band
        + kind
        + tag("g", face.emblem, class_="em", transform="translate(50 67)")
        + rect("frame", EDGE, 10)
    )


def _weave() -> str:
    """Return the path of strands that cross each other like those of a basket."""
    strands = []
    for column in range(4):
        for line in range(6):
            x, y = 11 + 20 * column, 12 + 20 * line
            lying = (column + line) % 2
            strands += [f"M{x} {y + k}h17" if lying else f"M{x + k} {y - 1}v17" for k in (2, 8, 14)]
    return "".join(strands)


BACK = rect("back", EDGE, 10) + tag("path", class_="weave", d=_weave())
"""The back that all cards share: a woven pattern."""


@cache
def name_lines(name: str) -> str:
    """Return the name of a card as one or two lines of text, the last at its foot."""
    for size, style in NAME_SIZES:  # noqa: B007
        lines = wrapped(name, BOLD * size, 84)
        if len(lines) <= 2 and max(width_of(line, BOLD * size) for line in lines) <= 84:
            break
    first = 128 - (len(lines) - 1) * size - (2 if len(lines) > 1 else 4)
    return "".join(
        words(50, first + size * k, line, f"name {style}") for k, line in enumerate(lines)
    )


def fitted_words(
    text: str,
    scale: float,
    foot: float,
    style: str,
    width: float = 96,
    most: int = 2,
    high: float = 32,
) -> str:
    """Return lines of text on a card that is drawn at a scale, the last at y = `foot`.

    Nothing is returned if the text would be smaller than LEAST_SIZE, wider than `width`, or would
    take more than `most` lines or be higher than `high`, where the emblem is.
    """
    least = LEAST_SIZE / scale + 0.2
    for size in (max(NAME_SIZES[0][0], least), least):
        lines = wrapped(text, BOLD * size, width)
        fits = max(width_of(line, BOLD * size) for line in lines) <= width
        if fits and size <= 20 and len(lines) * size <= high and len(lines) <= most:
            break
    else:
        return ""
    first, shown = foot - (len(lines) - 1) * size, f"font-size:{number(size)}px"
    return "".join(
        words(50, first + size * k, line, f"name {style}", style=shown)
        for k, line in enumerate(lines)
    )


def badge(count: int, least: float = 0) -> str:
    """Return the mark of several equal cards, in a font of a least size; nothing for one."""
    if count < 2:
        return ""
    grown = max(1.0, (least + 0.2) / 16.5)
    x, y = (83, 43) if grown == 1 else (99 - 15 * grown, 139 - 15 * grown)
    size = None if grown == 1 else f"font-size:{number(16.5 * grown)}px"
    circle = tag("circle", class_="badge", cx=number(x), cy=number(y), r=number(15 * grown))
    return circle + words(x, y + 6 * grown, f"×{count}", "times", style=size)


def counted_name(name: str, count: int) -> str:
    """Return the name of a card with its count: `Lure ×2`."""
    return f"{name} ×{count}" if count > 1 else name


def pill_width(text: str) -> float:
    """Return the width of a label with this text, before it is scaled."""
    return 30 + width_of(text, 11)


def pill(symbol: str, text: str) -> str:
    """Return a small label: a tiny card, by the id of its symbol, and a text."""
    wide = number(pill_width(text))
    return (
        f'<rect class="pill" width="{wide}" height="{PILL_HEIGHT}" rx="6"/>'
        f'<use href="#{symbol}" transform="translate(5 2) scale(.13)"/>'
        f'<text class="chip" x="22" y="15">{escaped(text)}</text>'
    )
