"""Compilation of all games before the tests: once, before pytest-xdist starts its workers.

Otherwise every worker would compile the same games at first, because none finds them in the cache.
`python -m gubs_env warm` compiles them, each game in a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gubs_env import GAMES, find_game
from gubs_env.engine.compilation import is_cached

collect_ignore = ["arena/broken_agent.py"]  # it fails when it is imported, on purpose


def pytest_configure(config: pytest.Config) -> None:
    workers = getattr(config.option, "numprocesses", None)
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not workers or hasattr(config, "workerinput"):
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # more threads per worker would compete for cores
    if whole and not all(is_cached(find_game(name).kernel.advance) for name in GAMES):
        # A rule that fails here fails in its test too, with a report.
        command = [sys.executable, "-m", "gubs_env", "warm", "--processes", str(workers)]
        subprocess.run(command, capture_output=True, check=False)
