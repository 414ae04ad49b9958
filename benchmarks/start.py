"""Measure the first second: import, reset and a whole random game, in a new process.

    python benchmarks/start.py

Each game is played in new processes, with an empty and with a filled cache of machine code, and
beside it PettingZoo's connect_four. All times are processor times, and the best of some runs
counts: what else the machine does can only add to it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
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


def main(runs: int = 5) -> None:
    """Measure every game.

    Args:
        runs: number of processes, of which the fastest counts.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        other = min(seconds(OTHER, Path(folder, "other")) for _ in range(runs))
        print(f"PettingZoo connect_four: {other:.2f} s\n")
        print("| game | empty cache | ÷ connect_four | full cache | waiting for the compiler |")
        print("|---|---|---|---|---|")
        for name in GAMES:
            code, full = PLAY.format(package="gubs_env", module=f"{name}_v0"), Path(folder, name)
            empty = min(
                # No process compiles beside these runs: it would slow down those that follow.
                seconds(code, Path(folder, f"{name}_{run}"), "never")
                for run in range(runs)
            )
            waiting = seconds(code, full, "wait")
            filled = min(seconds(code, full) for _ in range(runs))
            print(
                f"| {name} | {empty:.2f} s | {empty / other:.1f} | {filled:.2f} s "
                f"| {waiting:.1f} s |"
            )


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main)
