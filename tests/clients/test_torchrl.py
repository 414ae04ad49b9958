"""docs/more_libraries.md: TorchRL."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from gubs_env import gubs_v0

from .recipes import run

pytest.importorskip("torchrl", reason="TorchRL is not installed")
pytestmark = pytest.mark.filterwarnings("default")  # TorchRL's own

ID = "gubs_env:gubs_env/Gubs-v0"


def by_step(array) -> np.ndarray:
    """Return an array [games, steps, …] as [steps, games, …]."""
    return np.moveaxis(array.numpy(), 1, 0)


def test_the_recipe_learns_from_what_happened(vector_steps):
    names = run("TorchRL")
    batch, length = names["batch"], names["batch"].shape[1]
    collected = vector_steps[-8 * length :]  # before that, TorchRL tries the environment
    assert all(step.is_legal for step in collected)
    stored = {
        "action": batch["action"],
        "rewards": batch["next", "reward"][..., 0],
        "done": batch["next", "done"][..., 0],
        "mask": batch["action_mask"],
        "observation": batch["observation"],
    }
    last = collected[-length:]
    for field, array in stored.items():
        assert np.array_equal(by_step(array), [getattr(step, field) for step in last])
    assert (batch["next", "reward"] != 0).any()
    assert names["losses"]["loss_objective"].isfinite()


def test_the_end_of_a_game_is_followed_by_a_new_one():
    from torchrl.envs import GymWrapper

    games = gymnasium.make_vec(
        ID, num_envs=4, vectorization_mode="vector_entry_point", dtype="float32"
    )
    batch = GymWrapper(games).rollout(50, break_when_any_done=False)  # no mask: games end soon
    for game, step in batch["next", "done"][:, :-1, 0].nonzero().tolist():
        assert not batch["next", "action_mask"][game, step].any()
        assert batch["action_mask"][game, step + 1].any()
    kept = ~batch["next", "done"][:, :-1, 0]
    assert (batch["next", "observation"][:, :-1][kept] == batch["observation"][:, 1:][kept]).all()


def test_the_info_fits_a_spec():
    from torchrl.envs import GymWrapper
    from torchrl.envs.utils import check_env_specs

    env = GymWrapper(gymnasium.make(ID)).auto_register_info_dict()
    check_env_specs(env)
    batch = env.rollout(30, break_when_any_done=False)  # no mask: games end by an illegal action
    illegal = batch["next", "illegal_action"]
    assert illegal.any()
    assert (batch["next", "reward"][illegal] == -1).all()
    for name in ("illegal_action", "action_mask"):
        assert env.observation_spec[name].is_in(batch["next", name][0])


def test_every_agent_of_the_table_gets_its_decisions_and_payoffs(decisions):
    from torchrl.envs import PettingZooWrapper

    table = PettingZooWrapper(gubs_v0.env(), use_mask=True)
    batch = table.rollout(600, break_when_any_done=False)
    assert all(step.is_legal for step in decisions)
    assert len(decisions) == 600
    for index, step in enumerate(decisions):
        for agent in ("player_0", "player_1"):
            row = batch[index]
            assert bool(row[agent, "mask"]) == (agent == step.agent)
            assert float(row["next", agent, "reward"]) == step.rewards[agent]
        own = batch[index][step.agent]
        assert int(own["action"]) == step.action
        assert np.array_equal(own["observation", "observation"][0], step.observation)


def test_a_mask_inside_of_a_serial_environment_does_not_reach_a_random_policy():
    from torchrl.envs import ActionMask, GymWrapper, SerialEnv, TransformedEnv

    def make():
        env = gymnasium.make(ID, dict_observations=True, dtype="float32")
        return GymWrapper(env, categorical_action_encoding=True)

    inside = SerialEnv(2, lambda: TransformedEnv(make(), ActionMask()))
    around = TransformedEnv(SerialEnv(2, make), ActionMask())
    ends = [
        int(env.rollout(40, break_when_any_done=False)["next", "done"].sum())
        for env in (inside, around)
    ]
    assert ends[0] > 40
    assert ends[1] == 0
