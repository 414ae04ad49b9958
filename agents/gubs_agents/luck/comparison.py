"""The report of a tournament with luck taken out, beside the plain one."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gubs_agents.arena.ratings import (
    FinishedGames,
    Interval,
    interval,
    means_of,
    resampled,
    totals_by_deal,
)
from gubs_agents.arena.records import games_of
from gubs_agents.arena.report import cell, signed
from gubs_agents.luck.adjusting import Adjusted
from gubs_env.support.markdown import table


class Comparison(NamedTuple):
    """The mean payoffs of all pairs of agents, plain and with luck taken out."""

    labels: tuple[str, ...]
    """The names of the agents."""
    deals: int
    """Number of deals."""
    plain: Interval
    """[m, m]: mean payoff of the row's agent, alone against the column's."""
    adjusted: Interval
    """[m, m]: the same with luck taken out."""
    fewer: np.ndarray
    """float64[m, m]: variance of the plain means of the deals by that of the adjusted ones: how
    many times fewer deals give the same interval."""


def arrays_of(adjusted: Adjusted) -> FinishedGames:
    """Return the games of a results file as arrays."""
    header, records = adjusted.header, adjusted.records
    labels = sorted(header["agents"])
    return games_of(records, labels, adjusted.measure, header["first_deal"])


def corrected(adjusted: Adjusted) -> FinishedGames:
    """Return the games of a results file with payoffs and shares of the win without luck.

    A win changes a payoff by n / (n − 1), and a share of the win by 1.
    """
    games, measure = arrays_of(adjusted), adjusted.measure
    added = scaled(games, adjusted.corrections)
    shares = games.shares + measure.shares_of_gains(added)
    return replace(games, payoffs=games.payoffs + added, shares=shares)


def scaled(games: FinishedGames, corrections: np.ndarray) -> np.ndarray:
    """Return corrections times a coefficient for each table of agents, float64[games, n].

    Values that were fitted on close games overrate luck where one agent nearly always wins. The
    coefficient, 0 to 1, minimises the variance. That of the even deals is computed from the odd
    deals and the other way round: it is independent of the corrections that it multiplies, which
    therefore keep their mean of zero.

    Args:
        games: the games.
        corrections: float64[games, n].
    """
    centred = games.payoffs.copy()
    for seating in np.unique(games.seatings, axis=0):
        same = (games.seatings == seating).all(axis=1)
        centred[same] -= centred[same].mean(axis=0)
    _, tables = np.unique(np.sort(games.seatings, axis=1), axis=0, return_inverse=True)
    half = games.deals % 2
    result = np.zeros_like(corrections)
    for table_of_agents in range(tables.max() + 1):
        same = tables.ravel() == table_of_agents
        for parity in (0, 1):
            here, other = same & (half == parity), same & (half != parity)
            square = np.square(corrections[other]).sum()
            product = -(centred[other] * corrections[other]).sum()
            if square > 0:
                result[here] = np.clip(product / square, 0, 1) * corrections[here]
    return result


def compare(adjusted: Adjusted, resamples: int = 1000) -> Comparison:
    """Return the means of all pairs, with intervals from `resamples` bootstrap samples."""
    games, without_luck = arrays_of(adjusted), corrected(adjusted)
    before, after = (totals_by_deal(part)["matrix"] for part in (games, without_luck))
    drawn = resampled(len(before.sums), resamples)
    m = len(games.labels)
    fewer = np.full((m, m), np.nan)
    for row, column in np.ndindex(m, m):
        known = before.counts[:, row, column] > 0
        if known.sum() > 1:
            counts = before.counts[known, row, column]
            plain, less = (part.sums[known, row, column] / counts for part in (before, after))
            fewer[row, column] = plain.var() / less.var()
    plain, adjusted_means = (
        interval(means_of(part, drawn), part.deals, games.payoff_ends) for part in (before, after)
    )
    return Comparison(games.labels, len(before.sums), plain, adjusted_means, fewer)


def markdown(adjusted: Adjusted, resamples: int = 1000) -> str:
    """Return the report in Markdown."""
    means, header = compare(adjusted, resamples), adjusted.header
    m = len(means.labels)
    rows = [
        [
            means.labels[row],
            means.labels[column],
            cell(means.plain, row, column, write=fine),
            cell(means.adjusted, row, column, write=fine),
            f"{means.fewer[row, column]:.2f}",
        ]
        for row in range(m)
        for column in range(row + 1, m)
    ]
    head = ["payoff of", "against", "plain", "luck taken out", "times fewer deals"]
    summary = (
        f"{header['game']}, {header['players']} players: {len(adjusted.records):,} games of "
        f"{means.deals:,} deals. Mean payoffs with 95 % intervals, by bootstrap over deals. *Times "
        "fewer deals* is the ratio of the variances: how many times fewer deals give the same "
        "interval. docs/luck_method.md says what is taken out, and why the means stay unbiased."
    )
    return "\n\n".join(["# Luck taken out", summary, table(head, rows)]) + "\n"


def fine(value: float) -> str:
    return signed(value, 3)
