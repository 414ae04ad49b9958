"""Every relative link of the documentation leads to a file, and to a heading of it.

A figure that is quoted from another page is the text of a link to it, and stands there.
"""

from __future__ import annotations

import re
from itertools import chain, count
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [
    *ROOT.glob("*.md"),
    *(ROOT / "docs").rglob("*.md"),
    *(ROOT / ".github").rglob("*.*"),
    *(ROOT / "agents").rglob("*.md"),
]
LINK = re.compile(r"\]\(([^()\s]+)\)")
QUOTED = re.compile(r"\[([^][]*\d ?%[^][]*)\]\(([^()\s#]+\.md)[^()\s]*\)")
PERCENTAGE = re.compile(r"[\d.]+(?= ?%)")
BLOB = "../blob/main/"
"""How forms and templates of GitHub link to a file of the repository."""


def without_code(text: str) -> str:
    return re.sub(r"^( *)```.*?^\1```", "", text, flags=re.M | re.S)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    found: set[str] = set()
    text = without_code(page.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        numbered = (f"{anchor}-{number}" for number in count(1))
        found.add(next(name for name in chain([anchor], numbered) if name not in found))
    return found


def broken_links(page: Path, root: Path = ROOT) -> list[str]:
    """The relative links of a page that lead nowhere."""
    return [
        link
        for link in LINK.findall(without_code(page.read_text(encoding="utf-8")))
        if not re.match(r"\w+:", link) and not leads_somewhere(link, page, root)
    ]


def leads_somewhere(link: str, page: Path, root: Path) -> bool:
    path, _, anchor = link.partition("#")
    if path.startswith(BLOB):
        target = root / path.removeprefix(BLOB)
    else:
        target = page.parent / path if path else page
    if not anchor or target.suffix != ".md":
        return target.exists()
    return target.is_file() and anchor in anchors(target)


def misquoted(page: Path) -> list[str]:
    """The percentages in links of a page that do not stand on the linked page, also not rounded."""
    wrong = []
    for text, link in QUOTED.findall(without_code(page.read_text(encoding="utf-8"))):
        there = PERCENTAGE.findall((page.parent / link).read_text(encoding="utf-8"))
        for number in PERCENTAGE.findall(text):
            digits = len(number.partition(".")[2])
            if float(number) not in {round(float(each), digits) for each in there}:
                wrong.append(f"{number} % in {link}")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_figure_of_another_page_stands_there(page):
    assert misquoted(page) == []


def test_a_figure_that_is_misquoted_is_found(tmp_path):
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("| 60.4 % (58.7 – 62.4) | 25.0 % |\n")
    page.write_text("[60 %](other.md), [25.0 %](other.md#top) and [wins 61.0 %](other.md)")
    assert misquoted(page) == ["61.0 % in other.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page):
    assert broken_links(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("# Two: `words` – here\n## Twice\n## Twice\n```\n# no heading\n```\n")
    page.write_text(
        "# Top\n[a](other.md) [b](other.md#two-words--here) [c](#top) [d](other.md#twice-1)\n"
        "[e](https://example.org/gone) ![f](gone.png) [g](gone.md) [h](other.md#no-heading)\n"
        "```\n[i](in_code.md)\n```\n[![j](gone.svg)](#bottom) [k](other.md#twice-2)\n"
    )
    gone = "gone.png gone.md other.md#no-heading gone.svg #bottom other.md#twice-2"
    assert broken_links(page, tmp_path) == gone.split()
