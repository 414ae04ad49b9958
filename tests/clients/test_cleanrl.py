"""docs/clients.md: a loop in the style of CleanRL."""

from __future__ import annotations

import numpy as np
import pytest

from .recipes import run


def test_the_loop_learns_from_what_happened(vector_steps):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    names = run("CleanRL")
    assert all(step.is_legal for step in vector_steps)
    last = vector_steps[-len(names["actions"]) :]
    for name, field in {"actions": "action", "rewards": "rewards", "ends": "done"}.items():
        assert np.array_equal(names[name], [getattr(step, field) for step in last])
    assert np.array_equal(names["seen"], [step.observation for step in last])
    assert (names["rewards"] != 0).any()
    assert torch.isfinite(names["loss"])
    assert names["ratio"].sub(1).abs().max() > 0.01  # the policy has moved


def test_no_value_crosses_the_end_of_a_game():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    estimate = run("CleanRL")["estimate_advantages"]
    rewards, ends = torch.tensor([[0.0], [1.0], [0.0]]), torch.tensor([[False], [True], [False]])
    values, after = torch.full((3, 1), 0.5), torch.tensor([9.0])
    expected = [0.95 * 0.5, 0.5, 8.5]
    assert estimate(rewards, ends, values, after)[:, 0].tolist() == pytest.approx(expected)
