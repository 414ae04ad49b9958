"""The learning curves of a run, drawn from its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import cycle
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator, ScalarFormatter

from gubs_agents.arena.measures import fair_share
from gubs_agents.training.metrics import EVALUATIONS, METRICS, TIMES, read_table
from gubs_env.support.files import replace_file

COLOURS = ("#1b6ca8", "#d1495b", "#66a182", "#8d6a9f", "#c98c2b", "#555555")

DRAWN = ("entropy", "explained_variance", "approx_kl")
"""Metrics of the learner that are drawn if it has them."""
MARKED = 40
"""Curves with fewer points than this have markers, so that a single point is visible."""


def draw_curves(folder: Path, baselines: list[str], num_sides: int, wins: bool = True) -> Path:
    """Draw win rates and the learner's metrics to curves.png, and return its path.

    Args:
        folder: folder of the run.
        baselines: labels of the baselines.
        num_sides: number of sides at the table, whose inverse is the win rate among equals.
        wins: whether the results are win rates; if not, they are mean payoffs.

    Raises:
        FileNotFoundError: for a folder that holds no run.
    """
    if not (folder / EVALUATIONS).exists():
        raise FileNotFoundError(f"{folder} holds no run to draw: {EVALUATIONS} is missing")
    figure = Figure(figsize=(13, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplot_mosaic([["rates", "rates"], ["snapshots", "metrics"]])
    draw_rates(panels["rates"], folder, baselines, num_sides, wins)
    draw_snapshots(panels["snapshots"], folder, baselines, num_sides, wins)
    draw_metrics(panels["metrics"], folder)
    last = max([1, *timesteps(read_table(folder / EVALUATIONS))])
    for axes in panels.values():
        axes.set_xlim(-0.03 * last, 1.03 * last)
        prepare(axes)
    for name in ("rates", "snapshots") if wins else ():
        panels[name].set_ylim(0, 100)
    for name in ("rates", "metrics"):
        panels[name].set_xlabel("decisions of the learner in self-play")
    save_figure(figure, folder / "curves.png")
    return folder / "curves.png"


def prepare(axes: Axes) -> None:
    """Give an axis of decisions short numbers, and a panel its grid."""
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure as a PNG, with the same bytes for the same figure."""
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=120, metadata={"Software": None})
    replace_file(path, picture.getvalue())


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
    own = [row for row in read_table(folder / EVALUATIONS) if row["opponent"] == baseline]
    at: list[float] = [*timesteps(own)]
    if clock:
        seconds = np.cumsum([float(row["seconds"]) for row in read_table(folder / TIMES)])
        minutes = dict(zip(timesteps(read_table(folder / TIMES)), seconds / 60, strict=True))
        at = [float(minutes.get(int(step), 0.0)) for step in at]
    return at, [100 * float(row["rate"]) for row in own]


def timesteps(rows: list[dict[str, str]]) -> list[int]:
    return [int(row["timesteps"]) for row in rows]


def marker(points: int) -> str:
    """Return the marker of a curve with a number of points."""
    return "o" if points < MARKED else ""


def draw_rates(
    axes: Axes, folder: Path, baselines: list[str], num_sides: int, wins: bool = True
) -> None:
    """Draw the win rate, or mean payoff, against each baseline."""
    rows, unit = read_table(folder / EVALUATIONS), 100 if wins else 1
    for label, colour in zip(baselines, cycle(COLOURS), strict=False):
        own = [row for row in rows if row["opponent"] == label]
        low, high, rate = ([unit * float(row[k]) for row in own] for k in ("low", "high", "rate"))
        axes.plot(timesteps(own), rate, color=colour, label=label, marker=marker(len(own)))
        axes.fill_between(timesteps(own), low, high, color=colour, alpha=0.2, linewidth=0)
        if len(own) < MARKED:
            axes.vlines(timesteps(own), low, high, color=colour, alpha=0.5)
    draw_fair_share(axes, num_sides, wins)
    name = "Win rate against each baseline, %" if wins else "Mean payoff against each baseline"
    axes.set_title(f"{name}, with 95 % intervals")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def draw_fair_share(axes: Axes, num_sides: int, wins: bool = True) -> None:
    """Draw the result among equals as a line; a table with one side has none."""
    if num_sides == 1:
        return
    label = fair_share(num_sides) if wins else "fair payoff 0"
    axes.axhline(
        100 / num_sides if wins else 0, color="grey", linestyle=":", linewidth=1, label=label
    )


def draw_snapshots(
    axes: Axes, folder: Path, baselines: list[str], num_sides: int, wins: bool = True
) -> None:
    """Draw the last evaluation against each snapshot; what was forgotten lies below the line."""
    unit = 100 if wins else 1
    rows = [row for row in read_table(folder / EVALUATIONS) if row["opponent"] not in baselines]
    last = [row for row in rows if row["timesteps"] == rows[-1]["timesteps"]]
    taken = [int(row["taken_at"]) for row in last]
    rate, low, high = ([unit * float(row[k]) for row in last] for k in ("rate", "low", "high"))
    spread = [
        [r - a for r, a in zip(rate, low, strict=True)],
        [b - r for r, b in zip(rate, high, strict=True)],
    ]
    axes.errorbar(taken, rate, spread, fmt="o", color=COLOURS[3], capsize=3)
    draw_fair_share(axes, num_sides, wins)
    axes.legend(loc="lower right")
    name = "Win rate of the last policy against its snapshots, %"
    axes.set_title(name if wins else "Mean payoff of the last policy against its snapshots")
    axes.set_xlabel("decisions of the learner when the snapshot was taken")


def draw_metrics(axes: Axes, folder: Path) -> None:
    """Draw what the learner says of its updates."""
    rows = read_table(folder / METRICS)
    names = [name for name in DRAWN if rows and name in rows[0]]
    for name, colour in zip(names, COLOURS, strict=False):
        factor = 10 if name == "approx_kl" else 1
        label = name.replace("_", " ") + (" × 10" if factor > 1 else "")
        values = [factor * float(row[name]) for row in rows]
        axes.plot(timesteps(rows), values, color=colour, label=label, marker=marker(len(rows)))
    axes.set_title("Metrics of the learner")
    if names:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    if not rows:
        say_no_updates(axes)


def say_no_updates(axes: Axes) -> None:
    """Write into an empty panel why it is empty."""
    axes.text(0.5, 0.5, "no updates: the run stopped after imitation", ha="center", va="center",
              transform=axes.transAxes)  # fmt: skip
