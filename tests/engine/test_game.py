"""The record of a game: its signatures are checked, and what it leaves out is supplied."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from gubs_env import GAMES, find_game
from gubs_env.engine.table import Table, sample_table

every_game = pytest.mark.parametrize("name", GAMES)


@every_game
def test_a_game_is_found_by_either_of_its_names(name):
    game = find_game(name)
    assert game.name == f"{name}_v0"
    assert find_game(game.name) is find_game(game) is game


@every_game
def test_a_game_is_pickled_by_its_name(name):
    assert pickle.loads(pickle.dumps(find_game(name))) is find_game(name)


def test_there_is_no_game_of_another_name():
    with pytest.raises(ValueError, match="no game is called 'chess': there are"):
        find_game("chess")


@every_game
def test_player_counts_are_the_numbers_of_players_that_some_rules_allow(name):
    game, rng = find_game(name), np.random.default_rng(0)
    assert {game.sample_table(rng)[0] for _ in range(500)} == set(game.player_counts)
    for count in (game.player_counts.start - 1, game.player_counts.stop):
        with pytest.raises(ValueError, match=f"num_players={count}"):
            Table(game, count)


def table_with(game, num_players):
    """Return a random table with a number of players."""
    rng = np.random.default_rng(0)
    tables = (sample_table(game, rng) for _ in range(1000))
    return next(table for table in tables if table.num_players == num_players)


@every_game
def test_every_action_is_found_by_its_name_in_any_letters(name):
    game = find_game(name)
    for num_players in game.player_counts:
        table = table_with(game, num_players)
        for action, known in enumerate(table.action_names):
            assert table.action_name(action) == known
            assert table.action_index(known.lower().replace(" ", "  ")) == action
        with pytest.raises(ValueError, match="allowed are 0 to"):
            table.action_name(-1)
        with pytest.raises(ValueError, match="no action is called 'FOLD': names are"):
            table.action_index("FOLD")


def test_a_function_with_other_arguments_is_named():
    with pytest.raises(TypeError, match=r"gubs_v0: outcome\(a, b\) is called with 1 arguments"):
        replace(find_game("gubs"), outcome=lambda a, b: None)


def test_a_rule_with_other_arguments_is_named():
    mechanics = find_game("gubs").mechanics._replace(step=lambda state, action: None)
    with pytest.raises(TypeError, match=r"gubs_v0: step\(state, action\) is called with 3"):
        replace(find_game("gubs"), mechanics=mechanics)
