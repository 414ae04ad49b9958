"""SVG as text: elements, escaped texts, and the width of texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape
from typing import Any

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""The characters that XML does not allow, even escaped."""
BOLD = 1.12
"""The factor by which bold text is wider than `width_of` says."""
BALANCE = (0.5, 0.6, 0.7, 0.8, 0.9)
"""The parts of a width to which lines of a text shrink if it needs no more lines then."""
NARROW, WIDE = frozenset(" ijltfrI.,:;'|()[]·"), frozenset("mwMW@%")


@lru_cache(maxsize=4096)
def escaped(text: Any) -> str:
    """Return a text as SVG shows it, on one line, in content or in an attribute."""
    said = escape(NOT_XML.sub("\ufffd", str(text)), quote=False)
    return said.replace('"', "&quot;").replace("\n", "&#10;").replace("\r", "&#13;")


def number(value: float) -> str:
    """Return a coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))


def tag(name: str, content: str | None = None, /, **attributes: Any) -> str:
    """Return an element.

    Args:
        name: its name.
        content: the markup inside; None for an empty element.
        attributes: as `data_card="Lure"` or `class_="card"`; those that are None are left out. A
            group with an `aria_label` is announced to screen readers as a picture with that name.
    """
    if attributes.get("aria_label") is not None:
        attributes["role"] = "img"
    written = "".join(
        f' {_attribute(key)}="{number(value) if isinstance(value, float) else escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}/>" if content is None else f"<{name}{written}>{content}</{name}>"


def rect(style: str, box: tuple[float, float, float, float], radius: float) -> str:
    """Return a rectangle with a class of the style sheet: a box (x, y, width, height)."""
    x, y, wide, high = box
    return tag("rect", class_=style, x=x, y=y, width=wide, height=high, rx=radius)


@cache
def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def words(x: float, y: float, content: Any, style: str, /, **attributes: Any) -> str:
    """Return a line of text with a class of the style sheet."""
    return tag("text", escaped(content), class_=style, x=float(x), y=float(y), **attributes)


def flowing(x: float, y: float, parts: Sequence[tuple[str, str, float]]) -> str:
    """Return a line of text in several styles, each part as (text, style, space before it)."""
    spans = "".join(
        tag("tspan", escaped(text), class_=style, dx=number(space) if at else None)
        for at, (text, style, space) in enumerate(parts)
    )
    return tag("text", spans, class_="line", x=float(x), y=float(y))


def moved(x: float, y: float, scale: float = 1.0) -> str:
    """Return the value of `transform` that moves an element to a place, and scales it."""
    at = f"translate({number(x)} {number(y)})"
    return at if scale == 1 else f"{at} scale({number(scale)})"


def slug(text: str) -> str:
    """Return a name as an identifier: `Age-Old Cure` as `age-old-cure`."""
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")


@cache
def width_of(text: str, size: float) -> float:
    """Return the approximate width of a text in a wide font; `size` is the font size."""
    units = sum(0.36 if c in NARROW else 0.95 if c in WIDE else 0.62 for c in text)
    return size * units


def fitting(width: float, *texts: str) -> str:
    """Return the first text that fits into a width in bold minor words; the last if none does."""
    return next((text for text in texts if width_of(text, BOLD * 12) < width), texts[-1])


def wrapped(text: str, size: float, width: float, joint: str = " ") -> list[str]:
    """Return a text in lines of at most a width in a font size, broken at `joint`.

    There are as few lines as possible, and they are about equally long.
    """
    few = _filled(text, size, width, joint)
    narrower = (_filled(text, size, share * width, joint) for share in BALANCE)
    return next((lines for lines in narrower if len(lines) == len(few)), few)


def _filled(text: str, size: float, width: float, joint: str) -> list[str]:
    """Return a text in lines, each as long as it can be."""
    lines: list[str] = []
    for part in text.split(joint):
        longer = f"{lines[-1]}{joint}{part}" if lines else part
        if lines and width_of(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines
