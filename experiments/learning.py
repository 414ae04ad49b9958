"""Draw learning curves over several seeds: wins against decisions and against minutes.

    python experiments/learning.py                           # train what is missing, and draw
    python experiments/learning.py --kinds ppo,sb3 --seeds 3 --steps 1048576
    python experiments/learning.py --plot docs/images/learning.png
    python experiments/learning.py --kinds fubnub,turtle --steps 2097152

Each kind of run is a table with two players, on all cores. The first three are Gubs: `ppo` starts
from random weights; so does `sb3`, MaskablePPO with the games, rollout and passes that it had as
the only learner. `imitation` is `ppo` after imitating the heuristic, as `./run train` does.
`fubnub` is Battle Royal, and `turtle` is Bad, Bad, Turtle, both from random weights.
A run that was interrupted goes on where it stopped, and a finished one is not repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, ScalarFormatter
from tqdm import tqdm

from gubs_agents.arena.measures import Measure
from gubs_agents.arena.plot import save_figure
from gubs_agents.training.metrics import EVALUATIONS, TIMES, read_table
from gubs_agents.training.options import Options
from gubs_agents.training.plots import COLOURS, draw_fair_share, prepare, timesteps
from gubs_agents.training.run import Run
from gubs_env import find_table
from gubs_env.support.output import print_everywhere

SMALL: dict[str, Any] = {
    "players": 2,
    "imitate": 0,
    "width": 128,
    "games": 2048,
    "rollout": 16,
    "last_learning_rate": 2e-5,
    "last_entropy": 0.001,
    "baselines": "heuristic",
    "evaluate_every": 4,
    "evaluation_deals": 1000,
}
"""Options of the two games with short observations."""
ROYAL = {
    "game": "fubnub",
    "rules": "mode=royal",
    "reward": "lead",
    "discount": 0.9,
}
KINDS: dict[str, dict[str, Any]] = {
    "ppo": {"imitate": 0},
    "sb3": {"imitate": 0, "learner": "sb3", "games": 512, "rollout": 64, "epochs": 3},
    "imitation": {"evaluate_every": 32, "evaluation_deals": 500},
    "fubnub": SMALL | ROYAL,
    "turtle": SMALL | {"game": "bad_bad_turtle", "entropy": 0.005},
}
NAMES = {
    "ppo": "from nothing",
    "sb3": "from nothing, MaskablePPO",
    "imitation": "from imitation",
    "fubnub": "FUBNUB, Battle Royal, from nothing",
    "turtle": "Bad, Bad, Turtle, from nothing",
}


def train(folder: Path, steps: int, kind: str, seed: int) -> None:
    """Train one run to its end, from its last checkpoint if there is one."""
    often = {"evaluate_every": 4, "evaluation_deals": 400}
    options = Options(out=str(folder), steps=steps, seed=seed, **often | KINDS[kind])
    begun = any((folder / "checkpoints").glob("*"))
    Run(options, resume=begun).train()


def draw(runs: dict[str, list[Path]], path: Path, baseline: str) -> None:
    """Draw all runs, and print the last win rate of each."""
    figure = Figure(figsize=(13, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    for axes, clock in ((left, False), (right, True)):
        draw_fair_share(axes, Measure(find_table("gubs")))
        draw_seeds(axes, {NAMES[kind]: folders for kind, folders in runs.items()}, baseline, clock)
    left.legend(loc="upper left")
    path.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, path, dpi=120)
    for kind, folders in runs.items():
        last = [rates_of(folder, baseline, True) for folder in folders]
        said = [f"{rates[-1]:.1f} % after {minutes[-1]:.1f} min" for minutes, rates in last]
        print(f"{kind}: {', '.join(said)}")


def draw_seeds(axes: Axes, runs: Mapping[str, Sequence[Path]], baseline: str, clock: bool) -> None:
    """Draw the win rates of several runs against a baseline: a thick line for the mean of a kind.

    Args:
        axes: the panel.
        runs: folders of runs that differ in their seeds, by the name of their kind.
        baseline: label of the baseline.
        clock: draw against minutes of self-play in place of decisions.
    """
    for (kind, folders), colour in zip(runs.items(), cycle(COLOURS), strict=False):
        curves = [rates_of(folder, baseline, clock) for folder in folders]
        for at, rates in curves:
            axes.plot(at, rates, color=colour, alpha=0.35, linewidth=1)
        at, mean = (np.mean(part, axis=0) for part in zip(*curves, strict=True))
        axes.plot(at, mean, color=colour, linewidth=2.5, label=f"{kind}, {len(curves)} seeds")
    prepare(axes)
    if clock:  # minutes are few, and 0.2 of one is not to be called 200m
        axes.xaxis.set_major_locator(MaxNLocator(6))
        axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set_ylim(0, 100)
    axes.set_xlabel("minutes of self-play" if clock else "decisions of the learner in self-play")
    axes.set_title(f"Win rate against {baseline}, %")


def rates_of(folder: Path, baseline: str, clock: bool) -> tuple[list[float], list[float]]:
    """Return where a run was evaluated, in decisions or minutes, and its win rates in percent."""
    evaluations, times = read_table(folder / EVALUATIONS), read_table(folder / TIMES)
    rows = [row for row in evaluations if row["opponent"] == baseline]
    at: list[float] = [*timesteps(rows)]
    if clock:
        seconds = np.cumsum([float(row["seconds"]) for row in times])
        minutes = dict(zip(timesteps(times), seconds / 60, strict=True))
        at = [float(minutes.get(int(step), 0.0)) for step in at]
    return at, [100 * float(row["rate"]) for row in rows]


def main(
    kinds: str = "ppo,sb3,imitation",
    seeds: int = 3,
    steps: int = 1 << 20,
    out: Path = Path("runs/learning"),
    plot: Path = Path("runs/learning/curves.png"),
    baseline: str = "heuristic",
) -> None:
    """Train and draw.

    Args:
        kinds: kinds of runs, of ppo, sb3, imitation, fubnub and turtle.
        seeds: number of seeds of each.
        steps: decisions of self-play in each run.
        out: folder of the runs.
        plot: picture to write.
        baseline: agent against which wins are drawn.
    """
    wanted = {kind: [out / f"{kind}-{seed}" for seed in range(seeds)] for kind in kinds.split(",")}
    waiting = [(kind, seed, folder) for kind in wanted for seed, folder in enumerate(wanted[kind])]
    for kind, seed, folder in tqdm(waiting, unit=" runs"):
        if not (folder / "done").exists():
            train(folder, steps, kind, seed)
            assert (folder / EVALUATIONS).exists()
            (folder / "done").touch()
    draw(wanted, plot, baseline)


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
