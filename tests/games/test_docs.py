"""The pages of each game agree with its code.

`python -m tests.games.test_docs` prints the tables of observation slices and of events.
"""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from gubs_env.engine.slices import size_of
from tests.games.cases import OURS, every_case_of_ours

TEMPLATE = [
    "Picture",
    "Example",
    "Players and spaces",
    "Observation",
    "Actions",
    "Rewards",
    "End of the game",
    "Rule options",
    "Reset options and errors",
    "Methods",
    "Other interfaces",
    "History",
    "Rulings",
    "Deviations",
    "Versions",
]
"""The headings of the page of every game; a page may have further ones."""
DOCS = Path(__file__).parents[2] / "docs"
TABLE_SIZES = {"gubs_v0": range(2, 7), "fubnub_v0": (4,), "bad_bad_turtle_v0": range(2, 9)}


def name_of(case):
    return case.game.name.removesuffix("_v0")


def page(case):
    return (DOCS / f"{name_of(case)}.md").read_text()


def tables_page(case):
    return (DOCS / "reference" / f"{name_of(case)}_observation.md").read_text(encoding="utf-8")


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
    [pytest.param(case, row, id=row.split("|")[1]) for case in OURS
     for row in observation_rows(case)],
)  # fmt: skip
def test_every_slice_of_the_observation_is_documented(case, row):
    assert row in tables_page(case).splitlines()


@every_case_of_ours
def test_every_decision_is_named_in_the_order_of_the_observation(case):
    size = case.game.observation_slices(max(TABLE_SIZES[case.game.name]))["decision"].size
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| .+ \|$", tables_page(case), re.M)
    assert rows == [(str(int(phase)), phase.name) for phase in case.module.Phase][:size]


def event_rows(case):
    """Yield the rows of the table of columns of a history."""
    for name, piece in case.game.event_slices().items():
        shape = " × ".join(map(str, piece.shape))
        yield f"| `{name}` | {shape} | −1 … {piece.high} | {piece.meaning} |"


@every_case_of_ours
def test_the_history_is_documented(case):
    history, tables = section(case, "History"), tables_page(case)
    assert [row for row in event_rows(case) if row not in tables] == []
    kinds = ", ".join(f"`{event.name}`" for event in case.module.Event)
    assert f"{kinds}." in " ".join(tables.split())
    size = case.game.history.event_size
    assert f"int8[num_envs, num_players, N, {size}]" in " ".join(history.split())


@every_case_of_ours
def test_the_examples_of_the_page_run(case):
    failed, tried = doctest.testfile(str(DOCS / f"{name_of(case)}.md"), module_relative=False)
    assert (failed, tried > 0) == (0, True)


@every_case_of_ours
def test_the_sizes_of_the_spaces_are_documented(case):
    game = case.game
    sizes = [n for n in range(1, 9) if is_allowed(game, n)]
    rows = {
        "players": sizes,
        "actions": [len(game.action_names(n)) for n in sizes],
        "length of an observation": [size_of(game.observation_slices(n)) for n in sizes],
    }
    table = [f"| {name} | {' | '.join(map(str, row))} |" for name, row in rows.items()]
    assert [row for row in table if row not in page(case).splitlines()] == []


def is_allowed(game, num_players):
    """Return whether some rules of a game allow a number of players."""
    generator = np.random.default_rng(0)
    return num_players in {game.sample_table(generator)[0] for _ in range(200)}


@every_case_of_ours
def test_every_rule_option_is_listed_and_explained(case):
    options = case.game.rules().as_dict()
    assert f"`Rules({', '.join(options)})`" in page(case)
    assert [name for name in options if not re.search(rf"`{name}\b", rules_page(case))] == []


@every_case_of_ours
def test_the_defaults_of_the_rule_options_are_documented(case):
    for name, parameter in inspect.signature(case.game.rules).parameters.items():
        default = repr(parameter.default).replace("'", '"')
        assert f"| `{name}` | `{default}` |" in section(case, "Rule options")


@every_case_of_ours
def test_the_numbers_of_the_rulings_are_documented(case):
    rulings = re.findall(r"^\| ([GFT]\d+) \|", rules_page(case), re.M)
    assert f" {rulings[0]} to {rulings[-1]}" in " ".join(section(case, "Rulings").split())


@pytest.mark.parametrize("name", ["fubnub", "bad_bad_turtle"])
def test_rulings_have_a_reading_not_chosen_and_tests_that_exist(name):
    rules = (DOCS / "rules" / f"{name}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [FT]\d+ \| (.+) \| (.+) \| (.+) \| (.*) \|$", rules, re.M)
    assert len(rows) == len(re.findall(r"^\| [FT]\d+ \|", rules, re.M))
    folder = Path(__file__).parents[1] / name
    tests = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    named = [row[3].strip("`") for row in rows if row[3].strip()]
    assert [test for test in named if f"def {test}(" not in tests] == []
    assert len(named) > 0.9 * len(rows)


@every_case_of_ours
def test_every_page_follows_the_template(case):
    headings = re.findall(r"^## (.+)$", page(case), re.M)
    assert [heading for heading in headings if heading in TEMPLATE] == TEMPLATE
    assert "<!-- replay -->" in section(case, "Picture")


def section(case, heading):
    return page(case).split(f"\n## {heading}\n")[1].split("\n## ")[0]


if __name__ == "__main__":
    for case in OURS:
        print("\n".join([case.game.title, *observation_rows(case), "", *event_rows(case), ""]))
