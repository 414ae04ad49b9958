"""Measure how the vectorised environment scales with threads and games, and its memory.

python benchmarks/scaling.py
"""

from __future__ import annotations

import resource
import statistics
import time

import tyro

from gubs_env import gubs_v0
from gubs_env.api.vector import VectorEnv
from gubs_env.support.output import print_everywhere

ROUNDS = 7
SIZES = [1 << bits for bits in (10, 12, 14, 16, 18)]


def seconds(games: VectorEnv, decisions: int) -> float:
    """Return the seconds that a number of decisions in every game take."""
    start = time.perf_counter()
    games.play_randomly(decisions)
    return time.perf_counter() - start


def threads_ratio(num_envs: int = 1 << 16, decisions: int = 20) -> float:
    """Return the speed of two threads divided by that of one, the median of several pairs."""
    one, two = (gubs_v0.vector_env(num_envs, seed=0, threads=n) for n in (1, 2))
    pairs = [(seconds(one, decisions), seconds(two, decisions)) for _ in range(ROUNDS)]
    return statistics.median(a / b for a, b in pairs)


def cost_by_size() -> dict[int, float]:
    """Return nanoseconds per decision by number of games, each stepped once per call.

    All sizes take turns, and the median round counts.
    """
    sizes = {num_envs: gubs_v0.vector_env(num_envs, seed=0) for num_envs in SIZES}
    for games in sizes.values():
        games.play_randomly(20)
    costs: dict[int, list[float]] = {num_envs: [] for num_envs in sizes}
    for _ in range(ROUNDS):
        for num_envs, games in sizes.items():
            steps = max(1, (1 << 20) // num_envs)
            took = sum(seconds(games, 1) for _ in range(steps))
            costs[num_envs].append(1e9 * took / (steps * num_envs))
    return {num_envs: statistics.median(each) for num_envs, each in costs.items()}


def main() -> None:
    games = gubs_v0.vector_env(100_000, seed=0)
    games.play_randomly(1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"100,000 games of 2 players: {peak:.0f} MiB for the process, "
          f"{games.states.itemsize} bytes a row")  # fmt: skip
    del games
    print(f"two threads over one, 65,536 games: × {threads_ratio():.2f}")
    for num_envs, cost in cost_by_size().items():
        print(f"{num_envs:>7,} games: {cost:.0f} ns a decision")


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
