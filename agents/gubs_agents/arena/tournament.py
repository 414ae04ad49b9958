"""Tournaments: every agent plays every other on the same deals. Runs can be resumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gubs_agents.arena.plan import Plan, make_plan
from gubs_agents.arena.ratings import Games, Numbers, summarise
from gubs_agents.arena.records import games_of, is_finished
from gubs_agents.arena.sequential import Sequential
from gubs_agents.deals import REPORT_DEALS
from gubs_env.agents.registry import Factory
from gubs_env.engine.table import Table
from gubs_env.records import running
from gubs_env.records.running import Finished, Time, Workers, make_workers
from gubs_env.support import cluster
from gubs_env.support.checks import check_number, require_extra
from gubs_env.support.cluster import LOCAL
from gubs_env.support.files import expanded
from gubs_env.support.output import progress_bars

if TYPE_CHECKING:
    from gubs_env.games import AnyTable

GAMES_FILE = "games.jsonl"


@dataclass(frozen=True)
class Result:
    """A finished tournament."""

    plan: Plan
    """The agents, their seats and the deals."""
    games: Games
    """The outcomes of all games, as arrays."""
    numbers: Numbers
    """The ratings, win rates and margins."""
    times: dict[str, Time]
    """The time that each agent took on this machine; all else follows from the deals."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the agents, in the order of all statistics."""
        return self.games.labels

    @property
    def table(self) -> Table:
        """The table of all games."""
        return self.plan.table

    @property
    def has_mixed(self) -> bool:
        """Whether any game was played at a mixed table."""
        return bool(self.games.mixed.any())

    @property
    def repeatable(self) -> bool:
        """Whether the same command gives the same games: no agent has a budget in milliseconds."""
        return self.plan.repeatable


def tournament(
    agents: str | Iterable[str] | Mapping[str, str | Factory],
    table: AnyTable = "gubs",
    deals: int = 500,
    *,
    seed: int = REPORT_DEALS.start,
    matches: int | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    backend: str = LOCAL,
    processes: int = 1,
    batch: int | None = None,
    resamples: int = 1000,
    progress: bool = False,
    timeout: float = 0,
) -> Result:
    """Play every agent against every other on the same deals, and measure them.

    Args:
        agents: `"random,ismcts:playouts=200"`, a list of such texts (`parse_agent`), or a
            mapping of labels to such texts or to factories (table, seed) → agent. With more than
            one process or a time limit a factory must be picklable (by cloudpickle).
        table: the table; a game or its name, as "gubs", stands for its usual table.
        deals: number of deals, at least 2.
        seed: deal d is that of `reset(seed=seed + d)`.
        matches: number of the matches of `arena.seatings` that each deal is played in; None: all.
        out: folder for the results file, which replaces that of a finished run; None: no file.
        resume: continue the run in `out`.
        backend: "local", or "ray" for the cores of a Ray cluster (`gubs_env.support.cluster`); the
            result does not depend on it.
        processes: number of processes; the result does not depend on it. Ray has its own.
        batch: number of games side by side; None: 1024, or 8 if an agent searches. The result does
            not depend on it if the agents draw from the RNGs that they are given, and no others.
        resamples: number of samples of the bootstrap.
        progress: show a progress bar.
        timeout: seconds that an agent may take for one call of `act` or `search`, which asks for
            up to `batch` decisions; 0 means no limit. The games played so far can be resumed.

    Raises:
        TypeError: for numbers that are not whole.
        ValueError: for an unknown game, agent or option, a number that is not allowed, the results
            file of another or an unfinished run, a results file that was edited, an agent of
            another number of players, or one that fails or chooses an illegal action.
        OSError: for a folder that cannot be written to, or that another process is using.
        TimeoutError: for an agent that takes longer than `timeout`.
        ModuleNotFoundError: without the arena extra, or the extra `ray` for that backend, before
            any game is played.
        RuntimeError: when a process dies.
    """
    require_extra("arena", "choix", "tqdm")
    cluster.check_backend(backend, processes)
    plan = make_plan(agents, table, deals, seed, matches, timeout)
    for name, value in {"matches": matches, "resamples": resamples}.items():
        if value is not None:
            check_number(name, value, 1)
    workers = make_workers(plan, backend, processes, batch or 0)
    done = run(plan, out, resume, workers, progress)
    games = games_of(done.records, plan.labels, plan.measure, plan.seed)
    times = {label: done.time_of(label) for label in plan.labels}
    return Result(plan, games, summarise(games, resamples), times)


def run(
    plan: running.Plan,
    out: str | Path | None,
    resume: bool,
    workers: Workers,
    progress: bool,
    test: Sequential | None = None,
) -> Finished:
    """Play the games of a plan that are left, with a progress bar if wanted.

    Raises:
        ValueError, OSError, TimeoutError, RuntimeError: as for `running.run`.
    """
    path = None if out is None else expanded(out) / GAMES_FILE
    if test and path:
        is_finished(path.parent)  # refuses a file that is no test, which would be overwritten
    with progress_bars("games", progress, test or "") as show:
        return running.run(plan, path, resume, workers, show, test)
