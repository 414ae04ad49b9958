"""docs/clients.md: Stable-Baselines3 with MaskablePPO of sb3-contrib."""

from __future__ import annotations

import pytest

from .recipes import run


def test_the_recipes_learn_from_legal_actions_with_the_payoffs_of_their_seats():
    pytest.importorskip("sb3_contrib", reason="the train extra is not installed")
    names = run("Stable-Baselines3")
    for model in ("model", "single", "several"):
        buffer = names[model].rollout_buffer
        actions = buffer.actions.reshape(-1).astype(int)
        masks = buffer.action_masks.reshape(len(actions), -1)
        assert masks[range(len(actions)), actions].all(), model
        assert set(buffer.rewards.ravel().tolist()) <= {-1.0, 0.0, 1.0}, model
    assert set(names["model"].rollout_buffer.rewards.ravel().tolist()) == {-1.0, 0.0, 1.0}
    assert names["envs"].agents.keys() >= {"learned"}
