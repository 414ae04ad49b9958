"""Verification: every game is replayed, the anchors are asked again, and the score computed anew.

Nothing in a submitted file is trusted, and no code is loaded from it or because of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.benchmark.anchors import check_anchors
from gubs_agents.benchmark.plan import Plan, tasks_of
from gubs_agents.benchmark.protocol import AGENT, Protocol, load
from gubs_agents.benchmark.results import (
    DIGITS,
    computed,
    games_file,
    read_result,
    results_of,
    rounded,
)
from gubs_agents.benchmark.scoring import total
from gubs_env.agents.registry import Factory, Judge, TextAgent, factory_of, parse_agent
from gubs_env.engine.border import read_json
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
    checking = Verification(path, agent, protocol)
    records = checking.records()
    checking.check_numbers(records)
    return Verified(checking.result, len(records), checking.decisions, agent is not None)


class Verification:
    """A result that is being verified.

    Args:
        path, agent, protocol: as for `verify`.

    Attributes:
        result: the contents of the JSON file.
        plan: the games that it claims to have played.
        decisions: number of decisions that the anchors made again so far.

    Raises:
        OSError, ValueError: as for `verify`, for what the JSON file says.
    """

    def __init__(
        self, path: str | Path, agent: str | Factory | None, protocol: Protocol | None
    ) -> None:
        self.path, self.games_path = expanded(path), games_file(path)
        self.result, self.asks_agent, self.decisions = read_result(path), agent is not None, 0
        # Nobody asks this agent for a move, unless it was given.
        factory = parse_agent("random") if agent is None else factory_of(agent)
        self.plan, self._sha256 = self._plan(factory, protocol), hashlib.sha256()

    def _plan(self, factory: Factory, protocol: Protocol | None) -> Plan:
        result, names = self.result, [table["table"] for table in self.result["tables"]]
        fresh = result.get("fresh", 0)
        try:
            protocol = load(result["protocol"]) if protocol is None else protocol
            track = protocol.track(result["track"])
            tasks = tasks_of(track, names, fresh)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None
        if (protocol.name, protocol.sha256) != (result["protocol"], result["protocol_sha256"]):
            raise ValueError(
                f"{self.path}: protocol_sha256 is {result['protocol_sha256']!r}, but protocol "
                f"{protocol.name} has {protocol.sha256}: it was played with another version of the "
                "protocol"
            )
        if [task.name for task in tasks] != names:
            raise ValueError(
                f"{self.path}: its tables are not in the order of the protocol, once each"
            )
        agent, made_by = result["agent"], result["made_by"]
        return Plan(protocol, track, tasks, agent, factory, made_by, fresh)

    def records(self) -> list[Record]:
        """Return the games, after replaying them and asking the anchors again.

        Raises:
            OSError, ValueError: as for `verify`, for what the games say.
        """
        check_anchors(self.plan.protocol.name, self.plan.tasks)
        lines, records = self.lines(), list[Record]()
        for first, stop in spans_of(self.plan.parts, TOGETHER):
            games = self.plan.games_of(first, stop)
            part, places = self._read(games, lines, first)
            self._ask_again(games, part, first, places)
            records += part
        if next(lines, None) is not None:
            raise ValueError(f"{self.games_path} holds more games than the protocol has")
        if self._sha256.hexdigest() != self.result["games_sha256"]:
            raise ValueError(f"{self.path}: games_sha256 is not that of {self.games_path.name}")
        return records

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Return the numbered lines of the games after the first one, which is checked.

        Raises:
            ValueError: for a first line that contradicts the JSON file.
        """
        path, plan, lines = self.games_path, self.plan, self._hashed_lines()
        header = read_json(next(lines, (0, b""))[1], f"the first line of {path}")
        if not isinstance(header, dict):
            raise ValueError(f"{path}: its first line does not describe a run of the benchmark")
        if self.result["games"] != plan.num_games:
            raise ValueError(
                f"games is {self.result['games']}, but the protocol has {plan.num_games} at these "
                "tables"
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
        return lines

    def _hashed_lines(self) -> Iterator[tuple[int, bytes]]:
        for number, line in numbered_lines(self.games_path, LONGEST_LINE):
            self._sha256.update(line)
            yield number, line

    def _read(
        self, games: PlannedGames, lines: Iterator[tuple[int, bytes]], first: int
    ) -> tuple[list[Record], list[str]]:
        """Return the next games, of which number `first` is the first, and their places.

        Raises:
            ValueError: for a game that is not the next one of the protocol.
        """
        records: list[Record] = []
        places: list[str] = []
        for seed, names in games.dealt:
            number, line = next(lines, (0, b""))
            if not line:
                count = first + len(records)
                raise ValueError(f"{self.games_path} ends after {count:,} games: others are lost")
            places.append(place := f"{self.games_path}, line {number}")
            record = read_line(line, place, games.table.game)
            check_game(record, games.table, seed, names, place)
            if record.outcome is None:
                raise ValueError(f"{place}: the game is not over")
            if wrong := [seat for seat in record.forfeits if names[seat] != AGENT]:
                raise ValueError(
                    f"{place}: seat {wrong[0]} cannot have forfeited: it is an anchor's"
                )
            records.append(record)
        return records, places

    def _ask_again(
        self, games: PlannedGames, records: Sequence[Record], first: int, places: Sequence[str]
    ) -> None:
        """Replay games, of which number `first` is the first, and ask the anchor for its moves.

        Raises:
            ValueError: for an illegal action, a move that the anchor does not make, or an outcome
                that is not that of the game.
        """
        agents = games.build(first)
        asking = Asking(games, agents, games.named_rngs)
        replay = replay_of(records, places)
        env = replay.env
        env.keep_history(asking.memories.num_events)
        if isinstance(agents[0], TextAgent):
            for row in range(len(records)):
                env.follow(row)
        for rows, actions in replay.steps():
            has_choice = np.count_nonzero(env.masks[rows], axis=1) > 1
            by_anchor = has_choice & (games.seatings[rows, env.actors[rows]] == 1)
            self.decisions += int(by_anchor.sum())
            again = has_choice if self.asks_agent else by_anchor
            if again.any():
                check_moves(asking, replay, rows[again], actions[again])
        as_played(records, replay)

    def check_numbers(self, records: Sequence[Record]) -> None:
        """Raise ValueError unless the results of all tasks and the score follow from the games."""
        results = results_of(self.plan, records)
        for result, table in zip(results, self.result["tables"], strict=True):
            for name, value in computed(result).items():
                if not agree(table[name], value):
                    raise ValueError(
                        f"{self.path}: {name} of table {result.task.name} is {table[name]}, but "
                        f"its games give {value}"
                    )
        complete = len(results) == len(self.plan.track.tasks)
        score, true = self.result["score"], rounded(total(results)) if complete else None
        if not agree(score, true):
            raise ValueError(f"{self.path}: score is {score}, but its games give {true}")


def check_moves(asking: Asking, replay: Replay, rows: np.ndarray, played: np.ndarray) -> None:
    """Raise ValueError unless agents choose what was played, but for rounding.

    Args:
        asking: the agents.
        replay: the games.
        rows: int64[…], games.
        played: int64[…], the actions of the records.
    """
    env, chosen = replay.env, asking(replay.env, rows)
    for index in np.flatnonzero(played != chosen).tolist():
        row, seat = rows[index], int(env.actors[rows[index]])
        number = asking.games.seatings[row, seat]
        agent, likes = asking.agents[number], ""
        if isinstance(agent, Judge):
            shares, _ = agent.judge(env.observations[row : row + 1], env.masks[row : row + 1])
            if shares[0, played[index]] >= NEARLY * shares[0].max():
                continue
            likely = " and ".join(f"{shares[0, each[index]]:.2%}" for each in (played, chosen))
            likes = f"; their probabilities are {likely}, which is more than rounding"
        names = [env.table.action_name(int(each)) for each in (played[index], chosen[index])]
        raise ValueError(
            f"{replay.names[row]}: {asking.games.label(number)!r} does not play {names[0]} in "
            f"seat {seat}, but {names[1]}{likes}"
        )


def agree(claim: Any, true: Any) -> bool:
    """Return whether a value of a JSON file is the true one, but for rounding."""
    if isinstance(true, dict):
        return claim.keys() == true.keys() and all(agree(claim[name], true[name]) for name in true)
    if isinstance(true, list):
        return isinstance(claim, list) and all(map(agree, claim, true))
    return claim == true or (isinstance(true, float) and abs(claim - true) <= TOLERANCE)
