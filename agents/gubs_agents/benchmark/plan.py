"""The plan of a run: which games are played, in which order, by whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import gubs_env
from gubs_agents.arena.field import description
from gubs_agents.benchmark.protocol import AGENT, Anchor, Protocol, Table, Track, picked
from gubs_env.agents.parsing import parse_label
from gubs_env.agents.registry import Factory, build_field, factory_of, is_agent
from gubs_env.records import running
from gubs_env.records.running import Tables
from gubs_env.support.errors import message_of
from gubs_env.support.fields import check_name
from gubs_env.support.limits import Limit

BENCHMARK_FORMAT = "gubs_env benchmark 1"
"""The format of a first line that describes a run of the benchmark, and of its result."""
STANDARD, LANGUAGE = "standard", "language"
"""The tracks: for agents that act or search, and for agents that answer in text."""


@dataclass(frozen=True)
class Series:
    """The games of the agent against one anchor at one table: each deal from every side."""

    table: Table
    anchor: Anchor
    first: int
    """The number of its first game in the run."""

    @property
    def num_games(self) -> int:
        """Number of games."""
        return self.table.deals * self.table.num_sides

    @property
    def stop(self) -> int:
        """The number of the game after its last one."""
        return self.first + self.num_games


@dataclass(frozen=True)
class Plan(running.Plan):
    """The games of a run."""

    kind = "a file of the benchmark"
    timed = (AGENT,)

    protocol: Protocol
    track: Track
    tables: tuple[Table, ...]
    """The tables that the agent plays at: all of the track, or some of them."""
    name: str
    """The name of the agent."""
    factory: Factory
    """The factory of the agent."""
    made_by: str
    """How the agent was given: its name with options, or its module and class."""
    fresh: int = 0
    """The number that was added to the seeds of all deals; 0 for those of the protocol."""

    @cached_property
    def series(self) -> list[Series]:
        """The series, in the order in which they are played."""
        found: list[Series] = []
        for table in self.tables:
            for anchor in table.anchors:
                first = found[-1].stop if found else 0
                found.append(Series(table, anchor, first))
        return found

    @property
    def num_games(self) -> int:
        """Number of games."""
        return sum(table.num_games for table in self.tables)

    @property
    def parts(self) -> list[int]:
        """The number of the game after each series."""
        return [series.stop for series in self.series]

    def tables_of(self, first: int, stop: int) -> Tables:
        """Return the games from number `first` to before `stop`, which are of one series."""
        series = next(each for each in self.series if first < each.stop)
        table, anchor = series.table, series.anchor
        deals, own = np.divmod(np.arange(first, stop) - series.first, table.num_sides)
        return Tables(
            table.game,
            table.rules,
            {AGENT: self.factory, anchor.name: anchor.factory},
            table.first_deal + deals,
            np.where(table.sides == own[:, None], 0, 1),
            (self.name, anchor.name),
            f"table {table.name}",
            Limit(self.track.seconds, a_decision=True),
        )

    def header(self) -> dict[str, Any]:
        """Return the first line of the file of games."""
        return {
            "format": BENCHMARK_FORMAT,
            "version": gubs_env.__version__,
            "protocol": self.protocol.name,
            "protocol_sha256": self.protocol.sha256,
            "track": self.track.name,
            "tables": [table.name for table in self.tables],
            "agent": self.name,
            "made_by": self.made_by,
            "games": self.num_games,
        } | ({"fresh": self.fresh} if self.fresh else {})


def make_plan(
    agent: str | Factory,
    protocol: Protocol,
    track: str | None,
    tables: Sequence[str] | None,
    name: str | None,
    fresh: int = 0,
) -> Plan:
    """Return the plan of a run, after building the agent once for every table.

    Args:
        agent: a text, as "heuristic" or "mine=package.module:Agent", or a factory.
        protocol: the protocol.
        track: the name of a track; None means "language" for agents that answer in text, and
            "standard" for all others.
        tables: the names of tables of that track; None means all of them.
        name: the name of the agent; None means its label.
        fresh: the number that is added to the seeds of all deals.

    Raises:
        ValueError: for an unknown agent, track or table, a name that is not allowed, or an agent
            that cannot be built for a table.
        TypeError: for an agent that is neither a text nor a factory.
    """
    if not (isinstance(agent, str) or callable(agent)):
        hint = ": give its class" if is_agent(agent) else ""
        raise TypeError(f"agent={agent!r} is neither a text nor a class or function{hint}")
    label, given = parse_label(agent) if isinstance(agent, str) else (description(agent), agent)
    factory = factory_of(given)
    name = check_name("the name of the agent", label if name is None else name)
    if track is None:
        known = [table for each in protocol.tracks for table in each.tables]
        first = picked(known, tables[0], "table") if tables else known[0]
        track = LANGUAGE if hasattr(built(factory, first), "choose") else STANDARD
    chosen = protocol.track(track)
    for wanted in tables or ():
        picked(chosen.tables, wanted, "table")
    picks = [table for table in chosen.tables if table.name in (tables or [table.name])]
    for table in picks:
        built(factory, table)
    made_by = description(factory)
    return Plan(protocol, chosen, dealt(picks, fresh), name, factory, made_by, fresh)


def dealt(tables: Iterable[Table], fresh: int) -> tuple[Table, ...]:
    """Return tables with a number added to the seeds of their deals."""
    return tuple(replace(table, first_deal=table.first_deal + fresh) for table in tables)


def built(factory: Factory, table: Table) -> Any:
    """Return an agent, built for a table; raise ValueError if that is not possible."""
    try:
        return build_field({AGENT: factory}, table.game, table.players, table.rules, seed=0)[0]
    except ValueError as error:
        raise ValueError(
            f"table {table.name}: {message_of(error)}; to play at some tables only, name them "
            "(--tables)"
        ) from error
