"""A table: a game, a number of players and rules, checked once where it is made."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from gubs_env import Table, bad_bad_turtle_v0, find_game, find_table, fubnub_v0, gubs_v0
from gubs_env.engine.table import sample_table
from tests.games.cases import every_case


def test_a_game_a_number_of_players_and_rules_make_a_table():
    table = Table(fubnub_v0.GAME, 2, {"mode": "ghost", "num_points": 3})
    assert (table.num_players, table.rules.num_points) == (2, 3)
    assert str(table) == "fubnub_v0 with 2 players, mode=ghost, num_points=3"
    assert repr(table) == f"<Table: {table}>"
    assert table.title == "FUBNUB, Lucky Ghost, num_points=3"
    assert table.name == "fubnub_v0_2_ghost"


def test_what_is_not_said_is_usual():
    table = find_table("gubs")
    assert table == find_table(gubs_v0.GAME, 2, gubs_v0.Rules()) == Table(gubs_v0.GAME)
    assert str(table) == "gubs_v0 with 2 players"
    assert find_table(table) is table


def test_tables_are_equal_by_value_and_can_be_keys():
    letters = {"Letter G": 1, "Letter U": 1, "Letter B": 1}
    rules = {"deck": {"Gub": 8, "Feather": 30, **letters}}
    one, other = find_table("gubs", 3, rules), find_table("gubs", 3, gubs_v0.Rules(**rules))
    assert len({one: 1, other: 2, find_table("gubs", 3): 3}) == 2
    assert one != find_table("gubs", 4, rules)


@every_case
def test_a_table_travels_to_other_processes(case):
    for seed in range(10):
        table = sample_table(case.game, np.random.default_rng(seed))
        again = pickle.loads(pickle.dumps(table))
        assert again == table
        assert hash(again) == hash(table)
        assert again.game is table.game


def test_nobody_changes_a_table():
    table = find_table("gubs")
    with pytest.raises(FrozenInstanceError):
        table.num_players = 3
    with pytest.raises(ValueError, match="read-only"):
        table.sides[0] = 1


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("gubs", 7), ValueError, "num_players=7: Gubs is for 2 to 6 players"),
        (("fubnub", 2), ValueError, "num_players=2: mode 'team' is for 4"),
        (("gubs", 2, {"letter": 1}), ValueError, "the rules of gubs_v0 have no option letter"),
        (("gubs", 2, bad_bad_turtle_v0.Rules()), TypeError, "rules of gubs_v0 are its Rules"),
        (("chess",), ValueError, "no game is called 'chess'"),
        ((find_table("gubs"), 3), TypeError, "gubs_v0 with 2 players is a table"),
        ((7,), TypeError, "7 is no table: give"),
    ],
)
def test_what_cannot_be_played_together_is_named(arguments, error, words):
    with pytest.raises(error, match=words):
        find_table(*arguments)


def test_every_environment_has_its_table():
    table = find_table("fubnub", 3, {"mode": "royal"})
    given = {"num_players": 3, "rules": {"mode": "royal"}}
    made = [
        fubnub_v0.env(**given),
        fubnub_v0.raw_env(**given),
        fubnub_v0.single_agent_env(**given),
        fubnub_v0.vector_env(4, **given),
        fubnub_v0.single_agent_vector_env(4, **given),
    ]
    assert [getattr(env, "table", None) or env.games.table for env in made] == [table] * 5


def test_a_batch_keeps_the_table_of_each_game():
    rules = [{"num_points": number} for number in (1, 3, 5)]
    games = fubnub_v0.vector_env(3, rules=rules)
    assert [table.rules.num_points for table in games.tables] == [1, 3, 5]
    assert games.table_of(2) == find_table("fubnub", rules={"num_points": 5})
    with pytest.raises(ValueError, match="rules for 2 games: give one for all, or 3"):
        fubnub_v0.vector_env(3, rules=rules[:2])


def test_a_pickled_game_comes_back_as_itself():
    game = find_game("fubnub")
    assert pickle.loads(pickle.dumps(game)) is game
