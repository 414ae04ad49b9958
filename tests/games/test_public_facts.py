"""Public facts of a state are in every observation, field by field.

Each field of a state declares who sees it (`gubs_env.engine.fields.Seen`). A field that everybody
sees is changed alone, entry by entry, to a value that it has in other games; the observation of
every player must then change.
"""

from __future__ import annotations

import numpy as np

from gubs_env.engine.fields import Seen
from gubs_env.engine.slices import size_of
from gubs_env.engine.table import Table
from tests.amounts import MORE
from tests.games.cases import every_case, main_tables

RARE = {"owner", "reaction", "reaction_player", "reaction_target", "reaction_aim"}
"""Fields that mean something only in windows, which random games seldom reach."""


def observations(game, states, size):
    """Return what every player sees of one state, int8[num_players, size]."""
    seen = np.zeros((states[0]["num_players"], size), np.int8)
    for player in range(len(seen)):
        game.kernel.observe(states, 0, player, seen[player])
    return seen


def other_value(field, now, elsewhere, rng):
    """Return another value of an entry: one that it has in other states, or one beside it.

    A value that says "none" is not put in place of one that says which.
    """
    others = elsewhere[(elsewhere != now) & ((elsewhere >= 0) | (now < 0))]
    if len(others):
        return rng.choice(others)
    if field.low == -field.high:
        return -now  # a direction: there is no way between
    return now + 1 if now < field.high else now - 1


def sample(case, num_players, options):
    """Return states from all parts of random games, STATE[…]."""
    games = case.games(12, num_players, options, seed=40)
    states = []
    while games.under_way.any() and len(states) < 60:
        states.append(games.states[games.under_way].copy())
        for _ in range(3):
            games.random_step()
    return np.concatenate(states)


@main_tables
def test_a_public_field_that_changes_alone_changes_every_observation(case, num_players, options):
    states, rng = sample(case, num_players, options), np.random.default_rng(7)
    changed, size = set(), size_of(case.game.observation_slices(num_players))
    public = [field for field in case.game.state_fields if field.seen is Seen.BY_ALL]
    for index in rng.choice(len(states), 10 * MORE):
        state = states[index : index + 1].copy()
        before = observations(case.game, state, size)
        for field in public:
            for entry in np.ndindex(field.shape):
                place = (field.name, *entry)
                if case.game.means_nothing(state[0], field.name, entry):
                    continue
                if len(entry) > 1 and rng.random() > 0.1:  # large arrays: a tenth of them
                    continue
                elsewhere = states[field.name][(slice(None), *entry)]
                altered = state.copy()
                now = int(altered[field.name][(0, *entry)])
                altered[field.name][(0, *entry)] = other_value(field, now, elsewhere, rng)
                after = observations(case.game, altered, size)
                assert (before != after).any(axis=1).all(), f"{place} of {now} does not show"
                changed.add(field.name)
    assert {field.name for field in public} - changed <= RARE


@every_case
def test_every_field_says_who_sees_it(case):
    for field in case.game.state_fields:
        assert field.low <= field.high
        assert isinstance(field.seen, Seen)
    dtype = Table(case.game).new_states(1).dtype
    assert dtype.names == tuple(field.name for field in case.game.state_fields)


@main_tables
def test_fields_stay_in_the_ranges_that_they_declare(case, num_players, options):
    states = sample(case, num_players, options)
    for field in case.game.state_fields:
        values = states[field.name].astype(np.int64)
        assert field.low <= values.min() <= values.max() <= field.high, field.name
