"""docs/more_libraries.md: Tianshou."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env import gubs_v0

from .recipes import run

pytest.importorskip("tianshou", reason="Tianshou is not installed")
pytestmark = pytest.mark.filterwarnings("default")  # Tianshou's own


def test_the_recipe_learns_from_what_happened(single_steps):
    names = run("Tianshou")
    assert all(step.is_legal for step in single_steps)
    stored = names["collector"].buffer.sample(0)[0]
    for game in range(8):  # stepped in turn, so every eighth step is of the same game
        own, steps = stored[stored.info.env_id == game], single_steps[game::8]
        assert own.rew.tolist() == [step.rewards for step in steps]
        assert own.act.tolist() == [step.action for step in steps]
        assert own.done.tolist() == [step.done for step in steps]
        assert np.array_equal(own.obs.mask, [step.mask for step in steps])
    assert (stored.rew != 0).any()
    assert names["result"].update_step > 0


def test_random_collection_ignores_the_mask(single_steps):
    names = run("Tianshou")
    collect = names["Collector"](names["dqn"], names["games"])
    collect.reset()
    single_steps.clear()
    collect.collect(n_step=64, random=True)
    assert sum(not step.is_legal for step in single_steps) > 32


def test_games_of_all_players_pay_only_the_seat_that_decides_last():
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.env.pettingzoo_env import PettingZooEnv

    env = PettingZooEnv(gubs_v0.env())
    players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)] * 2
    games = DummyVectorEnv([lambda: PettingZooEnv(gubs_v0.env()) for _ in range(2)])
    collector = Collector(
        MultiAgentOffPolicyAlgorithm(algorithms=players, env=env),
        games,
        VectorReplayBuffer(10_000, 2),
    )
    collector.reset()
    collector.collect(n_episode=10)
    stored = collector.buffer.sample(0)[0]
    paid = (stored.rew[stored.done] != 0).sum()  # of both players in every game that was won
    assert paid
    seats = [env.agent_idx[agent] for agent in stored.obs.agent_id]
    assert (stored.rew[np.arange(len(seats)), seats] != 0).sum() == paid / 2
    others = (stored.obs.agent_id != stored.obs_next.agent_id)[~stored.done]
    assert others.mean() > 0.2
