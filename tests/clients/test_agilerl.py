"""docs/more_libraries.md: AgileRL."""

from __future__ import annotations

import numpy as np
import pytest

from .recipes import run

pytest.importorskip("agilerl", reason="AgileRL is not installed")
pytestmark = pytest.mark.filterwarnings("default")  # AgileRL's own


def test_the_recipe_learns_from_what_happened(vector_steps):
    names = run("AgileRL")
    assert all(step.is_legal for step in vector_steps)
    stored = names["agent"].rollout_buffer.buffer
    last = vector_steps[-len(stored) :]
    fields = {
        "actions": "action", "rewards": "rewards", "dones": "done", "action_masks": "mask",
        "observations": "observation",
    }  # fmt: skip
    for name, field in fields.items():
        happened = np.array([getattr(step, field) for step in last])
        assert np.array_equal(stored[name].numpy().reshape(happened.shape), happened)
    assert (stored["rewards"] != 0).any()
    assert set(names["scores"]) <= {-1.0, 0.0, 1.0}
