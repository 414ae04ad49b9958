"""docs/more_libraries.md: PettingZoo's environments in SuperSuit's wrappers."""

from __future__ import annotations

import re
from importlib import import_module

import numpy as np
import pytest
from gymnasium.spaces import Box

from gubs_env import gubs_v0

from .recipes import SECTIONS, run

pytest.importorskip("supersuit", reason="SuperSuit is not installed")

ARGUMENTS = {
    "action_lambda_v1": (lambda action, space: action, lambda space: space),
    "clip_reward_v0": (-1, 1),
    "delay_observations_v0": (2,),
    "dtype_v0": (np.float32,),
    "frame_skip_v0": (2,),
    "frame_stack_v1": (4,),
    "max_observation_v0": (2,),
    "observation_lambda_v0": (
        lambda seen, space, agent: seen["observation"].astype(np.float32),
        lambda space, agent: Box(0, 127, space["observation"].shape),
    ),
    "reward_lambda_v0": (lambda reward: reward,),
    "scale_actions_v0": (2,),
    "sticky_actions_v0": (0.5,),
}
"""The arguments of each wrapper after the environment."""


def row(number: int) -> list[str]:
    """Return the wrappers in a row of the section's table."""
    rows = re.findall(r"^\| (`.*`) \|", SECTIONS["SuperSuit"], re.M)
    return re.findall(r"`(\w+)`", rows[number])


def play(env) -> dict[str, float]:
    """Play the last legal action to the end; return the rewards."""
    env.reset(seed=0)
    rewards = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        rewards[agent] += reward
        mask = env.unwrapped.observe(agent)["action_mask"]
        env.step(None if terminated or truncated else int(mask.nonzero()[0][-1]))
    return rewards


def wrapped(name: str, env):
    return getattr(import_module("supersuit"), name)(env, *ARGUMENTS.get(name, ()))


def vector_alone():
    return wrapped("observation_lambda_v0", gubs_v0.env())


def test_the_recipe_shows_every_agent_its_own_observation(decisions):
    names = run("SuperSuit")
    assert all(step.is_legal for step in decisions)
    env = names["env"]
    env.reset(seed=1)
    for agent in env.agent_iter(100):
        newest = env.last()[0][-628:]
        seen = env.unwrapped.observe(agent)
        number = env.possible_agents.index(agent)
        assert np.array_equal(newest[:626], seen["observation"])
        assert (newest[626:] > 0).tolist() == [number == 0, number == 1]
        env.step(int(seen["action_mask"].argmax()))


@pytest.mark.parametrize("name", row(0))
def test_wrappers_for_the_environment_as_it_is(name):
    assert play(wrapped(name, gubs_v0.env())) == play(gubs_v0.env())


@pytest.mark.parametrize("name", row(1))
def test_wrappers_for_the_vector(name):
    with pytest.raises((AttributeError, AssertionError)):
        wrapped(name, gubs_v0.env())
    assert play(wrapped(name, vector_alone())) == play(gubs_v0.env())


@pytest.mark.parametrize("name", row(2))
def test_wrappers_that_make_actions_illegal(name, decisions, capsys):
    env = wrapped(name, gubs_v0.env())
    env.reset(seed=0)
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else int(seen["action_mask"].argmax()))
    assert not decisions[-1].is_legal


@pytest.mark.parametrize("name", row(3))
def test_wrappers_for_other_environments(name):
    with pytest.raises((AssertionError, AttributeError, TypeError)):
        play(wrapped(name, gubs_v0.env()))
