"""A network reads the slices that it was trained on, wherever they lie in the observation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gubs_agents
from gubs_agents.common.decisions import form_of
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.network import SHIPPED, Network, Weights, load, save
from gubs_agents.networks.perceptron import best_by_network, make_perceptron
from gubs_agents.scripted.by_game import GAMES, symmetry_of
from gubs_agents.scripted.fubnub.symmetry import SYMMETRY, make_symmetry
from gubs_env import find_game, find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.slices import lay_out
from gubs_env.games.fubnub.cards import NUM_CARDS
from gubs_env.gubs_v0 import GAME
from tests.agents.test_network import random_value
from tests.network_files import edit, told_of

NEW = (("tricks_of_a_future", (5, NUM_CARDS), 1, "cards"), ("counts_of_a_future", (4,), 5, "no"))
SHIPPED_FILES = sorted(SHIPPED.glob("*.safetensors"))
each_shipped = pytest.mark.parametrize("file", SHIPPED_FILES, ids=lambda file: file.stem)


def with_slices(game, change):
    """Return a game whose slices, (name, shape, high, meaning), are changed by a function."""

    def observation_slices(num_players, rules=None):
        return lay_out(
            change([piece[:4] for piece in game.observation_slices(num_players).values()])
        )

    return replace(game, observation_slices=observation_slices)


def laid_out(observations, table, other, rng):
    """Return observations of a table as another one shows them, with random new slices."""
    highs = other.observation_highs
    shown = rng.integers(0, highs, (len(observations), len(highs)), np.int8, endpoint=True)
    old = table.observation_slices
    for name, piece in other.observation_slices.items():
        if name in old:
            shown[:, piece.start : piece.start + piece.size] = (
                old[name].of(observations).reshape(len(shown), -1)
            )
    return shown


def games_of(file):
    told = told_of(file)
    env = VectorEnv(find_table(told["game"], told["players"], told["rules"]), 80, seed=1)
    env.play_randomly(30, seed=1)
    return env


@each_shipped
@pytest.mark.parametrize("order", ["last", "first", "among"])
def test_a_shipped_network_plays_on_when_its_game_gets_new_slices(file, order, monkeypatch):
    env = games_of(file)
    table = env.table
    put = {
        "last": lambda old: [*old, *NEW],
        "first": lambda old: [*NEW, *old],
        "among": lambda old: [*old[5:], NEW[0], *old[:5], NEW[1]],
    }[order]
    today = gubs_agents.make("policy", table, seed=0)
    expected = today.act(env.observations, env.masks)
    newer = find_table(with_slices(table.game, put), table.num_players, table.rules)
    if table.game.name == "fubnub_v0":
        if order != "last":
            pytest.skip("the compiled naming reads the point card where it lies today")
        symmetry = make_symmetry(newer.observation_slices)
        known = GAMES[table.game.name]._replace(symmetry=symmetry)
        monkeypatch.setitem(GAMES, table.game.name, known)
    observations = laid_out(env.observations, table, newer, np.random.default_rng(0))
    network = gubs_agents.make("policy", newer, seed=0)
    assert (network.act(observations, env.masks) == expected).all()
    symmetry = symmetry_of(newer.game)
    compiled = make_perceptron(load(file, newer), symmetry)
    for seen, mask, action in zip(observations[:6], env.masks, expected, strict=False):
        way = symmetry.naming(seen) if symmetry else 0
        assert best_by_network(compiled, seen, mask, way) == action


def part_of_gubs(names, seed=0):
    """Return a network over some slices of two-player Gubs."""
    slices, rng = GAME.observation_slices(2), np.random.default_rng(seed)
    inputs = np.concatenate(
        [np.arange(slices[n].start, slices[n].start + slices[n].size) for n in names]
    )
    sizes = ((16, len(inputs)), (find_table(GAME, 2).num_actions, 16))
    layers = [
        (rng.normal(size=size).astype(np.float32), rng.normal(size=size[0]).astype(np.float32))
        for size in sizes
    ]
    return Weights(layers, random_value(), inputs)


def test_a_network_over_some_slices_comes_back_with_them(tmp_path):
    weights, path = part_of_gubs(["points", "hand", "decision"]), tmp_path / "part.safetensors"
    save(path, weights, find_table(GAME, 2))
    assert [name for name, *_ in told_of(path)["slices"]] == ["points", "hand", "decision"]
    loaded = load(path, find_table(GAME, 2))
    assert (loaded.inputs == weights.inputs).all()
    env = VectorEnv(find_table(GAME, 2), 50, seed=0)
    env.play_randomly(30)
    playing = gubs_agents.make("policy", seed=0, weights=path)
    copy = Network(weights, form=playing.form)
    expected = copy.act(env.observations, env.masks)
    assert (playing.act(env.observations, env.masks) == expected).all()
    compiled = make_perceptron(loaded)
    for seen, mask, action in zip(env.observations, env.masks, expected, strict=True):
        assert best_by_network(compiled, seen, mask, 0) == action


def test_a_network_over_some_slices_is_widened_without_changing_its_scores():
    weights = part_of_gubs(["decision", "hand"])
    env = VectorEnv(find_table(GAME, 2), 50, seed=0)
    env.play_randomly(30)
    wide = weights.widened(find_table(GAME, 2).observation_size)
    playing = Network(weights, form=form_of(find_table(GAME, 2)))
    found = Network(wide).scores(env.observations)
    np.testing.assert_allclose(found, playing.scores(env.observations), rtol=1e-5, atol=1e-5)
    assert wide.inputs is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda old: old[1:],
            r"entry 0: found \['hand', \[24\], 70\], expected one of hand_sizes,",
        ),
        (
            lambda old: [("hand", (25,), 70, ""), *old[1:]],
            r"entry 0: found \['hand', \[24\], 70\], expected \['hand', \[25\], 70\]",
        ),
    ],
)
def test_a_slice_that_is_gone_or_resized_is_refused_and_both_are_named(change, message):
    with pytest.raises(WeightsError, match=f"its slices differ in {message}"):
        load(SHIPPED / "gubs_v0_2.safetensors", find_table(with_slices(GAME, change), 2))


def test_a_slice_that_comes_twice_is_refused(tmp_path):
    path = tmp_path / "part.safetensors"
    save(path, part_of_gubs(["hand"]), find_table(GAME, 2))
    edit(path, slices=told_of(path)["slices"] * 2)
    with pytest.raises(WeightsError, match=r"entry 1: .*, which comes twice"):
        load(path, find_table(GAME, 2))


def test_inputs_that_are_no_whole_slices_are_not_saved(tmp_path):
    weights = part_of_gubs(["hand"])
    backwards = replace(weights, inputs=weights.inputs[::-1].copy())
    with pytest.raises(WeightsError, match="its inputs are no whole slice"):
        save(tmp_path / "n.safetensors", backwards, find_table(GAME, 2))


def test_new_slices_of_number_cards_are_renamed():
    slices = lay_out(
        [*(piece[:4] for piece in find_game("fubnub").observation_slices(4).values()), *NEW]
    )
    symmetry = make_symmetry(slices)
    tricks, counts = (slices[name] for name, *_ in NEW)
    size = SYMMETRY.places.shape[1]
    assert (symmetry.places[:, :size] == SYMMETRY.places).all()
    for row in range(5):
        start = tricks.start + row * NUM_CARDS
        assert (
            symmetry.places[:, start : start + NUM_CARDS] - start == symmetry.actions[:, :24]
        ).all()
    assert (symmetry.places[:, counts.start :] == np.arange(counts.start, counts.start + 4)).all()
