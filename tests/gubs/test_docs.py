"""The documentation says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gubs_env.games.gubs.cards import KINDS, Card
from gubs_env.games.gubs.observation import observation_size, observation_slices
from gubs_env.games.gubs.rules import Rules, max_decisions

DOCS = Path(__file__).parent.parent / "docs"
RULES = (DOCS / "rules" / "gubs.md").read_text()
PAGE = (DOCS / "gubs.md").read_text()


def symbolic(large, small):
    """A shape with n in it, from those of two table sizes."""
    terms = []
    for a, b in zip(large, small, strict=True):
        terms.append(str(a) if a == b else ("n" if a == 6 else "n − 1"))
    return " × ".join(terms)


def observation_rows():
    large, small = observation_slices(6), observation_slices(5)
    for name, piece in large.items():
        shape = symbolic(piece.shape, small[name].shape)
        yield f"| `{name}` | {shape} | 0 … {piece.high} | {piece.meaning} |"


@pytest.mark.parametrize("row", list(observation_rows()))
def test_every_slice_of_the_observation_is_documented(row):
    assert row in PAGE.splitlines()


def test_the_lengths_of_observations_are_documented():
    lengths = ", ".join(str(observation_size(n)) for n in range(2, 7))
    assert f"Length: {lengths} for 2 to 6 players." in PAGE


@pytest.mark.parametrize("card", Card)
def test_every_kind_is_counted_in_the_rules_page(card):
    kind = KINDS[card]
    titles = [kind.title, kind.title.replace("Letter ", "")]
    rows = [f"| {int(card)} | {title} | {kind.copies} | {kind.type.value} |" for title in titles]
    assert any(row in RULES for row in rows)


@pytest.mark.parametrize("option", list(Rules().as_dict()))
def test_every_rule_option_is_explained(option):
    assert re.search(rf"`{option}\b", RULES)


def test_the_page_lists_the_rule_options():
    assert f"`Rules({', '.join(Rules().as_dict())})`" in PAGE


def test_the_bound_on_the_length_of_a_game_is_as_documented():
    bounds = [max_decisions(n, Rules()) for n in range(2, 7)]
    assert f"{bounds[0]:,} decisions for two players".replace(",", " ") in " ".join(RULES.split())
    assert set(np.diff(bounds)) == {1578}


if __name__ == "__main__":
    print("\n".join(observation_rows()))
