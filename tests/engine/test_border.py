"""The border: edited states and views are refused, or can be played to their end.

`GUBS_ENV_FUZZ=100000` sets how many edits of each kind are tried at each game; run it with
`NUMBA_BOUNDSCHECK=1`, so that an index out of bounds raises IndexError.
"""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from gubs_env.engine.border import check_states, check_views, faults_of, read_json
from gubs_env.engine.choosing import CHOOSE, LOOK
from gubs_env.engine.faults import SOUND
from gubs_env.engine.rng import spawn_rngs
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.table import sample_table
from tests.games.cases import every_case

EDITS = int(os.environ.get("GUBS_ENV_FUZZ", "400"))
STEPS = 3000


def tables_of(case, rng, count):
    """Yield random tables, each with states from random games."""
    for _ in range(count):
        table = sample_table(case.game, rng)
        games = case.games(
            30, table.num_players, table.rules.as_dict(), seed=int(rng.integers(10**6))
        )
        for _ in range(int(rng.integers(5, 60))):
            if games.under_way.any():
                last = games.states[games.under_way].copy()
                games.random_step()
        yield table, last


def edit(game, state, rng):
    """Change one or two entries of a state to any value of their fields, often a plausible one."""
    for _ in range(int(rng.integers(1, 3))):
        field = game.state_fields[int(rng.integers(len(game.state_fields)))]
        entry = (0, *(int(rng.integers(size)) for size in field.shape))
        info = np.iinfo(state[field.name].dtype)
        wild = (info.min, info.max, field.low - 1, field.high + 1, -1, 0)
        if rng.random() < 0.15:
            state[field.name][entry] = np.clip(
                wild[int(rng.integers(len(wild)))], info.min, info.max
            )
        else:
            high = min(field.high, int(rng.choice((1, 3, 8, 2**31))))
            state[field.name][entry] = rng.integers(min(field.low, high), high + 1)


def accepted_by(check, *arguments):
    """Return what a check of the border returns; None if it refuses, in one line."""
    try:
        return check(*arguments)
    except ValueError as error:
        line = str(error)
    assert "\n" not in line
    return None


def play_to_the_end(table, states, rng):
    """Play states at random to their ends; every state on the way must be sound."""
    game = table.game
    batch = game.new_batch(states)
    batch.rngs[:] = spawn_rngs(rng, len(states))
    game.kernel.advance(*batch, np.full(len(states), LOOK), 1, False, False)
    highs = table.observation_highs
    for _ in range(STEPS):
        if (batch.actors == NOBODY).all():
            return
        faults = faults_of(game, batch.states, np.full(len(states), NOBODY))
        assert (faults[:, 0] == SOUND).all(), faults
        assert ((batch.observations >= 0) & (batch.observations <= highs)).all()
        game.kernel.advance(*batch, np.full(len(states), CHOOSE), 1, False, False)
    raise AssertionError("a game does not end")


@every_case
def test_an_edited_state_is_refused_or_can_be_played(case):
    rng, refused, played = np.random.default_rng(15), 0, 0
    for table, states in tables_of(case, rng, max(4, EDITS // 100)):
        accepted = []
        for _ in range(min(EDITS, 100)):
            state = states[rng.integers(len(states), size=1)].copy()
            edit(case.game, state, rng)
            checked = accepted_by(check_states, (table,), state)
            if checked is None:
                refused += 1
            else:
                accepted.append(checked)
        played += len(accepted)
        if accepted:
            play_to_the_end(table, np.concatenate(accepted), rng)
    assert refused > played > 0


@every_case
def test_an_edited_view_is_refused_or_can_be_completed(case):
    rng, refused, played = np.random.default_rng(16), 0, 0
    for table, states in tables_of(case, rng, max(4, EDITS // 100)):
        for _ in range(min(EDITS, 100)):
            view = states[rng.integers(len(states), size=1)].copy()
            case.game.kernel.hide(view, 0, int(view["actor"][0]))
            edit(case.game, view, rng)
            drawn = accepted_by(check_views, table, view)
            if drawn is None:
                refused += 1
                continue
            case.game.kernel.determinize(drawn, 0, spawn_rngs(rng, 1)[0])
            play_to_the_end(table, drawn, rng)
            played += 1
    assert refused > played > 0


@every_case
def test_a_state_is_no_view_and_a_view_no_state(case):
    rng = np.random.default_rng(17)
    for table, states in tables_of(case, rng, 3):
        assert check_states((table,), states).tobytes() == states.tobytes()
        views = states.copy()
        for index, actor in enumerate(states["actor"].tolist()):
            case.game.kernel.hide(views, index, actor)
        assert check_views(table, views).tobytes() == views.tobytes()
        with pytest.raises(ValueError, match="view"):
            check_states((table,), views)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "nonsense", "[1, 2", "NaN", "[Infinity]", '{"a": -Infinity}', "1e999"),
        *("[" * 100_000, '{"a":' * 100_000, "9" * 5000, "\ud800"),
    ],
    ids=range(12),
)
def test_json_that_is_none_gets_one_clear_line(text):
    with pytest.raises(ValueError, match="not a saved game") as caught:
        read_json(text, "a saved game")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_json_is_a_text():
    with pytest.raises(ValueError, match="is a text, not dict"):
        read_json({}, "a saved game")
    assert read_json(json.dumps({"a": [1, 2.5, None]}).encode(), "it") == {"a": [1, 2.5, None]}
