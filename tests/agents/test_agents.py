"""Agents: legal actions, reproducibility, no use of private information, and strength."""

from __future__ import annotations

import numpy as np
import pytest

import gubs_agents
from gubs_agents.arena import Duel, play, win_rate
from gubs_agents.arena.gate import read_candidate
from gubs_agents.networks.network import SHIPPED, Network, Weights
from gubs_env import GAMES, find_game, find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.gubs_v0 import GAME, Rules
from tests.agents.secrets import answers_as_secrets_change
from tests.agents.test_network import random_layers
from tests.amounts import MORE

NAMES = sorted(set(gubs_agents.names()) - {"llm"})  # which needs a server
named = pytest.mark.parametrize("name", NAMES)
every_game = pytest.mark.parametrize("game", list(map(find_game, GAMES)), ids=GAMES)


class PassesAlways:
    """Passes where it can, and plays the first legal action otherwise."""

    def act(self, observations, masks, rngs=None):
        return masks.argmax(1)


def build(name, num_players=2, seed=0):
    """Return an agent by name, small enough for tests."""
    if name == "policy":
        return Network(Weights(random_layers(num_players)), seed, draw=True)
    options = {"playouts": 8} if name in ("montecarlo", "ismcts") else {}
    return gubs_agents.make(name, find_table("gubs", num_players), seed=seed, **options)


def test_agents_are_listed_and_made_by_name():
    ours = {"random", "greedy", "heuristic", "montecarlo", "ismcts", "policy", "llm"}
    assert ours == set(gubs_agents.names())
    assert all(line for line in gubs_agents.names().values())
    with pytest.raises(ValueError, match="no agent is called 'genius' in gubs_v0: there are"):
        gubs_agents.make("genius")
    with pytest.raises(ValueError, match="agent 'ismcts' has no option depth: its options are"):
        gubs_agents.make("ismcts", depth=3)
    partners = {"mode": "ghost", "ghost_seats": [1, 3]}
    with pytest.raises(ValueError, match=r"for fubnub_v0 with 2 .*, ghost_seats=\[1, 3\], only "):
        gubs_agents.make("policy", find_table("fubnub", 2, partners))


@named
@pytest.mark.parametrize("num_players", [2, 3, 6])
def test_an_agent_plays_legal_actions_to_the_end(name, num_players):
    """`play` raises on every illegal action."""
    games = 2 * MORE if hasattr(build(name), "search") else 40
    seating = [build(name, num_players, seat) for seat in range(num_players)]
    table = find_table("gubs", num_players, Rules(ask_everyone=True))
    payoffs = play(seating, table, games, seed=1)
    assert payoffs.shape == (games, num_players)


@named
def test_an_agent_is_reproducible_by_its_seed(name):
    games = VectorEnv(find_table(GAME, 3), 30, seed=4)
    games.play_randomly(20)
    views = games.views(np.arange(30))

    def answer():
        agent = build(name, 3, seed=5)
        if hasattr(agent, "search"):
            return agent.search(views).tolist()
        return agent.act(games.observations, games.masks).tolist()

    assert answer() == answer()


@named
def test_an_agent_leaves_its_observations_alone(name):
    agent, batch = build(name), VectorEnv(find_table(GAME, 2), 10, seed=2)
    if hasattr(agent, "search"):
        views = batch.views(np.arange(10))
        before = views.copy()
        agent.search(views)
        assert views.tobytes() == before.tobytes()
        return
    before = batch.observations.copy(), batch.masks.copy()
    agent.act(batch.observations, batch.masks)
    assert (batch.observations == before[0]).all()
    assert (batch.masks == before[1]).all()


@named
@pytest.mark.parametrize("num_players", [2, 4])
def test_an_agent_does_the_same_whatever_it_cannot_know(name, num_players):
    """With every secret drawn anew and the same RNGs, the agent chooses the same actions."""
    games = VectorEnv(find_table(GAME, num_players), 60, seed=6)
    games.play_randomly(40)
    answers = answers_as_secrets_change(games, build(name, num_players))
    assert answers[0] == answers[1] == answers[2]


def test_the_heuristic_beats_random():
    for num_players, fair in ((2, 0.5), (4, 0.25)):
        table = find_table("gubs", num_players)
        heuristic = gubs_agents.make("heuristic", table, seed=0)
        uniform = gubs_agents.make("random", table, seed=1)
        assert win_rate(heuristic, uniform, table, deals=150).low > fair + 0.15


def test_a_difference_is_what_an_agent_wins_more_than_another_in_its_place():
    table = find_table("gubs", 3)
    heuristic = gubs_agents.make("heuristic", table, seed=0)
    uniform = gubs_agents.make("random", table, seed=1)
    found = Duel(heuristic, uniform, table, deals=100).difference()
    assert found.agent == win_rate(heuristic, uniform, table, deals=100)
    assert found.opponent == pytest.approx(1 / 3)
    assert found.value == pytest.approx(found.agent.rate - 1 / 3)
    assert found.low < found.value < found.high
    assert found.games == 400
    wide = found._replace(value=-0.012, low=-0.024, high=0.001)
    assert str(wide) == "−1.2% (−2.4% – +0.1%)"
    narrow = found._replace(value=-0.0004, low=-0.001, high=0.0002)
    assert str(narrow) == "−0.04% (−0.10% – +0.02%)"


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.safetensors")), ids=lambda path: path.stem)
def test_no_shipped_network_wins_less_than_the_heuristic_in_its_place(path):
    table = read_candidate(path).table
    network = gubs_agents.make("policy", table, seed=0)
    heuristic = gubs_agents.make("heuristic", table, seed=1)
    found = Duel(network, heuristic, table, deals=50 * MORE).difference()
    assert found.high >= 0, "one that wins 15 points less is found"


def test_copies_of_one_agent_come_out_even():
    table = find_table("gubs", 3)
    one, other = (gubs_agents.make("random", table, seed=seed) for seed in range(2))
    result = win_rate(one, other, table, deals=1000)
    four_errors = 2 * (result.high - result.low) / 2
    assert abs(result.rate - 1 / 3) < four_errors
    assert result.games == 3000


def test_a_shared_deal_is_the_same_deal_from_every_seat():
    """Two equal deterministic agents win equally often: one seat wins each deal."""
    result = win_rate(PassesAlways(), PassesAlways(), deals=30)
    assert result.rate == 0.5
    assert result.high - result.low == pytest.approx(1 - 0.025 ** (1 / 30))  # none differed


@every_game
def test_each_game_names_its_agents(game):
    names = gubs_agents.names(game)
    assert {"random", "montecarlo", "ismcts", "policy"} <= set(names)
    assert all(names.values())
    with pytest.raises(ValueError, match=f"called 'genius' in {game.name}: there are"):
        gubs_agents.make("genius", game)


def test_a_game_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="no game is called 'chess': there are"):
        gubs_agents.make("random", "chess")
