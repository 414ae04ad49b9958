"""Interpreted, compiled, or switched in the middle: the same bytes. Small work never waits."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from functools import cache, partial
from itertools import count
from weakref import WeakSet

import numpy as np
import pytest

import gubs_env
from gubs_env._compiler import background, compilation
from gubs_env._compiler.compilation import AUTO, NEVER, Entry, compiling_mode
from gubs_env.engine.kernel import Kernel, make_kernel
from tests.api.tables import every_module

compiled_only = pytest.mark.skipif(compiling_mode() == NEVER, reason="nothing is compiled")


@pytest.fixture
def interpret(monkeypatch):
    """A function that makes the kernel of a game interpreted, until it is called with True."""

    def choose(game, compiled=False):
        for field in fields(Kernel):
            entry = getattr(new_kernel(game), field.name)
            found = entry if compiled else entry.function
            monkeypatch.setattr(game.kernel, field.name, found)

    return choose


@cache
def new_kernel(game):
    """Return the kernel of a game once more, with entries that machine code has not replaced."""
    kernel = make_kernel(game.name, game.mechanics)
    for field in fields(Kernel):
        getattr(kernel, field.name).on_ready = None
    return kernel


def played(module, seed, before_each_decision=lambda: None):
    """Play a random game; return its states, masks, observations and rewards, and what it said."""
    rng, env, seen = np.random.default_rng(seed), module.raw_env(), []
    env.reset(seed=seed)
    while env.agents and len(seen) < 120:
        before_each_decision()
        if rng.random() < 0.1:
            env = copy.deepcopy(env) if rng.random() < 0.5 else pickle.loads(pickle.dumps(env))
        observation, reward, *ended, _ = env.last()
        mask = observation["action_mask"]
        seen.append((env.state().tobytes(), mask.tobytes(), observation["observation"].tobytes()))
        seen.append((reward, *ended, dict(env.rewards)))
        env.step(int(rng.choice(np.flatnonzero(mask))) if mask.any() else None)
    return seen, env.log()


@compiled_only
@every_module
@pytest.mark.parametrize("seed", range(3))
def test_games_are_the_same_whenever_the_machine_code_takes_over(module, seed, interpret):
    expected = played(module, seed)
    interpret(module.GAME)
    assert played(module, seed) == expected
    rng = np.random.default_rng(seed)
    switch = lambda: interpret(module.GAME, rng.random() < 0.5)  # noqa: E731
    assert played(module, seed, switch) == expected


@compiled_only
@every_module
def test_threads_play_the_same_games_while_the_machine_code_comes_and_goes(module, interpret):
    expected, rng = played(module, 0), np.random.default_rng(0)
    with ThreadPoolExecutor(4) as pool:
        switch = lambda: interpret(module.GAME, rng.random() < 0.5)  # noqa: E731
        found = list(pool.map(lambda _: played(module, 0, switch), range(4)))
    assert all(each == expected for each in found)


@compiled_only
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@every_module
def test_a_fork_plays_on_as_its_parent_does(module, interpret):
    expected, rng = played(module, 0), np.random.default_rng(0)
    (reader, writer), parent, decisions = os.pipe(), os.getpid(), count()

    def switch():
        interpret(module.GAME, rng.random() < 0.5)
        if next(decisions) == 15:
            os.fork()

    try:
        seen = played(module, 0, switch)
        if os.getpid() != parent:
            os.write(writer, b"the same" if seen == expected else b"another game")
    finally:
        if os.getpid() != parent:
            os._exit(0)
    os.close(writer)
    assert seen == expected
    assert os.read(reader, 100) == b"the same"
    os.close(reader)
    os.wait()


def test_what_is_marked_stays_a_plain_function():
    @compilation.compiled
    def doubled(number):
        return 2 * number

    assert doubled.__code__.co_name == "doubled"
    assert pickle.loads(pickle.dumps(gubs_env.find_game)) is gubs_env.find_game


def test_an_unknown_mode_is_named(monkeypatch):
    monkeypatch.setenv("GUBS_ENV_COMPILE", "later")
    with pytest.raises(ValueError, match="='later': allowed are auto, beside, wait, never"):
        compiling_mode()


# ------------------------------------------------------------------------------ in new processes

GAME_ALONE = """
import sys
from gubs_env import {name}_v0
env = {name}_v0.env()
env.reset(seed=1)
while env.agents:
    mask = env.last()[0]["action_mask"]
    env.step(int(mask.argmax()) if mask.any() else None)
print([name for name in ("numba", "llvmlite") if name in sys.modules])
"""


def run(code, folder, **variables):
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    environment |= {"GUBS_ENV_CACHE": str(folder), "GUBS_ENV_COMPILE": AUTO} | variables
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


@pytest.mark.parametrize("name", gubs_env.GAMES)
def test_a_first_game_loads_no_compiler(name, tmp_path):
    done = run(GAME_ALONE.format(name=name), tmp_path, GUBS_ENV_COMPILE="never")
    assert done.stdout.strip() == "[]"
    assert not done.stderr


WITHOUT_NUMBA = "import sys; sys.modules['numba'] = None\n"
MANY = """
from gubs_env import bad_bad_turtle_v0
games = bad_bad_turtle_v0.vector_env(200, seed=0)
games.play_randomly(2)
games.play_randomly(2)
print(games.masks.any(), "numba" in sys.modules and sys.modules["numba"])
"""


def test_without_numba_everything_is_interpreted_and_says_so_once(tmp_path):
    done = run(WITHOUT_NUMBA + MANY, tmp_path)
    assert done.stdout.strip() == "True None"
    assert done.stderr.startswith("gubs_env: interpreted, because Numba does not work here")
    assert done.stderr.count("\n") == 1


@compiled_only
def test_threads_may_meet_at_the_switch(tmp_path, monkeypatch):
    """Both call an entry that nobody called before."""
    monkeypatch.setenv("GUBS_ENV_COMPILE", "wait")
    entry, results = Entry(halved, waits=False), []
    threads = [
        threading.Thread(target=partial(lambda n: results.append(entry(n)), n)) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [n / 2 for n in range(8)]


@compiled_only
def test_where_a_person_plays_nothing_waits(monkeypatch):
    monkeypatch.setenv("GUBS_ENV_COMPILE", "beside")
    monkeypatch.setattr(background, "attend", without_success)
    monkeypatch.setattr(compilation, "ENTRIES", WeakSet())
    work = compilation.long_entry(halved)
    assert not compilation.is_long_work_interpreted(), "nobody has called it"
    for _ in range(3):
        assert work(8) == 4
    assert compilation.is_interpreted(work)
    assert compilation.is_long_work_interpreted()
    monkeypatch.setenv("GUBS_ENV_COMPILE", "auto")
    assert work(8) == 4
    assert not compilation.is_interpreted(work)
    assert not compilation.is_interpreted(work.dispatcher), "which can take the place of its entry"
    assert not compilation.is_long_work_interpreted()


def without_success(entry, arguments):
    entry.attention, entry.is_alone = background.Interpreted(entry, arguments), True


def halved(number):
    return number / 2
