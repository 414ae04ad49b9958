"""docs/more_libraries.md: RLlib. The games as its environments, on its new API stack."""

from __future__ import annotations

import random

import numpy as np
import pytest

pytest.importorskip("ray", reason="needs the extra rllib")
pytest.importorskip("tree", reason="needs the extra rllib")
from gubs_env import find_game
from gubs_env.adapters.rllib import ACTION_MASK, OBSERVATIONS, RLlibEnv

from .recipes import run

TABLES = [
    {"game": "gubs"},
    {"game": "gubs", "num_players": 4, "rules": {"ask_everyone": True}},
    {"game": "fubnub", "num_players": 4},
    {"game": "bad_bad_turtle", "num_players": 3},
]


def play(env, rng, seed):
    """Play a game at random; return its steps, each (observations, rewards, over)."""
    seen, _ = env.reset(seed=seed)
    steps, over = [(seen, {}, {"__all__": False})], {"__all__": False}
    while not over["__all__"]:
        ((agent, own),) = seen.items()
        action = int(rng.choice(np.flatnonzero(own[ACTION_MASK])))
        seen, rewards, terminated, truncated, _ = env.step({agent: action})
        over = {name: terminated[name] or truncated[name] for name in terminated}
        steps.append((seen, rewards, over))
    return steps


@pytest.mark.parametrize("table", TABLES)
def test_only_the_next_to_act_observes_and_everybody_at_the_end(table):
    env, rng = RLlibEnv(table), random.Random(0)
    for seed in range(3):
        *before, (seen, rewards, over) = play(env, rng, seed)
        assert all(len(each) == 1 and not any(paid.values()) for each, paid, _ in before)
        assert set(seen) == set(rewards) == set(env.possible_agents)
        assert all(over.values())
        assert not env.agents
        assert all(not own[ACTION_MASK].any() for own in seen.values())


@pytest.mark.parametrize("table", TABLES)
def test_the_game_is_that_of_the_aec_environment(table):
    env, rng = RLlibEnv(table), random.Random(1)
    own = env.game
    seen, _ = env.reset(seed=7)
    while own.agents and not own.terminations[own.agent_selection]:
        agent = own.agent_selection
        assert list(seen) == [agent]
        np.testing.assert_array_equal(seen[agent][OBSERVATIONS], own.observe(agent)["observation"])
        np.testing.assert_array_equal(seen[agent][ACTION_MASK], own.observe(agent)["action_mask"])
        action = int(rng.choice(np.flatnonzero(seen[agent][ACTION_MASK])))
        seen, rewards, *_ = env.step({agent: action})
    assert rewards == own.rewards


@pytest.mark.parametrize("table", TABLES)
def test_observations_are_in_their_spaces_as_float32(table):
    env = RLlibEnv(table)
    for seen, _, _ in play(env, random.Random(2), seed=5):
        for agent, own in seen.items():
            assert env.observation_spaces[agent].contains(own)
            assert own[OBSERVATIONS].dtype == own[ACTION_MASK].dtype == np.float32
    assert env.get_observation_space("player_0") is env.observation_spaces["player_0"]
    num_actions = find_game(table["game"]).num_actions(len(env.possible_agents))
    assert env.get_action_space("player_1").n == num_actions


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.filterwarnings("ignore")
def test_the_recipe_trains_on_a_remote_runner(table):
    algorithm = (
        run("RLlib")["config"]
        .environment(env_config=table)
        .env_runners(num_env_runners=1, rollout_fragment_length=128)
        .training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
        .build_algo()
    )
    for _ in range(2):
        result = algorithm.train()
    assert np.isfinite(result["learners"]["all"]["policy_loss"])
    algorithm.stop()


def test_wrong_actions_are_refused_and_play_nothing():
    env = RLlibEnv({"game": "gubs"})
    seen, _ = env.reset(seed=3)
    (agent,) = seen
    other = next(name for name in env.possible_agents if name != agent)
    with pytest.raises(ValueError, match=f"only {agent} decides now"):
        env.step({other: 0})
    illegal = int(np.flatnonzero(seen[agent][ACTION_MASK] == 0)[0])
    with pytest.raises(ValueError, match="not legal"):
        env.step({agent: illegal})
    assert env.render()
    legal = int(np.flatnonzero(seen[agent][ACTION_MASK])[0])
    assert env.step({agent: legal})[0]


def test_unknown_options_are_refused():
    with pytest.raises(
        ValueError, match=r"\['player'\]: allowed are \['game', 'num_players', 'rules'\]"
    ):
        RLlibEnv({"player": 2})
    with pytest.raises(ValueError, match="chess"):
        RLlibEnv({"game": "chess"})
