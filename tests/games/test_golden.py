"""Whole games give the same bytes on every platform, as `golden.json` records them."""

from __future__ import annotations

import copy

import pytest

from tests.games.golden import CHAINS, diagnosis, every_table, expected_of, hashes, play

TABLES = list(every_table())
every_golden_table = pytest.mark.parametrize(
    ("case", "table"), TABLES, ids=[f"{case.game.name}-{table}" for case, table in TABLES]
)


@every_golden_table
@pytest.mark.parametrize("chain", CHAINS)
def test_whole_games_are_played_and_observed_as_recorded(case, table, chain):
    report = diagnosis(expected_of(case, table), play(case, table), chain)
    assert not report, f"{case.game.name}, {table}: {report}"


def test_a_difference_names_the_game_and_the_decision():
    case, table = TABLES[0]
    played = play(case, table)
    expected = hashes(played)
    assert [diagnosis(expected, played, chain) for chain in CHAINS] == ["", ""]
    other = copy.deepcopy(played)
    observation = bytearray(other[1][30].parts["observations"])
    observation[-1] += 1
    other[1][30].parts["observations"] = bytes(observation)
    assert diagnosis(expected, other, "play") == ""
    report = diagnosis(expected, other, "observations")
    assert "game 1 " in report
    assert f"observations from decision 30 ({played[1][30].words}) on" in report
    del other[2][-1]
    assert "game 2 " in diagnosis(expected, other, "play")
    assert f"{len(played[2]) - 1} decisions, not {len(played[2])}" in diagnosis(
        expected, other, "play"
    )


def test_the_tables_have_every_size_and_every_option_of_the_cases():
    for case in {case.game.name: case for case, _ in TABLES}.values():
        chosen = {table for each, table in TABLES if each is case}
        for place in range(2):
            wanted = {str(table[place]) for table in case.tables.values()}
            assert wanted == {str(case.tables[name][place]) for name in chosen}
