"""Running a benchmark from beginning to end."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from gubs_agents.arena.tournament import GAMES_FILE
from gubs_agents.arena.tournament import run as play
from gubs_agents.benchmark.anchors import check_anchors
from gubs_agents.benchmark.plan import make_plan
from gubs_agents.benchmark.protocol import CURRENT, Protocol, load
from gubs_agents.benchmark.results import (
    RESULT_FILE,
    Result,
    check_author,
    results_of,
    times_by_task,
)
from gubs_agents.deals import FRESH_DEALS
from gubs_env.agents.registry import Factory
from gubs_env.engine.border import read_json
from gubs_env.records.running import Workers
from gubs_env.support import cluster
from gubs_env.support.cluster import LOCAL
from gubs_env.support.files import complete_lines, expanded


def run(
    agent: str | Factory,
    protocol: str | Protocol = CURRENT,
    track: str | None = None,
    *,
    tables: Sequence[str] | None = None,
    name: str | None = None,
    author: str = "",
    link: str = "",
    out: str | Path | None = None,
    resume: bool = False,
    fresh: bool = False,
    backend: str = LOCAL,
    processes: int = 1,
    progress: bool = False,
) -> Result:
    """Play a benchmark, and return the result.

    Args:
        agent: a text, as "heuristic", "ismcts:playouts=100", "package.module:Agent" or
            "mine=package.module:Agent"; or a class or function (table, seed) → agent. It must be
            picklable (by cloudpickle), because another process plays.
        protocol: the name of a protocol, or the protocol; "tiny" plays in seconds.
        track: "standard" or "language"; None means "language" for agents that answer in text, and
            "standard" for all others.
        tables: names of tables, for an agent that plays at some tables only; there is then no
            score over all tables. None means all tables of the track.
        name: the name of the agent, 1 to 200 printable characters; None means its label.
        author: who submits the result, for the results page.
        link: the address of a page about the agent, for the results page.
        out: folder for the files of the run; None writes none.
        resume: continue the run in `out`, after replaying its games.
        fresh: play deals that are drawn now, which nobody could know before, in place of those of
            the protocol. The result says so; the results page has no place for it.
        backend: where the games are played, "local" or "ray", as for `arena.tournament`; the games
            do not depend on it.
        processes: number of processes of this machine; the games do not depend on it.
        progress: show a progress bar.

    Raises:
        ValueError: for an unknown agent, protocol, track or table, an anchor that does not play as
            in the protocol, files of another run, or an agent that fails or chooses an illegal
            action. The finished games are kept.
        TypeError: for an agent that is neither a text nor callable.
        TimeoutError: for an agent that takes longer than the limit of the track.
        OSError: for a folder that cannot be written to, or that another process is using.
        ModuleNotFoundError: for Ray without the extra `ray`.
        RuntimeError: for a process that dies.
    """
    cluster.check_backend(backend, processes)
    check_author(author, link)
    known = load(protocol) if isinstance(protocol, str) else protocol
    added = fresh_number(out if resume else None) if fresh else 0
    plan = make_plan(agent, known, track, tables, name, added)
    cluster.check_picklable(plan)
    check_anchors(known.name, plan.tasks)
    workers = Workers(backend, processes, plan.track.batch, apart=True)
    done = play(plan, out, resume, workers, progress)
    results = results_of(plan, done.records)
    lines = tuple(record.line() for record in done.records)
    result = Result(plan, results, times_by_task(plan, done), lines, author, link)
    if out is not None:
        result.save(expanded(out) / RESULT_FILE)
    return result


def fresh_number(resumed: str | Path | None) -> int:
    """Return the number that is added to the seeds of fresh deals: that of the run in a folder, or
    one that is drawn from the entropy of the system."""
    lines = complete_lines(Path(resumed) / GAMES_FILE)[0] if resumed is not None else []
    header = read_json(lines[0][1], "the first line of a benchmark") if lines else None
    found = header.get("fresh") if isinstance(header, dict) else None
    if type(found) is int and found in FRESH_DEALS:
        return found
    return secrets.choice(FRESH_DEALS)
