"""Running a benchmark from beginning to end."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from gubs_agents.arena.options import OutputOptions
from gubs_agents.arena.tournaments import GAMES_FILE
from gubs_agents.arena.tournaments import run as play
from gubs_agents.benchmark.anchors import check_anchors
from gubs_agents.benchmark.plan import make_plan
from gubs_agents.benchmark.protocol import CURRENT, Protocol, load
from gubs_agents.benchmark.results import RESULT_FILE, Result, check_author, results_of
from gubs_agents.deals import FRESH_DEALS
from gubs_env.agents.registry import Factory
from gubs_env.commands.common import shown
from gubs_env.engine.border import read_json
from gubs_env.records.running import Workers
from gubs_env.support.cluster import check_picklable
from gubs_env.support.files import complete_lines


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions(OutputOptions):
    """The options of `run` and of the command `gubs benchmark`.

    Raises:
        ValueError: for an option that is not allowed.
        ModuleNotFoundError: for Ray without the extra `ray`.
    """

    track: Annotated[str, shown("{standard,language}", "by the kind of agent")] = ""
    """The track."""
    tables: Annotated[str, shown("TABLES", "all of the track")] = ""
    """Tables separated by commas, for an agent that plays at some of them only."""
    author: str = ""
    """Who submits the result, for the results page."""
    link: str = ""
    """The address of a page about the agent, for the results page."""
    fresh: bool = False
    """Play deals that are drawn now, which nobody could know before, in place of the protocol's."""

    def __post_init__(self) -> None:
        self.check()
        check_author(self.author, self.link)


def run(
    agent: str | Factory,
    protocol: str | Protocol = CURRENT,
    *,
    name: str | None = None,
    progress: bool = False,
    **options: Any,
) -> Result:
    """Play a benchmark, and return the result.

    Args:
        agent: a text, as "heuristic", "ismcts:playouts=100", "package.module:Agent" or
            "mine=package.module:Agent"; or a class or function (table, seed) → agent. It must be
            picklable (by cloudpickle), because another process plays.
        protocol: the name of a protocol, or the protocol; "tiny" plays in seconds.
        name: the name of the agent, 1 to 200 printable characters; None means its label.
        progress: show a progress bar.
        options: those of `BenchmarkOptions` by name, as `out="runs/mine"`. Without `out` no file is
            written. An agent that plays at some tables only has no score over all tables. The
            result says whether the deals are fresh; the results page has no place for those.

    Raises:
        ValueError: for an unknown agent, protocol, track or table, an option that is not allowed,
            an anchor that does not play as in the protocol, files of another run, or an agent that
            fails or chooses an illegal action. The finished games are kept.
        TypeError: for an agent that is neither a text nor callable, or an unknown option.
        TimeoutError: for an agent that takes longer than the limit of the track.
        OSError: for a folder that cannot be written to, or that another process is using.
        ModuleNotFoundError: for Ray without the extra `ray`.
        RuntimeError: for a process that dies.
    """
    chosen = BenchmarkOptions(**options)
    protocol = load(protocol) if isinstance(protocol, str) else protocol
    added = fresh_number(chosen.out if chosen.resume else None) if chosen.fresh else 0
    tables = [table.strip() for table in chosen.tables.split(",")] if chosen.tables else []
    plan = make_plan(agent, protocol, chosen.track, tables, name, added)
    check_picklable(plan)
    check_anchors(protocol.name, plan.tasks)
    workers = Workers(chosen.backend, chosen.processes, plan.track.batch, apart=True)
    done = play(plan, chosen, workers, progress)
    results = results_of(plan, done.records)
    result = Result(plan, results, done, chosen.author, chosen.link)
    if chosen.out is not None:
        result.save(chosen.out / RESULT_FILE)
    return result


def fresh_number(resumed: Path | None) -> int:
    """Return the number that is added to the seeds of fresh deals: that of the run in a folder, or
    one that is drawn from the entropy of the system."""
    lines = complete_lines(resumed / GAMES_FILE)[0] if resumed is not None else []
    header = read_json(lines[0][1], "the first line of a benchmark") if lines else None
    number = header.get("fresh") if isinstance(header, dict) else None
    if type(number) is int and number in FRESH_DEALS:
        return number
    return secrets.choice(FRESH_DEALS)
