"""The Gymnasium interface: Gymnasium's checks, opponents, seats and illegal actions."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import gubs_agents
from gubs_env.gubs_v0 import Card, Rules, single_agent_env
from tests.api.tables import TABLES, at, every_module

ID = "gubs_env/Gubs-v0"
PRINTED = {card.title: int(count) for card, count in zip(Card, Rules().composition(), strict=True)}
IDS = {
    "gubs_v0": ID,
    "fubnub_v0": "gubs_env/Fubnub-v0",
    "bad_bad_turtle_v0": "gubs_env/BadBadTurtle-v0",
}


def play(environment, seed):
    """Play a game of random legal actions; return the observations and the final reward."""
    rng = np.random.default_rng(seed)
    observation, info = environment.reset(seed=seed)
    seen, over, reward = [observation], False, 0.0
    while not over:
        assert reward == 0
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, over, truncated, info = environment.step(action)
        assert not truncated
        seen.append(observation)
    return seen, reward


@every_module
def test_importing_the_package_registers_it(module):
    name = module.GAME.name
    assert gymnasium.spec(IDS[name]).entry_point == f"gubs_env.{name}:single_agent_env"
    made = gymnasium.make(IDS[name], disable_env_checker=True)
    assert isinstance(made.unwrapped, module.single_agent_env)


@at({name: table for name, table in TABLES.items() if "cut off" not in name})
def test_gymnasiums_checker_passes_without_warnings(module, num_players, options):
    made = gymnasium.make(
        IDS[module.GAME.name],
        num_players=num_players,
        rules=module.Rules(**options),
        render_mode="ansi",
    )
    check_env(made.unwrapped)


@pytest.mark.parametrize("name", ["fubnub, cut off", "turtle, cut off", "turtle, 4 players"])
def test_one_agent_has_a_first_decision_and_learns_that_it_was_cut_off(name):
    module, num_players, options = TABLES[name]
    environment = module.single_agent_env(num_players, rules=module.Rules(**options))
    share, ends = pytest.approx(-1 / (num_players - 1)), set()
    rng = np.random.default_rng(0)
    for seed in range(60):
        _, info = environment.reset(seed=seed)
        assert info["action_mask"].any()
        terminated = truncated = False
        while not (terminated or truncated):
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            _, reward, terminated, truncated, info = environment.step(action)
        assert not (terminated and truncated)
        assert reward in ((0.0,) if truncated else (1.0, share))
        ends.add(truncated)
    assert ends == ({True, False} if "cut off" in name else {False})


def test_stable_baselines_checker_passes_without_warnings():
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(gymnasium.make(ID, num_players=3).unwrapped)


def test_a_seed_repeats_a_game():
    runs = [play(gymnasium.make(ID, num_players=4), seed=3) for _ in range(2)]
    assert runs[0][1] == runs[1][1]
    assert all((a == b).all() for a, b in zip(*(run[0] for run in runs), strict=True))


@pytest.mark.parametrize("seat", [0, 2, None])
def test_the_agent_sits_where_it_is_told(seat):
    environment = gymnasium.make(ID, num_players=3, seat=seat).unwrapped
    sat = set()
    for seed in range(20):
        environment.reset(seed=seed)
        sat.add(environment.aec_env.possible_agents.index(environment.agent))
        assert environment.aec_env.agent_selection == environment.agent
    assert sat == ({seat} if seat is not None else {0, 1, 2})


def test_opponents_play_the_other_seats_clockwise():
    class Counting:
        def __init__(self):
            self.decisions = 0

        def act(self, observations, masks, rngs):
            self.decisions += len(masks)
            return masks.argmax(1)

    opponents = [Counting(), Counting()]
    environment = gymnasium.make(ID, num_players=3, opponents=opponents, seat=1)
    environment.reset(seed=0)
    assert (opponents[0].decisions, opponents[1].decisions > 0) == (0, True)
    play(environment, 1)
    assert opponents[0].decisions > 0


def test_stronger_opponents_win_more():
    wins = {}
    for name in ("random", "heuristic"):
        opponents = [gubs_agents.make(name, seed=0)]
        environment = gymnasium.make(ID, opponents=opponents)
        wins[name] = np.mean([play(environment, seed)[1] for seed in range(60)])
    assert wins["heuristic"] < wins["random"] - 0.3


def test_an_illegal_action_ends_the_game_with_minus_one():
    environment = gymnasium.make(ID)
    _, info = environment.reset(seed=0)
    assert info["illegal_action"] is np.False_
    _, reward, terminated, _, info = environment.step(40)
    assert (reward, terminated, info["illegal_action"]) == (-1, True, np.True_)
    assert not info["action_mask"].any()


@pytest.mark.parametrize(
    ("action", "error", "said"),
    [
        (9999, ValueError, "action 9999: the space is 0 to 63"),
        (-1, ValueError, "action -1: the space is 0 to 63"),
        (0.5, TypeError, "must be a whole number, not 0.5"),
    ],
)
def test_an_action_outside_the_space_changes_nothing(action, error, said):
    environment = single_agent_env(seat=0)
    _, info = environment.reset(seed=0)
    before = environment.log()
    with pytest.raises(error, match=said):
        environment.step(action)
    assert environment.log() == before
    environment.step(int(info["action_mask"].argmax()))


def test_a_step_without_a_game_asks_for_reset():
    environment = single_agent_env()
    for call in (lambda: environment.step(0), environment.describe, environment.log):
        with pytest.raises(ResetNeeded, match="call reset"):
            call()
    environment.reset(seed=0)
    environment.step(40)
    with pytest.raises(ResetNeeded, match="no game is under way"):
        environment.step(0)


@pytest.mark.parametrize(
    "opponents", ["heuristic", "ismcts:playouts=4", ["greedy", "montecarlo:playouts=2"]]
)
def test_opponents_are_named_with_their_options(opponents):
    environment = gymnasium.make(ID, num_players=3, opponents=opponents)
    runs = [play(environment, seed=5) for _ in range(2)]
    assert runs[0][1] in (1, -0.5, 0.25, 0)
    assert all((a == b).all() for a, b in zip(*(run[0] for run in runs), strict=True)), "the seed"


def test_a_spec_survives_json():
    made = gymnasium.make(
        ID,
        opponents="ismcts:playouts=2",
        rules={"letters": "anywhere", "deck": {**PRINTED, "Lure": 2}},
    )
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(made.spec.to_json()))
    assert again.unwrapped.table.rules == made.unwrapped.table.rules
    assert again.unwrapped.table.rules.composition()[Card.LURE] == 2


def test_forced_decisions_are_played_on_request():
    choices = []
    for skip_forced in (False, True):
        environment = gymnasium.make(ID, skip_forced=skip_forced)
        counts = []
        for seed in range(10):
            _, info = environment.reset(seed=seed)
            over = False
            while not over:
                counts.append(info["action_mask"].sum())
                action = info["action_mask"].argmax()
                _, _, over, _, info = environment.step(action)
        choices.append(counts)
    assert min(choices[0]) == 1
    assert min(choices[1]) == 2
    assert [count for count in choices[0] if count > 1] == choices[1]


@pytest.mark.parametrize("as_dict", [False, True])
def test_observations_are_floats_on_request(as_dict):
    plain, floats = (
        gymnasium.make(ID, seat=0, **options)
        for options in ({}, {"dtype": "float32", "dict_observations": as_dict})
    )
    check_env(floats.unwrapped)
    seen, info = plain.reset(seed=1)
    shown, _ = floats.reset(seed=1)
    assert floats.observation_space.contains(shown)
    if as_dict:
        assert shown["action_mask"].dtype == np.float32
        assert (shown["action_mask"] == info["action_mask"]).all()
        shown = shown["observation"]
    assert shown.dtype == np.float32
    assert (shown == seen).all()


def test_what_the_agent_may_ask():
    environment = gymnasium.make(ID, seat=1).unwrapped
    environment.reset(seed=0)
    action = int(environment.action_masks().argmax())
    assert environment.action_index(environment.action_name(action)) == action
    assert "you" in environment.describe()
    assert environment.view().seat == 1
    assert environment.outcome().scores
    assert set(environment.observation_slices()) >= {"hand", "deck_size"}
    assert environment.log()


def test_rules_reach_the_game():
    environment = gymnasium.make(ID, rules=Rules(reward="margin"))
    assert {play(environment, seed)[1] for seed in range(20)} - {-1.0, 0.0, 1.0}


def test_what_does_not_fit_is_an_error():
    for options, said in (
        ({"num_players": 3, "opponents": []}, "2 opponents are needed"),
        ({"seat": 2}, "allowed are None and 0 to 1"),
        ({"num_players": 8}, "2 to 6 players"),
        ({"opponents": "heuristics"}, "no agent is called 'heuristics' in gubs_v0: there are"),
        ({"opponents": "ismcts:playout=5"}, "agent 'ismcts' has no option playout: its options"),
        ({"dtype": "int16"}, r"dtype='int16': allowed are \('int8', 'float32'\)"),
        ({"rules": {"letter": "anywhere"}}, "have no option letter: there are letters"),
    ):
        with pytest.raises(ValueError, match=said):
            gymnasium.make(ID, **options)


def test_what_is_no_agent_or_rules_is_a_type_error():
    for options, said in (
        ({"opponents": object()}, "is no agent: it has neither act, search nor choose"),
        ({"rules": 3}, "rules of gubs_v0 are its Rules"),
    ):
        with pytest.raises(TypeError, match=said):
            single_agent_env(**options)
    with pytest.raises(ValueError, match="render_mode='rgb': allowed are None and"):
        single_agent_env(render_mode="rgb")


def test_rendering(capsys):
    environment = gymnasium.make(ID, render_mode="ansi")
    environment.reset(seed=0)
    assert environment.render().startswith("Gubs, seen by")
    environment = gymnasium.make(ID, render_mode="human")
    _, info = environment.reset(seed=0)
    assert "Gubs, seen by" in capsys.readouterr().out, "the table is printed without a call"
    environment.step(info["action_mask"].argmax())
    assert "Gubs, seen by" in capsys.readouterr().out
