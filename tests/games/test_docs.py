"""The page of each game agrees with its code.

`python -m tests.games.test_docs` prints the tables of observation slices and of events.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tests.games.cases import CASES, every_case

DOCS = Path(__file__).parents[2] / "docs"
TABLE_SIZES = {"gubs_v0": range(2, 7), "fubnub_v0": (4,), "bad_bad_turtle_v0": range(2, 9)}


def name_of(case):
    return case.game.name.removesuffix("_v0")


def page(case):
    return (DOCS / f"{name_of(case)}.md").read_text()


def rules_page(case):
    return (DOCS / "rules" / f"{name_of(case)}.md").read_text()


def observation_rows(case):
    """Yield the rows of the table of slices; n stands for the number of players in a shape."""
    most = max(TABLE_SIZES[case.game.name])
    fewer = max(most - 1, min(TABLE_SIZES[case.game.name]))
    large, small = (case.game.observation_slices(size) for size in (most, fewer))
    for name, piece in large.items():
        sizes = zip(piece.shape, small[name].shape, strict=True)
        terms = [str(a) if a == b else ("n" if a == most else "n − 1") for a, b in sizes]
        yield f"| `{name}` | {' × '.join(terms)} | 0 … {piece.high} | {piece.meaning} |"


@pytest.mark.parametrize(
    ("case", "row"),
    [pytest.param(case, row, id=row.split("|")[1]) for case in CASES
     for row in observation_rows(case)],
)  # fmt: skip
def test_every_slice_of_the_observation_is_documented(case, row):
    assert row in page(case).splitlines()


def event_rows(case):
    """Yield the rows of the table of columns of a history."""
    for name, piece in case.game.event_slices().items():
        shape = " × ".join(map(str, piece.shape))
        yield f"| `{name}` | {shape} | −1 … {piece.high} | {piece.meaning} |"


@every_case
def test_the_history_is_documented(case):
    history = page(case).split("## History")[1].split("\n## ")[0]
    assert [row for row in event_rows(case) if row not in history] == []
    kinds = ", ".join(f"`{event.name}`" for event in case.module.Event)
    assert f"{kinds}." in " ".join(history.split())
    size = case.game.recorded_history().event_size
    assert f"int8[num_envs, num_players, N, {size}]" in " ".join(history.split())


@every_case
def test_the_examples_of_the_page_run(case):
    failed, tried = doctest.testfile(str(DOCS / f"{name_of(case)}.md"), module_relative=False)
    assert (failed, tried > 0) == (0, True)


@every_case
def test_the_sizes_of_the_spaces_are_documented(case):
    sizes = TABLE_SIZES[case.game.name]
    if len(sizes) == 1:
        assert f"Box(int8, {case.game.observation_size(sizes[0])})" in page(case)
        assert f"`Discrete({case.game.num_actions(sizes[0])})`" in page(case)
        return
    lengths = ", ".join(str(case.game.observation_size(size)) for size in sizes)
    assert f"Length: {lengths} for {min(sizes)} to {max(sizes)} players." in page(case)


@every_case
def test_every_rule_option_is_listed_and_explained(case):
    options = case.game.rules().as_dict()
    assert f"`Rules({', '.join(options)})`" in page(case)
    assert [name for name in options if not re.search(rf"`{name}\b", rules_page(case))] == []


if __name__ == "__main__":
    for case in CASES:
        print("\n".join([case.game.title, *observation_rows(case), "", *event_rows(case), ""]))
