"""Every fault that a game declares is found in states and views that are edited at random."""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module

import numpy as np

from gubs_env.engine.border import fault_text, faults_of
from gubs_env.engine.faults import OUT_OF_RANGE, SOUND
from gubs_env.engine.fields import state_dtype
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.table import sample_table
from tests.engine.test_border import edit
from tests.games.cases import every_case

EDITS = 4000


def sampled_by_phase(case, rng):
    """Return states of random tables, by the phase that they are in."""
    by_phase, dtype = defaultdict(list), state_dtype(case.game.state_fields)
    for _ in range(12):
        table = sample_table(case.game, rng)
        games = case.games(
            4, table.num_players, table.rules.as_dict(), seed=int(rng.integers(10**6))
        )
        for _ in range(40):
            for state in games.states[games.under_way]:
                by_phase[int(state.phase)].append(state.copy())
            if games.under_way.any():
                games.random_step()
    return [np.array(states, dtype) for _, states in sorted(by_phase.items())]


def edited(case, rng):
    """Return one edit of each of many states and views, and whose view each is."""
    states, viewers = [], []
    phases = sampled_by_phase(case, rng)
    for _ in range(EDITS):
        sampled = phases[int(rng.integers(len(phases)))]
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
    faults = case.faults or import_module(f"{package}.faults").Fault
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


@every_case
def test_entries_of_seats_that_nobody_has_mean_nothing(case):
    games = case.games(4, *case.tables[case.main[0]], seed=1)
    games.random_step()
    state = games.states[0]
    for field in case.game.state_fields:
        entries = list(np.ndindex(field.shape))
        unused = [entry for entry in entries if case.game.means_nothing(state, field.name, entry)]
        assert len(unused) < len(entries) or field.name.startswith(("reaction", "owner", "discard"))
        if field.name in ("skipped", "living", "passed", "showdown") and len(entries) > 4:
            assert unused[-1] == entries[-1]
