"""docs/more_libraries.md: PufferLib's vectorised environments."""

from __future__ import annotations

import numpy as np
import pytest

from .recipes import run

pytest.importorskip("pufferlib", reason="PufferLib is not installed")
pytestmark = pytest.mark.filterwarnings("default")  # PufferLib's own


def test_the_recipe_sees_what_happened(single_steps):
    names = run("PufferLib")
    assert all(step.is_legal for step in single_steps)
    rewards = np.array(names["rewards"])
    assert (rewards != 0).any()
    # PufferLib takes a step of its own to deal a game.
    assert rewards.sum() == sum(step.rewards for step in single_steps)
    assert rewards.size == len(single_steps) + (rewards[:-1] != 0).sum()
