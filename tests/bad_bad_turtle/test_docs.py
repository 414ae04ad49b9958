"""The pages of Bad, Bad, Turtle agree with the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gubs_env.bad_bad_turtle_v0 import Card, Rules
from gubs_env.games.bad_bad_turtle.actions import NAMES

DOCS = Path(__file__).parents[2] / "docs"
RULES = (DOCS / "rules" / "bad_bad_turtle.md").read_text()
PAGE = (DOCS / "bad_bad_turtle.md").read_text()


@pytest.mark.parametrize("card", Card)
def test_every_kind_is_in_the_table_of_the_rules_page(card):
    kind = card.kind
    assert f"| {int(card)} | {kind.title} | {kind.copies} | {kind.type.value} |" in RULES


def test_every_action_is_explained():
    for name in NAMES:
        shown = re.sub(r"\[\d\]", "[k]", name)
        assert f"`{shown}`" in RULES


def test_every_rule_option_is_explained():
    for option in Rules().as_dict():
        assert f"| `{option}` |" in RULES


def test_every_ruling_that_is_cited_is_listed():
    sources = (DOCS.parent / "gubs_env").rglob("*bad_bad_turtle*/**/*.py")
    texts = [RULES, PAGE, *(path.read_text() for path in sources)]
    cited = {ruling for text in texts for ruling in re.findall(r"\bT\d+\b", text)}
    listed = re.findall(r"^\| (T\d+) \|", RULES, re.MULTILINE)
    assert listed == [f"T{k}" for k in range(1, 37)]
    assert cited <= set(listed)
