"""Kuhn poker as a package of its own: installed in a folder, it is found and plays everywhere."""

from __future__ import annotations

import pytest

from tests.packages import ROOT, install, run

PACKAGE = ROOT / "examples" / "kuhn_poker"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder in which the package is installed."""
    return install(PACKAGE, tmp_path_factory.mktemp("site"))


ENVIRONMENTS = """
import pickle
import gymnasium
import numpy as np
from pettingzoo.test import api_test
from gubs_env import find_game
from gubs_env.games import game_names, public_module

GAME = find_game("kuhn_poker_v0")
assert game_names()[-1] == "kuhn_poker" and pickle.loads(pickle.dumps(GAME)) is GAME
kuhn = public_module("kuhn_poker")
api_test(kuhn.env(), num_cycles=100)
env = kuhn.raw_env()
env.reset(seed=2)
env.step(1)
again = pickle.loads(pickle.dumps(env))
assert type(again) is kuhn.raw_env and again.state() == env.state()
assert env._repr_svg_().startswith("<svg")
single = gymnasium.make("gubs_env/KuhnPoker-v0", opponents="random")
observation, info = single.reset(seed=0)
assert info["action_mask"].sum() == 2
many = gymnasium.make_vec("gubs_env/KuhnPoker-v0", num_envs=4, opponents="random")
observations, infos = many.reset(seed=0)
assert observations.shape == (4, 6)
games = kuhn.vector_env(8, seed=0)
for _ in range(20):
    games.step(games.masks.argmax(1))
print("ok")
"""


def test_its_environments(site, tmp_path):
    assert run(site, tmp_path, ENVIRONMENTS).endswith("ok\n")


def test_openspiel_knows_it(site, tmp_path):
    pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    script = """
import gubs_env.adapters.openspiel
import pyspiel
print(pyspiel.load_game("gubs_env_kuhn_poker").max_utility())
"""
    assert run(site, tmp_path, script) == "2.0\n"


def test_a_package_that_cannot_be_loaded_is_named(site, tmp_path):
    (tmp_path / "kuhn_poker.py").write_text("GAME = None\nraise OSError('no rules')")
    (tmp_path / "kuhn_poker-1.0.dist-info").symlink_to(site / "kuhn_poker-1.0.dist-info")
    told = run(tmp_path, tmp_path, """
from gubs_env import find_game
from gubs_env.games import all_games
try:
    find_game("kuhn_poker")
except ValueError as error:
    print(error)
print([game.name for game in all_games()])
""")  # fmt: skip
    reason = "the game 'kuhn_poker_v0' of kuhn_poker 1.0 cannot be loaded: OSError: no rules (/"
    assert told.startswith(reason)
    assert told.endswith("['gubs_v0', 'fubnub_v0', 'bad_bad_turtle_v0']\n")
