"""The learning curves of a run, drawn from its tables."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, MaxNLocator

from gubs_agents.arena.measures import Measure
from gubs_agents.arena.plot import save_figure
from gubs_agents.training.metrics import EVALUATIONS, METRICS, read_table

COLOURS = ("#1b6ca8", "#d1495b", "#66a182", "#8d6a9f", "#c98c2b", "#555555")

DRAWN = ("entropy", "explained_variance", "approx_kl")
"""Metrics of the learner that are drawn if it has them."""
MARKED = 40
"""Curves with fewer points than this have markers, so that a single point is visible."""
Rows = list[dict[str, str]]
"""Rows of a table, as `read_table` returns them."""


def draw_curves(folder: Path, baselines: Iterable[str], measure: Measure) -> Path:
    """Draw win rates and the learner's metrics to curves.png, and return its path.

    Args:
        folder: folder of the run.
        baselines: labels of the baselines.
        measure: the measure of results at its table.

    Raises:
        FileNotFoundError: for a folder that holds no run.
    """
    if not (folder / EVALUATIONS).exists():
        raise FileNotFoundError(f"{folder} holds no run to draw: {EVALUATIONS} is missing")
    evaluations, path = read_table(folder / EVALUATIONS), folder / "curves.png"
    of = {label: [row for row in evaluations if row["opponent"] == label] for label in baselines}
    figure = Figure(figsize=(13, 7.5), layout="constrained")
    panels = figure.subplot_mosaic([["rates", "rates"], ["snapshots", "metrics"]])
    draw_rates(panels["rates"], of, measure)
    snapshots = [row for row in evaluations if row["opponent"] not in of]
    draw_snapshots(panels["snapshots"], snapshots, measure)
    draw_metrics(panels["metrics"], read_table(folder / METRICS))
    last = max([1, *timesteps(evaluations)])
    for axes in panels.values():
        axes.set_xlim(-0.03 * last, 1.03 * last)
        prepare(axes)
    for name in ("rates", "snapshots") if measure.counts_wins else ():
        panels[name].set_ylim(0, 100)
    for name in ("rates", "metrics"):
        panels[name].set_xlabel("decisions of the learner in self-play")
    save_figure(figure, path, dpi=120)
    return path


def prepare(axes: Axes) -> None:
    """Give an axis of decisions short numbers, and a panel its grid."""
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))


def timesteps(rows: Rows) -> list[int]:
    """Return the decisions of self-play before each row."""
    return [int(row["timesteps"]) for row in rows]


def results_of(rows: Rows, measure: Measure) -> list[np.ndarray]:
    """Return results with the ends of their intervals: in percent, or payoffs."""
    unit = 100 if measure.counts_wins else 1
    return [unit * np.array([float(row[k]) for row in rows]) for k in ("rate", "low", "high")]


def marker(rows: Rows) -> str:
    """Return the marker of the curve of some rows."""
    return "o" if len(rows) < MARKED else ""


def draw_rates(axes: Axes, baselines: dict[str, Rows], measure: Measure) -> None:
    """Draw the win rate, or mean payoff, against each baseline."""
    for (label, rows), colour in zip(baselines.items(), cycle(COLOURS), strict=False):
        at, (rate, low, high) = timesteps(rows), results_of(rows, measure)
        axes.plot(at, rate, color=colour, label=label, marker=marker(rows))
        axes.fill_between(at, low, high, color=colour, alpha=0.2, linewidth=0)
        if marker(rows):
            axes.vlines(at, low, high, color=colour, alpha=0.5)
    draw_fair_share(axes, measure)
    axes.set_title(f"{named(measure, 'against each baseline')}, with 95 % intervals")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def named(measure: Measure, whose: str) -> str:
    """Return the title of a panel of results."""
    return f"Win rate {whose}, %" if measure.counts_wins else f"Mean payoff {whose}"


def draw_fair_share(axes: Axes, measure: Measure) -> None:
    """Draw the result among equals as a line; a table with one side has none."""
    num_sides = measure.table.num_sides
    if num_sides > 1:
        fair, label = 100 / num_sides if measure.counts_wins else 0, measure.fair(num_sides)
        axes.axhline(fair, color="grey", linestyle=":", linewidth=1, label=label)


def draw_snapshots(axes: Axes, rows: Rows, measure: Measure) -> None:
    """Draw the last evaluation against each snapshot; what was forgotten lies below the line."""
    last = [row for row in rows if row["timesteps"] == rows[-1]["timesteps"]]
    rate, low, high = results_of(last, measure)
    taken, spread = [int(row["taken_at"]) for row in last], [rate - low, high - rate]
    axes.errorbar(taken, rate, spread, fmt="o", color=COLOURS[3], capsize=3)
    draw_fair_share(axes, measure)
    axes.legend(loc="lower right")
    axes.set_title(named(measure, "of the last policy against its snapshots"))
    axes.set_xlabel("decisions of the learner when the snapshot was taken")


def draw_metrics(axes: Axes, rows: Rows) -> None:
    """Draw the metrics of the learner, update by update."""
    names = [name for name in DRAWN if rows and name in rows[0]]
    for name, colour in zip(names, COLOURS, strict=False):
        factor = 10 if name == "approx_kl" else 1
        label = name.replace("_", " ") + (" × 10" if factor > 1 else "")
        values = [factor * float(row[name]) for row in rows]
        axes.plot(timesteps(rows), values, color=colour, label=label, marker=marker(rows))
    axes.set_title("Metrics of the learner")
    if names:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    if not rows:
        axes.text(
            0.5, 0.5, "no updates: the run stopped after imitation", ha="center", va="center",
            transform=axes.transAxes,
        )  # fmt: skip
