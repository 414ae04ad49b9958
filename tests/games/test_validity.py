"""Every fault that a game declares is found in states and views that are edited at random."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from gubs_env.engine.border import fault_text, faults_of
from gubs_env.engine.faults import OUT_OF_RANGE, SOUND
from gubs_env.engine.seats import NOBODY
from tests.engine.test_border import edit, tables_of
from tests.games.cases import every_case

EDITS = 2500


def edited(case, rng):
    """Return one edit of each of many states and views, and whose view each is."""
    states, viewers = [], []
    tables = list(tables_of(case, rng, 12))
    for _ in range(EDITS):
        _, _, sampled = tables[int(rng.integers(len(tables)))]
        state = sampled[rng.integers(len(sampled), size=1)].copy()
        viewer = NOBODY
        if rng.random() < 0.3:
            viewer = int(state["actor"][0])
            case.game.kernel.hide(state, 0, viewer)
        edit(case.game, state, rng)
        states.append(state)
        viewers.append(viewer)
    return np.concatenate(states), np.array(viewers)


@every_case
def test_every_fault_is_found_and_told_in_words(case):
    package = case.game.rules.__module__.rpartition(".")[0]
    faults = import_module(f"{package}.validity").Fault
    states, viewers = edited(case, np.random.default_rng(3))
    before = states.tobytes()
    found = faults_of(case.game, states, viewers)
    assert states.tobytes() == before, "looking for faults changes a state"
    numbers = set(found[:, 0].tolist())
    assert {SOUND, OUT_OF_RANGE} < numbers
    assert set(faults) - numbers == set()
    for fault, where in np.unique(found[found[:, 0] != SOUND], axis=0).tolist():
        words = fault_text(case.game, fault, where)
        assert words
        assert "{" not in words
