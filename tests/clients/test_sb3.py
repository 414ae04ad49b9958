"""docs/clients.md: Stable-Baselines3 with MaskablePPO of sb3-contrib."""

from __future__ import annotations

import pytest

from .recipes import run


def test_the_recipe_learns_from_legal_actions_with_the_payoffs_of_its_seats(single_steps):
    pytest.importorskip("sb3_contrib", reason="the train extra is not installed")
    names = run("Stable-Baselines3")
    buffer = names["model"].rollout_buffer
    actions = buffer.actions.reshape(-1).astype(int)
    masks = buffer.action_masks.reshape(len(actions), -1)
    assert masks[range(len(actions)), actions].all()
    assert set(buffer.rewards.ravel().tolist()) == {-1.0, 0.0, 1.0}
    assert single_steps
    assert all(step.is_legal for step in single_steps)
    assert names["envs"].agents.keys() >= {"heuristic"}
