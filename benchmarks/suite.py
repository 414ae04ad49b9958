"""Where the time of the tests goes: processor seconds by file and by cause.

    python benchmarks/suite.py [options of pytest]

Prints a table of the files and the slowest tests. Processor time of a test is that of its process
and of the processes that it started and waited for; waiting is what is left of the wall time, on a
busy machine for a core too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gubs_env.support.output import print_everywhere

FOLDER = "GUBS_ENV_TEST_TIMES"
"""The variable that names the folder into which each process of pytest writes its times."""
CAUSES = ("compiling", "in the process", "processes started", "waiting")
SHOWN = 25


class CompileTime:
    """Processor seconds in which Numba compiled or loaded what this process called."""

    def __init__(self) -> None:
        from numba.core import event

        self.seconds, self.depth, self.started = 0.0, 0, 0.0
        listener: Any = type(
            "Listener", (event.Listener,), {"on_start": self.start, "on_end": self.end}
        )
        event.register("numba:compile", listener())

    def start(self, _: object) -> None:
        self.depth += 1
        if self.depth == 1:
            self.started = time.process_time()

    def end(self, _: object) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.process_time() - self.started


class Clock:
    """A plugin of pytest that writes the times of each test."""

    def __init__(self, folder: str) -> None:
        self.compiling, self.path = CompileTime(), Path(folder) / f"{os.getpid()}.jsonl"

    def now(self) -> np.ndarray:
        """Return the seconds of each cause, and the wall time in place of waiting."""
        times, compiling = os.times(), self.compiling.seconds
        own, children = times.user + times.system, times.children_user + times.children_system
        return np.array([compiling, own - compiling, children, time.perf_counter()])

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, bool, bool]:
        before = self.now()
        try:
            return (yield)
        finally:
            seconds = self.now() - before
            seconds[3] = max(0, seconds[3] - seconds[:3].sum())
            with self.path.open("a") as file:
                file.write(json.dumps([item.nodeid, *seconds.round(3)]) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Clock(os.environ[FOLDER]))


def table(title: str, seconds: dict[str, np.ndarray]) -> Iterable[str]:
    """Yield the lines of a table, the most processor time first."""
    yield f"\n| {title} | {' | '.join(CAUSES)} |\n|---|{'---|' * len(CAUSES)}"
    rows = sorted(seconds.items(), key=lambda row: -row[1][:3].sum())
    for name, row in [("all", np.sum(list(seconds.values()), axis=0)), *rows[:SHOWN]]:
        yield f"| {name} | {' | '.join(f'{value:.1f}' for value in row)} |"


def main(options: list[str]) -> int:
    """Run the tests and print the tables; return the exit status of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
        variables = {FOLDER: folder, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        command = [sys.executable, "-m", "pytest", "-p", "suite", "-q", *options]
        status = subprocess.run(command, env=os.environ | variables, check=False).returncode
        tests, files = {}, defaultdict[str, Any](lambda: np.zeros(len(CAUSES)))
        for path in Path(folder).iterdir():
            for test, *seconds in map(json.loads, path.read_text().splitlines()):
                tests[test] = np.array(seconds)
                files[test.split("::")[0]] += seconds
    for line in (*table("file", files), *table("test", tests)):
        print(line)
    return status


if __name__ == "__main__":
    print_everywhere()
    sys.exit(main(sys.argv[1:]))
