"""The games in TextArena, with its own interface."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("textarena", reason="the textarena extra is not installed")

import textarena
from textarena.wrappers import ActionFormattingWrapper

import gubs_env.adapters.textarena  # noqa: F401
from tests.adapters.recipes import run_recipe


def texts(observation):
    return "\n".join(message for _, message, _ in observation)


@pytest.mark.parametrize(
    ("name", "num_players"), [("gubs_v0", 3), ("fubnub_v0", 4), ("bad_bad_turtle_v0", 2)]
)
def test_a_whole_game_is_played_in_text(name, num_players):
    env, rng, done = textarena.make(f"gubs_env/{name}"), random.Random(0), False
    env.reset(num_players=num_players, seed=5)
    asked = set()
    while not done:
        player, observation = env.get_observation()
        told = texts(observation)
        assert f"player_{player} (you" in told
        if player not in asked:
            assert f"You are player_{player} at a table of {num_players} players" in told
        asked.add(player)
        move = rng.choice(env._text.moves()).text
        done, info = env.step(f'I think that this is best. {{"move": "{move}"}}')
    rewards, _ = env.close()
    assert rewards == dict(enumerate(env._text.env.rewards.values()))
    assert "The game is over" in info["reason"]


def test_a_player_is_told_only_what_its_seat_may_know():
    """Everything that a player is told comes from the table and the log of its own seat."""
    env, rng, done = textarena.make("gubs_env/gubs_v0"), random.Random(1), False
    env.reset(num_players=2, seed=8)
    while not done:
        game, (player, observation) = env._text, env.get_observation()
        seat = f"player_{player}"
        known = {*game.env.log(seat), *game.env.describe(seat).splitlines()}
        known |= {f"- {line}" for line in game.env.log(seat)} | {"", "Since your last decision:"}
        told = texts(observation[1:] if "How to answer." in texts(observation) else observation)
        assert set(told.splitlines()) <= known
        done, _ = env.step(rng.choice(game.moves()).text)


def test_moves_may_stand_in_brackets_as_in_other_games_of_textarena():
    env, done = ActionFormattingWrapper(textarena.make("gubs_env/gubs_v0")), False
    env.reset(num_players=2, seed=5)
    for form in ("[{}]", "I like this one: [{}]", "[{}]\nIt is the safest.", "{}"):
        env.get_observation()
        before = len(env.env._text.env.actions)
        done, _ = env.step(form.format(env.env._text.moves()[-1].text))
        assert not done
        assert len(env.env._text.env.actions) > before


def test_three_wrong_answers_lose():
    env = textarena.make("gubs_env/gubs_v0")
    env.reset(num_players=3, seed=5)
    for _ in range(2):
        done, _ = env.step("fly away")
        player, observation = env.get_observation()
        assert not done
        assert "'fly away' is not a legal move" in texts(observation)
    done, info = env.step("fly away")
    rewards, about = env.close()
    assert done
    assert info["reason"] == f"Player {player} named no legal move."
    assert rewards == {other: -1.0 if other == player else 0.0 for other in range(3)}
    assert about[player]["invalid_move"]


def test_a_number_of_players_that_the_rules_do_not_allow_is_refused():
    with pytest.raises(ValueError, match="Gubs is for 2 to 6 players"):
        textarena.make("gubs_env/gubs_v0").reset(num_players=9)


def test_the_recipe():
    run_recipe("adapters.md", "TextArena")
