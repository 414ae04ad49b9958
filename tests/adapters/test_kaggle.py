"""The games in kaggle-environments, with its own runner."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("kaggle_environments", reason="the kaggle extra is not installed")

import kaggle_environments

import gubs_env.adapters.kaggle  # noqa: F401
from tests.adapters.recipes import run_recipe


@pytest.mark.parametrize(
    ("name", "num_agents"), [("gubs_v0", 3), ("fubnub_v0", 4), ("bad_bad_turtle_v0", 2)]
)
def test_agents_play_a_whole_game_and_are_told_only_their_own_decisions(name, num_agents):
    env, rng = kaggle_environments.make(name, {"seed": 5}), random.Random(0)

    def agent(observation):
        game = env.text_game
        assert observation.prompt == game.prompt().user
        assert observation.system == game.system(game.seat)
        assert observation.legal_moves == [move.text for move in game.moves()]
        return f'Let me see. {{"move": "{rng.choice(observation.legal_moves)}"}}'

    steps = env.run([agent] * num_agents)
    assert [state.status for state in steps[-1]] == ["DONE"] * num_agents
    assert [state.reward for state in steps[-1]] == list(env.text_game.env.rewards.values())
    assert "The game is over" in env.text_game.question("player_0")
    for states in steps[:-1]:
        waiting = [state for state in states if state.status == "INACTIVE"]
        assert len(waiting) == num_agents - 1
        assert all(not state.observation.prompt for state in waiting)
        assert all(not state.observation.legal_moves for state in waiting)
    assert "seen by all" in env.render(mode="ansi")


def test_an_answer_that_names_no_legal_move_loses():
    env = kaggle_environments.make("gubs_v0", {"seed": 5, "rules": "letters=anywhere"})
    steps = env.run([lambda observation: "fly away", "first"])
    states = steps[-1]
    assert {(state.status, state.reward) for state in states} == {("INVALID", None), ("DONE", 0)}


def test_an_agent_that_fails_loses():
    def broken(observation):
        raise RuntimeError("broken")

    states = kaggle_environments.make("gubs_v0", {"seed": 5}).run([broken, broken])[-1]
    assert {(state.status, state.reward) for state in states} == {("DONE", 0), ("ERROR", None)}


def test_the_same_seed_deals_the_same_game():
    def first_prompt(seed):
        env = kaggle_environments.make("gubs_v0", {"seed": seed})
        return [state.observation.prompt for state in env.reset(2)]

    assert first_prompt(1) == first_prompt(1)
    assert first_prompt(1) != first_prompt(2)


def test_the_recipe():
    run_recipe("adapters.md", "kaggle-environments")
