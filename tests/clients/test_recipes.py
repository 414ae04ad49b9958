"""docs/clients.md: every section runs by itself, in the installed packages."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
TEXT = PAGE.read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))


@pytest.mark.parametrize("title", SECTIONS)
def test_a_section_runs_by_itself(title):
    if title == "Stable-Baselines3":
        pytest.importorskip("sb3_contrib", reason="the train extra is not installed")
    if title == "RLlib":
        pytest.importorskip("ray", reason="the ray extra is not installed")
        pytest.importorskip("sb3_contrib", reason="the train extra is not installed")
    line = TEXT[: TEXT.index(f"## {title}\n")].count("\n") + 1
    test = doctest.DocTestParser().get_doctest(SECTIONS[title], {}, title, str(PAGE), line)
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert results.attempted
    assert not results.failed, "".join(told)
