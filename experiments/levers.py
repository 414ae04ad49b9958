"""Gubs with six players: does an option of training help against one heuristic?

    git show aa072a0d:agents/gubs_agents/weights/gubs_v0_6.safetensors > start.safetensors
    python experiments/levers.py start.safetensors

Trains from one network with one option changed at a time, for every seed, and measures the last
network of each run. docs/research/opponent-mix.md has the result. Runs that have a result in the
folder are not repeated. Needs the extra `train`.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from tqdm import tqdm

import gubs_agents
from gubs_agents.arena import win_rate
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.training.options import Options
from gubs_agents.training.run import Run
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

PLAYERS = 6
LEVERS: dict[str, dict[str, Any]] = {  # name: the options that it changes
    "none": {},
    "copies": {"copies_share": 0.5},
    "snapshots": {"newest_share": 0.1},
    "lead": {"reward": "lead"},
    "entropy": {"entropy": 0.02, "last_entropy": 0.004},
}
BASE: dict[str, Any] = {
    "variety": 0.1, "learning_rate": 4e-4, "last_learning_rate": 1e-5, "entropy": 0.005,
    "last_entropy": 0.001, "gae_lambda": 0.95, "baselines": "heuristic", "baseline_share": 0.4,
    "newest_share": 0.4, "snapshot_every": 8, "evaluate_every": 1 << 30, "evaluation_deals": 2,
}  # fmt: skip
"""The options that all runs share."""


@dataclass(frozen=True)
class Experiment:
    """Options of training, each against no change."""

    start: tyro.conf.Positional[Path]
    """The network from which every run starts."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Seeds of each lever."""
    minutes: float = 8.0
    """Minutes of self-play of a run."""
    deals: int = 2000
    """Deals of a measurement, each played from every seat."""
    out: Path = Path("runs/levers")
    """Folder of the runs."""


def measured(of: Experiment, lever: str, seed: int) -> list[float]:
    """Return what the last network of a run wins, and what one heuristic wins against it."""
    folder = of.out / f"{lever}-{seed}"
    path = folder / "win_rates.json"
    if not path.exists():
        shutil.rmtree(folder, ignore_errors=True)
        shared: dict[str, Any] = {"players": PLAYERS, "weights": str(of.start), "seed": seed}
        shared |= {"minutes": of.minutes, "out": str(folder)}
        run = Run(Options(**BASE | LEVERS[lever] | shared))
        run.train()
        if run.stopping:
            sys.exit("levers: interrupted; the same command starts this run anew")
        last = run.worker.player(run.worker.kept(), draw=False)
        heuristic = gubs_agents.make("heuristic", run.table, seed=0)
        pairs = (last, heuristic), (heuristic, last)
        rest = run.table, of.deals, REPORT_DEALS.start
        rates = [win_rate(one, others, *rest).rate for one, others in pairs]
        path.write_text(json.dumps(rates))
    return json.loads(path.read_text())


def main() -> None:
    of = tyro.cli(Experiment, description=__doc__)
    every = [(lever, seed) for seed in of.seeds for lever in LEVERS]
    found = {pair: measured(of, *pair) for pair in tqdm(every, unit="run")}
    rows = []
    for lever in LEVERS:
        columns = np.transpose([found[lever, seed] for seed in of.seeds])
        rows.append((lever, *(", ".join(f"{r:.1%}" for r in rates) for rates in columns)))
    print(table(("changed", "against heuristics", "one heuristic against it"), rows))


if __name__ == "__main__":
    print_everywhere()
    main()
