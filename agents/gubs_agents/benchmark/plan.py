"""The plan of a run: which games are played, in which order, by whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import gubs_env
from gubs_agents.arena.field import description
from gubs_agents.benchmark.protocol import AGENT, Anchor, Protocol, Task, Track, picked
from gubs_env.agents.parsing import parse_label
from gubs_env.agents.registry import Factory, build_field, factory_of, is_agent
from gubs_env.records import running
from gubs_env.records.running import PlannedGames
from gubs_env.support.errors import message_of
from gubs_env.support.fields import check_name
from gubs_env.support.limits import Limit

BENCHMARK_FORMAT = "gubs_env benchmark 1"
"""The format of a first line that describes a run of the benchmark, and of its result."""
STANDARD, LANGUAGE = "standard", "language"
"""The tracks: for agents that act or search, and for agents that answer in text."""


@dataclass(frozen=True)
class Series:
    """The games of the agent against one anchor in one task: each deal from every side."""

    task: Task
    anchor: Anchor
    first: int
    """The number of its first game in the run."""

    @property
    def stop(self) -> int:
        """The number of the game after its last one."""
        return self.first + self.task.deals * self.task.table.num_sides


@dataclass(frozen=True)
class Plan(running.Plan):
    """The games of a run."""

    kind = "a file of the benchmark"
    timed = (AGENT,)

    protocol: Protocol
    track: Track
    tasks: tuple[Task, ...]
    """The tasks that the agent plays: all of the track, or some of them."""
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
        series: list[Series] = []
        for task in self.tasks:
            for anchor in task.anchors:
                first = series[-1].stop if series else 0
                series.append(Series(task, anchor, first))
        return series

    def series_of(self, task: Task) -> list[Series]:
        """Return the series of a task, in order."""
        return [series for series in self.series if series.task is task]

    @property
    def num_games(self) -> int:
        """Number of games."""
        return sum(task.num_games for task in self.tasks)

    @property
    def parts(self) -> list[int]:
        """The number of the game after each series."""
        return [series.stop for series in self.series]

    def games_of(self, first: int, stop: int) -> PlannedGames:
        """Return the games from number `first` to before `stop`, which are of one series."""
        series = next(each for each in self.series if first < each.stop)
        task, anchor, table = series.task, series.anchor, series.task.table
        deals, sides = np.divmod(np.arange(first, stop) - series.first, table.num_sides)
        return PlannedGames(
            table,
            task.first_deal + deals,
            np.where(table.sides == sides[:, None], 0, 1),
            (self.name, anchor.name),
            f"table {task.name}",
            Limit(self.track.seconds, a_decision=True),
            field={AGENT: self.factory, anchor.name: anchor.factory},
        )

    def header(self) -> dict[str, Any]:
        """Return the first line of the file of games."""
        return {
            "format": BENCHMARK_FORMAT,
            "version": gubs_env.__version__,
            "protocol": self.protocol.name,
            "protocol_sha256": self.protocol.sha256,
            "track": self.track.name,
            "tables": [task.name for task in self.tasks],
            "agent": self.name,
            "made_by": self.made_by,
            "games": self.num_games,
        } | ({"fresh": self.fresh} if self.fresh else {})


def make_plan(
    agent: str | Factory,
    protocol: Protocol,
    track: str = "",
    tables: Sequence[str] = (),
    name: str | None = None,
    fresh: int = 0,
) -> Plan:
    """Return the plan of a run, after building the agent once for every task.

    Args:
        agent: a text, as "heuristic" or "mine=package.module:Agent", or a factory.
        protocol: the protocol.
        track: the name of a track; "" means "language" for agents that answer in text, and
            "standard" for all others.
        tables: the names of tasks of that track; none means all of them.
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
    label, text = parse_label(agent) if isinstance(agent, str) else (description(agent), agent)
    factory = factory_of(text)
    name = check_name("the name of the agent", label if name is None else name)
    if not track:
        every = [task for each in protocol.tracks for task in each.tasks]
        first = picked(every, tables[0], "table") if tables else every[0]
        track = LANGUAGE if hasattr(built(factory, first), "choose") else STANDARD
    chosen = protocol.track(track)
    tasks = tasks_of(chosen, tables, fresh)
    for task in tasks:
        built(factory, task)
    made_by = description(factory)
    return Plan(protocol, chosen, tasks, name, factory, made_by, fresh)


def tasks_of(track: Track, names: Sequence[str], fresh: int) -> tuple[Task, ...]:
    """Return tasks of a track, with a number added to the seeds of their deals.

    Args:
        track: the track.
        names: the names of the tasks, in any order; none means all of the track.
        fresh: the number.

    Raises:
        ValueError: for a name that no task has.
    """
    chosen = [picked(track.tasks, name, "table") for name in names] or track.tasks
    dealt = {task: replace(task, first_deal=task.first_deal + fresh) for task in chosen}
    return tuple(dealt[task] for task in track.tasks if task in dealt)


def built(factory: Factory, task: Task) -> Any:
    """Return an agent, built for the table of a task; raise ValueError if that is not possible."""
    try:
        return build_field({AGENT: factory}, task.table, seed=0)[0]
    except ValueError as error:
        raise ValueError(
            f"table {task.name}: {message_of(error)}; to play at some tables only, name them "
            "(--tables)"
        ) from error
