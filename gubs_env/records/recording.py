"""Recording: agents play games, which are written as records and as Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gubs_env.agents.parsing import options_text, parse_label, unusual_options
from gubs_env.agents.registry import Factory, factory_of
from gubs_env.engine.game import Game
from gubs_env.games import find_game
from gubs_env.records.parquet import Columns, check_folder, to_parquet
from gubs_env.records.running import Plan, Progress, Tables, Workers, make_workers, run
from gubs_env.support.checks import LARGEST, check_number, check_switch
from gubs_env.support.cluster import LOCAL, check_backend
from gubs_env.support.fields import check_name
from gubs_env.support.files import (
    expanded,
    is_packed,
    lock_file,
    numbered_lines,
    replace_file,
)
from gubs_env.support.output import command_of

GAMES_FILE = "_games.jsonl"
"""The file of records in a folder of Parquet files, which are made from it.

Readers of such folders skip names that begin with an underscore.
"""


@dataclass(frozen=True)
class Recording(Plan):
    """The games to play: game k is the deal of seed + k."""

    game: Game
    num_players: int
    rules: Any
    field: dict[str, Factory]
    """The agents by name."""
    seats: tuple[str, ...]
    """The names of the agents in game 0, by seat."""
    games: int
    """Number of games."""
    seed: int
    """Seed of the first deal."""
    rotate: bool
    """Whether the agents move one seat on from game to game."""

    @property
    def num_games(self) -> int:
        """Number of games."""
        return self.games

    def tables_of(self, first: int, stop: int) -> Tables:
        """Return the games from number `first` to before `stop`."""
        names = list(self.field)
        order = np.array([names.index(name) for name in self.seats])
        turns = range(first, stop) if self.rotate else [0] * (stop - first)
        seatings = np.array([np.roll(order, turn % len(order)) for turn in turns])
        deals = self.seed + np.arange(first, stop)
        return Tables(self.game, self.rules, self.field, deals, seatings)


def record(
    path: str | Path,
    agents: str | Sequence[Any] | Mapping[str, Any],
    games: int = 100,
    game: str | Game = "gubs",
    num_players: int | None = None,
    *,
    rules: Any = None,
    seed: int = 0,
    rotate: bool = True,
    resume: bool = False,
    batch: int | None = None,
    hidden_state: bool = True,
    moves: bool = False,
    history: int = 0,
    progress: Progress | None = None,
    backend: str = LOCAL,
    processes: int = 1,
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
        games: number of games, at least 1.
        game: the name of a game, such as "gubs", or its `Game`.
        num_players: number of players at the table; None means the usual number of the game.
        rules: the `Rules` of the game, or a dict of options; None means the official rules.
        seed: game k is the one that `reset(seed=seed + k)` deals.
        rotate: move the agents one seat on from game to game; False keeps their seats.
        resume: continue a file that an interrupted run left, after replaying its games. With a
            larger number of games, a finished file is made longer.
        batch: number of games side by side, at least 1; None means 1024, or 8 if an agent searches
            or answers in text. It changes no game.
        hidden_state: for Parquet, whether to write the whole states, hidden cards included.
        moves: for Parquet, whether to write the legal moves in words, and the move that was played.
        history: for Parquet, number of events to write at each decision, the last ones that its
            seat has seen.
        progress: called as (what, games done, games in all), where `what` is "checking" for games
            that the file holds already, "playing", and then "writing Parquet" for a folder.
        backend: "local", or "ray" for the cores of a Ray cluster (`gubs_env.support.cluster`). The
            files do not depend on it, unless agents are objects that change while they play: each
            task gets a copy.
        processes: number of processes of this machine, at least 1; for Ray 1. The files do not
            depend on it, with the same exception. Agents that are objects must be picklable.

    Returns:
        The file of records.

    Raises:
        ValueError: for an unknown game or agent, a number that is not allowed, a file that exists
            already, with `resume` a file that is not the beginning of these games, or an agent that
            fails or chooses an illegal action.
        TypeError: for a number that is not whole, a switch that is not True or False, agents that
            are neither a text, a list nor a mapping, or rules of another game.
        OSError: for a file that cannot be written, or that another process is writing to.
        ModuleNotFoundError: for a folder without the extra `data`, or for Ray without the extra
            `ray`, before any game is played.
        RuntimeError: for a process that dies, or a cluster that cannot finish the work.
        ConnectionError: for a cluster that does not answer.
    """
    check_backend(backend, processes)
    switches = {"rotate": rotate, "resume": resume, "hidden_state": hidden_state, "moves": moves}
    for name, value in switches.items():
        check_switch(name, value)
    path = expanded(path)
    in_folder = not path.name.endswith((".jsonl", ".jsonl.gz"))
    if in_folder:
        check_folder(path)
    plan = make_plan(agents, games, game, num_players, rules, seed, rotate)
    workers = make_workers(plan, backend, processes, batch)
    file = path / GAMES_FILE if in_folder else path
    columns = Columns(hidden_state, moves, check_number("history", history, 0))
    tell = progress or (lambda what, done, count: None)
    (run_packed if is_packed(file) else run)(plan, file, resume, workers, tell)
    if in_folder:
        to_parquet(
            file, path, hidden_state=hidden_state, moves=moves, history=history, backend=backend,
            processes=processes, progress=partial(tell, "writing Parquet"),
            made_by=recording_of(agents, plan, columns),
        )  # fmt: skip
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


def make_plan(
    agents: Any,
    games: int,
    game: str | Game,
    num_players: int | None,
    rules: Any,
    seed: int,
    rotate: bool,
) -> Recording:
    """Return the plan of a recording; the arguments are those of `record`.

    Raises:
        TypeError, ValueError: as for `record`.
    """
    known = find_game(game)
    rules = known.make_rules(rules)
    num_players = known.players if num_players is None else num_players
    known.check_players(num_players, rules)
    games = check_number("games", games, 1)
    seed = check_number("seed", seed, 0, LARGEST - games)
    pairs = [*named(agents)]
    if len(pairs) not in (1, num_players):
        raise ValueError(
            f"{len(pairs)} agents: give one for all seats, or one for each of the {num_players} "
            "players"
        )
    by_name = dict(pairs)
    if any(by_name[name] is not agent and by_name[name] != agent for name, agent in pairs):
        raise ValueError(
            "two agents have the same name: give a mapping of names to agents, such as "
            '{"mine": …, "yours": …}'
        )
    seats = tuple(name for name, _ in pairs) * (num_players // len(pairs))
    field = {name: factory_of(agent) for name, agent in by_name.items()}
    return Recording(known, num_players, rules, field, seats, games, seed, rotate)


def recording_of(agents: Any, plan: Recording, columns: Columns) -> str:
    """Return the command that records the games of a plan, for the card of a data set.

    Agents that are objects appear by their names. What changes no game is left out.
    """
    values = {
        "agents": agents
        if isinstance(agents, str)
        else ",".join(name for name, _ in named(agents)),
        "game": plan.game.name.removesuffix("_v0"),
        "players": plan.num_players,
        "rules": options_text(unusual_options(plan.rules)),
        "games": plan.games,
        "seed": plan.seed,
        "rotate": plan.rotate,
        "hidden_state": columns.hidden_state,
        "moves": columns.moves,
        "history": columns.history,
        "out": "FOLDER",
    }
    defaults = {"rules": "", "rotate": True, "hidden_state": True, "moves": False, "history": 0}
    return command_of(["record"], values, defaults)


def named(agents: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name of every agent of `record`, and the agent or its text.

    Raises:
        TypeError: for agents that are neither a text, a list nor a mapping.
        ValueError: for a name that is not a short printable text.
    """
    if isinstance(agents, str):
        agents = [text.strip() for text in agents.split(",") if text.strip()]
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
