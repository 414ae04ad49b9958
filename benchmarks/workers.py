"""Measure what more workers of a training run give.

    python benchmarks/workers.py speed        two workers beside one worker and two separate runs
    python benchmarks/workers.py speed --device cuda        the same beside a GPU
    python benchmarks/workers.py nodes        two workers in two network namespaces, as root
    python benchmarks/workers.py model        calculate what clusters would give

Needs the extra `train`. docs/research/workers.md has the figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import torch
import torch.distributed as dist
import tyro

from gubs_agents.training.metrics import TIMES, read_table
from gubs_agents.training.options import Options
from gubs_env.support.output import print_everywhere

WARM = 3
"""Updates at the start that do not count."""
NETWORK = 966_000
"""Bytes of the gradients of the usual network."""
REPEATS = 50


def command(updates: int, options: Options) -> list[str]:
    """Return the command of a short run without imitation, with the options that matter."""
    steps = updates * options.games * options.rollout
    given = {
        "steps": steps, "imitate": 0, "evaluation_deals": 2, "report_deals": 2,
        "evaluate_every": updates, "checkpoint_every": updates, "out": options.out,
        "workers": options.workers, "device": options.device, "games": options.games,
        "batch": options.batch, "width": options.width, "precision": options.precision,
    }  # fmt: skip
    return ["gubs_env", "train", *(f"--{k.replace('_', '-')}={v}" for k, v in given.items())]


def speed_in(folder: str, options: Options) -> float:
    """Return the decisions/s of a finished run, by the median of its updates."""
    rows = read_table(Path(folder) / TIMES)[WARM:]
    seconds = float(np.median([float(row["seconds"]) for row in rows]))
    return options.games * options.rollout / seconds


def measured(updates: int, runs: Sequence[set[int]], options: Options) -> float:
    """Return the decisions/s of runs side by side, each on its own cores of this machine."""
    threads = max(1, len(runs[0]) // options.workers)
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    with tempfile.TemporaryDirectory() as folder:
        each = [Options(**vars(options) | {"out": f"{folder}/{k}"}) for k in range(len(runs))]
        started = [
            subprocess.Popen(
                [sys.executable, "-W", "ignore", "-m", *command(updates, own)],
                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                preexec_fn=partial(os.sched_setaffinity, 0, cores),
            )
            for own, cores in zip(each, runs, strict=True)
        ]  # fmt: skip
        if any([process.wait() for process in started]):
            raise RuntimeError("a run failed")
        return sum(speed_in(own.out, own) for own in each)


def speed(
    rounds: int = 3,
    updates: int = 9,
    device: str = "cpu",
    width: int = 256,
    scale: int = 1,
    precision: Literal["auto", "float32", "bfloat16"] = "auto",
) -> None:
    """Compare one worker on a core, one on all cores, one on each core, and a run on each core.

    One on each core is measured twice: with the games and the batch of one worker, which they
    share, and with as many for each of them.

    Args:
        rounds: number of measurements of each.
        updates: number of updates in each, the first ones included.
        device: where the learners compute.
        width: units in each hidden layer.
        scale: factor of the usual number of games and the usual batch.
        precision: of the learners' products.
    """
    cores = sorted(os.sched_getaffinity(0))
    count, games = len(cores), 1024 * scale
    kinds = {
        "one worker, one core": (1, games, [{cores[0]}]),
        f"one worker, {count} cores": (1, games, [set(cores)]),
        f"{count} workers, a core each": (count, games, [set(cores)]),
        f"the same, games and batch × {count}": (count, count * games, [set(cores)]),
        f"{count} separate runs, a core each": (1, games, [{core} for core in cores]),
    }
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(rounds):
        for kind, (workers, games, runs) in kinds.items():
            options = Options(
                workers=workers, device=device, width=width, games=games, batch=games,
                precision=precision,
            )  # fmt: skip
            found[kind].append(measured(updates, runs, options))
            print(f"{kind}: {found[kind][-1]:,.0f}", file=sys.stderr)
    first = np.mean(next(iter(found.values())))
    print("| processes | decisions/s | mean | × |\n|---|---|---|---|")
    for kind, rates in found.items():
        told = ", ".join(f"{rate:,.0f}" for rate in rates)
        print(f"| {kind} | {told} | {np.mean(rates):,.0f} | {np.mean(rates) / first:.2f} |")


# ------------------------------------------------------------------------------------ two nodes


class Nodes:
    """Two network namespaces, joined by a link of a given rate; needs root."""

    names = "gubs_a", "gubs_b"

    def __init__(self, gigabits: float) -> None:
        run("ip", "link", "add", "gubs0", "type", "veth", "peer", "name", "gubs1")
        for number, name in enumerate(self.names):
            run("ip", "netns", "add", name)
            run("ip", "link", "set", f"gubs{number}", "netns", name)
            run("ip", "-n", name, "addr", "add", f"10.9.0.{number + 1}/24", "dev", f"gubs{number}")
            run("ip", "-n", name, "link", "set", f"gubs{number}", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
            run("tc", "-n", name, "qdisc", "add", "dev", f"gubs{number}", "root", "tbf", "rate",
                f"{gigabits}gbit", "burst", "128kb", "latency", "50ms")  # fmt: skip

    def run(self, workers: int, *words: str) -> str:
        """Run a script in all workers, a core for each node, and return what the first prints."""
        cores, started = sorted(os.sched_getaffinity(0)), []
        for number, name in enumerate(self.names):
            launch = [
                "torch.distributed.run", "--nnodes=2", f"--node-rank={number}",
                f"--nproc-per-node={workers // 2}", "--master-addr=10.9.0.1", "--master-port=29511",
            ]  # fmt: skip
            python = ["ip", "netns", "exec", name, sys.executable, "-W", "ignore", "-m", *launch]
            environment = {"GLOO_SOCKET_IFNAME": f"gubs{number}", "OMP_NUM_THREADS": "1"}
            node = subprocess.Popen(
                [*python, *words], env=os.environ | environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            os.sched_setaffinity(node.pid, {cores[number % len(cores)]})
            started.append(node)
        first, _ = (node.communicate()[0] for node in started)
        return first

    def close(self) -> None:
        for name in self.names:
            run("ip", "netns", "del", name)


def run(*words: str) -> None:
    subprocess.run(words, check=True)


def reduce_time() -> None:
    """Print the median milliseconds of averages of gradients; each worker of torchrun calls it."""
    dist.init_process_group("gloo")
    vector = torch.zeros(NETWORK // 4)
    taken = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        dist.all_reduce(vector)
        taken.append(time.perf_counter() - started)
    if dist.get_rank() == 0:
        print(1000 * np.median(taken))
    dist.destroy_process_group()


def nodes(
    workers: int = 2, rates: tuple[float, ...] = (100, 10, 1, 0.1), updates: int = 19
) -> None:
    """Measure how fast two nodes average gradients and train, by the rate of their link.

    The speeds of training are calculated from the first one, as if its averages took no time.

    Args:
        workers: workers of both nodes together, an even number.
        rates: rates of the link in Gbit/s.
        updates: updates of each run of training.
    """
    print("| link | average of gradients, ms | calculated | decisions/s | calculated |")
    print("|---|---|---|---|---|")
    computing = 0.0
    for gigabits in rates:
        joined = Nodes(gigabits)
        with tempfile.TemporaryDirectory() as folder:
            options = Options(workers=workers, out=f"{folder}/run")
            try:
                found = float(joined.run(workers, __file__, "reduce-time"))
                joined.run(workers, "-m", *command(updates, options))
            finally:
                joined.close()
            trained = speed_in(options.out, options)
        decisions, sending = options.games * options.rollout, averaging(workers, gigabits, 0)
        computing = computing or decisions / trained
        total = update_time(computing, averages_of(options), sending)
        print(
            f"| {gigabits:g} Gbit/s | {found:.1f} | {1000 * sending:.1f} | {trained:,.0f} | "
            f"{decisions / total:,.0f} |", flush=True,
        )  # fmt: skip


# ------------------------------------------------------------------------------------- the model


def model(core: float = 15_500, latency: float = 0.1, spread: float = 0.05) -> None:
    """Calculate what clusters would give.

    Args:
        core: decisions/s of one worker on one core.
        latency: milliseconds of a message between two nodes.
        spread: standard deviation of the time of an update, in parts of it; all wait for the
            slowest worker.
    """
    print(
        "| cores | link | batch | decisions/s | efficiency | waiting for the slowest | averaging |"
    )
    print("|---|---|---|---|---|---|---|")
    for cores in (16, 128, 1024):
        for gigabits in (1, 10):
            for scale in (1, 16):
                print(row(cores, gigabits, scale, core, latency, spread))


def averaging(workers: int, gigabits: float, latency: float) -> float:
    """Return the seconds that an average of gradients takes in a ring of workers."""
    sending = 2 * (workers - 1) / workers * NETWORK * 8 / (gigabits * 1e9)
    return sending + 2 * (workers - 1) * latency / 1000


def update_time(computing: float, averages: int, average: float) -> float:
    """Return the seconds of an update; `average` seconds pass while gradients are averaged once.

    Half of the computing is learning, in equal parts between the averages. The other half, playing,
    shares the core with it and has the core alone during the averages. What is left of the learning
    when the rollout is complete has the core alone.
    """
    learning = computing / 2 / averages
    shared = averages * learning / (learning + average)  # steps until the rollout is complete
    return averages * (learning + average) + shared * learning


def averages_of(options: Options) -> int:
    """Return how many times the gradients are averaged in an update."""
    return options.epochs * options.games * options.rollout // options.batch


def row(cores: int, gigabits: float, scale: int, core: float, latency: float, spread: float) -> str:
    """Return a row of the model; `scale` multiplies the usual games and the usual batch."""
    options = Options()
    decisions = scale * options.games * options.rollout
    computing = decisions / cores / core
    slowest = computing * spread * np.sqrt(2 * np.log(cores))
    steps = averages_of(options)
    together = update_time(computing, steps, averaging(cores, gigabits, latency))
    total = together + slowest
    return (
        f"| {cores:,} | {gigabits:g} Gbit/s | × {scale} | {decisions / total:,.0f} | "
        f"{computing / total:.0%} | {slowest / total:.0%} | "
        f"{(together - computing) / total:.0%} |"
    )


if __name__ == "__main__":
    print_everywhere()
    tyro.extras.subcommand_cli_from_dict(
        {"speed": speed, "nodes": nodes, "model": model, "reduce-time": reduce_time},
        description=__doc__,
    )
