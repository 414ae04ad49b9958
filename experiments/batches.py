"""Measure how training gets on with larger batches, as more workers need them.

    python experiments/batches.py race           decisions until the heuristic is beaten, by size
    python experiments/batches.py noise runs/gubs/best.safetensors     the gradient noise scale

Two-player Gubs, with the defaults of training. A race that was interrupted goes on with the runs
that are missing. Needs the extra `train`.
"""

from __future__ import annotations

import csv
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro

import gubs_agents
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.training.errors import TrainingError
from gubs_agents.training.evaluation import evaluate
from gubs_agents.training.metrics import TIMES
from gubs_agents.training.options import Options
from gubs_agents.training.ppo import Positions, PPOLearner, Samples
from gubs_agents.training.run import Run
from gubs_env import find_table
from gubs_env.support.output import print_everywhere

PLAYERS = 2
EVERY = 1 << 19
"""Decisions between two evaluations; an update that has more is followed by one."""
UNMEASURED: dict[str, Any] = {"evaluation_deals": 2, "evaluate_every": 1 << 30}

Curve = list[tuple[int, float, float]]
"""Decisions, seconds of updates and win rate against the heuristic at each evaluation; the last win
rate is NaN if the network's numbers became infinite."""


def imitated(out: Path, seed: int) -> str:
    """Return the file of a network that imitates the heuristic, trained if it is missing."""
    folder = out / f"imitation-{seed}"
    path = folder / "best.safetensors"
    if not path.exists():
        Run(Options(out=str(folder), seed=seed, steps=0, **UNMEASURED)).train()
    return str(path)


def train(options: Options, goal: float, deals: int) -> Curve:
    """Train until a win rate is reached, at most for the steps of the options."""
    heuristic = {"heuristic": gubs_agents.make("heuristic", find_table("gubs", PLAYERS), seed=0)}
    first, seconds = REPORT_DEALS.start, list[float]()
    curve: Curve = []

    def on_row(table: str, row: dict[str, Any]) -> bool:
        if table != TIMES:
            return False
        seconds.append(row["seconds"])
        done = run.timesteps
        if done // EVERY == (done - options.games * options.rollout) // EVERY:
            return False
        player = run.worker.player(run.worker.kept(), draw=False)
        found = evaluate(player, heuristic, run.table, deals, first)
        curve.append((done, sum(seconds), found["heuristic"].rate))
        return curve[-1][-1] >= goal

    run = Run(options, on_row=on_row)
    try:
        run.train()
    except TrainingError:
        curve.append((run.timesteps, sum(seconds), np.nan))
        return curve
    if run.stopping and not (curve and curve[-1][-1] >= goal):
        sys.exit("batches: interrupted; the same command starts this run anew")
    return curve


def kept_curve(out: Path, seed: int, scale: int, power: float, goal: float, deals: int,
               steps: int) -> Curve:  # fmt: skip
    """Return the curve of a run, from its file if there is one."""
    folder = out / f"x{scale}-power{power:g}-{seed}"
    path = folder / "curve.csv"
    if not path.exists():
        shutil.rmtree(folder, ignore_errors=True)
        options = Options(
            out=str(folder), seed=seed, weights=imitated(out, seed), steps=steps,
            games=1024 * scale, batch=1024 * scale, learning_rate=1e-3 * scale**power,
            **UNMEASURED,
        )  # fmt: skip
        curve = train(options, goal, deals)
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(curve)
    with path.open(newline="") as file:
        return [(int(done), float(time), float(rate)) for done, time, rate in csv.reader(file)]


def told(curve: Curve, goal: float) -> str:
    """Return where a curve reaches a win rate, between two evaluations, or where it ends."""
    done, seconds, rates = zip(*curve, strict=True)
    if np.isnan(rates[-1]):
        return f"diverged after {done[-1] / 1e6:.1f} M"
    if rates[-1] < goal:
        return f"{rates[-1]:.1%} after {done[-1] / 1e6:.1f} M"
    at = [float(np.interp(goal, rates[-2:], part[-2:])) for part in (done, seconds)]
    return f"{at[0] / 1e6:.2f} M, {at[1] / 60:.1f} min"


def race(
    scales: tuple[int, ...] = (1, 4, 16),
    powers: tuple[float, ...] = (0, 0.5, 1),
    seeds: tuple[int, ...] = (0, 1, 2),
    steps: int = 3 << 20,
    goal: float = 0.55,
    deals: int = 2000,
    out: Path = Path("runs/batches"),
) -> None:
    """Train from imitation until a win rate against the heuristic is reached.

    Args:
        scales: factors of the usual number of games and the usual batch.
        powers: powers of the scale that multiply the learning rate.
        seeds: seeds of each.
        steps: decisions after which a run ends that has not reached the win rate.
        goal: the win rate.
        deals: deals of an evaluation, each played from both seats.
        out: folder of the runs.
    """
    kinds = [(k, power) for k in scales for power in (powers if k > 1 else (0.0,))]
    cells: dict[tuple[int, float], list[str]] = {kind: [] for kind in kinds}
    for seed in seeds:
        for scale, power in kinds:
            curve = kept_curve(out, seed, scale, power, goal, deals, steps)
            cells[scale, power].append(told(curve, goal))
    print("| games and batch | learning rate | reached after |\n|---|---|---|")
    for (scale, power), found in cells.items():
        print(f"| × {scale} | {1e-3 * scale**power:g} | {'; '.join(found)} |")


# ----------------------------------------------------------------------------------- the noise


class Gradients(PPOLearner):
    """PPO that leaves the network as it is, and adds up the gradients of the minibatches."""

    count, squares, total = 0, 0.0, torch.zeros(1)

    def _step(
        self, positions: Positions, decisions: Samples, entropy_weight: float
    ) -> torch.Tensor:
        loss, metrics = self._loss(positions, decisions, entropy_weight)
        self.optimizer.zero_grad()
        loss.backward()
        parts = [p.grad.flatten() for p in self.network.parameters() if p.grad is not None]
        gradient = torch.cat(parts).double()
        self.count, self.total = self.count + 1, self.total + gradient
        self.squares += float(gradient.square().sum())
        return metrics


def gradients(weights: str, small: int, rollouts: int, seed: int) -> tuple[torch.Tensor, float]:
    """Return the mean of minibatches' gradients, and the mean of their squares."""
    with tempfile.TemporaryDirectory() as folder:
        options = Options(
            out=f"{folder}/run", seed=seed, weights=weights, games=2048, batch=small, epochs=1,
            steps=rollouts * 2048 * 32, **UNMEASURED,
        )  # fmt: skip
        run = Run(options, make_learner=Gradients)
        run.train()
    learner = run.worker.learner
    assert isinstance(learner, Gradients)
    return learner.total / learner.count, learner.squares / learner.count


def noise(weights: tyro.conf.Positional[str], small: int = 1024, rollouts: int = 4) -> None:
    """Print the gradient noise scale at a network, tr Σ / |G|² of McCandlish et al. (2018).

    The square of a minibatch's gradient is expected to be |G|² + tr Σ / size. Decisions of one game
    are not independent, so |G|² is the product of the mean gradients of different games.

    Args:
        weights: file of the network.
        small: decisions in a minibatch.
        rollouts: number of rollouts of 2,048 games, for each of two seeds.
    """
    (one, first), (other, second) = (gradients(weights, small, rollouts, seed) for seed in range(2))
    signal = float(one @ other)
    spread = small * ((first + second) / 2 - signal)
    print(f"|G|² = {signal:.3g}, tr Σ = {spread:.3g}: the noise scale is {spread / signal:,.0f}")


if __name__ == "__main__":
    print_everywhere()
    tyro.extras.subcommand_cli_from_dict({"race": race, "noise": noise}, description=__doc__)
