"""How many times fewer games luck taken out, duplicate deals, and both together need.

    python experiments/luck.py runs/luck/gubs_2 runs/luck/gubs_4 …

Each folder holds the results file of a tournament, as `gubs arena --out` writes it. Prints the
tables of docs/research/luck-factors.md. A table's corrections are kept beside its games as
luck.npy, so that the command can be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tyro
from scipy import stats
from tqdm import tqdm

from gubs_agents.arena.measures import mean_with_error
from gubs_agents.arena.ratings import FinishedGames
from gubs_agents.arena.records import read_header
from gubs_agents.arena.report import signed
from gubs_agents.luck import Adjusted, adjust
from gubs_agents.luck.comparison import arrays_of, scaled
from gubs_env.records.record import read_lines
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

KEPT = "luck.npy"
ROUNDING = 1e-12
"""The variance up to which all games of a pair end alike."""


@dataclass(frozen=True)
class Options:
    """How many times fewer games luck taken out, duplicate deals, and both together need."""

    folders: tyro.conf.Positional[tuple[Path, ...]]
    """Folders of tournaments."""


class Pair(NamedTuple):
    """Variances of the mean payoff of one agent against another, per game."""

    name: str
    games: int
    plain: float
    """The variance with independent deals."""
    duplicate: float
    """The variance with every deal played from every seat."""
    luck: float
    """The variance with independent deals and luck taken out."""
    both: float
    """The variance with every deal played from every seat, and luck taken out."""
    deviation: float
    """The mean with luck taken out less the plain mean, in standard errors."""


def adjusted_in(folder: Path) -> Adjusted:
    """Return the games of a tournament with their corrections."""
    path, kept = folder / "games.jsonl", folder / KEPT
    if kept.exists():
        header = read_header(path)
        records = [record for _, record in read_lines(path)]
        return Adjusted(header, records, np.load(kept))
    with tqdm(desc=folder.name, unit=" games") as bar:
        found = adjust(path, progress=bar.update)
    np.save(kept, found.corrections)
    return found


def pairs_of(games: FinishedGames, corrections: np.ndarray) -> list[Pair]:
    """Return the variances of all pairs; in each the agent that is named first sits alone."""
    found = []
    duels = games.alone & ~games.mixed[:, None]
    other = np.roll(games.seatings, -1, axis=1)
    for row, column in np.ndindex(len(games.labels), len(games.labels)):
        chosen = duels & (games.seatings == row) & (other == column)
        if chosen.any() and (row < column or games.seatings.shape[1] > 2):
            name = f"{games.labels[row]} – {games.labels[column]}"
            deals = np.repeat(games.deals[:, None], chosen.shape[1], axis=1)[chosen]
            seats = np.nonzero(chosen)[1]
            payoffs, change = games.payoffs[chosen], corrections[chosen]
            found.append(pair(name, deals, seats, payoffs, change))
    return found


def pair(
    name: str, deals: np.ndarray, seats: np.ndarray, payoffs: np.ndarray, change: np.ndarray
) -> Pair:
    """Return the variances of one pair; all arrays have one entry for each game."""
    counts = np.bincount(deals)
    each = len(deals) / (counts > 0).sum()

    def by_deal(values: np.ndarray) -> np.ndarray:
        return (np.bincount(deals, values) / np.maximum(counts, 1))[counts > 0]

    def by_seat(values: np.ndarray) -> float:
        return float(np.mean([values[seats == seat].var(ddof=1) for seat in np.unique(seats)]))

    less, (moved, error) = payoffs + change, mean_with_error(by_deal(change))
    return Pair(
        name,
        len(deals),
        by_seat(payoffs),
        float(by_deal(payoffs).var(ddof=1)) * each,
        by_seat(less),
        float(by_deal(less).var(ddof=1)) * each,
        moved / error if error else 0.0,
    )


def times(more: float, less: float) -> str:
    """Return how many times fewer games are needed; "–" without a variance to compare."""
    return f"{more / less:.2f}" if min(more, less) > ROUNDING else "–"


def saved(pairs: list[Pair]) -> str:
    """Return what `both` saves beside duplicate deals, over the pairs whose games end unlike."""
    unlike = [(one.duplicate, one.both) for one in pairs if min(one.duplicate, one.both) > ROUNDING]
    if not unlike:
        return "no pair whose games end unlike"
    duplicate, both = np.array(unlike).T
    return (
        f"geometric mean of the pairs {stats.gmean(duplicate / both):.2f}, "
        f"all pairs together {duplicate.sum() / both.sum():.2f}"
    )


def main() -> None:
    """Print the tables."""
    deviations: list[float] = []
    for folder in tyro.cli(Options).folders:
        adjusted = adjusted_in(folder)
        games = arrays_of(adjusted)
        found = pairs_of(games, scaled(games, adjusted.corrections))
        deviations += [one.deviation for one in found]
        rows = [
            [
                one.name,
                f"{one.games:,}",
                times(one.plain, one.duplicate),
                times(one.plain, one.luck),
                times(one.plain, one.both),
                times(one.duplicate, one.both),
                signed(one.deviation),
            ]
            for one in found
        ]
        head = ["pair", "games", "duplicate deals", "luck out", "both", "both : duplicate", "z"]
        print(f"\n{folder.name}, both : duplicate: {saved(found)}\n")
        print(table(head, rows), flush=True)
    every = np.array(deviations)
    print(
        f"\n{len(every)} pairs: mean of z {every.mean():+.2f} ± {1 / np.sqrt(len(every)):.2f}, "
        f"standard deviation {every.std(ddof=1):.2f}, largest |z| {np.abs(every).max():.2f}"
    )
    test = stats.kstest(every, "norm")
    print(f"Kolmogorov-Smirnov: D = {test.statistic:.2f}, p = {test.pvalue:.2f}\n")
    shares = [0.1, 0.25, 0.5, 0.75, 0.9]
    columns = shares, np.quantile(every, shares), stats.norm.ppf(shares)
    lines = [[f"{share:.0%}", signed(a), signed(b)] for share, a, b in zip(*columns, strict=True)]
    print(table(["quantile", "of z", "of a standard normal variable"], lines))


if __name__ == "__main__":
    print_everywhere()
    main()
