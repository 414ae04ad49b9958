"""The PettingZoo interface: conventions, errors and copies."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from gubs_env import fubnub_v0
from gubs_env.games.gubs.state import Phase
from gubs_env.gubs_v0 import env, raw_env
from tests.api.tables import (
    TABLES,
    at,
    every_module,
    play,
    play_to_the_end,
    random_action,
    started,
    tables,
)


def in_mid_game(num_players=3, decisions=60, **options):
    environment = raw_env(num_players, **options)
    environment.reset(seed=7)
    return play(environment, decisions)


def goes_on_as(one, other):
    """Return whether two environments are equal and stay equal to the end, RNGs included."""
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


# The test warns about dict observations, which PettingZoo requires for action masks.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore::UserWarning")
@tables
@pytest.mark.parametrize("make", ["env", "raw_env"])
def test_api(make, module, num_players, options):
    environment = getattr(module, make)(num_players, module.Rules(**options))
    api_test(environment, num_cycles=300)


@every_module
def test_seeding_and_rendering(module):
    seed_test(lambda: module.env(), num_cycles=150)
    render_test(lambda render_mode: module.env(render_mode=render_mode))


# ------------------------------------------------------------------------------------- a whole game


@tables
def test_rewards_come_once_at_the_end_and_the_best_paid_have_won(module, num_players, options):
    environment = module.env(num_players, module.Rules(**options))
    for seed in range(4):
        environment.reset(seed=seed)
        rng = np.random.default_rng(seed)
        paid = dict.fromkeys(environment.possible_agents, 0.0)
        was_cut_off = False
        for agent in environment.agent_iter():
            _, reward, done, truncated, _ = environment.last()
            assert done or truncated or reward == 0
            was_cut_off |= truncated
            paid[agent] += reward
            environment.step(random_action(environment, rng))
        winners = environment.unwrapped.outcome().winners
        state = environment.unwrapped.state()
        if was_cut_off:
            assert (winners, set(paid.values())) == ((), {0.0})
            continue
        if state["num_players"] == state["num_seats"]:
            assert sum(paid.values()) == pytest.approx(0, abs=1e-5)
            assert winners
        best = max(paid.values())
        assert not winners or winners == tuple(
            seat for seat, pay in enumerate(paid.values()) if pay == best
        )


@tables
def test_every_table_is_described_and_its_log_tells_each_what_they_saw(
    module, num_players, options
):
    environment, title = started(module, num_players, options), module.GAME.title
    rng = np.random.default_rng(5)
    for _ in range(40):
        for agent in environment.possible_agents:
            assert environment.describe(agent).startswith(f"{title}, seen by {agent}")
        if environment.is_done(environment.agent_selection):
            break
        environment.step(random_action(environment, rng))
    play_to_the_end(environment)
    public, cut_off = environment.log(), any(environment.truncations.values())
    end = "The game is cut off after" if cut_off else "The game is over: "
    for agent in environment.possible_agents:
        log = environment.log(agent)
        assert len(log) >= len(public)
        assert log[-1] == public[-1]
        assert log[-1].startswith(end)


@every_module
def test_a_game_that_is_cut_off_says_so(module):
    if module.GAME.name == "gubs_v0":
        pytest.skip("every game of Gubs ends by itself")
    environment = play_to_the_end(started(module, 4, {"max_cycles": 20}, seed=2))
    assert environment.truncations == dict.fromkeys(environment.agents, True)
    assert not any(environment.terminations.values())
    assert environment.outcome().winners == ()
    assert environment.log()[-1].startswith("The game is cut off after 20 decisions")
    again = module.raw_env.from_json(environment.to_json())
    assert again.truncations == environment.truncations
    assert again.log() == environment.log()


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


@tables
def test_every_action_that_is_not_offered_is_refused_without_a_change(module, num_players, options):
    environment = started(module, num_players, options, seed=2)
    rng = np.random.default_rng(2)
    for _ in range(12):
        if environment.is_done(environment.agent_selection):
            break
        mask = environment.observe(environment.agent_selection)["action_mask"]
        before = environment.to_json()
        for action in np.flatnonzero(mask == 0):
            with pytest.raises(ValueError, match="is not legal"):
                environment.step(int(action))
        assert environment.to_json() == before
        for _ in range(4):
            if not environment.is_done(environment.agent_selection):
                environment.step(random_action(environment, rng))


@every_module
def test_env_ends_the_game_for_the_culprit_of_an_illegal_action(module, caplog):
    environment = module.env()
    environment.reset(seed=0)
    culprit = environment.agent_selection
    environment.step(int(environment.observe(culprit)["action_mask"].argmin()))
    assert "Illegal move made" in caplog.text
    assert environment.rewards == {a: -1.0 * (a == culprit) for a in environment.agents}
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
    with pytest.raises(ValueError, match="the only one is 'starting_player'"):
        environment.reset(options={"start": 1})
    for seat in (2, -1, "player_9", 1.0, True, None):
        with pytest.raises(ValueError, match="allowed are 0 to 1"):
            environment.reset(options={"starting_player": seat})
    with pytest.raises(ValueError, match=r"allowed are None and \['ansi', 'svg', 'human'"):
        env(render_mode="rgb")
    with pytest.raises(TypeError, match="rules of gubs_v0 are its Rules"):
        env(rules=fubnub_v0.Rules())
    with pytest.raises(ValueError, match="have no option letter: there are letters"):
        env(rules={"letter": "anywhere"})
    with pytest.raises(ValueError, match="no agent is called 'player_5'"):
        in_mid_game().observe("player_5")


# ------------------------------------------------------------------------------ copies and storage


DUPLICATES = {
    "clone": lambda e: e.clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda e: pickle.loads(pickle.dumps(e)),
    "json": lambda e: type(e).from_json(e.to_json()),
}
ONE_OF_EACH = at({name: TABLES[name] for name in TABLES if "everyone" in name or "cut off" in name})


@ONE_OF_EACH
@pytest.mark.parametrize("duplicate", DUPLICATES.values(), ids=DUPLICATES)
@pytest.mark.parametrize("decisions", [0, 15, 80, 10**6])
def test_a_duplicate_keeps_the_game_under_way(duplicate, decisions, module, num_players, options):
    environment = started(module, num_players, options, decisions=decisions)
    assert goes_on_as(environment, duplicate(environment))


@tables
def test_a_duplicate_plays_on_alike(module, num_players, options):
    environment = started(module, num_players, options, decisions=20)
    twins = [duplicate(environment) for duplicate in DUPLICATES.values()]
    rng = np.random.default_rng(1)
    for _ in range(30):
        if not environment.agents:
            break
        action = random_action(environment, rng)
        for each in (environment, *twins):
            each.step(action)
    for twin in twins:
        assert twin.state() == environment.state()
        assert twin.agent_selection == environment.agent_selection
        assert twin.terminations == environment.terminations
        assert twin.log() == environment.log()


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


@every_module
def test_json_of_something_else_is_refused(module):
    saved = json.loads(started(module, module.GAME.players, {}).to_json())
    assert (saved["game"], saved["format"]) == (module.GAME.name, "gubs_env game 1")
    for change in ({"game": "chess_v6"}, {"format": 99}, {"format": "gubs_env game 0"}):
        with pytest.raises(ValueError, match=r"(game|format) is .*, not '"):
            module.raw_env.from_json(json.dumps(saved | change))


# ------------------------------------------------------------------------------------------- words


@tables
def test_names_of_actions_are_inverse(module, num_players, options):
    environment = module.raw_env(num_players, module.Rules(**options))
    size = environment.action_space("player_0").n
    for action in range(size):
        assert environment.action_index(environment.action_name(action)) == action
    with pytest.raises(ValueError, match=f"0 to {size - 1}"):
        environment.action_name(size)
    with pytest.raises(ValueError, match=r"no (action|card) is called '(CARD|Gold)"):
        environment.action_index("CARD[Gold 7]")


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
    assert "1 Gub, Free" in words
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
