"""The decisions that were really made in the games, to compare with what a library stored."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from gubs_env.api.checked import CheckedAEC
from gubs_env.api.single import SingleAgentEnv
from gubs_env.api.single_vector import SingleAgentVectorEnv


class Step(NamedTuple):
    """One call of `step`, of one game or of a batch of games."""

    agent: str
    """The agent that decided; "" in an environment for one agent."""
    observation: np.ndarray
    """The observation before the action."""
    mask: np.ndarray
    action: Any
    rewards: Any
    """A number or an array; a dict by agent in a game of all players."""
    done: Any

    @property
    def is_legal(self) -> bool:
        """Whether every action was legal."""
        return bool(np.take_along_axis(self.mask, np.array(self.action)[..., None], -1).all())


@pytest.fixture
def single_steps(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Record the steps of Gymnasium's environments for one game."""
    recorded: list[Step] = []
    original = SingleAgentEnv.step

    def step(env: SingleAgentEnv, action: Any) -> Any:
        seen = env.table.observe(env.agent)["observation"], env._mask.copy()
        result = original(env, action)
        recorded.append(Step("", *seen, action, result[1], result[2] or result[3]))
        return result

    monkeypatch.setattr(SingleAgentEnv, "step", step)
    return recorded


@pytest.fixture
def vector_steps(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Record the steps of the vectorised environments of Gymnasium."""
    recorded: list[Step] = []
    original = SingleAgentVectorEnv.step

    def step(env: SingleAgentVectorEnv, actions: Any) -> Any:
        seen = env.games.observations.copy(), env.games.masks.copy()
        result = original(env, actions)
        recorded.append(Step("", *seen, np.array(actions), result[1], result[2] | result[3]))
        return result

    monkeypatch.setattr(SingleAgentVectorEnv, "step", step)
    return recorded


@pytest.fixture
def decisions(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Record the decisions in PettingZoo's environments, those of agents that are done left out."""
    recorded: list[Step] = []
    original = CheckedAEC.step

    def step(env: CheckedAEC, action: Any) -> None:
        agent = env.agent_selection
        is_over, seen = env.is_done(agent), env.observe(agent).values()
        original(env, action)
        if not is_over:
            recorded.append(Step(agent, *seen, action, dict(env.rewards), env.is_done(agent)))

    monkeypatch.setattr(CheckedAEC, "step", step)
    return recorded
