"""The cases of all games, and the tables that tests run over."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tests.bad_bad_turtle.case import CASE as BAD_BAD_TURTLE
from tests.fubnub.case import CASE as FUBNUB
from tests.games.case import Case
from tests.gubs.case import CASE as GUBS
from tests.poker.cases import KUHN, LEDUC

OURS = (GUBS, FUBNUB, BAD_BAD_TURTLE)
CASES = (*OURS, KUHN, LEDUC)
every_case = pytest.mark.parametrize("case", CASES, ids=[case.game.name for case in CASES])
every_case_of_ours = pytest.mark.parametrize("case", OURS, ids=[case.game.name for case in OURS])


def over(
    names: Callable[[Case], Iterable[str]], cases: Iterable[Case] = CASES
) -> pytest.MarkDecorator:
    """Run a test for `case`, `num_players` and `options` of the named tables of every game."""
    return pytest.mark.parametrize(
        ("case", "num_players", "options"),
        [
            pytest.param(case, *case.tables[name], id=f"{case.game.name}-{name}")
            for case in cases
            for name in names(case)
        ],
    )


all_tables = over(lambda case: case.tables)
main_tables = over(lambda case: case.main)
tables_of_ours = over(lambda case: case.tables, OURS)
main_tables_of_ours = over(lambda case: case.main, OURS)
relabelled_tables = over(lambda case: case.relabelled)
