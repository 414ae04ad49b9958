"""The scripted agents of every game: legal actions, no private information, compiled or not."""

from __future__ import annotations

import numpy as np
import pytest

import gubs_agents
from gubs_agents.arena.playing import play
from gubs_env import find_table
from gubs_env.engine.rng import seed_rng
from tests.commands import python
from tests.games.cases import main_tables_of_ours, tables_of_ours

named = pytest.mark.parametrize("name", ["greedy", "heuristic"])


@named
@tables_of_ours
def test_its_actions_are_legal_and_end_the_game(name, case, num_players, options):
    """Opponents are uniformly random; `play` raises on every illegal action."""
    table = find_table(case.game, num_players, options)
    seating = [
        gubs_agents.make((name, "random")[seat % 2], table, seed=seat)
        for seat in range(num_players)
    ]
    payoffs = play(seating, table, 10)
    assert payoffs.shape == (10, num_players)
    assert payoffs.any() or "max_cycles" in options


@named
@main_tables_of_ours
def test_it_plays_on_no_secret(name, case, num_players, options):
    """With every secret drawn anew and the same RNGs, the agent chooses the same actions."""
    games = case.games(3, num_players, options, seed=8)
    twins = case.games(3, num_players, options)
    rng = np.random.default_rng(0)
    agent = gubs_agents.make(name, find_table(case.game, num_players, options), seed=0)
    for decision in range(60):
        going = np.flatnonzero(games.under_way & (games.masks.sum(1) > 1))
        if len(going):
            twins._states[:] = games.states
            for index in going:
                states = games.states[index : index + 1]
                twins._states[index] = case.scramble(states, int(states[0].actor), rng)[0]
            twins.look()
            chance = np.stack([seed_rng([decision, int(index)]) for index in going])
            actions, again = (
                agent.act(each.observations[going], each.masks[going], chance.copy())
                for each in (games, twins)
            )
            assert (actions == again).all()
        games.random_step()


PLAY_GAMES = """
import gubs_agents
from gubs_agents.arena.playing import play
from gubs_env import find_table
for name, num_players, rules in (
    ("gubs", 3, {}), ("fubnub", 4, {"num_points": 3}), ("bad_bad_turtle", 4, {})
):
    table = find_table(name, num_players, rules)
    names = ("greedy", "heuristic")
    seating = [gubs_agents.make(names[k % 2], table, seed=k) for k in range(num_players)]
    print(play(seating, table, 2).tolist())
"""


def test_compiled_and_uncompiled_agents_are_the_same():
    outputs = [python(PLAY_GAMES, NUMBA_DISABLE_JIT=disabled) for disabled in "01"]
    assert outputs[0] == outputs[1] != ""
