"""Verification: every game is replayed, the anchors are asked again, and the score computed anew.

Nothing in a submitted file is trusted, and no code is loaded from it or because of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.benchmark.anchors import check_anchors
from gubs_agents.benchmark.plan import Plan, dealt
from gubs_agents.benchmark.protocol import AGENT, Protocol, load, picked
from gubs_agents.benchmark.results import (
    DIGITS,
    computed,
    games_file,
    read_result,
    results_of,
    rounded,
)
from gubs_agents.benchmark.scoring import total
from gubs_env.agents.registry import Factory, Judge, TextAgent, factory_of
from gubs_env.engine.border import read_json
from gubs_env.engine.table import Table
from gubs_env.records.playing import Asking, Replay
from gubs_env.records.record import TOGETHER, Record, as_played, read_line, replay_of
from gubs_env.records.running import PlannedGames, check_game, spans_of
from gubs_env.support.fields import check_name
from gubs_env.support.files import expanded, numbered_lines

LONGEST_LINE = 1_000_000
"""The most bytes of a line of the games."""
NEARLY = 1 - 1e-4
"""Fraction of the largest probability from which on a network's move counts as its likeliest.

The sums of a network are rounded differently on other processors, which may decide between moves
that it likes equally.
"""
TOLERANCE = 10.0**-DIGITS
"""The most that numbers may differ, which are rounded to DIGITS decimal places."""


class Verified(NamedTuple):
    """A result that was verified, and how much of it was replayed."""

    result: dict[str, Any]
    """The contents of the JSON file."""
    games: int
    """Number of games that were replayed."""
    decisions: int
    """Number of decisions that the anchors made again."""
    asked: bool
    """Whether the agent made its decisions again, too."""


def verify(
    path: str | Path, agent: str | Factory | None = None, protocol: Protocol | None = None
) -> Verified:
    """Check the result of a benchmark, and raise ValueError with what is wrong.

    Args:
        path: the JSON file; its games lie beside it.
        agent: the agent, to ask it for its moves as well: a text for `parse_agent` or a factory. It
            must choose the same moves every time. None: its moves are only checked to be legal.
        protocol: the protocol; None means the one of this package that the file names.

    Returns:
        What was checked.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for a file that is not the result of a benchmark, or in which anything does not
            follow from the games; the message says what.
    """
    path = expanded(path)
    found = read_result(path)
    plan = plan_of(found, path, protocol, agent)
    check_anchors(plan.protocol.name, plan.tasks)
    lines, sha256 = read_games(games_file(path), found, plan)
    records: list[Record] = []
    decisions = 0
    for first, stop in spans_of(plan.parts, TOGETHER):
        part, places = read_part(plan.games_of(first, stop), lines, first, games_file(path))
        decisions += ask_again(plan, part, first, places)
        records += part
    if next(lines, None) is not None:
        raise ValueError(f"{games_file(path)} holds more games than the protocol has")
    if sha256.hexdigest() != found["games_sha256"]:
        raise ValueError(f"{path}: games_sha256 is not that of {games_file(path).name}")
    check_numbers(plan, records, found, path)
    return Verified(found, plan.num_games, decisions, agent is not None)


def plan_of(
    found: Mapping[str, Any],
    path: Path,
    protocol: Protocol | None,
    agent: str | Factory | None,
) -> Plan:
    """Return the plan that a result claims to have played.

    Raises:
        ValueError: for a protocol, track or table that there is not.
    """
    try:
        known = load(found["protocol"]) if protocol is None else protocol
        track = known.track(found["track"])
        names = [table["table"] for table in found["tables"]]
        for name in names:
            picked(track.tasks, name, "table")
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    if (known.name, known.sha256) != (found["protocol"], found["protocol_sha256"]):
        raise ValueError(
            f"{path}: protocol_sha256 is {found['protocol_sha256']!r}, but protocol {known.name} "
            f"has {known.sha256}: it was played with another version of the protocol"
        )
    tasks = tuple(task for task in track.tasks if task.name in names)
    if [task.name for task in tasks] != names:
        raise ValueError(f"{path}: its tables are not in the order of the protocol, once each")
    fresh, factory = found.get("fresh", 0), _nobody if agent is None else factory_of(agent)
    made_by = found["made_by"]
    return Plan(known, track, dealt(tasks, fresh), found["agent"], factory, made_by, fresh)


def read_games(
    path: Path, found: Mapping[str, Any], plan: Plan
) -> tuple[Iterator[tuple[int, bytes]], Any]:
    """Return the numbered lines of a file of games after the first one, which is checked, and the
    hash of those that were read.

    Raises:
        OSError: for a file that cannot be read.
        ValueError: for a file whose first line contradicts the JSON file.
    """
    sha256 = hashlib.sha256()
    lines = hashed(path, sha256)
    header = read_json(next(lines, (0, b""))[1], f"the first line of {path}")
    if not isinstance(header, dict):
        raise ValueError(f"{path}: its first line does not describe a run of the benchmark")
    if found["games"] != plan.num_games:
        raise ValueError(
            f"games is {found['games']}, but the protocol has {plan.num_games} at these tables"
        )
    version = check_name(f"{path}: version", header.get("version"))
    expected = plan.header() | {"version": version}
    for name, value in expected.items():
        if header.get(name) != value:
            raise ValueError(
                f"{path}: {name} is {header.get(name)!r}, but {value!r} in the JSON file"
            )
    if header.keys() != expected.keys():
        raise ValueError(f"{path}: its first line has other keys than {', '.join(expected)}")
    return lines, sha256


def hashed(path: Path, sha256: Any) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file, as `numbered_lines` does, and add them to a hash."""
    for number, line in numbered_lines(path, LONGEST_LINE):
        sha256.update(line)
        yield number, line


def read_part(
    games: PlannedGames, lines: Iterator[tuple[int, bytes]], first: int, path: Path
) -> tuple[list[Record], list[str]]:
    """Return the next games of a file, of which number `first` is the first, and their places.

    Raises:
        ValueError: for a game that is not the next one of the protocol.
    """
    records: list[Record] = []
    places: list[str] = []
    for seed, names in games.dealt:
        number, line = next(lines, (0, b""))
        if not line:
            raise ValueError(f"{path} ends after {first + len(records):,} games: others are lost")
        places.append(place := f"{path}, line {number}")
        record = read_line(line, place, games.table.game)
        check_game(record, games.table, seed, names, place)
        if record.outcome is None:
            raise ValueError(f"{place}: the game is not over")
        if wrong := [seat for seat in record.forfeits if names[seat] != AGENT]:
            raise ValueError(f"{place}: seat {wrong[0]} cannot have forfeited: it is an anchor's")
        records.append(record)
    return records, places


def ask_again(plan: Plan, records: Sequence[Record], first: int, places: Sequence[str]) -> int:
    """Replay games, of which number `first` is the first, and ask the anchor for its moves.

    Returns:
        The number of decisions of the anchor.

    Raises:
        ValueError: for an illegal action, a move that the anchor does not make, or an outcome that
            is not that of the game.
    """
    games = plan.games_of(first, first + len(records))
    agents, seatings = games.build(first), games.seatings
    asking = Asking(replace(games, labels=[*games.field]), agents, games.named_rngs)
    replay, asked = replay_of(records, places), 0
    replay.env.keep_history(asking.memories.num_events)
    if isinstance(agents[0], TextAgent):
        for row in range(len(records)):
            replay.env.follow(row)
    for rows, actions in replay.steps():
        env = replay.env
        chosen = rows[np.count_nonzero(env.masks[rows], axis=1) > 1]
        seated = seatings[chosen, env.actors[chosen]]
        recorded = dict(zip(rows.tolist(), actions.tolist(), strict=True))
        again = chosen[seated == 1] if plan.factory is _nobody else chosen
        asked += int((seated == 1).sum())
        if again.size:
            played = np.array([recorded[row] for row in again.tolist()])
            check_moves(asking, replay, again, played, asking(env, again))
    as_played(records, replay)
    return asked


class _Nobody:
    """Stands for the benchmarked agent where only the anchors are asked."""

    def act(self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        raise NotImplementedError


def _nobody(table: Table, seed: int) -> Any:
    return _Nobody()


def check_moves(
    asking: Asking, replay: Replay, rows: np.ndarray, played: np.ndarray, chosen: np.ndarray
) -> None:
    """Raise ValueError unless what was played is what agents choose, but for rounding.

    Args:
        asking: the agents.
        replay: the games.
        rows: int64[…], games.
        played: int64[…], the actions of the records.
        chosen: int64[…], the actions that the agents choose now.
    """
    env = replay.env
    for index in np.flatnonzero(played != chosen).tolist():
        row, seat = rows[index], int(env.actors[rows[index]])
        number = asking.games.seatings[row, seat]
        agent, label = asking.agents[number], asking.games.label(number)
        if isinstance(agent, Judge):
            judged, _ = agent.judge(env.observations[row : row + 1], env.masks[row : row + 1])
            if judged[0, played[index]] >= NEARLY * judged[0].max():
                continue
        names = [env.table.action_name(int(each)) for each in (played[index], chosen[index])]
        raise ValueError(
            f"{replay.names[row]}: {label!r} does not play {names[0]} in seat {seat}, but "
            f"{names[1]}"
        )


def check_numbers(
    plan: Plan, records: Sequence[Record], found: Mapping[str, Any], path: Path
) -> None:
    """Raise ValueError unless the tables and the score of a result follow from its games."""
    results = results_of(plan, records)
    for result, told in zip(results, found["tables"], strict=True):
        for name, value in computed(result).items():
            if not agree(told[name], value):
                raise ValueError(
                    f"{path}: {name} of table {result.task.name} is {told[name]}, but its games "
                    f"give {value}"
                )
    complete = len(plan.tasks) == len(plan.track.tasks)
    score = rounded(total(results)) if complete else None
    if not agree(found["score"], score):
        raise ValueError(f"{path}: score is {found['score']}, but its games give {score}")


def agree(told: Any, true: Any) -> bool:
    """Return whether two values of a JSON file are the same, but for rounding."""
    if type(told) is not type(true) and not isinstance(true, float):
        return False
    if isinstance(true, dict):
        return told.keys() == true.keys() and all(agree(told[name], true[name]) for name in true)
    if isinstance(true, list):
        return len(told) == len(true) and all(map(agree, told, true))
    if isinstance(true, float):
        return isinstance(told, float | int) and abs(told - true) <= TOLERANCE
    return bool(told == true)
