"""Many games for one agent: `gymnasium.make_vec` on the compiled batch."""

from __future__ import annotations

import ast

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as wrappers

from gubs_env import fubnub_v0, gubs_v0
from gubs_env.api.seated import LEARNER
from tests.api.tables import every_module

ID = "gubs_env/Gubs-v0"
every_mode = pytest.mark.parametrize("mode", AutoresetMode)


def random_actions(rng, masks):
    return np.where(masks, rng.random(masks.shape), -1).argmax(1)


def play(environment, seed, steps=150):
    """Random legal play: everything that the steps returned."""
    rng = np.random.default_rng(seed)
    observations, infos = environment.reset(seed=seed)
    seen = [(observations, infos)]
    for _ in range(steps):
        masks = infos["action_mask"]
        assert masks.any(axis=1).all(), "the agent has a decision in every game"
        *step, infos = environment.step(random_actions(rng, masks))
        assert environment.observation_space.contains(step[0])
        seen.append((*step, infos))
    return seen


@every_module
def test_make_vec_makes_the_compiled_batch(module):
    title = {"gubs_v0": "Gubs", "fubnub_v0": "Fubnub", "bad_bad_turtle_v0": "BadBadTurtle"}
    made = gymnasium.make_vec(f"gubs_env/{title[module.GAME.name]}-v0", num_envs=3)
    assert isinstance(made.unwrapped, module.single_agent_vector_env)
    assert made.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert made.unwrapped.autoreset_mode is AutoresetMode.SAME_STEP  # TorchRL reads this one
    assert made.num_envs == 3
    play(made, seed=0, steps=30)


def test_an_episode_is_that_of_one_game_with_its_last_observation_and_payoff():
    made = gymnasium.make_vec(ID, num_envs=8, num_players=3, opponents="heuristic", seat=1)
    over = 0
    letters = gubs_v0.env(num_players=3).observation_slices()["letters"]
    for _, rewards, terminations, truncations, infos in play(made, seed=1)[1:]:
        assert not truncations.any()
        assert (rewards[~terminations] == 0).all()
        for index in np.flatnonzero(terminations):
            assert infos["_final_obs"][index]
            assert letters.of(infos["final_obs"][index]).sum() == 3, "the three Letters are out"
            assert not infos["final_info"]["action_mask"][index].any()
            assert rewards[index] in (1, 0.25, 0, -0.5)
            over += 1
        assert terminations.any() == ("final_obs" in infos)
    assert over > 10


def test_a_seed_repeats_everything():
    made = gymnasium.make_vec(ID, num_envs=5, opponents="random")
    runs = [play(made, seed=3) for _ in range(2)]
    for first, second in zip(*runs, strict=True):
        assert all((a == b).all() for a, b in zip(first[:-1], second[:-1], strict=True))


@pytest.mark.parametrize("seat", [0, 2, None])
def test_the_agent_sits_where_it_is_told_and_opponents_clockwise(seat):
    made = gubs_v0.single_agent_vector_env(40, num_players=3, seat=seat)
    made.reset(seed=0)
    seats = {tuple(row) for row in made.seating.tolist()}
    clockwise = {0: (LEARNER, 0, 1), 1: (1, LEARNER, 0), 2: (0, 1, LEARNER)}
    assert seats == ({clockwise[seat]} if seat is not None else set(clockwise.values()))


def test_an_illegal_action_ends_its_game_and_no_other():
    made = gymnasium.make_vec(ID, num_envs=3, seat=0)
    _, infos = made.reset(seed=0)
    actions = infos["action_mask"].argmax(1)
    actions[1] = 40
    assert not infos["action_mask"][1, 40]
    _, rewards, terminations, truncations, infos = made.step(actions)
    assert rewards.tolist() == [0, -1, 0]
    assert terminations.tolist() == [False, True, False]
    assert not truncations.any()
    assert infos["final_info"]["illegal_action"].tolist() == [False, True, False]
    assert infos["action_mask"].any(axis=1).all(), "another game has been dealt"


def test_a_game_that_is_cut_off_is_truncated_not_terminated():
    made = fubnub_v0.single_agent_vector_env(6, rules={"max_cycles": 30})
    ends = [step[2:4] for step in play(made, seed=0, steps=60)[1:]]
    assert not any((terminations & truncations).any() for terminations, truncations in ends)
    assert any(truncations.any() for _, truncations in ends)


def test_a_searching_opponent_plays():
    play(gymnasium.make_vec(ID, num_envs=2, opponents="ismcts:playouts=2"), seed=0, steps=10)


def test_observations_are_dicts_of_floats_on_request():
    made = gymnasium.make_vec(ID, num_envs=2, dtype="float32", dict_observations=True)
    observations, infos = made.reset(seed=0)
    assert made.observation_space.contains(observations)
    assert (observations["action_mask"] == infos["action_mask"]).all()
    play(made, seed=0, steps=40)


def test_forced_decisions_are_played_on_request():
    made = gymnasium.make_vec(ID, num_envs=4, skip_forced=True)
    for *_, infos in play(made, seed=0, steps=40):
        assert (infos["action_mask"].sum(1) > 1).all()


def in_step(made, seed, steps, illegal=0.0):
    """Random play in which finished games are dealt anew by a mask if nothing else does."""
    rng = np.random.default_rng(seed)
    yield made.reset(seed=seed)
    for _ in range(steps):
        masks = np.array(made.call("action_masks"))
        actions = random_actions(rng, masks)
        forfeits = rng.random(len(actions)) < illegal
        actions = np.where(forfeits, (~masks).argmax(1), actions)
        *step, infos = made.step(actions)
        yield *step, infos
        ended = step[2] | step[3]
        if made.metadata["autoreset_mode"] is AutoresetMode.DISABLED and ended.any():
            yield made.reset(options={"reset_mask": ended})


def assert_equal(ours, theirs, path=()):
    """Compare what two environments returned; `SyncVectorEnv` writes bools as objects."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), path
        for key in ours:
            assert_equal(ours[key], theirs[key], (*path, key))
    elif ours.dtype == object:
        for one, other in zip(ours, theirs, strict=True):
            assert (one is None) == (other is None), path
            if one is not None:
                assert_equal(one, other, path)
    else:
        assert ours.shape == theirs.shape, path
        assert ours.dtype == theirs.dtype or theirs.dtype == object, path
        assert (ours == np.where(theirs == None, False, theirs)).all(), path  # noqa: E711


@every_mode
@every_module
def test_each_step_is_that_of_single_environments(module, mode):
    options = {"num_players": 3} if module.GAME.name == "gubs_v0" else {}
    options |= {"opponents": "random", "dict_observations": True}
    options |= {"rules": {"max_cycles": 40}} if module.GAME.name != "gubs_v0" else {}
    ours = module.single_agent_vector_env(3, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: module.single_agent_env(**options)] * 3, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] is theirs.metadata["autoreset_mode"]
    ends = 0
    pairs = zip(in_step(ours, 7, 80, 0.05), in_step(theirs, 7, 80, 0.05), strict=True)
    for our_step, their_step in pairs:
        for mine, other in zip(our_step, their_step, strict=True):
            assert_equal(mine, other)
        ends += len(our_step) > 2 and int((our_step[2] | our_step[3]).sum())
        assert (np.array(ours.call("action_masks")) == theirs.call("action_masks")).all()
    assert ends > 3


@pytest.mark.parametrize("options", [{"skip_forced": True, "seat": 1}, {"dtype": "float32"}])
def test_options_change_nothing_about_that(options):
    ours = gubs_v0.single_agent_vector_env(2, num_players=2, opponents="greedy", **options)
    theirs = SyncVectorEnv(
        [lambda: gubs_v0.single_agent_env(num_players=2, opponents="greedy", **options)] * 2,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    for our_step, their_step in zip(in_step(ours, 1, 60), in_step(theirs, 1, 60), strict=True):
        for mine, other in zip(our_step, their_step, strict=True):
            assert_equal(mine, other)


def masked_steps(made, count):
    """Yield what `step` returns, and which games ended; deal them anew by a mask if need be."""
    rng, ended = np.random.default_rng(0), np.zeros(made.num_envs, bool)
    made.reset(seed=0)
    for _ in range(count):
        if made.metadata["autoreset_mode"] is AutoresetMode.DISABLED and ended.any():
            made.reset(options={"reset_mask": ended})
        step = made.step(random_actions(rng, made.unwrapped.action_masks()))
        ended = step[2] | step[3]
        yield *step, ended


@every_mode
def test_gymnasiums_vector_wrappers_fit(mode):
    made = gymnasium.make_vec(
        ID, num_envs=4, num_players=2, autoreset_mode=mode.value, dtype="float32"
    )
    recorded = wrappers.RecordEpisodeStatistics(made)
    wrapped = wrappers.NormalizeReward(recorded, gamma=1.0)
    halves = mode is not AutoresetMode.SAME_STEP  # Gymnasium's observation wrappers refuse it
    if halves:
        wrapped = wrappers.TransformObservation(wrapped, lambda seen: seen / 2)
    episodes = 0
    for seen, _, _, _, infos, ended in masked_steps(wrapped, 200):
        assert made.observation_space.contains(seen * 2 if halves else seen)
        episodes += int(ended.sum())
        assert ended.any() == ("episode" in infos)
        assert (infos.get("_episode", ended) == ended).all()
        assert ((infos.get("episode", {"l": ended})["l"] > 0) == ended).all()
    assert episodes > 3
    assert recorded.episode_count == episodes


@every_mode
def test_infos_can_be_listed_by_game(mode):
    listed = wrappers.DictInfoToList(
        gymnasium.make_vec(ID, num_envs=4, num_players=2, autoreset_mode=mode)
    )
    same_step = mode is AutoresetMode.SAME_STEP
    for *_, infos, ended in masked_steps(listed, 100):
        assert ["final_obs" in info for info in infos] == (ended & same_step).tolist()
        over = [not info["action_mask"].any() for info in infos]
        assert over == ([False] * 4 if same_step else ended.tolist())


def test_a_mask_deals_only_the_games_that_it_names():
    made = gubs_v0.single_agent_vector_env(3, autoreset_mode="Disabled", seat=0)
    before, _ = made.reset(seed=[5, None, 6])
    again, _ = made.reset(seed=[5, None, 6])
    assert (before[[0, 2]] == again[[0, 2]]).all()
    seen, infos = made.reset(seed=9, options={"reset_mask": np.array([False, True, False])})
    assert (seen[[0, 2]] == again[[0, 2]]).all()
    assert infos["_action_mask"].tolist() == [False, True, False]
    alone = gubs_v0.single_agent_env(seat=0)
    assert (alone.reset(seed=10)[0] == seen[1]).all()


def test_without_autoreset_a_finished_game_waits_for_reset():
    made = gubs_v0.single_agent_vector_env(2, autoreset_mode=AutoresetMode.DISABLED)
    made.reset(seed=0)
    masks = made.action_masks()
    actions = masks.argmax(1)
    actions[1] = masks[1].argmin()
    *_, infos = made.step(actions)
    assert not infos["action_mask"][1].any()
    assert infos["illegal_action"].tolist() == [False, True]
    with pytest.raises(ResetNeeded, match=r"the games \[1\] are over"):
        made.step(np.zeros(2, int))


def test_attributes_and_methods_are_those_of_each_game():
    made = gubs_v0.single_agent_vector_env(3, num_players=4)
    assert made.get_attr("render_mode") == (None,) * 3
    with pytest.raises(ResetNeeded, match="call reset"):
        made.call("describe")
    made.set_attr("seat", [0, 1, 2])
    made.reset(seed=0)
    assert [made._seat_of(index) for index in range(3)] == [0, 1, 2]
    for seat, text in enumerate(made.call("describe")):
        assert text.startswith(f"Gubs, seen by player_{seat} ")
    assert made.call("action_index", "DECK") == (1, 1, 1)
    assert len(made.np_random) == len(made.np_random_seed) == 3
    assert made.np_random_seed == (0, 1, 2)


def test_every_name_of_call_is_one_of_the_single_environment():
    made = gubs_v0.single_agent_vector_env(1, render_mode="ansi")
    alone = SyncVectorEnv([lambda: gubs_v0.single_agent_env(render_mode="ansi")])
    made.reset(seed=4)
    alone.reset(seed=4)
    with pytest.raises(AttributeError, match="no attribute 'nothing'; they have") as raised:
        made.call("nothing")
    arguments = {"action_name": [1], "action_index": ["DECK"]}
    for name in ast.literal_eval(str(raised.value).partition("they have ")[2]):
        ours = made.call(name, *arguments.get(name, []))[0]
        theirs = alone.call(name, *arguments.get(name, []))[0]
        if name == "view":
            ours, theirs = ours.state.tobytes(), theirs.state.tobytes()
        if name not in ("metadata", "np_random", "opponents"):
            assert np.all(ours == theirs), name


def test_other_things_cannot_be_set_or_chosen():
    made = gubs_v0.single_agent_vector_env(2)
    with pytest.raises(AttributeError, match="no attribute 'rules' to set; allowed is 'seat'"):
        made.set_attr("rules", None)
    with pytest.raises(ValueError, match="3 seats: give one for all games, or 2"):
        made.set_attr("seat", [0, 1, 2])
    with pytest.raises(ValueError, match="seat=9: allowed are None and 0 to"):
        made.set_attr("seat", 9)
    with pytest.raises(ValueError, match=r"autoreset_mode='never': allowed are .*'NextStep'"):
        gubs_v0.single_agent_vector_env(2, autoreset_mode="never")
    with pytest.raises(ResetNeeded, match="without a mask first"):
        made.reset(options={"reset_mask": np.array([True, False])})
    for wrong in (np.array([1, 0]), [True, False]):
        with pytest.raises(TypeError, match=r"reset_mask=.*: must be an array of bool"):
            made.reset(options={"reset_mask": wrong})
    for wrong in (np.zeros(2, bool), np.ones(3, bool)):
        with pytest.raises(ValueError, match=r"must have the shape \(2,\) and name a game"):
            made.reset(options={"reset_mask": wrong})
    with pytest.raises(ValueError, match="3 seeds: give one for the first game, or 2"):
        made.reset(seed=[1, 2, 3])
    with pytest.raises(TypeError, match=r"seed\[0\]='a': must be a whole number"):
        made.reset(seed=["a", 1])


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ([0, 9999], "action 9999: the space is 0 to 63"),
        ([0], r"actions must be whole numbers of shape \(2,\), not int64 of shape \(1,\)"),
        ([0.0, 1.0], r"actions must be whole numbers of shape \(2,\), not float64"),
    ],
)
def test_actions_that_do_not_fit_are_named(actions, said):
    made = gubs_v0.single_agent_vector_env(2)
    made.reset(seed=0)
    with pytest.raises(ValueError, match=said):
        made.step(np.array(actions))


def test_what_cannot_be_is_an_error():
    made = gubs_v0.single_agent_vector_env(2)
    with pytest.raises(ResetNeeded, match="call reset"):
        made.step(np.zeros(2, int))
    with pytest.raises(ValueError, match="reset options"):
        made.reset(options={"starting_player": 0})
    with pytest.raises(ValueError, match="render_mode='human': allowed are None and"):
        gubs_v0.single_agent_vector_env(2, render_mode="human")


def test_rendering_shows_every_game():
    made = gubs_v0.single_agent_vector_env(2, render_mode="ansi")
    made.reset(seed=0)
    assert [text[:13] for text in made.render()] == ["Gubs, seen by"] * 2
