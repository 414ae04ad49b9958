"""Search works in every game; `test_search` tests it in detail for Gubs."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import gubs_agents
from gubs_agents.arena import play
from gubs_agents.networks.network import Weights, save
from gubs_agents.networks.perceptron import NO_PERCEPTRON, make_perceptron
from gubs_agents.scripted.by_game import scripted_in, symmetry_of
from gubs_agents.search import playouts
from gubs_agents.search.playouts import HEURISTIC, NETWORK, Reader
from gubs_agents.search.search import ISMCTS, MonteCarlo, Race
from gubs_env import find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.rng import seed_rng
from tests.agents.secrets import answers_as_secrets_change
from tests.commands import python

FUBNUB, TURTLE = find_table("fubnub", 4), find_table("bad_bad_turtle")
other_games = pytest.mark.parametrize("table", [FUBNUB, TURTLE], ids=str)
both_kinds = pytest.mark.parametrize("kind", [MonteCarlo, ISMCTS])


def zero_network(table, value):
    """Return a network with equal scores for all actions and the given value for all positions."""
    sizes = [table.observation_size, 8, table.num_actions]
    layers = [(np.zeros((b, a), np.float32), np.zeros(b, np.float32)) for a, b in pairwise(sizes)]
    return Weights(layers, (np.zeros((1, 8), np.float32), np.full(1, value, np.float32)))


def games_under_way(table, count=24):
    env = VectorEnv(table, count, seed=6)
    env.play_randomly(25, seed=6)
    return env


@other_games
@both_kinds
def test_a_search_plays_legal_actions_to_the_end(table, kind):
    """`play` raises on every illegal action."""
    searching = kind(table, 0, playouts=8)
    others = [gubs_agents.make("random", table, seed=1)] * (table.num_players - 1)
    assert play([searching, *others], table, 2, seed=1).shape == (2, table.num_players)


@other_games
@both_kinds
def test_a_search_does_the_same_whatever_it_cannot_know(table, kind):
    """With every secret drawn anew and the same RNGs, the search chooses the same actions."""
    env = games_under_way(table)
    searching = kind(table, 0, playouts=40)
    answers = answers_as_secrets_change(env, searching)
    assert answers[0] == answers[1] == answers[2]


@other_games
def test_a_search_with_a_network_stops_at_its_horizon(table, tmp_path):
    path = tmp_path / "network.safetensors"
    save(path, zero_network(table, 0.5), table)
    views = games_under_way(table, 4).views(np.arange(4))
    runs = [ISMCTS(table, 3, playouts=20, weights=str(path)).search(views) for _ in range(2)]
    assert (runs[0] == runs[1]).all()


def test_with_a_network_that_has_no_value_a_search_counts_the_lead(tmp_path):
    path = tmp_path / "network.safetensors"
    policy = zero_network(FUBNUB, 0.0).policy
    save(path, Weights(policy), FUBNUB)
    searching = MonteCarlo(FUBNUB, 3, playouts=40, weights=str(path))
    assert searching.settings.horizon == scripted_in(FUBNUB.game).horizon
    assert searching.settings.margin == 0.25
    assert len(searching.search(games_under_way(FUBNUB, 4).views(np.arange(4)))) == 4


@pytest.fixture(scope="module")
def write_guess():
    own = playouts.placeholders_of(FUBNUB.game)
    return playouts.templates.specialise(FUBNUB.game.name, own)["write_guess"]


@pytest.mark.parametrize(
    ("mode", "num_players", "expected"),
    [
        ("team", 4, [-0.6, 0.6, -0.6, 0.6]),
        ("royal", 4, [-0.2, 0.6, -0.2, -0.2]),
        ("royal", 2, [-0.6, 0.6]),
        ("ghost", 3, [-0.6, 0.6, -0.6]),
        ("ghost_royal", 2, [-0.2, 0.6]),
        ("ghost", 1, [0.6]),
    ],
)
def test_partners_share_what_a_network_expects_and_the_others_pay(
    mode, num_players, expected, write_guess
):
    """Ghosts pay their part too, as they do in the game."""
    table = find_table("fubnub", num_players, {"mode": mode})
    env = VectorEnv(table, 1, seed=0)
    network = make_perceptron(zero_network(table, 0.6), symmetry_of(table.game))
    player, worth = min(1, num_players - 1), np.zeros((2, num_players), np.float32)
    reader = Reader(env.masks[0], env.observations[0].copy(), network)
    write_guess(env.states[0], player, reader, 0.25, worth)
    assert worth[0].tolist() == pytest.approx(expected)


def test_without_a_network_a_game_under_way_is_worth_its_lead(write_guess):
    env = VectorEnv(FUBNUB, 1, seed=0)
    env._states["owned"][0, 0, :3] = 1  # the pile of seats 0 and 2
    worth = np.zeros((2, 4), np.float32)
    reader = Reader(env.masks[0], env.observations[0].copy(), NO_PERCEPTRON)
    write_guess(env.states[0], 1, reader, 0.25, worth)
    assert worth[0].tolist() == [0.75, -0.75, 0.75, -0.75]


def test_in_a_playout_partners_play_the_policy_and_opponents_their_own():
    own = playouts.placeholders_of(FUBNUB.game)
    bound = playouts.templates.specialise(FUBNUB.game.name, own)
    network = make_perceptron(zero_network(FUBNUB, 0.0), symmetry_of(FUBNUB.game))
    settings = MonteCarlo(FUBNUB, policy="heuristic").settings
    settings = settings._replace(policy=NETWORK, opponents=HEURISTIC)
    env, differing = games_under_way(FUBNUB, 60), set()
    for state, mask, observation in zip(env.states, env.masks, env.observations, strict=True):
        actions = [
            bound["policy_action"](
                state, Reader(mask, observation.copy(), network), policy, seed_rng(1)
            )
            for policy in (NETWORK, HEURISTIC)
        ]
        for seat in range(4):
            is_opponent = (seat - state["actor"]) % 2
            reader = Reader(mask, observation.copy(), network)
            chosen = bound["playout_action"](state, seat, reader, settings, seed_rng(1))
            assert chosen == actions[is_opponent]
        differing |= {int(state["actor"])} if actions[0] != actions[1] else set()
    assert differing == {0, 1, 2, 3}


def test_in_fubnub_a_playout_ends_with_the_hand():
    """Whether a swap, the first or the last card of the hand is to be decided."""
    env, ended = VectorEnv(FUBNUB, 24, seed=6, skip_forced=True), set()
    search = MonteCarlo(FUBNUB, 0, policy="random")
    for _ in range(12):
        for view in env.views(np.arange(24))[:, None]:
            race = Race(search, view, seed_rng(1))
            race.sweep(race.view, race.candidates, race.scratch, race.settings, race.rng, 1)
            end = race.scratch.states[1]
            if end["phase"] != FUBNUB.game.mechanics.Phase.OVER:
                assert end["hands"] == view["hands"][0] + 1
                assert end["played"].sum() == end["trick"].sum() == 0
                ended.add(FUBNUB.game.mechanics.Phase(int(view["phase"][0])).name)
        env.play_randomly(1, seed=3)
    assert {"PLAY", "DECIDE"} <= ended


def test_views_of_another_table_are_refused():
    views = games_under_way(FUBNUB, 2).views(np.arange(2))
    with pytest.raises(ValueError, match="of 4 players, not of 2"):
        MonteCarlo(find_table("fubnub", 2, {"mode": "royal"})).search(views)


def test_a_playout_policy_that_a_game_lacks_is_an_error():
    with pytest.raises(ValueError, match=r"policy='best': allowed for fubnub_v0 are \["):
        MonteCarlo(FUBNUB, policy="best")


def test_searching_is_the_same_compiled_and_not():
    script = (
        "import numpy as np, gubs_agents\n"
        "from gubs_env import fubnub_v0\n"
        "rules = fubnub_v0.Rules(mode='royal', num_points=1)\n"
        "env = fubnub_v0.vector_env(2, num_players=2, rules=rules, seed=3)\n"
        "env.play_randomly(2, seed=0)\n"
        "search = gubs_agents.make('ismcts', env.table, 0, playouts=9, policy='random')\n"
        "print(search.search(env.views(np.arange(2))))"
    )
    said = [python(script, NUMBA_DISABLE_JIT=disabled) for disabled in "01"]
    assert said[0] == said[1] != ""
