"""Many games for one agent: `gymnasium.make_vec` on the compiled batch."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode

from gubs_env import fubnub_v0, gubs_v0
from gubs_env.api.seated import LEARNER
from tests.api.tables import every_module

ID = "gubs_env/Gubs-v0"


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


def test_gymnasiums_vector_wrappers_count_the_episodes():
    made = gymnasium.make_vec(ID, num_envs=4)
    recorded = gymnasium.wrappers.vector.RecordEpisodeStatistics(made)
    finals = [infos for *_, infos in play(recorded, seed=0) if "final_info" in infos]
    assert finals
    assert recorded.episode_count == sum(int(infos["_final_info"].sum()) for infos in finals)


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
