"""The learning curves of a run, as a picture."""

from __future__ import annotations

from pathlib import Path

from gubs_agents.training.metrics import EVALUATIONS, METRICS, TIMES, read_table

COLOURS = ("#1b6ca8", "#d1495b", "#66a182", "#8d6a9f", "#c98c2b", "#555555")

DRAWN = ("entropy", "explained_variance", "approx_kl")
"""Metrics of the learner that are drawn, where it has them."""


def draw_curves(folder: Path, baselines: list[str], num_sides: int) -> Path:
    """Write curves.png: win rates against baselines and snapshots, metrics, and where time goes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13, 7.5), layout="constrained")
    FigureCanvasAgg(figure)
    (rates, selves), (losses, times) = figure.subplots(2, 2)
    draw_rates(rates, folder, baselines, num_sides)
    draw_selves(selves, folder, baselines, num_sides)
    draw_losses(losses, folder)
    draw_times(times, folder)
    for axes in (rates, selves, losses, times):
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in (losses, times):
        axes.set_xlabel("decisions of the learner, millions")
    path = folder / "curves.png"
    figure.savefig(path, dpi=120, metadata={"Software": None})
    return path


def millions(rows: list[dict[str, str]]) -> list[float]:
    return [int(row["timesteps"]) / 1e6 for row in rows]


def draw_rates(axes, folder: Path, baselines: list[str], num_sides: int) -> None:
    rows = read_table(folder / EVALUATIONS)
    for label, colour in zip(baselines, COLOURS, strict=False):
        own = [row for row in rows if row["opponent"] == label]
        low, high, rate = ([100 * float(row[k]) for row in own] for k in ("low", "high", "rate"))
        axes.plot(millions(own), rate, color=colour, label=label)
        axes.fill_between(millions(own), low, high, color=colour, alpha=0.2, linewidth=0)
    axes.axhline(100 / num_sides, color="grey", linestyle=":", linewidth=1)
    axes.set_title("Wins against each baseline, %, with 95 % intervals")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def draw_selves(axes, folder: Path, baselines: list[str], num_sides: int) -> None:
    """Draw the last evaluation against each snapshot: what was forgotten lies below the line."""
    rows = [row for row in read_table(folder / EVALUATIONS) if row["opponent"] not in baselines]
    last = [row for row in rows if row["timesteps"] == rows[-1]["timesteps"]]
    taken = [int(row["taken_at"]) / 1e6 for row in last]
    rate, low, high = ([100 * float(row[k]) for row in last] for k in ("rate", "low", "high"))
    spread = [
        [r - a for r, a in zip(rate, low, strict=True)],
        [b - r for r, b in zip(rate, high, strict=True)],
    ]
    axes.errorbar(taken, rate, spread, fmt="o", color=COLOURS[3], capsize=3)
    axes.axhline(100 / num_sides, color="grey", linestyle=":", linewidth=1)
    axes.set_title("Wins of the last policy against its snapshots, %")
    axes.set_xlabel("taken after so many million decisions")


def draw_losses(axes, folder: Path) -> None:
    rows = read_table(folder / METRICS)
    names = [name for name in DRAWN if not rows or name in rows[0]]
    for name, colour in zip(names, COLOURS, strict=False):
        factor = 10 if name == "approx_kl" else 1
        label = name.replace("_", " ") + (" × 10" if factor > 1 else "")
        values = [factor * float(row[name]) for row in rows]
        axes.plot(millions(rows), values, color=colour, label=label)
    axes.set_title("Learning")
    if names:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def draw_times(axes, folder: Path) -> None:
    rows = read_table(folder / TIMES)
    parts = ("environment", "opponents", "inference", "learning")
    axes.stackplot(
        millions(rows),
        *([100 * float(row[part]) / float(row["seconds"]) for row in rows] for part in parts),
        labels=parts,
        colors=COLOURS,
        alpha=0.8,
    )
    axes.set_ylim(0, 100)
    axes.set_title("Where the time goes, %")
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
