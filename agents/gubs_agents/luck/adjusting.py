"""Corrections of recorded games: what luck gave each side, with the sign turned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.arena.measures import Measure
from gubs_agents.arena.records import check_table, read_header
from gubs_agents.luck.values import Values, values_for
from gubs_agents.luck.walking import Walk
from gubs_env.records.record import Record, batches, read_lines
from gubs_env.support.files import expanded

TOGETHER = 1024
"""Games that are played again side by side."""


def corrections(records: Sequence[Record], values: Values) -> np.ndarray:
    """Return what to add to the payoffs of recorded games of one table, float64[games, num_sides].

    Args:
        records: the games; each began with a deal.
        values: the values of outcomes at this table.

    Raises:
        ValueError: for a game that began from a set state, for rules whose chance events are
            not known, or that its replay contradicts.
    """
    table = records[0].table
    for record in records:
        if isinstance(record.start, np.ndarray):
            raise ValueError(f"{record!r} began from a set state: its luck is not known")
    starts: list[Any] = [record.start for record in records]
    names = [repr(record) for record in records]
    walk = Walk(table, starts, [record.actions for record in records], names)
    total = np.zeros((len(records), table.num_sides))
    for events in walk.events():
        total += values.corrections(events, len(records), table.sides)
    for record, payoffs in zip(records, walk.payoffs, strict=True):
        if record.outcome is not None and record.outcome.payoffs != tuple(payoffs.tolist()):
            raise ValueError(f"{record!r}: its payoffs are not those of its actions")
    return total


class Adjusted(NamedTuple):
    """The games of a results file with their corrections."""

    header: dict[str, Any]
    """The header of the file."""
    records: list[Record]
    """The games."""
    corrections: np.ndarray
    """float64[games, num_sides]: what to add to the payoffs."""

    @property
    def measure(self) -> Measure:
        """The measure of results: wins, or payoffs."""
        return Measure(self.records[0].table)


def adjust(
    path: str | Path,
    values: str | Path | None = None,
    progress: Callable[[int], None] = lambda games: None,
) -> Adjusted:
    """Return the games of a results file of the arena with their corrections.

    Args:
        path: the results file.
        values: a file of values; None for the shipped ones.
        progress: called with the number of games after each part.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for a file that is no results file or holds other games than its header says,
            for games on whose deals the values were fitted, or as for `values_for` and
            `corrections`.
    """
    path = expanded(path)
    header = read_header(path)
    records: list[Record] = []
    parts: list[np.ndarray] = []
    loaded = None
    for part, places in batches(read_lines(path), TOGETHER):
        for record, place in zip(part, places, strict=True):
            check_table(record, header, place)
        if loaded is None:
            loaded = values_for(part[0].table, values)
            check_apart(header, loaded)
        parts.append(corrections(part, loaded))
        records += part
        progress(len(part))
    if not records:
        raise ValueError(f"{path} holds no games")
    return Adjusted(header, records, np.concatenate(parts))


def check_apart(header: dict[str, Any], values: Values) -> None:
    """Raise ValueError if values were fitted on deals of a tournament."""
    first, last = values.first_deal, values.first_deal + values.games
    if header["first_deal"] < last and first < header["first_deal"] + header["deals"]:
        raise ValueError(
            f"the values were fitted on deals {first:,} to {last - 1:,}, and this file holds some "
            "of them: play other deals, or give other values as --values FILE"
        )
