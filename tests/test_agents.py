"""The agents: legal, reproducible, lawful; and the measure of their strength."""

from __future__ import annotations

import numpy as np
import pytest

import agents
from agents.arena import play, win_rate
from gubs_env.api.vector import VectorEnv
from gubs_env.gubs_v0 import GAME, Rules

NAMES = sorted(agents.names())
named = pytest.mark.parametrize("name", NAMES)


class PassesAlways:
    """Passes where it may and else plays the first legal action."""

    def act(self, observations, masks, choosers=None):
        return masks.argmax(1)


def test_agents_are_listed_and_made_by_name():
    assert {"random", "heuristic"} <= set(NAMES)
    assert all(line for line in agents.names().values())
    with pytest.raises(ValueError, match="no agent is called 'genius': there are"):
        agents.make("genius")


@named
@pytest.mark.parametrize("num_players", range(2, 7))
def test_an_agent_plays_legal_actions_to_the_end(name, num_players):
    seating = [agents.make(name, num_players, seat) for seat in range(num_players)]
    batch = VectorEnv(GAME, 40, num_players, Rules(ask_everyone=True), seed=1, autoreset=False)
    while (batch.actors >= 0).any():
        actions = np.full(40, -1)
        for seat, agent in enumerate(seating):
            rows = batch.actors == seat
            if rows.any():
                actions[rows] = agent.act(batch.observations[rows], batch.masks[rows])
                assert batch.masks[rows, actions[rows]].all()
        batch.step(actions)


@named
def test_an_agent_is_reproducible_by_its_seed(name):
    runs = [
        play(GAME, [agents.make(name, 3, seat) for seat in range(3)], 20, seed=4) for _ in range(2)
    ]
    assert (runs[0] == runs[1]).all()


@named
def test_an_agent_leaves_its_observations_alone(name):
    batch = VectorEnv(GAME, 10, 2, seed=2)
    before = batch.observations.copy(), batch.masks.copy()
    agents.make(name, 2, 0).act(batch.observations, batch.masks)
    assert (batch.observations == before[0]).all()
    assert (batch.masks == before[1]).all()


def test_the_heuristic_beats_random():
    for num_players, fair in ((2, 0.5), (4, 0.25)):
        heuristic, uniform = (
            agents.make("heuristic", num_players, 0),
            agents.make("random", num_players, 1),
        )
        assert win_rate(GAME, heuristic, uniform, num_players, deals=150).low > fair + 0.15


def test_copies_of_one_agent_come_out_even():
    result = win_rate(GAME, agents.make("random", 3, 0), agents.make("random", 3, 1), 3, deals=1000)
    four_errors = 2 * (result.high - result.low) / 2
    assert abs(result.rate - 1 / 3) < four_errors
    assert result.games == 3000


def test_a_shared_deal_is_the_same_deal_from_every_seat():
    """Two that play alike and without chance win as often: each deal is won from one seat."""
    result = win_rate(GAME, PassesAlways(), PassesAlways(), deals=30)
    assert result.rate == result.low == result.high == 0.5
