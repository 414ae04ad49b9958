"""Measure what a Ray cluster gives to tournaments. benchmarks/workers.py is about training.

    python benchmarks/cluster.py tournament    games/s and searches/s by number of cores
    python benchmarks/cluster.py sizes         bytes of games, and what the driver handles

Needs the extras `arena` and `ray`. docs/research/workers.md has the figures.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ray
import tyro

from gubs_agents import arena
from gubs_env.support.cluster import RAY, in_order
from gubs_env.support.output import print_everywhere

COUNTS = (1, 2, 4)
GAMES = {"heuristic,greedy": (20_000, 512), "heuristic,ismcts:playouts=200": (40, 2)}
"""Deals and games side by side of the tournaments, by field."""


@contextlib.contextmanager
def cluster(cores: int) -> Iterator[None]:
    """Run a Ray cluster on this machine with a number of cores."""
    ray.init(
        address="local", num_cpus=cores, include_dashboard=False, log_to_driver=False,
        logging_level=logging.ERROR,
    )  # fmt: skip
    try:
        yield
    finally:
        ray.shutdown()


def tournament() -> None:
    """Compare tournaments on different numbers of cores with those in this process."""
    print("| field | backend | cores | games/s |\n|---|---|---|---|")
    for agents, (deals, batch) in GAMES.items():
        field = {"agents": agents, "deals": deals, "batch": batch, "resamples": 2}
        print(f"| {agents} | local | 1 | {games_a_second(field, 'local'):,.1f} |")
        for cores in COUNTS:
            with cluster(cores):
                found = games_a_second(field, "ray")
            print(f"| {agents} | ray | {cores} | {found:,.1f} |")


def games_a_second(field: dict[str, Any], backend: str) -> float:
    """Return games/s of a tournament, after one that starts the processes."""
    arena.tournament(**field | {"deals": 4 * field["batch"]}, backend=backend)
    start = time.perf_counter()
    result = arena.tournament(**field, backend=backend)
    return len(result.games.deals) / (time.perf_counter() - start)


def nothing(shared: None, number: int) -> int:
    return number


def sizes() -> None:
    """Print the bytes that a game takes, and how many games and tasks the driver handles."""
    with cluster(1), tempfile.TemporaryDirectory() as folder:
        result = arena.tournament("random,heuristic", deals=500, resamples=2, out=folder)
        records = pickle.dumps(arena.load(Path(folder, "games.jsonl"))[1])
        size = len(records) / len(result.games.deals)
        start = time.perf_counter()
        lines = [record.line() for record in pickle.loads(records)]
        read = len(lines) / (time.perf_counter() - start)
        start = time.perf_counter()
        done = len(list(in_order(RAY, nothing, None, ((k,) for k in range(2000)))))
        tasks = done / (time.perf_counter() - start)
    print(f"a game of the arena: {size:,.0f} bytes")
    print(f"games that the driver counts: {read:,.0f} a second")
    print(f"empty tasks: {tasks:,.0f} a second")


if __name__ == "__main__":
    print_everywhere()
    tyro.extras.subcommand_cli_from_dict(
        {"tournament": tournament, "sizes": sizes}, description=__doc__
    )
