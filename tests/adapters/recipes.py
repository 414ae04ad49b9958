"""The sections of documentation pages, run as tests."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def run_recipe(page: str, title: str) -> None:
    """Run the examples of a section of a page, one after another; AssertionError for a wrong one.

    Args:
        page: the file name of the page.
        title: the title of the section; blank for the whole page.
    """
    text = (DOCS / page).read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    section = sections[title] if title else text
    line = text[: text.index(section)].count("\n")
    test = doctest.DocTestParser().get_doctest(section, {}, title or page, page, line)
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert results.attempted
    assert not results.failed, "".join(told)
