"""The set-up of the tests: the machine code of all games is compiled once, before workers start.

Otherwise every worker of pytest-xdist would compile the same games, as none finds them in the
cache.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from gubs_env import GAMES, find_game
from gubs_env.engine.compilation import is_cached


def pytest_configure(config: pytest.Config) -> None:
    workers = getattr(config.option, "numprocesses", None)
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if not workers or hasattr(config, "workerinput"):
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the workers' threads would fight each other
    if whole and not all(is_cached(find_game(name).kernel.advance) for name in GAMES):
        # A rule that fails here fails in its test too, with a report.
        command = [sys.executable, "-m", "gubs_env", "warm", "--processes", str(workers)]
        subprocess.run(command, capture_output=True, check=False)
