"""Measure the first second: import, reset and a whole random game, in a new process.

    python benchmarks/start.py

Each game is played in new processes, with an empty and with a filled cache of machine code, and
beside it PettingZoo's connect_four. All times are processor times.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import tyro

from gubs_env import GAMES
from gubs_env.support.output import print_everywhere

PLAY = """
import numpy as np
from {package} import {module}
env = {module}.env()
env.reset(seed=1)
rng = np.random.default_rng(0)
for _ in env.agent_iter():
    observation, _, terminated, truncated, _ = env.last()
    over = terminated or truncated
    env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
"""
OTHER = PLAY.format(package="pettingzoo.classic", module="connect_four_v3")


def seconds(code: str, cache: Path, mode: str = "auto") -> float:
    """Return the processor time that a new process takes to run some code, in seconds."""
    environment = os.environ | {
        "GUBS_ENV_CACHE": str(cache),
        "GUBS_ENV_COMPILE": mode,
        # Installed packages have their byte code; the first of the runs writes it.
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(cache.parent / "byte_code"),
    }
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(rounds: int = 5) -> None:
    """Measure every game.

    Args:
        rounds: rounds in which all processes take turns; the median counts.
    """
    codes = {name: PLAY.format(package="gubs_env", module=f"{name}_v0") for name in GAMES}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        caches = {name: Path(folder, name) for name in codes}
        waiting = {name: seconds(code, caches[name], "wait") for name, code in codes.items()}
        times: dict[str, list[float]] = defaultdict(list)
        for number in range(rounds):
            times["other"].append(seconds(OTHER, Path(folder, "other")))
            for name, code in codes.items():
                # No process compiles beside this one: it would slow down those that follow.
                empty = seconds(code, Path(folder, f"{name}_{number}"), "never")
                times[f"{name}, empty"].append(empty)
                times[name].append(seconds(code, caches[name]))
    found = {name: statistics.median(each) for name, each in times.items()}
    other = found["other"]
    print(f"PettingZoo connect_four: {other:.2f} s\n")
    print("| game | empty cache | ÷ connect_four | full cache | waiting for the compiler |")
    print("|---|---|---|---|---|")
    for name in codes:
        empty = found[f"{name}, empty"]
        print(
            f"| {name} | {empty:.2f} s | {empty / other:.1f} | {found[name]:.2f} s "
            f"| {waiting[name]:.1f} s |"
        )


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main)
