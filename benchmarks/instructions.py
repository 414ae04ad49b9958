"""Count machine instructions per decision with Valgrind; unlike times, they do not vary with load.

    python benchmarks/instructions.py

Each row of `speed` is set up and played once in one process, and three times in another. The
difference is the cost of play alone. All code is compiled for a processor with AVX2, which
Valgrind supports. Where Python's objects lie in memory decides how often its caches miss, a tenth
of the count in single environments: several seeds of its hashes are tried.
"""

from __future__ import annotations

import gc
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import speed
import tyro
from rich.progress import track

from gubs_env import gubs_v0
from gubs_env.support.output import print_everywhere

ROWS: dict[str, Callable[[], speed.Row]] = {
    "RLCard uno, 2 players": speed.rlcard_uno,
    "PettingZoo connect_four_v3.env()": speed.connect_four,
    "empty AEC game in PettingZoo's three wrappers, known actions": lambda: speed.known_actions(
        speed.empty_in_wrappers(200)
    ),
    "gubs_v0.env(), 2 players, known actions": lambda: speed.known_actions(gubs_v0.env()),
    "gubs_v0.raw_env(), 2 players, known actions": lambda: speed.known_actions(gubs_v0.raw_env()),
    "gubs_v0 compiled batch, 2 players": lambda: speed.compiled_batch(gubs_v0, 2),
    "gubs_v0 compiled batch, 6 players": lambda: speed.compiled_batch(gubs_v0, 6),
}
PROCESSOR = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx2,+bmi,+bmi2,+popcnt,+lzcnt,+sse4.2",
    "GUBS_ENV_COMPILE": "wait",  # else the time decides which call is the first in machine code
}
HASH_SEEDS = range(5)


def play(name: str, times: int) -> None:
    """Play a row a number of times and print the number of decisions."""
    row = ROWS[name]()
    gc.collect()
    gc.freeze()  # one round of the garbage collector more or less would be a tenth of the count
    decisions = [row() for _ in range(times)]
    print("decisions", sum(decisions))


def per_decision(name: str, hash_seed: int) -> float:
    """Return the instructions of a decision in a row, with one seed of Python's hashes."""
    (few, fewer_decisions), (many, more_decisions) = (
        count(name, times, hash_seed) for times in (1, 3)
    )
    return (many - few) / (more_decisions - fewer_decisions)


def count(name: str, times: int, hash_seed: int) -> tuple[int, int]:
    """Return the instructions of a process that plays a row `times` times, and its decisions."""
    command = [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
        sys.executable, __file__, "--row", name, "--times", str(times),
    ]  # fmt: skip
    variables = os.environ | PROCESSOR | {"PYTHONHASHSEED": str(hash_seed)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    instructions = re.search(r"Collected : (\d+)", done.stderr)
    decisions = re.search(r"decisions (\d+)", done.stdout)
    assert instructions, done.stderr
    assert decisions, done.stdout
    return int(instructions[1]), int(decisions[1])


def main(row: str = "", times: int = 1) -> None:
    """Count the instructions of every row.

    Args:
        row: only play this row, as the processes under Valgrind do.
        times: how often to play it.
    """
    if row:
        return play(row, times)
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed: install it to count instructions")
    subprocess.run(  # compile before, because compiling in Valgrind takes minutes
        [sys.executable, __file__, "--row", list(ROWS)[-1]], env=os.environ | PROCESSOR, check=True
    )
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        cases = list(itertools.product(ROWS, HASH_SEEDS))
        counts = threads.map(lambda case: per_decision(*case), cases)
        counted = np.reshape(list(track(counts, "counting", len(cases))), (len(ROWS), -1))
    medians = np.median(counted, axis=1)
    print("\n| uniformly random play | instructions a decision | from – to | uno ÷ this |")
    print("|---|---|---|---|")
    for name, each, median in zip(ROWS, counted, medians, strict=True):
        ratio = medians[0] / median
        print(f"| {name} | {median:,.0f} | {each.min():,.0f} – {each.max():,.0f} | {ratio:.1f} |")


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main)
