"""Compilation of all games before the tests: once, before pytest-xdist starts its workers.

Otherwise every worker would compile the same games at first, because none finds them in the cache.
The process that starts the workers compiles them first, each game in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from gubs_env import GAMES, find_game
from gubs_env.engine.compilation import is_cached

COMPILE = """
import sys
import numpy as np
from gubs_env import find_game
from gubs_env.api.vector import VectorEnv
game = find_game(sys.argv[1])
env = VectorEnv(game, 2, seed=0, autoreset=False)
env.step(env.masks.argmax(1))
env.observe(0, 0)
views = env.views(np.arange(1))
env.determinize(views)
import gubs_agents
for name in ("random", "greedy", "heuristic"):
    agent = gubs_agents.make(name, game.players, 0, game)
    agent.act(env.observations, env.masks)
gubs_agents.make("montecarlo", game.players, 0, game, playouts=2).search(views)
"""


def pytest_configure(config: pytest.Config) -> None:
    workers = getattr(config.option, "numprocesses", None)
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not workers or hasattr(config, "workerinput"):
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # more threads per worker would compete for cores
    if whole and not all(is_cached(find_game(name).kernel.advance) for name in GAMES):
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(compile_game, GAMES))


def compile_game(name: str) -> None:
    """Fill the cache; an error is ignored here, because the test of the game reports it."""
    subprocess.run([sys.executable, "-c", COMPILE, name], capture_output=True, check=False)
