"""The compiled network and the NumPy network compute the same."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_agents.networks.network import Network, Weights
from gubs_agents.networks.perceptron import best_by_network, make_perceptron, value_by_network
from gubs_env import find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.gubs_v0 import GAME
from tests.agents.test_network import random_layers, random_value


@pytest.mark.parametrize("num_players", [2, 4])
def test_scores_and_values_are_those_of_the_layers(num_players):
    layers, value = random_layers(num_players), random_value()
    network = make_perceptron(Weights(layers, value))
    games = VectorEnv(find_table(GAME, num_players), 50, seed=0)
    games.play_randomly(40, seed=1)
    expected = Network(Weights(layers)).act(games.observations, games.masks)
    values = Network(Weights([*layers[:-1], value])).scores(games.observations)[:, 0]
    num_actions = games.masks.shape[1]
    for index in range(50):
        observation, mask = games.observations[index], games.masks[index]
        assert best_by_network(network, observation, mask, 0) == expected[index]
        found = value_by_network(network, observation, num_actions, 0)
        assert found == pytest.approx(values[index], rel=1e-4, abs=1e-3)


def test_a_network_may_have_a_policy_only():
    layers, games = random_layers(), VectorEnv(find_table(GAME), 5, seed=0)
    network = make_perceptron(Weights(layers))
    assert not network.has_value
    expected = Network(Weights(layers)).act(games.observations, games.masks)
    for index in range(5):
        observation, mask = games.observations[index], games.masks[index]
        assert best_by_network(network, observation, mask, 0) == expected[index]


def test_the_arrays_are_single_precision():
    network = make_perceptron(Weights(random_layers(), random_value()))
    assert network.weights.dtype == network.values.dtype == np.float32
