"""Every relative link of the documentation leads to a file, and to a heading of it.

Each figure has one home: a research note, or the page that has its command. Another page that
quotes it links to its home in the same section. There the figure stands, maybe with more digits.
"""

from __future__ import annotations

import re
from functools import cache
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
QUOTED = re.compile(r"\[([^][]*)\]\(([^()\s#]+\.md)[^()\s]*\)")
NUMBER = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?")
FIGURE = re.compile(
    rf"({NUMBER.pattern})(?= ?(?P<millions>million )?(?:%|µs\b|ms\b|[kMG]B\b|Elo\b|points\b|nats\b"
    r"|times as\b|decisions/s|(?:decisions|games|positions) a second))"
)
ANYWHERE = {"0", "25", "33.3", "50", "95", "100"}
"""Fair shares and levels of intervals, which nobody measures."""
NO_FIGURES = {
    "docs/arena.md": {"10"},  # bounds of an example
    "docs/benchmark_details.md": {"42.8", "11", "1.4", "0.01"},  # follow from the protocol
    "docs/language_models.md": {"4"},  # limits of what is read
    "docs/reliability.md": {"4"},
}
"""Other numbers with a unit that nobody measures, by page."""
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


def is_home(page: Path, text: str) -> bool:
    """Whether a page has figures of its own, which commands measure or write."""
    written = "<!-- figure:" in text or "<!-- tables" in text
    return written or not {"research", "weights"}.isdisjoint(page.parts)


def misquoted(page: Path) -> list[str]:
    """The figures that a page quotes and that do not stand on the pages that it links to.

    On the home of other figures, only the texts of links quote.
    """
    text = without_code(page.read_text(encoding="utf-8"))
    if is_home(page, text):
        quotes = [(words, {link}) for words, link in QUOTED.findall(text)]
    else:
        sections = re.split(r"^#+ .*$", text, flags=re.M)
        quotes = [(part, {link for _, link in QUOTED.findall(part)}) for part in sections]
    wrong = []
    for words, links in quotes:
        there = [n for link in links for n in numbers_of(page.parent / link)]
        for match in FIGURE.finditer(re.sub(r"\]\([^()]*\)", "]", words)):
            number, scale = match[1], 1e6 if match["millions"] else 1
            digits = len(number.partition(".")[2])
            if float(number.replace(",", "")) not in {round(n / scale, digits) for n in there}:
                wrong.append(number)
    return [number for number in wrong if number not in ANYWHERE]


@cache
def numbers_of(page: Path) -> list[float]:
    """All numbers of a page; none if there is no such page, which another test finds."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_figure_of_another_page_stands_there(page):
    assert set(misquoted(page)) <= NO_FIGURES.get(page.relative_to(ROOT).as_posix(), set())


def test_a_figure_that_is_misquoted_is_found(tmp_path):
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("| 60.4 % (58.7 – 62.4) | 25.0 % | 1,943,369 |\n")
    page.write_text(
        "# One\n[60 %](other.md), 95 % and [wins 61.0 %](other.md#top), 1.9 million decisions a "
        "second, not 1.7 million decisions a second\n## Two\n60.4 %, from nowhere\n"
    )
    assert misquoted(page) == ["61.0", "1.7", "60.4"]
    page.write_text("<!-- figure: its own --> 70 % [60 %](other.md) [61 %](other.md)")
    assert misquoted(page) == ["61"]


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
