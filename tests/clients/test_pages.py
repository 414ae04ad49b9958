"""Recipes of the docs: the sections that need only this package, and the tests of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from .recipes import SECTIONS, run

HERE = Path(__file__).parent
BY_THEMSELVES = ("Gymnasium", "PettingZoo", "What does not work, and why", "PettingZoo's wrappers")


@pytest.mark.parametrize("title", BY_THEMSELVES)
def test_a_section_runs_by_itself(title):
    run(title)


def test_every_library_has_tests_and_an_environment():
    tested = {path.stem.removeprefix("test_") for path in HERE.glob("test_*.py")} - {"pages"}
    assert tested == {path.stem for path in (HERE / "requirements").glob("*.txt")}
    shown = {"".join(title.split("-")).lower() for title in SECTIONS}
    names = {"stablebaselines3": "sb3"}
    described = {title.lower() for title in BY_THEMSELVES}
    assert tested == {names.get(title, title) for title in shown - described}
