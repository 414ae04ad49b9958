"""Beliefs about hidden hands: how they weigh determinizations, their files, and their fit."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import gubs_agents
from gubs_agents.common.symmetry import ways_of
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.layers import Weights
from gubs_agents.scripted.by_game import symmetry_of
from gubs_agents.search.beliefs import Beliefs, load, save, sizes_of
from gubs_agents.search.search import MonteCarlo, Race
from gubs_env import find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.rng import seed_rng
from gubs_env.gubs_v0 import GAME
from tests.agents.secrets import answers_as_secrets_change
from tests.network_files import edit

TABLE, FUBNUB = find_table(GAME, 2), find_table("fubnub", 4)


def constant_beliefs(table, weights):
    """Return beliefs with the same weights, float[other seats, kinds], whatever is seen."""
    inputs, outputs = sizes_of(table)
    told = 6 * np.arctanh(np.asarray(weights, np.float64).ravel() / 6)
    layers = [(np.zeros((outputs, inputs), np.float32), told.astype(np.float32))]
    return Beliefs(Weights(layers), "none", 1)


def random_beliefs(table):
    rng, (inputs, outputs) = np.random.default_rng(0), sizes_of(table)
    sizes = (inputs, 16, outputs)
    layers = [
        (rng.normal(0, 0.3, (b, a)).astype(np.float32), rng.normal(0, 1, b).astype(np.float32))
        for a, b in pairwise(sizes)
    ]
    return Beliefs(Weights(layers), "none", 1)


def views_of(table, count=12):
    games = VectorEnv(table, count, seed=6)
    games.play_randomly(25, seed=6)
    return games, games.views(np.arange(count))


def drawn_hands(search, view, count):
    """Return the hands of the determinizations that a search makes, int64[count, seats, kinds]."""
    race, hands = Race(search, view, seed_rng(1)), []
    for _ in range(count):
        race.sweep(race.view, race.candidates, race.scratch, race.settings, race.rng, 1)
        hands.append(race.scratch.states[0]["hand"].astype(np.int64))
    return np.array(hands)


@pytest.mark.parametrize("table", [find_table(GAME, 3), FUBNUB], ids=str)
def test_hands_are_drawn_in_proportion_to_what_beliefs_say(table):
    """The mean hands are those of uniform determinizations with the weights exp(Σ x · w)."""
    _, views = views_of(table)
    search = MonteCarlo(table, 0, playouts=1, policy="random")
    uniform = drawn_hands(search, views[:1], 6000)
    search.beliefs = constant_beliefs(
        table, np.random.default_rng(0).normal(0, 0.5, (table.num_players - 1, 24))
    )
    weights = search.beliefs.weights(table, views[:1])
    likelihoods = np.exp((uniform[:, : len(weights)] * weights).sum((1, 2)))
    expected = (uniform * likelihoods[:, None, None]).sum(0) / likelihoods.sum()
    found = drawn_hands(search, views[:1], 6000).mean(0)
    assert np.abs(expected - uniform.mean(0)).max() > 0.1
    assert np.abs(expected - found).max() < 0.1


def test_beliefs_are_about_the_other_seats_and_the_cards_as_they_are_called():
    """A network that weighs the first kind of card it is shown, in the hand of the next seat."""
    _, views = views_of(FUBNUB)
    weights = np.zeros((3, 24))
    weights[0, 0] = 2
    beliefs = constant_beliefs(FUBNUB, weights)
    for row in range(len(views)):
        seat = int(views["asked"][row])
        observation = np.zeros((1, FUBNUB.observation_size), np.int8)
        FUBNUB.game.kernel.observe(views, row, int(views["actor"][row]), observation[0])
        way = ways_of(symmetry_of(FUBNUB.game), observation)[0]
        start = FUBNUB.observation_slices["hand"].start
        found = beliefs.weights(FUBNUB, views[row : row + 1])
        seats, cards = np.nonzero(found)
        assert seats.tolist() == [(seat + 1) % 4]
        assert cards.tolist() == [symmetry_of(FUBNUB.game).places[way, start] - start]
        assert found.max() == pytest.approx(2, abs=1e-5)


@pytest.mark.parametrize("table", [TABLE, FUBNUB], ids=str)
def test_a_search_with_beliefs_does_the_same_whatever_it_cannot_know(table):
    games, _ = views_of(table)
    search = MonteCarlo(table, 0, playouts=40)
    search.beliefs = random_beliefs(table)
    answers = answers_as_secrets_change(games, search)
    assert answers[0] == answers[1] == answers[2]


def test_beliefs_are_read_as_they_were_written(tmp_path):
    path, royal = tmp_path / "own.safetensors", {"mode": "royal"}
    save(path, random_beliefs(FUBNUB), FUBNUB)
    found = load(path, FUBNUB.with_rules({"num_points": 3}))
    written = random_beliefs(FUBNUB).network.policy
    np.testing.assert_array_equal(found.network.policy[0][0], written[0][0])
    assert gubs_agents.make("ismcts", FUBNUB, beliefs=str(path)).beliefs is not None
    with pytest.raises(WeightsError, match=r"its rules is .*'team'"):
        load(path, FUBNUB.with_rules(royal))
    with pytest.raises(WeightsError, match="its players is 4, expected is 3"):
        load(path, find_table("fubnub", 3, royal))
    with pytest.raises(ValueError, match="nobody has a hand in bad_bad_turtle_v0"):
        load(path, find_table("bad_bad_turtle", 4))
    with pytest.raises(FileNotFoundError, match="no such file"):
        load(tmp_path / "none.safetensors", FUBNUB)


def test_beliefs_about_policy_are_shipped():
    search = gubs_agents.make("montecarlo", weights="shipped", beliefs="shipped")
    assert search.beliefs.agent == "policy"
    with pytest.raises(
        ValueError, match="no beliefs are shipped for gubs_v0 with 5 players, only for gubs_v0_2"
    ):
        MonteCarlo(find_table(GAME, 5), beliefs="shipped")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"agent": 1}, "agent must be a text"),
        ({"more": 1}, "has an unknown key, 'more'"),
        ({"decisions": -1}, "decisions must be a whole number"),
        ({"format": "2"}, "its format is '2'"),
        ({"sha256": "0" * 64}, "sha256"),
    ],
)
def test_edited_beliefs_are_refused(tmp_path, fields, message):
    path = tmp_path / "own.safetensors"
    save(path, random_beliefs(TABLE), TABLE)
    edit(path, **fields)
    with pytest.raises(WeightsError, match=message):
        load(path, TABLE)


def test_beliefs_that_can_overflow_are_not_written(tmp_path):
    path = tmp_path / "own.safetensors"
    save(path, random_beliefs(TABLE), TABLE)
    kept = path.read_bytes()
    (matrix, biases), *others = random_beliefs(TABLE).network.policy
    absurd = [(matrix, biases * np.float32(1e38)), *others]
    with pytest.raises(WeightsError, match="can overflow"):
        save(path, Beliefs(Weights(absurd), "none", 1), TABLE)
    assert path.read_bytes() == kept
