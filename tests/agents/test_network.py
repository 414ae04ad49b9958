"""The agent with a network: its weights, their description, and the files it refuses.

GUBS_ENV_MUTATIONS=5000 pytest -s tests/agents/test_network.py tries 5,000 files.
"""

from __future__ import annotations

import json
import os
from itertools import pairwise

import numpy as np
import pytest

import gubs_agents
from gubs_agents.common.decisions import form_of
from gubs_agents.networks.architecture import Description, WeightsError, describe
from gubs_agents.networks.network import SHIPPED, Network, Weights, load, save
from gubs_agents.networks.perceptron import make_perceptron
from gubs_agents.scripted.by_game import symmetry_of
from gubs_env import find_game, find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.rng import spawn_rngs
from gubs_env.games.fubnub.rules import MODES
from gubs_env.gubs_v0 import GAME, Rules
from tests import network_files
from tests.network_files import edit, told_of

TABLE = find_table(GAME, 2)
MUTATIONS = int(os.environ.get("GUBS_ENV_MUTATIONS", "200"))


def random_layers(num_players=2, seed=0):
    rng = np.random.default_rng(seed)
    table = find_table(GAME, num_players)
    sizes = [table.observation_size, 16, table.num_actions]
    return [
        (rng.normal(size=(b, a)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in pairwise(sizes)
    ]


def random_value(seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(1, 16)).astype(np.float32), rng.normal(size=1).astype(np.float32)


@pytest.fixture
def path(tmp_path):
    save(tmp_path / "net.safetensors", Weights(random_layers(), random_value()), TABLE)
    return tmp_path / "net.safetensors"


def test_weights_come_back_as_they_were_saved(path):
    loaded = load(path, TABLE)
    saved = [*random_layers(), random_value()]
    for (w, b), (v, c) in zip(saved, [*loaded.policy, loaded.value], strict=True):
        assert (w == v).all()
        assert (b == c).all()
    described = told_of(path)
    layers = [["hidden", 16], ["policy", TABLE.num_actions], ["value", 1]]
    assert described["layers"] == layers
    assert described.keys() == {"format", *Description._fields, "sha256"}


def test_a_network_is_one_file_with_equal_bytes_each_time(path):
    assert [found.name for found in path.parent.iterdir()] == ["net.safetensors"]
    before = path.read_bytes()
    save(path, load(path, TABLE), TABLE)
    assert path.read_bytes() == before


@pytest.mark.parametrize("file", sorted(SHIPPED.glob("*.safetensors")), ids=lambda file: file.stem)
def test_the_shipped_networks_fit(file):
    described = told_of(file)
    table = find_table(described["game"], described["players"], described["rules"])
    weights = load(file, table)
    assert file.stem == table.name
    assert len(weights.policy) == 3


@pytest.mark.parametrize(
    ("game", "num_players", "rules"),
    [
        *(("gubs", n, {}) for n in range(2, 7)),
        *(("bad_bad_turtle", n, {}) for n in range(2, 9)),
        *(("fubnub", n, {"mode": name}) for name, mode in MODES.items() for n in mode.players),
    ],
)
def test_a_network_is_shipped_for_every_number_of_players_and_mode(game, num_players, rules):
    table = find_table(game, num_players, rules)
    network, env = gubs_agents.make("policy", table), VectorEnv(table, 50, seed=0)
    assert env.masks[np.arange(50), network.act(env.observations, env.masks)].all()


def test_the_shipped_networks_are_small():
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*")) < 20 * 2**20


# ------------------------------------------------------------------------------ what is refused


def changed(part):
    """Return a changed value for one part of the description, and the message of `load`."""
    original = describe(TABLE, [16], has_value=True)
    name, shape, high = original.slices[3]
    return {
        "game": ("chess_v0", "its game is 'chess_v0', expected is 'gubs_v0'"),
        "players": (3, "its players is 3, expected is 2"),
        "slices": (
            [*original.slices[:3], [name, shape, high + 1], *original.slices[4:]],
            rf"its slices differ in entry 3: found \['{name}', .* expected \['{name}', ",
        ),
        "transform": ("sqrt", "its transform is 'sqrt', expected is 'log1p'"),
        "activation": ("tanh", "its activation is 'tanh', expected is 'relu'"),
        "layers": (
            [original.layers[0], *original.layers[:0:-1]],
            r"its layers differ in entry 1: found \['value', 1\], expected \['policy', ",
        ),
        "actions": (
            original.actions[1::-1] + original.actions[2:],
            "its actions differ in entry 0: found '.*', expected '",
        ),
        "symmetry": ("0" * 16, "its symmetry is '0000000000000000', expected is None"),
        "rules": (
            original.rules | {"letters": "anywhere"},
            "it was trained for letters='anywhere', not for 'thirds'",
        ),
    }[part]


@pytest.mark.parametrize("part", Description._fields)
def test_a_network_of_which_one_part_differs_is_refused_and_the_part_named(path, part):
    value, message = changed(part)
    edit(path, **{part: value})
    with pytest.raises(WeightsError, match=f"{path} does not fit: {message}"):
        load(path, TABLE)


def test_a_network_plays_only_under_rules_for_which_it_was_trained(path):
    draws_none = find_table(GAME, 2, Rules(plague_redraw=False))
    load(path, find_table(GAME, 2, Rules(reward="margin")))
    with pytest.raises(WeightsError, match="it was trained for plague_redraw=True, not for False"):
        load(path, draws_none)
    load(path, draws_none, any_rules=True)
    save(path, load(path, TABLE), TABLE, varied=True)
    load(path, draws_none)
    edit(path, rules={"colour": "green"})
    with pytest.raises(WeightsError, match="its rules have an unknown option 'colour'"):
        load(path, draws_none)


def test_a_mode_of_fubnub_has_networks_of_its_own(tmp_path):
    teams, path = find_table("fubnub", 4), tmp_path / "royal.safetensors"
    sizes = [teams.observation_size, 8, teams.num_actions]
    layers = [(ones(b, a), ones(b)) for a, b in pairwise(sizes)]
    royal = teams.with_rules({"mode": "royal"})
    save(path, Weights(layers), royal, varied=True)
    load(path, teams.with_rules({"mode": "royal", "num_points": 7}))
    with pytest.raises(WeightsError, match="it was trained for mode='royal', not for 'team'"):
        load(path, teams)
    assert royal.name == "fubnub_v0_4_royal"
    assert teams.name == "fubnub_v0_4"


def test_an_agent_is_refused_under_rules_that_its_network_does_not_know():
    for num_players in range(2, 7):
        gubs_agents.make("policy", find_table("gubs", num_players, {"ask_everyone": True}))
    teams, royal = str(SHIPPED / "fubnub_v0_4.safetensors"), {"mode": "royal"}
    with pytest.raises(WeightsError, match="it was trained for mode='team', not for 'royal'"):
        gubs_agents.make("policy", find_table("fubnub", 4, royal), weights=teams)
    ghosts_first = {"mode": "ghost", "ghost_seats": [0]}
    with pytest.raises(ValueError, match=r"with 3 players, mode=ghost, ghost_seats=\[0\], only"):
        gubs_agents.make("policy", find_table("fubnub", 3, ghosts_first))


@pytest.mark.parametrize("value", [None, 3, "log1p", [], [[]], [["hidden", "16"]], {"a": 1}])
@pytest.mark.parametrize("part", ["slices", "layers"])
def test_a_part_of_another_kind_is_refused(path, part, value):
    edit(path, **{part: value})
    with pytest.raises(WeightsError, match=f"{part} must be "):
        load(path, TABLE)


def test_a_network_is_refused_at_another_table(path):
    with pytest.raises(WeightsError, match="its players is 2, expected is 3"):
        load(path, find_table(GAME, 3))
    with pytest.raises(
        WeightsError, match="its game is 'gubs_v0', expected is 'bad_bad_turtle_v0'"
    ):
        load(path, find_table("bad_bad_turtle", 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "it does not say what it computes: an older version of gubs_env or another program"),
        ("{", "not valid JSON"),
        ("", "not valid JSON"),
        ("[]", "its description must be an object, not"),
        ("{}", "its format is None, expected is 'gubs_env network 1'"),
        ("[" * 100_000, "nested too deeply"),
        ('{"players": ' + "9" * 5000 + "}", "a number of 5,000 digits"),
    ],
    ids=["none", "no JSON", "empty", "list", "no fields", "nested", "digits"],
)
def test_a_description_that_cannot_be_read_is_refused(path, text, message):
    network_files.describe(path, text)
    with pytest.raises(WeightsError, match=message):
        load(path, TABLE)


def test_an_unknown_or_missing_part_is_refused(path):
    edit(path, dropout=0.1)
    with pytest.raises(WeightsError, match="its description has an unknown key, 'dropout'"):
        load(path, TABLE)
    told = told_of(path)
    del told["dropout"], told["symmetry"]
    network_files.describe(path, json.dumps(told))
    with pytest.raises(WeightsError, match="its description lacks 'symmetry'"):
        load(path, TABLE)


def test_damaged_weights_are_refused(path):
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    with pytest.raises(WeightsError, match=r"the sha256 of its tensors is '.*the file is damaged"):
        load(path, TABLE)
    for size in (0, 4, 100, len(data) - 4):
        path.write_bytes(data[:size])
        with pytest.raises(WeightsError, match="it is not valid safetensors"):
            load(path, TABLE)


@pytest.mark.parametrize(
    ("name", "tensor", "message"),
    [
        ("0.bias", np.zeros(15, np.float32), r"float32\[15\], expected is float32\[16\]"),
        ("0.bias", np.zeros(16, np.float64), r"float64\[16\], expected is float32\[16\]"),
        ("1.weight", np.zeros((16, 64), np.float32), r"float32\[16, 64\], expected is float32\["),
        ("value.bias", None, "is missing"),
        ("2.bias", np.zeros(1, np.float32), "is unknown"),
    ],
)
def test_a_tensor_that_is_not_as_described_is_refused_and_named(path, name, tensor, message):
    def change(tensors):
        tensors.pop(name, None)
        if tensor is not None:
            tensors[name] = tensor

    edit(path, change)
    with pytest.raises(WeightsError, match=f"its tensor {name} (is )?{message}"):
        load(path, TABLE)


def test_layers_of_the_wrong_shape_are_not_saved(tmp_path):
    with pytest.raises(WeightsError, match=r"its tensor 0\.weight is float32"):
        save(tmp_path / "net.safetensors", Weights(random_layers(3)), TABLE)
    assert not list(tmp_path.iterdir())


def test_the_width_of_hidden_layers_is_the_networks_own(path):
    described = told_of(path)
    edit(path, layers=[["hidden", 17], *described["layers"][1:]])
    with pytest.raises(WeightsError, match=r"its tensor 0.weight is float32\[16, .* float32\[17, "):
        load(path, TABLE)


def test_a_missing_file_is_named(path):
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"no such file: .*net\.safetensors"):
        load(path, TABLE)


def mutated(data, rng):
    """Return bytes with a few changes: bytes replaced, removed, put in, or the end cut off."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(data) + 1))
        length = int(rng.choice([0, 1, 8, len(data)]))
        data[at : at + length] = rng.integers(0, 256, rng.integers(9), np.uint8).tobytes()
    return bytes(data)


WEIRD = (None, True, -1, 0, 10**30, 0.5, "", "x" * 1000, [], {}, [[]], [None], [["hand", [24], 70]])


def mutated_description(told, rng):
    """Return a description with a part, or an entry of a part, replaced or removed."""
    told = json.loads(json.dumps(told))
    name = str(rng.choice(list(told)))
    part, value = told[name], WEIRD[rng.integers(len(WEIRD))]
    if isinstance(part, list) and rng.random() < 0.7:
        part[rng.integers(len(part))] = value
    elif rng.random() < 0.2:
        del told[name]
    else:
        told[name] = value
    return told


def test_whatever_a_file_holds_a_network_is_loaded_or_refused_in_one_line(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "net.safetensors"
    data = (SHIPPED / "fubnub_v0_4.safetensors").read_bytes()
    told = told_of(SHIPPED / "fubnub_v0_4.safetensors")
    table, refused = find_table("fubnub", 4), []
    for number in range(MUTATIONS):
        path.write_bytes(data)
        if number % 4 == 0:
            path.write_bytes(mutated(data[:400], rng) + data[400:])
        elif number % 4 == 1:
            path.write_bytes(mutated(data, rng))
        elif number % 4 == 2:
            network_files.describe(path, json.dumps(mutated_description(told, rng)))
        else:
            text = mutated(json.dumps(told).encode(), rng).decode(errors="replace")
            network_files.describe(path, text)
        try:
            load(path, table)
        except WeightsError as error:
            refused.append(str(error))
    assert len(refused) > 0.6 * MUTATIONS
    print(f"{MUTATIONS - len(refused)} of {MUTATIONS} load")
    assert all("\n" not in message and len(message) < 3000 for message in refused)


# --------------------------------------------------------------- weights that never were in a file


def with_layer(number, layer):
    layers = random_layers()
    layers[number] = layer
    return layers


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


SIZE, NUM_ACTIONS = TABLE.observation_size, TABLE.num_actions
BAD_LAYERS = {
    "none": ([], "a network without layers"),
    "one too many": (
        [*random_layers(), (ones(5, 7), ones(5))],
        rf"layer 2 is float32\[5, 7\] and float32\[5\], expected are float32\[5, {NUM_ACTIONS}\]",
    ),
    "float64": (with_layer(0, (ones(16, SIZE, dtype=float), ones(16))), "layer 0 is not a pair"),
    "no biases": (with_layer(0, ones(16, SIZE)), "layer 0 is not a pair of float32 arrays"),
    "short biases": (with_layer(0, (ones(16, SIZE), ones(15))), r"layer 0 is .* float32\[15\]"),
    "nan": (with_layer(1, (ones(NUM_ACTIONS, 16) * np.nan, ones(NUM_ACTIONS))), "not finite"),
    "huge": (with_layer(0, (ones(16, SIZE) * 1e38, ones(16))), "layer 0 has weights so large"),
}


@pytest.mark.parametrize("fault", BAD_LAYERS)
def test_layers_that_do_not_fit_each_other_make_no_network(fault):
    layers, message = BAD_LAYERS[fault]
    with pytest.raises(WeightsError, match=message):
        Weights(layers)


def test_layers_that_do_not_fit_their_table_make_no_player():
    layers, form = random_layers(), form_of(find_table(GAME, 3))
    weights = Weights(layers)
    with pytest.raises(WeightsError, match=f"it scores {NUM_ACTIONS} actions, the table has"):
        Network(weights, form=form)
    with pytest.raises(WeightsError, match="it scores"):
        make_perceptron(weights, None, form)
    fubnub = form_of(find_table("fubnub", 4))
    outside = np.arange(SIZE) + len(fubnub.highs)
    with pytest.raises(WeightsError, match=r"it reads .* entries, up to number"):
        Network(Weights([(ones(46, SIZE), ones(46))], inputs=outside), form=fubnub)
    small = Weights([(ones(5, len(fubnub.highs)), ones(5))])
    with pytest.raises(WeightsError, match="the symmetry is one of"):
        Network(small, symmetry=symmetry_of(find_game("fubnub")))
    with pytest.raises(WeightsError, match=r"the value head is float32\[2, 16\]"):
        Weights(layers, (ones(2, 16), ones(2)))
    for inputs in (np.arange(3), np.arange(SIZE).astype(np.int32), np.arange(SIZE) - 1):
        with pytest.raises(WeightsError, match="its inputs"):
            Weights(layers, inputs=inputs)


@pytest.mark.parametrize(("number", "message"), [(np.nan, "not finite"), (1e38, "can overflow")])
def test_layers_whose_scores_may_not_be_finite_are_refused_and_change_nothing(number, message):
    games = VectorEnv(TABLE, 5, seed=0)
    network = Network(Weights(random_layers()), 0)
    before = network.act(games.observations, games.masks)
    first = ones(16, SIZE) * np.float32(number), ones(16)
    with pytest.raises(WeightsError, match=message):
        network.set_weights(Weights([first, *network.weights.policy[1:]]))
    assert (network.act(games.observations, games.masks) == before).all()


def test_descriptions_differ_by_table():
    assert len({json.dumps(describe(find_table(GAME, n), []).slices) for n in range(2, 7)}) == 5


def test_it_plays_the_best_or_draws_in_proportion():
    env = VectorEnv(find_table(GAME), 5000, seed=0)
    env.play_randomly(30)
    seen = np.repeat(env.observations[:1], 5000, 0), np.repeat(env.masks[:1], 5000, 0)
    best = Network(Weights(random_layers()))
    *hidden, head = random_layers()
    drawing = Network(Weights([*hidden, tuple(0.05 * part for part in head)]), draw=True)
    assert len(set(best.act(*seen))) == 1
    scores = np.where(seen[1][0], drawing.scores(seen[0][:1])[0], -np.inf)
    expected = np.exp(scores - scores.max())
    expected /= expected.sum()
    rngs = spawn_rngs(np.random.default_rng(0), 5000)
    shares = np.bincount(drawing.act(*seen, rngs), minlength=len(expected)) / 5000
    assert np.abs(shares - expected).max() < 4 * 0.5 / np.sqrt(5000)


def test_a_temperature_divides_the_scores(path):
    seen = VectorEnv(TABLE, 4, seed=0)
    plain, hot = (
        gubs_agents.make("policy", TABLE, weights=path, draw=True, temperature=t) for t in (1, 2.5)
    )
    expected = plain.judge(seen.observations, seen.masks)[0] ** (1 / 2.5)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(hot.judge(seen.observations, seen.masks)[0], expected, atol=1e-6)
    with pytest.raises(ValueError, match="temperature=2 changes nothing without draw=true"):
        gubs_agents.make("policy", TABLE, weights=path, temperature=2)
    with pytest.raises(ValueError, match=r"temperature=0.0: must be 0.01 to 100"):
        gubs_agents.make("policy", TABLE, weights=path, draw=True, temperature=0)
