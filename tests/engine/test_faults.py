"""Checks in order: the first fault is the one that counts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gubs_env.engine.compiling import compiled
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
    checks = fault_of_state, fault_of_view
    assert first_fault(checks, (), over=9)(state, viewer) == fault


@compiled
def fault_in_play(state):
    return 5, state.phase


@pytest.mark.parametrize(("phase", "fault"), [(1, (5, 1)), (2, (SOUND, 0))])
def test_some_checks_are_for_states_in_which_somebody_has_to_decide(phase, fault):
    find_fault = first_fault((), (fault_in_play,), over=2)
    assert find_fault(SimpleNamespace(phase=phase), 0) == fault
