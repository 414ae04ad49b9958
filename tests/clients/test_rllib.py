"""docs/clients.md: RLlib. tests/cluster trains with it."""

from __future__ import annotations

import pytest

from .recipes import run


def test_the_recipe_runs():
    pytest.importorskip("ray", reason="the ray extra is not installed")
    pytest.importorskip("sb3_contrib", reason="the train extra is not installed")
    names = run("RLlib")
    assert names["config"].env is names["RLlibEnv"]
