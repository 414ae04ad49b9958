"""One reader reads the files of all networks: policies, values of outcomes, and beliefs."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import numpy as np
import pytest

from gubs_agents import luck
from gubs_agents.luck import values
from gubs_agents.networks import network
from gubs_agents.networks.architecture import WeightsError
from gubs_agents.networks.layers import Weights
from gubs_agents.search import beliefs
from gubs_env import find_table
from tests import network_files
from tests.network_files import edit

TABLE = find_table("gubs", 2)


def layers_of(*sizes):
    rng = np.random.default_rng(0)
    return [
        (rng.normal(0, 0.1, (b, a)).astype(np.float32), np.zeros(b, np.float32))
        for a, b in pairwise(sizes)
    ]


def save_policy(path, change=lambda layers: layers):
    layers = layers_of(TABLE.observation_size, 8, TABLE.num_actions)
    network.save(path, Weights(change(layers)), TABLE)


def save_values(path, change=lambda layers: layers):
    chance = TABLE.game.chance_events()
    layers = layers_of(chance.num_features(2), 8, 2 * chance.num_outcomes)
    weights = Weights(change(layers), largest_input=values.LARGEST_FEATURE)
    values.save(path, values.Values(weights, 5, 1), TABLE)


def save_beliefs(path, change=lambda layers: layers):
    inputs, outputs = beliefs.sizes_of(TABLE)
    weights = Weights(change(layers_of(inputs, 8, outputs)))
    beliefs.save(path, beliefs.Beliefs(weights, "none", 1), TABLE)


FORMATS = {
    "policy": (save_policy, lambda path: network.load(path, TABLE)),
    "values": (save_values, lambda path: luck.values_for(TABLE, path)),
    "beliefs": (save_beliefs, lambda path: beliefs.load(path, TABLE)),
}
formats = pytest.mark.parametrize("name", FORMATS)


def fill(name, value):
    return lambda tensors: tensors[name].fill(value)


TENSORS = {
    "large biases": (fill("1.bias", 3e38), "has weights so large that its outputs can overflow"),
    "large weights": (fill("0.weight", 3e38), "has weights so large that its outputs can overflow"),
    "together": (
        lambda tensors: [fill(f"{k}.weight", 1e16)(tensors) for k in range(2)],
        "layer 1 has weights so large that its outputs can overflow",
    ),
    "infinite": (fill("1.weight", np.inf), "layer 1 holds numbers that are not finite"),
    "no numbers": (fill("0.bias", np.nan), "layer 0 holds numbers that are not finite"),
    "float64": (
        lambda tensors: tensors.update({"0.bias": np.zeros(8)}),
        r"its tensor 0\.bias is float64\[8\]",
    ),
    "another shape": (
        lambda tensors: tensors.update({"1.weight": np.zeros((3, 8), np.float32)}),
        r"its tensor 1\.weight is float32\[3, 8\]",
    ),
    "one missing": (lambda tensors: tensors.pop("0.bias"), "is missing|is unknown"),
    "one more": (
        lambda tensors: tensors.update({"more": np.zeros(3, np.float32)}),
        "its tensor more is unknown",
    ),
    "none": (lambda tensors: tensors.clear(), r"its tensor 0\.bias is missing"),
}


@formats
@pytest.mark.parametrize("tensors", TENSORS)
def test_every_reader_refuses_the_same_tensors(tmp_path, name, tensors):
    save, load = FORMATS[name]
    path = tmp_path / "net.safetensors"
    save(path)
    load(path)
    change, message = TENSORS[tensors]
    edit(path, change)
    with pytest.raises(WeightsError, match=rf"net\.safetensors does not fit: .*({message})"):
        load(path)


@formats
def test_what_can_overflow_is_not_written(tmp_path, name):
    save, _ = FORMATS[name]
    path = tmp_path / "net.safetensors"
    with pytest.raises(WeightsError, match="layer 0 has weights so large"):
        save(path, lambda layers: [(layers[0][0] * np.float32(1e32), layers[0][1]), layers[1]])
    assert not list(tmp_path.iterdir())


@formats
@pytest.mark.parametrize("text", [None, "", "PNG", "[]", "null", "{", "{}"])
def test_a_foreign_description_is_refused_by_every_reader(tmp_path, name, text):
    save, load = FORMATS[name]
    path = tmp_path / "net.safetensors"
    save(path)
    network_files.describe(path, text)
    with pytest.raises(WeightsError, match=r"net\.safetensors does not fit: "):
        load(path)


@formats
def test_a_network_of_another_kind_is_refused(tmp_path, name):
    path = tmp_path / "net.safetensors"
    for other, (save, _) in FORMATS.items():
        save(path)
        if other != name:
            with pytest.raises(WeightsError, match=r"its format is 'gubs_env .*', expected is '"):
                FORMATS[name][1](path)


@formats
def test_the_hash_is_that_of_the_tensors_without_a_description(tmp_path, name):
    """So the hashes in model cards and protocols name weights, whatever is said about them."""
    path = tmp_path / "net.safetensors"
    FORMATS[name][0](path)
    found = network_files.told_of(path)["sha256"]
    network_files.describe(path, None)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == found


@pytest.mark.parametrize(
    ("name", "field", "value", "message"),
    [
        ("values", "scale", -1.0, "scale must be 0"),
        ("values", "scale", 3e38, "scale must be 0"),
        ("values", "scale", True, "scale must be 0"),
        ("values", "games", -1, "games must be a whole number from 0 on"),
        ("values", "games", 10**30, "games must be a whole number from 0 on"),
        ("values", "first_deal", -5, "first_deal must be a whole number from 0 on"),
        ("beliefs", "decisions", -1, "decisions must be a whole number from 0 on"),
        ("beliefs", "agent", None, "agent must be a text"),
        ("policy", "players", 0, "players must be a whole number from 1 on"),
    ],
)
def test_a_number_out_of_its_range_is_refused(tmp_path, name, field, value, message):
    save, load = FORMATS[name]
    path = tmp_path / "net.safetensors"
    save(path)
    edit(path, **{field: value})
    with pytest.raises(WeightsError, match=message):
        load(path)
