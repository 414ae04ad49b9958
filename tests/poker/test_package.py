"""Kuhn poker as a package of its own: installed in a folder, it is found and plays everywhere."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from urllib.request import urlopen

import pytest

from gubs_env import games
from gubs_env.support import cluster
from tests.commands import gubs

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "examples" / "kuhn_poker"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder in which the package is installed."""
    folder = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder)]
    subprocess.run([*pip, *offline, str(PACKAGE)], check=True)
    return folder


def variables(site, mode="never"):
    """Return the environment of a process that finds the package."""
    paths = os.pathsep.join(map(str, (site, ROOT, ROOT / "agents")))
    return os.environ | {"PYTHONPATH": paths, "GUBS_ENV_COMPILE": mode}


def run(site, folder, script, mode="never"):
    """Run a script in a new process that finds the package; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder, env=variables(site, mode), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


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


def try_commands(site, folder):
    """Run commands in a copy of a process that has imported, and keep what they print."""
    sys.path.insert(0, str(site))
    games._brought.cache_clear()
    os.chdir(folder)
    os.environ["GUBS_ENV_COMPILE"] = "never"
    Path("short.toml").write_text("games = 16\nwidth = 16\nbatch = 256\n")
    game, short = ("--game", "kuhn_poker"), ("--config", "short.toml")
    sys.stdin = io.StringIO("1\n" * 6)
    with open("told.txt", "w") as told, redirect_stdout(told):
        gubs("agents", "kuhn_poker")
        gubs("soak", "--games", "kuhn_poker", "--count", "64", "--thorough")
        gubs("record", *game, "--agents", "random", "--games", "30", "--out", "games.jsonl")
        gubs("replay", "games.jsonl", "--game", "3", "--html", "game.html")
        gubs("arena", *game, "--agents", "ismcts:playouts=4,random", "--deals=4", "--out=arena")
        gubs("train", *game, *short, "--steps", "512", "--evaluation-deals", "2",
             "--report-deals", "2", "--out", "run")  # fmt: skip
        gubs("exploit", *game, *short, "--agent", "random", "--kinds", "nothing", "--decisions",
             "512", "--selection-deals", "2", "--deals", "2", "--out", "exploit")  # fmt: skip
        gubs("play", *game, "--opponents", "random", "--seed", "3")


def test_its_environments(site, tmp_path):
    assert run(site, tmp_path, ENVIRONMENTS).endswith("ok\n")


@pytest.mark.usefixtures("quick_processes")
def test_its_commands(site, tmp_path):
    process = cluster.CONTEXT.Process(target=try_commands, args=(site, tmp_path))
    process.start()
    process.join()
    assert process.exitcode == 0
    told = (tmp_path / "told.txt").read_text()
    for words in (
        "0 violations", "30 games", "game.html", "montecarlo", "No exploiter within 512 decisions",
        "card: hidden, bet: 0", "The game is over: won by ",
    ):  # fmt: skip
        assert words in told


def test_its_page_in_the_browser(site, tmp_path):
    pytest.importorskip("uvicorn", reason="needs the extra web")
    words = ("play", "--web", "--no-open-browser", "--game", "kuhn_poker", "--opponents", "random")
    command = [sys.executable, "-m", "gubs_env", *words, "--replay", "game.jsonl"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=variables(site), stdout=subprocess.PIPE, text=True
    )
    try:
        lines = (re.search(r"http://\S+", line) for line in process.stdout)
        link = next(found[0] for found in lines if found)
        with urlopen(f"{link}news?version=-1", timeout=60) as answer:
            news = json.load(answer)
    finally:
        process.terminate()
        process.communicate(timeout=30)
    assert news["picture"].startswith("<svg")
    assert [text for text, _ in news["moves"]] == ["Pass", "Bet"]


def test_openspiel_knows_it(site, tmp_path):
    pytest.importorskip("pyspiel", reason="the extra openspiel is not installed")
    script = """
import gubs_env.adapters.openspiel
import pyspiel
print(pyspiel.load_game("gubs_env_kuhn_poker").max_utility())
"""
    assert run(site, tmp_path, script) == "2.0\n"


COMPILED = """
import numpy as np
from gubs_env import find_game
from gubs_env.checking.soak import soak

print([chunk.violations for chunk in soak([find_game("kuhn_poker")], 500)])
from kuhn_poker import vector_env
games = vector_env(64, seed=0)
for _ in range(9):
    games.step((games.masks * np.arange(1, 3)).argmax(1))
print(games.observations.sum(), games.states.tobytes().hex()[:2000])
"""


def test_it_plays_the_same_compiled(site, tmp_path):
    interpreted, compiled = (run(site, tmp_path, COMPILED, mode) for mode in ("never", "wait"))
    assert interpreted.startswith("[[]]\n")
    assert compiled == interpreted


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
