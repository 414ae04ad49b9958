"""The soak test finds nothing in the games as they are, and what is wrong in broken ones."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gubs_env import gubs_v0
from gubs_env.checking.soak import play_chunk, soak
from gubs_env.gubs_v0 import Rules
from tests.amounts import MORE
from tests.games.cases import OURS, every_case, every_case_of_ours

SLICE, THOROUGH_SLICE = 200 * MORE, 4 * MORE


@every_case
def test_random_games_at_random_tables_break_no_invariant(case):
    chunks = [*soak([case.game], SLICE, first=100), *soak([case.game], THOROUGH_SLICE, 7, True)]
    assert [line for chunk in chunks for line in chunk.violations] == []
    assert sum(chunk.games for chunk in chunks) == SLICE + THOROUGH_SLICE
    assert all(chunk.decisions >= chunk.games for chunk in chunks)


def test_games_take_turns_and_a_number_means_the_same_chunk(monkeypatch):
    monkeypatch.setattr("gubs_env.checking.soak.GAMES_AT_ONCE", 500)
    games = [case.game for case in OURS]
    chunks = list(soak(games, 1100, first=4))
    assert [chunk.number for chunk in chunks] == [4, 5, 6]
    assert [chunk.table.game for chunk in chunks] == [games[1], games[2], games[0]]
    again = play_chunk(games[2], 5, False, chunks[1].games)
    assert again._replace(seconds=0) == chunks[1]._replace(seconds=0)


@every_case_of_ours
def test_the_tables_of_a_soak_vary_in_rules(case):
    chunks = [play_chunk(case.game, number, False, 1) for number in range(12)]
    rules = [chunk.table.rules.as_dict() for chunk in chunks]
    varied = [name for name in case.game.varied_options if len({str(r[name]) for r in rules}) > 1]
    assert varied == list(case.game.varied_options)


BROKEN = {
    "a game is too long": {"max_decisions": lambda table: 20},
    "payoffs do not sum to zero": {"is_zero_sum": lambda table: True},
    "an observation leaves its range": {
        "observation_slices": lambda num_players, rules: {
            name: piece._replace(high=piece.high // 2)
            for name, piece in gubs_v0.GAME.observation_slices(num_players).items()
        }
    },
}


@pytest.mark.parametrize("message", BROKEN)
def test_what_is_wrong_is_named_with_its_table(message):
    margin = {
        "sample_table": lambda rng: (3, Rules(reward="margin")),
        "vary_rules": lambda rng, table: table.rules,
    }
    game = replace(gubs_v0.GAME, **margin, **BROKEN[message])
    found = play_chunk(game, 3, False, 20).violations
    assert any(
        re.search(rf": {message} \(decision \d+ of game \d+ of 20(, ×\d+)?\)$", line)
        for line in found
    )
    assert found[0].startswith("seed 3: gubs_v0, 3 players, {'letters': 'thirds'")
