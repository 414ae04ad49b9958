"""The learned player: its weights, what they say about themselves, and what is refused."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from gubs_agents.network import Network, Weights, WeightsError, encoding, load, save
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.rng import spawn_rngs
from gubs_env.gubs_v0 import GAME


def random_layers(num_players=2, seed=0):
    rng = np.random.default_rng(seed)
    sizes = [len(GAME.observation_highs(num_players)), 16, GAME.num_actions(num_players)]
    return [
        (rng.normal(size=(b, a)).astype(np.float32), rng.normal(size=b).astype(np.float32))
        for a, b in pairwise(sizes)
    ]


def random_value(seed=1):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(1, 16)).astype(np.float32), rng.normal(size=1).astype(np.float32)


@pytest.fixture
def path(tmp_path):
    save(tmp_path / "net.safetensors", Weights(random_layers(), random_value()), GAME, 2)
    return tmp_path / "net.safetensors"


def test_weights_come_back_as_they_were_saved(path):
    loaded = load(path, GAME, 2)
    saved = [*random_layers(), random_value()]
    for (w, b), (v, c) in zip(saved, [*loaded.policy, loaded.value], strict=True):
        assert (w == v).all()
        assert (b == c).all()
    description = json.loads(path.with_suffix(".json").read_text())
    assert description["sizes"] == [len(GAME.observation_highs(2)), 16, GAME.num_actions(2)]


@pytest.mark.parametrize(
    ("name", "value"), [("game", "chess"), ("encoding", "0" * 16), ("sha256", "0" * 64)]
)
def test_weights_of_something_else_are_refused(path, name, value):
    description = json.loads(path.with_suffix(".json").read_text())
    path.with_suffix(".json").write_text(json.dumps(description | {name: value}))
    with pytest.raises(WeightsError, match=f"its {name} is '{value}', here it is"):
        load(path, GAME, 2)


def test_weights_for_another_table_are_refused(path):
    with pytest.raises(WeightsError, match="its players is 2, here it is 3"):
        load(path, GAME, 3)


def test_missing_files_are_named(path):
    path.with_suffix(".json").unlink()
    with pytest.raises(FileNotFoundError, match=r"net\.json"):
        load(path, GAME, 2)


def test_encodings_differ_by_table():
    assert len({encoding(GAME, n) for n in range(2, 7)}) == 5


def test_it_plays_the_best_or_draws_in_proportion():
    env = VectorEnv(GAME, 5000, seed=0)
    env.play_randomly(30)
    seen = np.repeat(env.observations[:1], 5000, 0), np.repeat(env.masks[:1], 5000, 0)
    best, drawing = Network(random_layers()), Network(random_layers(), draw=True)
    drawing.layers[-1] = tuple(0.05 * part for part in drawing.layers[-1])
    assert len(set(best.act(*seen))) == 1
    scores = np.where(seen[1][0], drawing.scores(seen[0][:1])[0], -np.inf)
    expected = np.exp(scores - scores.max())
    expected /= expected.sum()
    rngs = spawn_rngs(np.random.default_rng(0), 5000)
    shares = np.bincount(drawing.act(*seen, rngs), minlength=len(expected)) / 5000
    assert np.abs(shares - expected).max() < 4 * 0.5 / np.sqrt(5000)
