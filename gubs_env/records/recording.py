"""Recording: agents play games, which are written as records and as Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from gubs_env.agents.parsing import names_in, parse_label
from gubs_env.agents.registry import Factory, factory_of
from gubs_env.engine.option_texts import options_text
from gubs_env.engine.options import changed_options
from gubs_env.engine.table import AnyTable, Table
from gubs_env.games import find_table
from gubs_env.records.parquet import ParquetOptions, check_folder, to_parquet
from gubs_env.records.running import Plan, PlannedGames, Progress, Workers, make_workers, run
from gubs_env.support.checks import LARGEST, Range, check_number
from gubs_env.support.fields import check_name
from gubs_env.support.files import expanded, is_packed, lock_file, numbered_lines, replace_file
from gubs_env.support.output import command_of

GAMES_FILE = "_games.jsonl"
"""The file of records in a folder of Parquet files, which are made from it.

Readers of such folders skip names that begin with an underscore.
"""


@dataclass(frozen=True, kw_only=True)
class RecordOptions(ParquetOptions):
    """The options of `record`, and of the command `gubs record` by the same names."""

    games: Annotated[int, Range(1)] = 100
    """Number of games."""
    seed: Annotated[int, Range(0, LARGEST)] = 0
    """Seed of the first deal; each further game has the next one."""
    rotate: bool = True
    """Move the agents one seat on from game to game; --no-rotate keeps them in their seats."""
    resume: bool = False
    """Go on with the file; give the same options as before, or more games."""
    batch: Annotated[int, Range(0)] = 0
    """Games side by side, which changes none; 0: 1024, or 8 for agents that search or write."""


@dataclass(frozen=True)
class Recording(Plan):
    """The games to play: game k is the deal of seed + k."""

    table: Table
    field: dict[str, Factory]
    """The agents by name."""
    seats: tuple[str, ...]
    """The names of the agents in game 0, by seat."""
    options: RecordOptions

    @property
    def num_games(self) -> int:
        """Number of games."""
        return self.options.games

    def games_of(self, first: int, stop: int) -> PlannedGames:
        """Return the games from number `first` to before `stop`."""
        names = list(self.field)
        order = np.array([names.index(name) for name in self.seats])
        turns = range(first, stop) if self.options.rotate else [0] * (stop - first)
        seatings = np.array([np.roll(order, turn % len(order)) for turn in turns])
        deals = self.options.seed + np.arange(first, stop)
        return PlannedGames(self.table, deals, seatings, field=self.field)


def record(
    path: str | Path,
    agents: str | Sequence[Any] | Mapping[str, Any],
    table: AnyTable = "gubs",
    *,
    progress: Progress = lambda what, done, count: None,
    **options: Any,
) -> Path:
    """Play games of agents, and write each of them as a record.

    Each agent draws its randomness from an RNG that the deal, the names by seat and the seat
    determine, as in the arena. So no game depends on another, and the same arguments write the same
    bytes, if the agents use no clock and no other randomness.

    Args:
        path: a file that ends in `.jsonl`, or in `.jsonl.gz` to be compressed after the last game;
            or a folder, which gets the records as `_games.jsonl` and the Parquet files that
            `to_parquet` makes of them.
        agents: one agent for all seats, or one for each seat: a text with commas, such as
            "heuristic,policy" (`parse_agent`); a list of such texts and of objects with
            `act`, `search` or `choose`; or a mapping of names to texts and objects. An object in a
            list is named after its class.
        table: the table; or a game or its name, such as "gubs", for its usual table.
        progress: called as (what, games done, games in all), where `what` is "checking" for games
            that the file holds already, "playing", and then "writing Parquet" for a folder.
        options: those of `RecordOptions` by name, as `games=1000, seed=5`. No file depends on
            `backend` and `processes`, unless agents are objects that change while they play: each
            process gets a copy, so they must be picklable.

    Returns:
        The file of records.

    Raises:
        ValueError: for an unknown game or agent, an option that is not allowed, a file that exists
            already, with `resume` a file that is not the beginning of these games, or an agent that
            fails or chooses an illegal action.
        TypeError: for an unknown option, or agents that are neither a text, a list nor a mapping.
        OSError: for a file that cannot be written, or that another process is writing to.
        ModuleNotFoundError: for a folder without the extra `data`, or for Ray without the extra
            `ray`, before any game is played.
        RuntimeError: for a process that dies, or a cluster that cannot finish the work.
        ConnectionError: for a cluster that does not answer.
    """
    chosen, path = RecordOptions(**options), expanded(path)
    in_folder = not path.name.endswith((".jsonl", ".jsonl.gz"))
    if in_folder:
        check_folder(path)
    plan = make_plan(agents, find_table(table), chosen)
    workers = make_workers(plan, chosen.backend, chosen.processes, chosen.batch)
    file = path / GAMES_FILE if in_folder else path
    (run_packed if is_packed(file) else run)(plan, file, chosen.resume, workers, progress)
    if in_folder:
        shared = {each.name: getattr(chosen, each.name) for each in fields(ParquetOptions)}
        written = partial(progress, "writing Parquet")
        to_parquet(file, path, progress=written, made_by=recording_of(agents, plan), **shared)
    return file


def run_packed(plan: Plan, path: Path, resume: bool, workers: Workers, progress: Progress) -> None:
    """Play the games of a plan as `run` does, into a file beside `path`, which is compressed last.

    So a run goes on from any interruption, and the file holds the same bytes.
    """
    unpacked = path.with_suffix("")
    lock = lock_file(unpacked)
    try:
        if path.exists() and not resume:
            plan.check_replaceable(path, ())
        if path.exists() and not unpacked.exists():
            replace_file(unpacked, b"".join(line for _, line in numbered_lines(path)))
        run(plan, unpacked, resume, workers, progress)
        replace_file(path, unpacked.read_bytes())
        unpacked.unlink()
    finally:
        lock.release()


# ------------------------------------------------------------------------------------- the plan


def make_plan(agents: Any, table: Table, options: RecordOptions) -> Recording:
    """Return the plan of a recording; `agents` are those of `record`.

    Raises:
        TypeError, ValueError: as for `record`.
    """
    check_number("seed", options.seed, 0, LARGEST - options.games)
    pairs = [*named(agents)]
    if len(pairs) not in (1, table.num_players):
        raise ValueError(
            f"{len(pairs)} agents: give one for all seats, or one for each of the "
            f"{table.num_players} players"
        )
    by_name = dict(pairs)
    if any(by_name[name] is not agent and by_name[name] != agent for name, agent in pairs):
        raise ValueError(
            "two agents have the same name: give a mapping of names to agents, such as "
            '{"mine": …, "yours": …}'
        )
    seats = tuple(name for name, _ in pairs) * (table.num_players // len(pairs))
    field = {name: factory_of(agent) for name, agent in by_name.items()}
    return Recording(table, field, seats, options)


def recording_of(agents: Any, plan: Recording) -> str:
    """Return the command that records the games of a plan, for the card of a data set.

    Agents that are objects appear by their names. What changes no game is left out.
    """
    names = agents if isinstance(agents, str) else ",".join(name for name, _ in named(agents))
    table, options = plan.table, plan.options
    values = {
        "agents": names,
        "game": table.game.name.removesuffix("_v0"),
        "players": table.num_players,
        "rules": options_text(changed_options(table.rules)),
    }
    shown = "games", "seed", "rotate", "hidden_state", "moves", "history"
    values |= {name: getattr(options, name) for name in shown}
    defaults = {"rules": "", "rotate": True, "hidden_state": True, "moves": False, "history": 0}
    return command_of(["record"], values | {"out": "FOLDER"}, defaults)


def named(agents: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name of every agent of `record`, and the agent or its text.

    Raises:
        TypeError: for agents that are neither a text, a list nor a mapping.
        ValueError: for a name that is not a short printable text.
    """
    if isinstance(agents, str):
        agents = names_in(agents)
    if not isinstance(agents, Mapping | Sequence):
        raise TypeError(f"agents={agents!r}: give a text with commas, a list or a mapping")
    if isinstance(agents, Mapping):
        pairs: Iterable[tuple[Any, Any]] = agents.items()
    else:
        pairs = (
            parse_label(a) if isinstance(a, str) else (type(a).__qualname__, a) for a in agents
        )
    for name, agent in pairs:
        yield check_name("the name of an agent", name), agent
