"""Equal states have equal bytes: what means nothing holds one value, however a state came about."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from tests.amounts import MORE
from tests.games.cases import every_case, main_tables

ALSO_READ_BY_PEOPLE = ("composition", "phase", "actor")
"""Fields with entries that no observation shows, which differ all the same."""


def values_of_nothing(game, states):
    """Return the values that entries without a meaning hold, by field."""
    values = defaultdict(set)
    for state in states:
        for field in game.state_fields:
            for entry in np.ndindex(field.shape):
                if game.means_nothing(state, field.name, entry):
                    values[field.name].add(int(np.asarray(state[field.name])[entry]))
    return {name: found for name, found in values.items() if name not in ALSO_READ_BY_PEOPLE}


@main_tables
def test_a_game_dealt_by_autoreset_is_that_of_a_new_environment(case, num_players, options):
    rules = case.game.rules(**options)
    again = case.module.vector_env(6, num_players, rules=rules, seed=3)
    anew = case.module.vector_env(6, num_players, rules=rules, seed=3, autoreset=False)
    rng, ended = np.random.default_rng(0), 0
    while ended < 12:
        actions = np.where(again.masks, rng.random(again.masks.shape), -1).argmax(1)
        again.step(actions)
        anew.step(actions)
        for index in np.flatnonzero(anew.dones).tolist():
            anew.deal(index)
            ended += 1
        anew.look()
        assert again.states.tobytes() == anew.states.tobytes()


@main_tables
def test_nothing_is_left_where_nothing_lies(case, num_players, options):
    games = case.module.vector_env(6, num_players, rules=case.game.rules(**options), seed=4)
    drawn = case.module.vector_env(6, num_players, rules=case.game.rules(**options), seed=4)
    found = defaultdict(set)
    for seed in range(4 * MORE):
        games.play_randomly(17, seed=seed)
        drawn.determinize(games.views(np.arange(6)), seed=seed)
        for states in (games.states, drawn.states):
            for name, values in values_of_nothing(case.game, states).items():
                found[name] |= values
    assert {name: values for name, values in found.items() if len(values) > 1} == {}


@every_case
def test_a_game_that_is_played_again_has_equal_bytes(case):
    env = case.module.raw_env()
    for seed in range(5):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not env.is_done(env.agent_selection) and len(env.actions) < 60:
            legal = np.flatnonzero(env.last()[0]["action_mask"])
            env.step(int(rng.choice(legal)))
        again = case.module.raw_env.from_json(env.to_json())
        assert again.state().tobytes() == env.state().tobytes()
