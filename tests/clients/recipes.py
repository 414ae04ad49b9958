"""The recipes of docs/clients.md: one section for each library, which runs by itself."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))


def run(title: str) -> dict[str, Any]:
    """Run the examples of a section, and return the names that they define."""
    line = TEXT[: TEXT.index(f"## {title}\n")].count("\n") + 1
    test = doctest.DocTestParser().get_doctest(SECTIONS[title], {}, title, str(PAGE), line)
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=told.append, clear_globs=False)
    assert results.attempted
    assert not results.failed, "".join(told)
    return test.globs
