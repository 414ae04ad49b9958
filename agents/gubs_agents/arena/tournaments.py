"""Tournaments: every agent plays every other on the same deals. Runs can be resumed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gubs_agents.arena.field import AnyField
from gubs_agents.arena.options import OutputOptions, PlayOptions
from gubs_agents.arena.plan import Plan, make_plan
from gubs_agents.arena.ratings import FinishedGames, Numbers, summarise
from gubs_agents.arena.records import games_of, is_finished
from gubs_env.engine.table import AnyTable, Table
from gubs_env.records import running
from gubs_env.records.running import Finished, StopRule, Time, Workers, make_workers
from gubs_env.support.checks import check_number, require_extra
from gubs_env.support.output import progress_bars

GAMES_FILE = "games.jsonl"


@dataclass(frozen=True)
class Result:
    """A finished tournament."""

    plan: Plan
    """The agents, their seats and the deals."""
    games: FinishedGames
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


def tournament(
    agents: AnyField,
    table: AnyTable = "gubs",
    *,
    resamples: int = 1000,
    progress: bool = False,
    **options: Any,
) -> Result:
    """Play every agent against every other on the same deals, and measure them.

    Args:
        agents: `"random,ismcts:playouts=200"`, a list of such texts (`parse_agent`), or a
            mapping of labels to such texts or to factories (table, seed) → agent. With more than
            one process or a time limit a factory must be picklable (by cloudpickle).
        table: the table; a game or its name, as "gubs", stands for its usual table.
        resamples: number of samples of the bootstrap.
        progress: show a progress bar.
        options: those of `PlayOptions` by name, as `deals=100, out="runs/mine"`. Without `out` no
            file is written; a new run replaces the file of a finished one.

    Raises:
        TypeError: for an unknown option.
        ValueError: for an unknown game or agent, an option that is not allowed, the results file
            of another or an unfinished run, a results file that was edited, an agent of another
            number of players, or one that fails or chooses an illegal action.
        OSError: for a folder that cannot be written to, or that another process is using.
        TimeoutError: for an agent that takes longer than `timeout`. The games played so far can be
            resumed.
        ModuleNotFoundError: without the arena extra, or the extra `ray` for that backend, before
            any game is played.
        RuntimeError: when a process dies.
    """
    require_extra("arena", "choix", "tqdm")
    check_number("resamples", resamples, 1)
    chosen = PlayOptions(**options)
    plan = make_plan(agents, table, chosen)
    done = play_plan(plan, chosen, progress)
    games = games_of(done.records, plan.labels, plan.measure, plan.seed)
    times = {label: done.time_of(label) for label in plan.labels}
    return Result(plan, games, summarise(games, resamples), times)


def play_plan(
    plan: Plan, options: PlayOptions, progress: bool, test: StopRule | None = None
) -> Finished:
    """Play the games of a plan that are left, as `run` does."""
    workers = make_workers(plan, options.backend, options.processes, options.batch)
    return run(plan, options, workers, progress, test)


def run(
    plan: running.Plan,
    options: OutputOptions,
    workers: Workers,
    progress: bool,
    test: StopRule | None = None,
) -> Finished:
    """Play the games of a plan that are left, with a progress bar if wanted.

    Raises:
        ValueError, OSError, TimeoutError, RuntimeError: as for `running.run`.
    """
    path = None if options.out is None else options.out / GAMES_FILE
    if test and path:
        is_finished(path.parent)  # refuses a file that is no test, which would be overwritten
    with progress_bars("games", progress, test or "") as show:
        return running.run(plan, path, options.resume, workers, show, test)
