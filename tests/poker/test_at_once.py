"""Goofspiel: what a player has chosen is told when all have chosen."""

from __future__ import annotations

import numpy as np
import pytest
from pettingzoo.test import api_test

from gubs_agents.exploit import best_responses
from gubs_env import environments
from gubs_env.api.at_once import NOTHING
from gubs_env.checking.soak import play_chunk
from gubs_env.engine.rng import seed_rng
from tests.poker.goofspiel import GAME
from tests.poker.strategies import Uniform


@pytest.fixture(scope="module")
def environment():
    return environments(GAME, "tests.poker.goofspiel")[0]


@pytest.fixture
def env(environment):
    env = environment()
    env.reset(seed=0)
    return env


def test_a_choice_is_in_no_word_event_or_number_before_all_have_chosen(env):
    told = []
    for bid in range(4):
        env.reset(seed=0)
        env.step(bid)
        seen, log = env.view("player_1").state, env.log("player_1")
        numbers = env.observe("player_1")["observation"], env.history("player_1")
        told.append((seen.tobytes(), *map(bytes, numbers), *log, seen.chosen.tolist()))
    assert len(set(map(repr, told))) == 1
    assert told[0][-1] == [NOTHING, NOTHING]
    assert told[0][3] == "player_0 has chosen"
    assert env.view("player_0").state.chosen.tolist() == [3, NOTHING]


def test_a_round_is_played_when_the_last_has_chosen(env):
    env.step(3)
    env.step(1)
    assert env.log("player_1")[1:] == ["player_0: bid 4", "player_1: bid 2"]
    assert env.history("player_1").tolist() == [[1, 3], [0, 1]]
    assert env.state()["bids"][:, 0].tolist() == [4, 2]
    assert env.agent_selection == "player_0"
    assert env.observe("player_0")["action_mask"].tolist() == [1, 1, 1, 0]


def test_the_hidden_choice_is_drawn_from_what_was_legal(env):
    for action in (3, 1, 0):
        env.step(action)
    states = np.array([env.view("player_1").state] * 200)
    for row in range(200):
        GAME.kernel.determinize(states, row, seed_rng(row))
    assert set(states["chosen"][:, 0].tolist()) == {0, 1, 2}


def test_it_is_as_exploitable_as_open_spiel_says():
    """Goofspiel of four cards, prizes in descending order, win or loss: NashConv of 1.5."""
    exact = best_responses(Uniform(), GAME)
    assert exact.self_play == pytest.approx((0, 0))
    assert sum(exact.best) == pytest.approx(1.5)


@pytest.mark.filterwarnings("ignore:Observation")  # it is a dictionary
def test_pettingzoo_plays_it_and_a_soak_finds_nothing(environment):
    api_test(environment(), num_cycles=50)
    assert play_chunk(GAME, 0, True, 64).violations == []


def test_a_choice_that_was_not_legal_is_refused(env):
    for action in (3, 1, 0):
        env.step(action)
    state = env.state()
    for chosen, is_wrong in ((3, True), (1, False), (NOTHING, True)):
        state["chosen"][0] = chosen
        if is_wrong:
            with pytest.raises(ValueError, match="its fields contradict each other"):
                env.set_state(state)
        else:
            env.set_state(state)
