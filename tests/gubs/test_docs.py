"""The rules page of Gubs agrees with the code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gubs_env import find_table
from gubs_env.games.gubs.cards import Card

RULES = (Path(__file__).parents[2] / "docs" / "rules" / "gubs.md").read_text()


@pytest.mark.parametrize("card", Card)
def test_every_kind_is_counted_in_the_rules_page(card):
    kind = card.kind
    titles = [kind.title, kind.title.replace("Letter ", "")]
    rows = [f"| {int(card)} | {title} | {kind.copies} | {kind.type.value} |" for title in titles]
    assert any(row in RULES for row in rows)


def test_the_bound_on_the_length_of_a_game_is_as_documented():
    bounds = [find_table("gubs", n).max_decisions for n in range(2, 7)]
    assert f"{bounds[0]:,} decisions for two players".replace(",", " ") in " ".join(RULES.split())
    assert set(np.diff(bounds)) == {1578}
