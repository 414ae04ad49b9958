"""Checks in order: the first fault is the one that counts."""

from __future__ import annotations

import pytest

from gubs_env._compiler.compilation import compiled
from gubs_env.engine.faults import SOUND, first_fault


@compiled
def fault_of_state(state):
    return (3, state) if state > 0 else (SOUND, 0)


@compiled
def fault_of_view(state, viewer):
    return (4, viewer) if viewer > 0 else (SOUND, 0)


@pytest.mark.parametrize(
    ("state", "viewer", "fault"),
    [(0, 0, (SOUND, 0)), (5, 0, (3, 5)), (0, 6, (4, 6)), (5, 6, (3, 5))],
)
def test_the_first_check_that_finds_a_fault_names_it(state, viewer, fault):
    assert first_fault(fault_of_state, fault_of_view)(state, viewer) == fault


def test_the_function_belongs_to_the_module_of_its_checks():
    """So its machine code is kept under a hash of that module."""
    assert first_fault(fault_of_state).__module__ == __name__
