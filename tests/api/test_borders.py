"""The interfaces check numbers, seeds, seats, arrays and the answers of agents."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.engine.choosing import LOOK
from tests.api.tables import every_module, random_action
from tests.commands import python


def games(**options):
    return gubs_v0.vector_env(4, seed=0, **options)


def unchanged(env, call, error, said):
    before = env.states.tobytes(), env.masks.tobytes(), env._rngs.tobytes()
    with pytest.raises(error, match=said):
        call()
    assert (env.states.tobytes(), env.masks.tobytes(), env._rngs.tobytes()) == before


# ------------------------------------------------------------------------------- vectorised


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda env: env.observe(0, 6), ValueError, "seat=6: must be 0 to 1"),
        (lambda env: env.observe(0, -1), ValueError, "seat=-1: must be 0 to 1"),
        (lambda env: env.observe(4, 0), ValueError, "index=4: must be 0 to 3"),
        (lambda env: env.observe(0.0, 0), TypeError, "index=0.0: must be a whole number"),
        (lambda env: env.observe(True, 0), TypeError, "index=True: must be a whole number"),
        (lambda env: env.deal(-1), ValueError, "index=-1: must be 0 to 3"),
        (lambda env: env.deal(0, -1), ValueError, "seed=-1: must be at least 0"),
        (lambda env: env.deal(0, 1.5), TypeError, "seed=1.5: must be a whole number"),
        (lambda env: env.outcome(9), ValueError, "index=9: must be 0 to 3"),
        (lambda env: env.views([4]), ValueError, "allowed are 0 to 3"),
        (lambda env: env.views([-1]), ValueError, "allowed are 0 to 3"),
        (lambda env: env.views([0.0]), TypeError, "must be whole numbers of shape"),
        (lambda env: env.views("0"), TypeError, "must be a whole number"),
        (lambda env: env.observe([0, 4], [0, 0]), ValueError, "allowed are 0 to 3"),
        (lambda env: env.determinize(env.views([0, 1])), ValueError, "2 views: give one, or 4"),
        (lambda env: env.determinize(env.views([0]), -3), ValueError, "seed=-3"),
        (lambda env: env.reset("x"), TypeError, "seed='x'"),
        (lambda env: env.reset(-1), ValueError, "seed=-1"),
        (lambda env: env.play_randomly(1.5), TypeError, "rounds=1.5"),
        (lambda env: env.play_randomly(0), ValueError, "rounds=0: must be at least 1"),
        (lambda env: env.play_randomly(1, -1), ValueError, "seed=-1"),
        (lambda env: env.set_states(env.states[0], 0.5), TypeError, "seed=0.5"),
        (lambda env: env.deal(10**30), ValueError, "must be 0 to 3"),
        (lambda env: env.play_randomly(10**30), ValueError, "must be 1 to 9223372036854775807"),
        (lambda env: env.reset([1, 2, 3]), ValueError, "3 seeds: give one for the first game"),
        (lambda env: env.reset([1, 2, 3, -4]), ValueError, r"seed\[3\]=-4: must be at least 0"),
        (lambda env: env.reset([1, 2, None, 4]), TypeError, r"seed\[2\]=None"),
        (lambda env: env.reset(np.ones(4)), TypeError, r"seed\[0\]="),
        (lambda env: env.action_text(0, True), TypeError, "an action must be a whole number"),
    ],
)
def test_a_bad_argument_is_refused_and_no_game_changes(call, error, said):
    env = games()
    unchanged(env, lambda: call(env), error, said)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"autoreset": "no"}, TypeError, "autoreset='no': must be True or False"),
        ({"skip_forced": 1}, TypeError, "skip_forced=1"),
        ({"copy": None}, TypeError, "copy=None"),
        ({"threads": 1.5}, TypeError, "threads=1.5"),
        ({"threads": True}, TypeError, "threads=True"),
        ({"num_envs": 2.0}, TypeError, "num_envs=2.0"),
        ({"seed": -1}, ValueError, "seed=-1"),
        ({"seed": 0.5}, TypeError, "seed=0.5"),
        ({"seed": [1, 2]}, ValueError, "2 seeds: give one for the first game, or 4 in a list"),
        ({"num_envs": 10**30}, ValueError, "num_envs=1000.*: must be 1 to 9223372036854775807"),
        ({"num_envs": 10**12}, ValueError, "bytes are needed, and this machine has"),
        ({"history": 10**15}, ValueError, "bytes are needed, and this machine has"),
        ({"threads": 10**30}, ValueError, "threads=1000"),
        ({"num_players": 10**30}, ValueError, "Gubs is for 2 to 6 players"),
    ],
)
def test_options_have_their_types(options, error, said):
    with pytest.raises(error, match=said):
        gubs_v0.vector_env(**({"num_envs": 4} | options))


def test_each_game_may_have_a_seed_of_its_own():
    for seeds in ([5, 1, 10**30], (5, 1, 10**30), np.array([5, 1, 10**15])):
        env = gubs_v0.vector_env(3, seed=seeds)
        for index, seed in enumerate(seeds):
            alone = gubs_v0.raw_env()
            alone.reset(seed=seed)
            assert env.states[index].tobytes() == alone.state().tobytes()
        env.play_randomly(9)
        assert (env.reset(seeds).masks == gubs_v0.vector_env(3, seed=seeds).masks).all()


def test_numpys_numbers_are_numbers():
    env = gubs_v0.vector_env(np.int64(3), 2, seed=np.uint8(4), autoreset=np.bool_(True))
    assert (env.states == gubs_v0.vector_env(3, 2, seed=4).states).all()
    assert env.observe(np.int32(1), np.array(0)).any()


def test_the_states_are_read_only():
    env = games()
    with pytest.raises(ValueError, match="read-only"):
        env.states["phase"] = 3
    env.play_randomly(3, seed=0)
    env.set_states(env.states)


def test_what_a_caller_writes_into_the_masks_makes_nothing_legal():
    env = games()
    env.masks[:] = 1
    with pytest.raises(ValueError, match="action 40 is not legal; legal are PASS, DECK"):
        env.step(np.full(4, 40))
    env.masks[:] = 0
    env.step(np.ones(4, int))
    assert (env.masks.sum(1) > 0).all()
    tampered, untouched = games(), games()
    tampered.masks[:] = 1
    for each in (tampered, untouched):
        each.play_randomly(20, seed=1)
    assert (tampered.states == untouched.states).all()


def test_a_game_that_was_just_dealt_is_judged_by_its_own_mask():
    """The mask of the game that lay there before made other actions legal."""
    env = games()
    while not env.masks[0, 40]:
        env.play_randomly(1)
    actions = env.masks.argmax(1)
    actions[0] = 40
    env.deal(0, seed=0)
    with pytest.raises(ValueError, match="game 0: action 40 is not legal; legal are PASS, DECK"):
        env.step(actions)
    env.deal(0, seed=0)
    env.play_randomly(1, seed=0)
    assert env.states["decisions"][0] == 1


def test_a_game_that_is_over_has_no_view():
    env = games(autoreset=False)
    env.play_out(seed=0)
    with pytest.raises(ValueError, match="game 2 is over"):
        env.views(np.array([2]))


def actions_in(form, actions):
    """Return actions as an array of another kind."""
    if form == "strided":
        return np.repeat(actions, 2)[::2]
    if form == "reversed":
        return actions[::-1].copy()[::-1]
    if form == "read-only":
        actions = actions.copy()
        actions.flags.writeable = False
        return actions
    return actions.astype(form)


@pytest.mark.parametrize("threads", [1, 2])
def test_actions_of_any_whole_dtype_and_layout_are_the_same_actions(threads):
    forms = ("strided", "reversed", "read-only", ">i8", ">i2", "i1", "u1", "u8", "i4")
    plain = games(threads=threads)
    others = [games(threads=threads) for _ in forms]
    signatures = len(getattr(gubs_v0.GAME.kernel.advance, "signatures", ()))
    rng = np.random.default_rng(0)
    for _ in range(30):
        actions = np.where(plain.masks, rng.random(plain.masks.shape), -1).argmax(1)
        plain.step(actions)
        for form, env in zip(forms, others, strict=True):
            env.step(actions_in(form, actions))
            assert (env.states == plain.states).all()
    assert len(getattr(gubs_v0.GAME.kernel.advance, "signatures", ())) == signatures


def test_a_huge_unsigned_action_is_not_taken_for_minus_one():
    for action in (2**64 - 1, 2**63, 2**32):
        with pytest.raises(ValueError, match=f"action {action} is not legal"):
            games().step(np.full(4, action, np.uint64))
    assert games().step(np.full(4, LOOK, np.int8)).masks.any()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork")
def test_a_forked_child_steps_a_batch_with_threads():
    env = games(threads=2)
    env.step(np.ones(4, int))
    child = os.fork()
    if child == 0:
        try:
            env.play_randomly(20, seed=3)
            env.close()
            os._exit(7)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    env.play_randomly(20, seed=3)
    env.close()


# ---------------------------------------------------------------------------- agents' answers


class Answering:
    """An agent that answers every decision in the same way."""

    def __init__(self, answer):
        self.answer = answer

    def act(self, observations, masks, rngs=None):
        return self.answer


def play_on(env):
    while True:
        env.step(int(env.action_masks().argmax()))


NONSENSE = [
    None,
    [1.0],
    [1, 1],
    [],
    "DECK",
    [-1],
    [40],
    [10**6],
    [[1], [1, 2]],
    1,
    np.array([True]),
]


@pytest.mark.parametrize("answer", NONSENSE, ids=repr)
def test_an_opponents_nonsense_is_an_error_that_names_it(answer):
    env = gubs_v0.single_agent_env(3, opponents=["random", Answering(answer)], seat=0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"agent 'opponent 2, Answering' (answered|chose)"):
        play_on(env)
    many = gubs_v0.single_agent_vector_env(2, 2, opponents=Answering(answer), seat=1)
    with pytest.raises(ValueError, match=r"agent 'opponent 1, Answering' (answered|chose)"):
        many.reset(seed=0)


# ------------------------------------------------------------------------- the other interfaces


@every_module
@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"seed": -1}, ValueError, "seed=-1: must be at least 0"),
        ({"seed": 1.0}, TypeError, "seed=1.0: must be a whole number"),
        ({"seed": True}, TypeError, "seed=True: must be a whole number"),
        ({"seed": "1"}, TypeError, "seed='1'"),
        ({"options": 5}, TypeError, "reset options must be a dict or None, not 5"),
        ({"options": {1: 2, "x": 3}}, ValueError, "the only one is 'starting_player'"),
        ({"options": {"starting_player": [0]}}, ValueError, "allowed are 0 to"),
        ({"options": {"starting_player": np.zeros(2)}}, ValueError, "allowed are 0 to"),
    ],
)
def test_a_bad_reset_deals_nothing(module, arguments, error, said):
    env = module.raw_env()
    env.reset(seed=1)
    before = env.to_json()
    with pytest.raises(error, match=said):
        env.reset(**arguments)
    assert env.to_json() == before


@pytest.mark.parametrize("seed", [-1, 1.0, "x", True])
def test_the_gymnasium_environments_refuse_the_same_seeds(seed):
    for env in (gubs_v0.single_agent_env(), gubs_v0.single_agent_vector_env(2)):
        with pytest.raises((TypeError, ValueError), match="seed="):
            env.reset(seed=seed)


@every_module
def test_a_bool_is_no_action(module):
    env = module.raw_env()
    env.reset(seed=0)
    before = env.to_json()
    for action in (True, False, np.True_, 1.0, "1", None, [1]):
        with pytest.raises(TypeError, match="an action must be a whole number, not"):
            env.step(action)
    assert env.to_json() == before
    with pytest.raises(TypeError, match="an action must be a whole number, not True"):
        env.action_name(True)
    with pytest.raises(TypeError, match="a move is a text or its picks"):
        env.play([True])
    gym = module.single_agent_env()
    gym.reset(seed=0)
    with pytest.raises(TypeError, match="an action must be a whole number, not True"):
        gym.step(True)


@every_module
@pytest.mark.parametrize("agent", ["z", 0, None, np.array(["player_0"]), ["player_0"]])
def test_an_agent_that_does_not_exist_has_no_spaces(module, agent):
    for env in (module.raw_env(), module.env()):
        for space in (env.observation_space, env.action_space):
            with pytest.raises(ValueError, match="no agent is called"):
                space(agent)


WRONG_RULES = [
    (gubs_v0, {"letters": np.array(["thirds"])}, "rules option letters="),
    (gubs_v0, {"ask_everyone": np.array(True)}, "rules option ask_everyone="),
    (gubs_v0, {"ask_everyone": 1}, "rules option ask_everyone=1"),
    (gubs_v0, {"deck": {"Gub": 10**30}}, "deck: Gub ×1000.*: .* at most 70"),
    (gubs_v0, {"deck": {"Gub": -1}}, "deck: Gub ×-1: counts must not"),
    (gubs_v0, {"deck": {"Gub": True}}, "deck: Gub ×True is not a whole number"),
    (gubs_v0, {"deck": {"Gub": np.array([3])}}, "deck: Gub ×array"),
    (gubs_v0, {"deck": {True: 3}}, "no card is called True"),
    (gubs_v0, {"deck": {1.0: 3}}, "no card is called 1.0"),
    (fubnub_v0, {"mode": np.array(["team"])}, "rules option mode="),
    (fubnub_v0, {"max_cycles": 10**30}, "rules option max_cycles=1000"),
    (fubnub_v0, {"max_cycles": True}, "rules option max_cycles=True"),
    (fubnub_v0, {"num_points": np.array([3])}, "rules option num_points="),
    (fubnub_v0, {"point_cards": [10**30]}, "no point card is called"),
    (fubnub_v0, {"point_cards": [True]}, "no point card is called True"),
    (fubnub_v0, {"mode": "ghost", "ghost_seats": [10**30]}, "rules option ghost_seats="),
    (bad_bad_turtle_v0, {"removed": [True]}, "no card is called True"),
    (bad_bad_turtle_v0, {"removed": [10**30]}, "no card is called 1000"),
    (bad_bad_turtle_v0, {"max_cycles": np.array([7])}, "rules option max_cycles="),
]


@pytest.mark.parametrize(("module", "options", "said"), WRONG_RULES, ids=range(len(WRONG_RULES)))
def test_a_value_that_no_option_has_is_refused(module, options, said):
    with pytest.raises(ValueError, match=said):
        module.Rules(**options)


NUMPYS_RULES = [
    (gubs_v0, {"letters": np.str_("anywhere"), "ask_everyone": np.True_}),
    (gubs_v0, {"deck": {"Gub": np.int8(4), gubs_v0.Card.LURE: np.uint64(3), "Feather": 9,
                        "Letter G": 1, "Letter U": 1, "Letter B": 1}}),
    (fubnub_v0, {"mode": np.str_("ghost"), "ghost_seats": [np.int8(3)], "num_points": np.int8(3),
                 "point_cards": [np.int64(1), 2, 3], "max_cycles": np.int32(70)}),
    (bad_bad_turtle_v0, {"removed": np.array(["Peek", "Skip"]), "younger": np.False_,
                         "max_cycles": np.uint8(9)}),
]  # fmt: skip


@pytest.mark.parametrize(("module", "options"), NUMPYS_RULES, ids=range(len(NUMPYS_RULES)))
def test_numpys_values_of_options_become_plain_ones(module, options):
    rules = module.Rules(**options)
    assert module.Rules(**json.loads(json.dumps(rules.as_dict()))) == rules
    assert {type(value) for value in rules.as_dict().values()} <= {
        bool, int, str, list, dict, type(None)
    }  # fmt: skip


@pytest.mark.parametrize("seat", [2, -1, 1.0, True, "0"])
def test_a_seat_is_the_index_of_a_player(seat):
    for make in (gubs_v0.single_agent_env, gubs_v0.single_agent_vector_env):
        with pytest.raises(ValueError, match="allowed are None and 0 to 1"):
            make(seat=seat)


def test_a_switch_that_is_no_switch_is_refused():
    for make in (gubs_v0.single_agent_env, gubs_v0.single_agent_vector_env):
        with pytest.raises(TypeError, match="skip_forced='no': must be True or False"):
            make(skip_forced="no")


def test_a_bool_of_an_action_is_the_number():
    for action in (True, np.uint8(1)):
        env = gubs_v0.env()
        env.reset(seed=0)
        env.step(action)
        assert env.rewards["player_0"] == 0


@every_module
@pytest.mark.parametrize("counter", ["decisions", "hands", "deals"])
def test_what_a_counter_may_be_it_may_be_after_every_step(module, counter):
    field = next((field for field in module.GAME.state_fields if field.name == counter), None)
    if field is None:
        return
    env = module.env()
    env.reset(seed=3)
    state, most = env.state(), field.high
    if counter == "decisions" and "max_cycles" in state.dtype.names:
        most = int(state["max_cycles"]) - 1
    for value in (-1, most + 1, 2**40 + 1, 2**62):
        state[counter] = value
        with pytest.raises(ValueError, match=f"its {counter} is out of range: allowed is 0 to "):
            env.set_state(state)
    rng = np.random.default_rng(0)
    for value in (most - 9, most - 1, most):
        state[counter] = value
        env.set_state(state)
        for _ in range(60):
            if (action := random_action(env, rng)) is None:
                break
            env.set_state(env.state())
            env.step(action)


def test_python_without_asserts_refuses_the_same():
    script = """
import numpy as np
from gubs_env import gubs_v0
env = gubs_v0.env()
env.reset(seed=0)
for action in (64, -1, 10**9, 1.0, None):
    try:
        env.step(action)
    except AssertionError as error:
        print(error)
try:
    for agent in env.agent_iter():
        pass
except AssertionError as error:
    print(error)
"""
    lines = python(script, options=["-O"]).splitlines()
    assert lines[:5] == ["action is not in action space"] * 5
    assert lines[5:] == ["need to call step() or reset() in a loop over `agent_iter`"]


def test_rules_that_do_not_fit_in_a_state_are_refused_in_a_saved_game():
    env = fubnub_v0.raw_env(rules={"max_cycles": 300})
    env.reset(seed=1)
    text = env.to_json().replace('"max_cycles":300', '"max_cycles":' + "9" * 30)
    with pytest.raises(ValueError, match="rules"):
        fubnub_v0.raw_env.from_json(text)
