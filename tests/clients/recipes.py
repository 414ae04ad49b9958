"""The recipes of the docs: one section for each library, which runs by itself."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / name for name in ("clients.md", "more_libraries.md", "common_mistakes.md")]
PAGE_OF: dict[str, Path] = {}
SECTIONS: dict[str, str] = {}
for page in PAGES:
    found = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page.read_text("utf-8"), re.M | re.S))
    SECTIONS |= found
    PAGE_OF |= dict.fromkeys(found, page)


def run(title: str) -> dict[str, Any]:
    """Run the examples of a section, and return the names that they define."""
    text = PAGE_OF[title].read_text("utf-8")
    line = text[: text.index(f"## {title}\n")].count("\n") + 1
    path = str(PAGE_OF[title])
    test = doctest.DocTestParser().get_doctest(SECTIONS[title], {}, title, path, line)
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
    assert results.attempted
    assert not results.failed, "".join(told)
    return test.globs
