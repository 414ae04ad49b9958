"""The pieces of a picture that is drawn already: which ones an action names, and which change."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from html import unescape

PLACED = re.compile(r' data-(where|seat|card)="([^"]*)"')

Change = tuple[int, int, list[str]]
"""(index of the first line that goes, number of lines that go, lines that come)."""


def named_by(picture: str, action: int) -> list[dict[str, str]]:
    """Return the pieces that an action of the viewer names: each where it lies, and its card.

    The keys are `where`, or `seat` for a whole seat, and `card`, as in the attributes `data-…`.
    """
    tags = re.findall(rf'<\w+ [^>]*data-action="{action}"[^>]*>', picture)
    return [{key: unescape(value) for key, value in PLACED.findall(tag)} for tag in tags]


def cards_at(picture: str, where: str) -> str:
    """Return a picture of nothing but the cards at the places whose names begin with `where`."""
    lines = picture.split("\n")
    cards = [line for line in lines if re.match(f'<g [^>]*data-where="{where} ', line)]
    used = {name for line in cards for name in re.findall('<use href="#(.+?)"', line)}
    faces = [line for line in lines if line.startswith(tuple(f'<g id="{name}"' for name in used))]
    return "\n".join(["<svg>", "<defs>", *faces, "</defs>", *cards, "</svg>"])


def changes(before: str, after: str) -> list[Change]:
    """Return the changes that make one picture of another, the last lines first.

    A description in words is not changed.
    """
    old, new = before.split("\n"), after.split("\n")
    matcher = SequenceMatcher(_is_description, old, new, autojunk=False)
    return [
        (i, j - i, new[k:m])
        for what, i, j, k, m in reversed(matcher.get_opcodes())
        if what != "equal" and not all(map(_is_description, (*old[i:j], *new[k:m])))
    ]


def _is_description(line: str) -> bool:
    return line.startswith("<desc>")
