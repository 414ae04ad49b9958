"""The PettingZoo face: its conventions, its errors, its copies."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from gubs_env.games.gubs.state import Phase
from gubs_env.gubs_v0 import Rules, env, raw_env

sizes = pytest.mark.parametrize("num_players", range(2, 7))


def random_action(environment, rng):
    observation, _, done, _, _ = environment.last()
    return None if done else int(rng.choice(np.flatnonzero(observation["action_mask"])))


def play(environment, decisions, seed=0):
    """Play so many random decisions, or to the end."""
    rng = np.random.default_rng(seed)
    for _ in range(decisions):
        if not environment.agents:
            break
        environment.step(random_action(environment, rng))
    return environment


def in_mid_game(num_players=3, decisions=60, **options):
    environment = raw_env(num_players, **options)
    environment.reset(seed=7)
    return play(environment, decisions)


def goes_on_as(one, other):
    """Whether two environments stand alike and stay alike to the end, chance included."""
    rng = np.random.default_rng(1)
    while one.agents:
        assert one.agent_selection == other.agent_selection
        assert one.state() == other.state()
        for agent in one.possible_agents:
            for key, value in one.observe(agent).items():
                assert (value == other.observe(agent)[key]).all()
        assert one.rewards == other.rewards
        action = random_action(one, rng)
        one.step(action)
        other.step(action)
    assert one.log() == other.log()
    return not other.agents


# PettingZoo's own tests. Its max_cycles_test is for parallel environments with that argument.


# The test remarks on dict observations, which PettingZoo asks of games with action masks.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@sizes
@pytest.mark.parametrize("make", [env, raw_env])
def test_api(make, num_players):
    environment = make(num_players=num_players)
    api_test(environment, num_cycles=400)


def test_seeding():
    seed_test(lambda: env(num_players=3), num_cycles=200)


def test_rendering():
    render_test(lambda render_mode: env(num_players=3, render_mode=render_mode))


# ------------------------------------------------------------------------------------- a whole game


@sizes
def test_rewards_come_at_the_end_only_and_sum_to_zero(num_players):
    environment = env(num_players=num_players)
    for seed in range(10):
        environment.reset(seed=seed)
        rng = np.random.default_rng(seed)
        paid = dict.fromkeys(environment.possible_agents, 0.0)
        for agent in environment.agent_iter():
            _, reward, done, truncated, _ = environment.last()
            assert done or reward == 0
            assert not truncated
            paid[agent] += reward
            environment.step(random_action(environment, rng))
        outcome = environment.unwrapped.outcome()
        assert sum(paid.values()) == pytest.approx(0, abs=1e-5)
        best = max(paid.values())
        assert [seat for seat, pay in enumerate(paid.values()) if pay == best] == list(
            outcome.winners
        )


def test_the_same_seed_gives_the_same_game_whatever_the_global_generators_do():
    games = []
    for noise in (1, 2):
        environment = env(num_players=4)
        environment.reset(seed=np.int64(5))
        rng = np.random.default_rng(0)
        while environment.agents:
            np.random.seed(noise)
            environment.step(random_action(environment, rng))
        games.append(environment.unwrapped.log())
    assert games[0] == games[1]


def test_reset_without_a_seed_goes_on_to_another_game():
    one, other = raw_env(), raw_env()
    for environment in (one, other):
        environment.reset(seed=3)
        environment.reset()
    assert one.state() == other.state()
    one.reset(seed=3)
    assert one.state() != other.state()
    fresh = [raw_env() for _ in range(2)]
    for environment in fresh:
        environment.reset()
    assert fresh[0].state() != fresh[1].state()


@pytest.mark.parametrize("start", [2, np.int32(2), "player_2"])
def test_the_starting_player_is_an_option_of_reset(start):
    environment = raw_env(num_players=4)
    environment.reset(seed=1, options={"starting_player": start})
    assert environment.agent_selection == "player_2"


@pytest.mark.parametrize("number", [int, np.int8, np.int64, np.uint8, np.array])
def test_actions_may_be_python_or_numpy_integers(number):
    for make in (env, raw_env):
        environment = make()
        environment.reset(seed=1)
        environment.step(number(1))
        assert environment.unwrapped.state()["phase"] != Phase.DRAW


def test_a_mask_is_for_the_one_to_decide():
    environment = in_mid_game()
    for agent in environment.agents:
        mask = environment.observe(agent)["action_mask"]
        assert mask.any() == (agent == environment.agent_selection)
        assert mask.dtype == np.int8


def test_observations_are_the_callers_own():
    environment = in_mid_game()
    kept = environment.observe(environment.agent_selection)
    before = copy.deepcopy(kept)
    play(environment, 20)
    assert all((kept[key] == before[key]).all() for key in kept)


# ----------------------------------------------------------------------------------------- errors


def refused(environment, action, error, match):
    state, agent = environment.state(), environment.agent_selection
    with pytest.raises(error, match=match):
        environment.step(action)
    assert environment.state() == state
    assert environment.agent_selection == agent


def test_raw_env_refuses_bad_actions_and_changes_nothing():
    environment = raw_env()
    environment.reset(seed=0)
    refused(environment, 40, ValueError, r"action 40 PLACE\[0, 5\] is not legal for player_0 now")
    refused(environment, 40, ValueError, r"legal are: 0 PASS, 1 DECK")
    refused(environment, 64, ValueError, "the space is 0 to 63")
    refused(environment, -1, ValueError, "the space is 0 to 63")
    refused(environment, 1.0, TypeError, "whole number, not 1.0")
    refused(environment, None, TypeError, "whole number, not None")


@sizes
def test_every_action_that_is_not_offered_is_refused_without_a_change(num_players):
    environment = raw_env(num_players)
    environment.reset(seed=2)
    rng = np.random.default_rng(2)
    for _ in range(40):
        mask = environment.observe(environment.agent_selection)["action_mask"]
        state = environment.state()
        for action in np.flatnonzero(mask == 0):
            with pytest.raises(ValueError, match="is not legal"):
                environment.step(action)
        assert environment.state() == state
        environment.step(random_action(environment, rng))


def test_env_ends_the_game_for_whoever_plays_an_illegal_action(caplog):
    environment = env(num_players=3)
    environment.reset(seed=0)
    environment.step(40)
    assert "Illegal move made" in caplog.text
    assert environment.rewards == {"player_0": -1, "player_1": 0, "player_2": 0}
    assert all(environment.terminations.values())


@pytest.mark.parametrize("action", [64, -1, 1.0, None])
def test_env_refuses_an_action_out_of_the_space(action):
    environment = env()
    environment.reset(seed=0)
    with pytest.raises(AssertionError, match="not in action space"):
        environment.step(action)


def test_calls_before_reset_are_errors():
    environment = raw_env(render_mode="ansi")
    calls = [
        lambda: environment.step(0),
        environment.last,
        environment.render,
        environment.state,
        environment.outcome,
        environment.log,
        environment.to_json,
        lambda: environment.observe("player_0"),
        lambda: environment.describe("player_0"),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match=r"reset\(\)"):
            call()
    with pytest.raises(AttributeError, match="before reset"):
        env().agent_selection  # noqa: B018


def test_a_step_after_the_end_is_an_error():
    environment = in_mid_game(2, 10**6)
    assert not environment.agents
    with pytest.raises(RuntimeError, match="no game is under way"):
        environment.step(None)


def test_a_done_agent_takes_only_none():
    environment = raw_env()
    environment.reset(seed=0)
    rng = np.random.default_rng(0)
    while not any(environment.terminations.values()):
        environment.step(random_action(environment, rng))
    with pytest.raises(ValueError, match="None"):
        environment.step(0)


@pytest.mark.parametrize("num_players", [1, 7, 0, -2, 2.0, "3", True])
def test_a_wrong_number_of_players_is_an_error(num_players):
    with pytest.raises(ValueError, match="Gubs is for 2 to 6 players"):
        env(num_players=num_players)


def test_unknown_options_are_errors():
    environment = raw_env()
    with pytest.raises(ValueError, match="known is only 'starting_player'"):
        environment.reset(options={"start": 1})
    for seat in (2, -1, "player_9", 1.0, True, None):
        with pytest.raises(ValueError, match="allowed are 0 to 1"):
            environment.reset(options={"starting_player": seat})
    with pytest.raises(ValueError, match=r"allowed are None and \['ansi', 'human'\]"):
        env(render_mode="rgb_array")
    with pytest.raises(TypeError, match="rules must be Rules"):
        env(rules={"letters": "anywhere"})
    with pytest.raises(ValueError, match="no agent is called 'player_5'"):
        in_mid_game().observe("player_5")


# ------------------------------------------------------------------------------ copies and storage


@pytest.mark.parametrize(
    "duplicate",
    [
        lambda e: e.clone(),
        copy.deepcopy,
        lambda e: pickle.loads(pickle.dumps(e)),
        lambda e: raw_env.from_json(e.to_json()),
    ],
    ids=["clone", "deepcopy", "pickle", "json"],
)
@pytest.mark.parametrize("decisions", [0, 60, 150, 10**6])
def test_a_duplicate_keeps_the_game_under_way(duplicate, decisions):
    environment = in_mid_game(3, decisions, rules=Rules(ask_everyone=True))
    assert goes_on_as(environment, duplicate(environment))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_the_wrapped_environment_is_duplicated_too(duplicate):
    environment = env(num_players=2)
    environment.reset(seed=4)
    play(environment, 30)
    assert goes_on_as(environment.unwrapped, duplicate(environment).unwrapped)


def test_a_clone_is_independent():
    environment = in_mid_game()
    twin, state = environment.clone(), environment.state()
    play(twin, 30)
    assert environment.state() == state


def test_json_restores_a_game_among_the_dead():
    environment = raw_env()
    environment.reset(seed=0)
    rng = np.random.default_rng(0)
    while not any(environment.terminations.values()):
        environment.step(random_action(environment, rng))
    environment.step(None)
    twin = raw_env.from_json(environment.to_json())
    assert twin.agents == environment.agents
    assert twin.last(observe=False) == environment.last(observe=False)


def test_json_of_something_else_is_refused():
    saved = json.loads(in_mid_game().to_json())
    for change in ({"game": "chess_v6"}, {"version": 99}):
        with pytest.raises(ValueError, match="not a saved game of gubs_v0"):
            raw_env.from_json(json.dumps(saved | change))


# ------------------------------------------------------------------------------------------- words


def test_names_of_actions_are_inverse():
    environment = raw_env(num_players=5)
    for action in range(environment.action_space("player_0").n):
        assert environment.action_index(environment.action_name(action)) == action


def test_the_log_tells_each_seat_what_it_saw():
    environment = in_mid_game(2, 10**6)
    own, public = environment.log("player_0"), environment.log()
    assert len(own) >= len(public)
    assert "player_0 draws a card" in public
    assert "player_0 draws a card" not in own
    assert "player_1 draws a card" in own
    assert public[-1].startswith("The game is over: ")


def test_description_and_rendering_show_the_table(monkeypatch, capsys):
    environment = raw_env(render_mode="ansi")
    environment.reset(seed=0)
    words = environment.describe("player_1")
    assert words.startswith("Gubs, seen by player_1")
    assert "0 Gub, Free" in words
    assert environment.render() == environment.describe("player_0")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in environment.render()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in environment.render()
    environment.render_mode = "human"
    environment.step(1)
    assert "Gubs, seen by" in capsys.readouterr().out


def test_the_observation_says_what_it_holds():
    environment = in_mid_game(4, 80)
    view = environment.view("player_1")
    observation = environment.observe("player_1")["observation"]
    slices = environment.observation_slices()
    assert (slices["hand"].of(observation) == view.state.hand[1, :24]).all()
    sizes = np.roll(view.state.hand_size[:4], -1)
    assert (slices["hand_sizes"].of(observation) == sizes).all()
    assert slices["deck_size"].of(observation) == view.state.deck_size
    assert sum(piece.size for piece in slices.values()) == len(observation)


def test_importing_the_environment_needs_no_torch():
    import subprocess
    import sys

    code = (
        "import sys; from gubs_env import gubs_v0; gubs_v0.env().reset(seed=1);"
        "print([m for m in ('torch', 'stable_baselines3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
