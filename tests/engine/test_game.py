"""A game is assembled from its modules, each part from the module that defines it."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from gubs_env import GAMES, find_game
from gubs_env.engine.game import make_game
from gubs_env.games.gubs import (
    actions,
    determinization,
    legal,
    moves,
    observation,
    rules,
    rules_text,
    score,
    state,
    turn,
    validity,
    view,
    words,
)

MODULES = [
    *(actions, determinization, legal, moves, observation, rules, rules_text),
    *(score, state, turn, validity, view, words),
]


def assembled(modules):
    return make_game("a_test", "A test", 2, state.Phase.DRAW, modules)


def test_parts_are_found_by_their_names():
    game, gubs = assembled(MODULES), find_game("gubs")
    assert game.mechanics == gubs.mechanics
    assert (game.rules, game.outcome, game.table_words) == (
        gubs.rules,
        gubs.outcome,
        gubs.table_words,
    )
    assert (game.name, game.title, game.players) == ("a_test", "A test", 2)


def test_a_part_that_no_module_defines_is_an_error():
    without = [module for module in MODULES if module is not score]
    with pytest.raises(TypeError, match="no module of the game defines write_payoffs: looked in"):
        assembled(without)


def test_a_part_that_two_modules_define_is_an_error():
    other = ModuleType("another_score")
    other.write_payoffs = lambda state, payoffs: None
    with pytest.raises(TypeError, match=r"write_payoffs means .* in .*another_score"):
        assembled([*MODULES, other])


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_found_by_either_of_its_names(name):
    game = find_game(name)
    assert game.name == f"{name}_v0"
    assert find_game(game.name) is find_game(game) is game


def test_there_is_no_game_of_another_name():
    with pytest.raises(ValueError, match="no game is called 'chess': there are"):
        find_game("chess")


@pytest.mark.parametrize("name", GAMES)
def test_player_counts_are_the_numbers_of_players_that_some_rules_allow(name):
    game, rng = find_game(name), np.random.default_rng(0)
    assert {game.sample_table(rng)[0] for _ in range(500)} == set(game.player_counts)
    for count in (game.player_counts.start - 1, game.player_counts.stop):
        with pytest.raises(ValueError, match=f"num_players={count}"):
            game.check_players(count, game.rules())
