"""A network sees number cards by their ranks, and its choices map back to the right cards."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_agents.common.symmetry import show
from gubs_agents.networks.network import Network, Weights
from gubs_agents.networks.perceptron import best_by_network, make_perceptron
from gubs_agents.scripted.fubnub.symmetry import SYMMETRY
from gubs_env import find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.fubnub_v0 import GAME, Rules
from gubs_env.games.fubnub.actions import NUM_ACTIONS
from gubs_env.games.fubnub.cards import NUM_CARDS, RANK
from gubs_env.games.fubnub.observation import SLICES

MODES = ("team", "ghost", "royal", "full")


def under_way(mode: str, count: int = 60) -> VectorEnv:
    table = find_table(GAME, 3 if mode == "ghost" else 4, Rules(mode=mode))
    games = VectorEnv(table, count, seed=3)
    games.play_randomly(37, seed=0)
    return games


def ranks_of(observation: np.ndarray) -> np.ndarray:
    point = np.flatnonzero(SLICES["point_card"].of(observation))
    return RANK[point[0]] if point.size else RANK[-1]


@pytest.mark.parametrize("mode", MODES)
def test_cards_are_shown_at_their_ranks_and_all_else_as_it_is(mode):
    games = under_way(mode)
    shown = show(SYMMETRY, games.observations, games.masks)
    for before, after in zip(games.observations, shown.observations, strict=True):
        ranks = ranks_of(before)
        for name, piece in SLICES.items():
            was, now = piece.of(before), piece.of(after)
            if piece.shape[-1] == NUM_CARDS:
                assert (now[..., ranks] == was).all(), name
            else:
                assert (now == was).all(), name


def test_the_favoured_cards_are_the_highest():
    games = under_way("team")
    favoured = SLICES["favoured"].of(show(SYMMETRY, games.observations, games.masks).observations)
    assert favoured.any()
    assert (np.diff(favoured.astype(int), axis=1) >= 0).all()


@pytest.mark.parametrize("mode", MODES)
def test_an_action_stands_for_the_card_at_its_rank(mode):
    games = under_way(mode)
    shown = show(SYMMETRY, games.observations, games.masks)
    rng = np.random.default_rng(0)
    actions = np.where(games.masks, rng.random(games.masks.shape), -1).argmax(1)
    chosen = shown.chosen(actions)
    assert (shown.played(chosen) == actions).all()
    assert shown.masks[np.arange(len(chosen)), chosen].all()
    for observation, action, there in zip(games.observations, actions, chosen, strict=True):
        assert there == (ranks_of(observation)[action] if action < NUM_CARDS else action)


def test_the_compiled_network_sees_and_means_the_same():
    rng = np.random.default_rng(1)
    sizes = ((16, find_table(GAME, 4).observation_size), (NUM_ACTIONS, 16), (1, 16))
    layers = [
        (rng.normal(size=size).astype(np.float32), rng.normal(size=size[0]).astype(np.float32))
        for size in sizes
    ]
    network = make_perceptron(Weights(layers[:2], layers[2]), SYMMETRY)
    games = under_way("team")
    expected = Network(Weights(layers[:2]), symmetry=SYMMETRY).act(games.observations, games.masks)
    for observation, mask, action in zip(games.observations, games.masks, expected, strict=True):
        way = SYMMETRY.naming(observation)
        assert best_by_network(network, observation, mask, way) == action
