"""The picture of a tournament: the payoff matrix and the ratings."""

from __future__ import annotations

from io import BytesIO
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np

from gubs_agents.arena.report import ranking, signed, whole
from gubs_agents.arena.tournaments import Result
from gubs_env.support.checks import require_extra
from gubs_env.support.files import replace_file


def draw(result: Result, path: str | Path) -> None:
    """Draw the payoff matrix and the ratings to a PNG file.

    Raises:
        OSError: if the file cannot be written.
        ModuleNotFoundError: without Matplotlib, which the arena extra installs.
    """
    require_extra("arena", "matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    m = len(result.labels)
    side = 2.2 + 0.95 * m
    figure = Figure(figsize=(2 * side + 1, side), layout="constrained")
    FigureCanvasAgg(figure)
    matrix, ratings = figure.subplots(1, 2, width_ratios=(1.15, 1))
    draw_matrix(figure, matrix, result)
    draw_ratings(ratings, result)
    plan = result.plan
    figure.suptitle(
        f"{plan.header()['game']}, {plan.table.num_players} players, {plan.deals:,} deals, "
        f"{plan.num_games:,} games, {plan.measure.fair(plan.table.num_sides)}, 95 % intervals"
    )
    save_figure(figure, path, dpi=150)


def save_figure(figure: Any, path: str | Path, dpi: int) -> None:
    """Write a figure as a PNG file, with the same bytes for the same figure."""
    picture = BytesIO()
    figure.savefig(picture, format="png", dpi=dpi, metadata={"Software": None})  # and no date
    replace_file(path, picture.getvalue())


def draw_matrix(figure: Any, axes: Any, result: Result) -> None:
    """Draw the payoff matrix as a heat map with numbers: red loses, blue wins."""
    order = ranking(result)
    names = [result.labels[k] for k in order]
    value, low, high = (part[np.ix_(order, order)] for part in result.numbers.matrix)
    # A scale wider than the values avoids the darkest colours.
    reach = 1.25 * max(float(np.nanmax(np.abs(value))), 0.1)
    image = axes.imshow(np.ma.masked_invalid(value), cmap="RdBu", vmin=-reach, vmax=reach)
    for row, column in permutations(range(len(order)), 2):
        dark = abs(value[row, column]) > 0.6 * reach
        colour = "white" if dark else "black"
        axes.text(column, row, signed(value[row, column]), ha="center", va="bottom", color=colour)
        around = f"{signed(low[row, column])} … {signed(high[row, column])}"
        axes.text(column, row + 0.08, around, ha="center", va="top", color=colour, fontsize=7)
    axes.set_facecolor("whitesmoke")
    edges = np.arange(len(names) + 1) - 0.5
    axes.hlines(edges, edges[0], edges[-1], color="white")
    axes.vlines(edges, edges[0], edges[-1], color="white")
    axes.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    n = result.plan.table.num_sides
    axes.set_title("Mean payoff of the row's agent\nagainst the column's" if n == 2 else
                   f"Mean payoff of one copy of the row's agent\nat a table with {n - 1} copies of "
                   "the column's")  # fmt: skip
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    figure.colorbar(image, ax=axes, shrink=0.7, label="mean payoff, fair: 0")


def draw_ratings(axes: Any, result: Result) -> None:
    """Draw the ratings with their intervals, the best agent on top."""
    order = ranking(result)
    value, low, high = (part[order] for part in result.numbers.rating)
    rows = np.arange(len(order))
    axes.errorbar(
        value, rows, xerr=np.maximum(0, [value - low, high - value]),
        fmt="o", color="#1f4e79", capsize=4, markersize=6,
    )  # fmt: skip
    for row, rating in zip(rows, value, strict=True):
        axes.annotate(whole(rating), (rating, row), (0, 8), textcoords="offset points", ha="center")
    axes.axvline(0, color="grey", linewidth=0.8, linestyle=":")
    axes.set_yticks(rows, [result.labels[k] for k in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.margins(x=0.15)
    axes.set_xlabel("Elo points, mean of the field 0")
    axes.set_title("Ratings")
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
