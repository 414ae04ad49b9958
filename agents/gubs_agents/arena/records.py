"""The results file: JSON Lines with a header, then the record of each game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from reprlib import repr as shortened
from typing import Any

import numpy as np

from gubs_agents.arena.measures import Measure, Outcomes
from gubs_agents.arena.ratings import FinishedGames
from gubs_env.engine.border import read_json
from gubs_env.records.record import Record, batches, read_lines, replayed
from gubs_env.support.fields import OBJECT, TEXT, WHOLE, check_fields, named, or_null
from gubs_env.support.files import expanded, numbered_lines, read_object

SPRT_FILE = "sprt.json"
SPRT_FORMAT = "gubs_env sprt 1"
RUN_FORMAT = "gubs_env arena 2"
"""The format of a first line that describes a run of the arena."""
HEADER = {
    "format": TEXT,
    "version": TEXT,
    "game": TEXT,
    "players": WHOLE,
    "rules": OBJECT,
    "agents": named(TEXT, "an object of texts"),
    "first_deal": WHOLE,
    "deals": WHOLE,
    "matches": or_null(WHOLE),
    "games": WHOLE,
}
TRIAL = {"sprt": OBJECT}
"""The bounds of a test, which other runs lack."""


def read_header(path: Path) -> dict[str, Any]:
    """Return the header of a results file, its first line.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: if there is none.
    """
    _, line = next(numbered_lines(path), (0, b""))
    no_file = f"{path} is not a results file of the arena"
    try:
        header: dict[str, Any] = read_json(line, "a header")
    except ValueError as error:
        raise ValueError(f"{no_file}: its first line is not a header ({error})") from None
    form = header.get("format") if type(header) is dict else None
    if type(form) is not str or not form.startswith(RUN_FORMAT.rstrip("0123456789")):
        raise ValueError(f"{no_file}: it has no header")
    if form != RUN_FORMAT:
        raise ValueError(f"{no_file}: its format is {shortened(form)}, not {RUN_FORMAT!r}")
    check_fields(header, HEADER, str(path), TRIAL)
    return header


def load(path: str | Path) -> tuple[dict[str, Any], list[Record]]:
    """Return the header and the records of a results file; a partial last line is left out.

    Every game is replayed, which shows whether its results are true.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: if the file is not a results file of the arena, or a line is not the record of
            a game of its table; the message has the number of the line.
    """
    path = expanded(path)
    header = read_header(path)
    records: list[Record] = []
    for batch, places in batches(read_lines(path)):
        records += replayed(batch, places)
        for record, place in zip(batch, places, strict=True):
            check_table(record, header, place)
    return header, records


def check_table(record: Record, header: Mapping[str, Any], where: str) -> None:
    """Raise ValueError unless a game was played at the table of a header, by its agents."""
    for name, value, true in (
        ("game", record.table.game.name, header["game"]),
        ("players", record.table.num_players, header["players"]),
        ("rules", record.table.rules.as_dict(), header["rules"]),
    ):
        if value != true:
            raise ValueError(f"{where}: {name} {value} contradict the header, which has {true}")
    if unknown := set(record.agents) - set(header["agents"]):
        raise ValueError(f"{where}: {min(unknown)!r} is not an agent of the header")


def games_of(
    records: Sequence[Record], labels: Sequence[str], measure: Measure, first_deal: int
) -> FinishedGames:
    """Return games as arrays, in which a team counts as one player.

    Args:
        records: the games, all of them over.
        labels: the names of the agents, in alphabetical order.
        measure: wins, or payoffs.
        first_deal: the seed of the first deal.
    """
    sides, first = measure.table.sides, measure.first
    number = {label: index for index, label in enumerate(labels)}
    decisions = np.array([record.decisions for record in records])
    scores = np.array([record.outcome.scores for record in records if record.outcome], float)
    outcomes = outcomes_of(records)
    return FinishedGames(
        labels=tuple(labels),
        deals=np.array([record.seed for record in records]) - first_deal,
        seatings=np.array([[number[label] for label in r.agents] for r in records])[:, first],
        payoffs=measure.payoffs(outcomes),
        shares=measure.shares(outcomes),
        scores=scores[:, first],
        decisions=decisions @ (sides[:, None] == np.arange(measure.table.num_sides)),
        payoff_ends=measure.payoff_ends,
    )


def outcomes_of(records: Iterable[Record]) -> Outcomes:
    """Return how recorded games ended; those that are not over are left out."""
    over = [(record.outcome, record.forfeits) for record in records if record.outcome]
    payoffs = np.array([outcome.payoffs for outcome, _ in over], float)
    return Outcomes(payoffs, [each.winners for each, _ in over], [players for _, players in over])


def is_finished(folder: Path) -> bool:
    """Return whether a folder holds the file of a test that has ended.

    Raises:
        OSError: if the file cannot be read.
        ValueError: for another file of that name.
    """
    path = folder / SPRT_FILE
    if not path.exists():
        return False
    state = read_object(path, "the state of a sequential test")
    if state.get("format") != SPRT_FORMAT or type(state.get("finished")) is not bool:
        raise ValueError(
            f"{path} is not the state of a sequential test of this version: delete it or write "
            "elsewhere"
        )
    return bool(state["finished"])
