"""Recording: agents play games, which are written as records and as Parquet files."""

from __future__ import annotations

import shlex
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_env import find_game
from gubs_env.agents.parsing import options_text, parse_label
from gubs_env.agents.registry import Factory, build_field, parse_agent
from gubs_env.engine.game import Game
from gubs_env.records.parquet import Columns, check_folder, to_parquet
from gubs_env.records.playing import play_games, seat_rngs
from gubs_env.records.record import (
    BEGINNING,
    LARGEST,
    TOGETHER,
    Record,
    check_lines,
    check_name,
    records_of,
)
from gubs_env.support.checks import check_number, check_switch
from gubs_env.support.cluster import LOCAL, check_engine, check_picklable, in_order
from gubs_env.support.files import append_to, complete_lines, expanded, lock_file, write_lines
from gubs_env.support.limits import NO_LIMIT, Limit

GAMES_FILE = "_games.jsonl"
"""The file of records in a folder of Parquet files, which are made from it.

Readers of such folders skip names that begin with an underscore.
"""
BATCH, SEARCH_BATCH = 1024, 8
"""Default numbers of games side by side.

Agents that search are slow, and a kill loses the games that are not written yet, so their number
is small.
"""
Progress = Callable[[str, int, int], object]
"""(what is done, games done, games in all) → anything."""


class PlayedTables(NamedTuple):
    """Games that were played side by side."""

    records: list[Record]
    seconds: np.ndarray
    """float64[agents]: the time that each agent took to answer."""
    usage: dict[str, dict[str, float]]
    """The counts of each agent that answers in text, by its label: its `Counts`, and the numbers of
    its attribute `usage`, if it has one, such as tokens."""


@dataclass(frozen=True)
class Plan:
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

    def seatings(self, first: int, stop: int) -> np.ndarray:
        """Return the agents in the games from `first` to before `stop`.

        Returns:
            int64[games, num_players], indices into `field`.
        """
        names = list(self.field)
        order = np.array([names.index(name) for name in self.seats])
        turns = range(first, stop) if self.rotate else [0] * (stop - first)
        return np.array([np.roll(order, turn % len(order)) for turn in turns])

    def tables(self, first: int, stop: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the seed and the names by seat of the games from `first` to before `stop`."""
        names = names_by_seat(self.field, self.seatings(first, stop))
        return zip(range(self.seed + first, self.seed + stop), names, strict=True)


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
    progress: Progress | None = None,
    engine: str = LOCAL,
    processes: int = 1,
) -> Path:
    """Play games of agents, and write each of them as a record.

    Each agent draws its randomness from an RNG that the deal, the names by seat and the seat
    determine, as in the arena. So no game depends on another, and the same arguments write the same
    bytes, if the agents use no clock and no other randomness.

    Args:
        path: a file that ends in `.jsonl`; or a folder, which gets the records as `_games.jsonl`
            and the Parquet files that `to_parquet` makes of them.
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
        progress: called as (what, games done, games in all), where `what` is "playing", and then
            "writing Parquet" for a folder.
        engine: "local", or "ray" for the cores of a Ray cluster (`gubs_env.support.cluster`). The
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
    check_engine(engine, processes)
    switches = {"rotate": rotate, "resume": resume, "hidden_state": hidden_state, "moves": moves}
    for name, value in switches.items():
        check_switch(name, value)
    path = expanded(path)
    in_folder = path.suffix != ".jsonl"
    if in_folder:
        check_folder(path)
    plan = make_plan(agents, games, game, num_players, rules, seed, rotate)
    if batch is not None:
        check_number("batch", batch, 1)
    file = path / GAMES_FILE if in_folder else path
    columns = Columns(hidden_state, moves)
    tell = progress or (lambda what, done, count: None)
    write_records(file, plan, resume, batch, partial(tell, "playing"), engine, processes)
    if in_folder:
        to_parquet(
            file, path, hidden_state=hidden_state, moves=moves, engine=engine, processes=processes,
            progress=partial(tell, "writing Parquet"), made_by=command_of(agents, plan, columns),
        )  # fmt: skip
    return file


# ------------------------------------------------------------------------------------- the plan


def make_plan(
    agents: Any,
    games: int,
    game: str | Game,
    num_players: int | None,
    rules: Any,
    seed: int,
    rotate: bool,
) -> Plan:
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
    field: dict[str, Factory] = {
        name: parse_agent(agent) if isinstance(agent, str) else partial(_as_given, agent)
        for name, agent in by_name.items()
    }
    return Plan(known, num_players, rules, field, seats, games, seed, rotate)


def command_of(agents: Any, plan: Plan, columns: Columns) -> str:
    """Return the command that records the games of a plan, for the card of a data set.

    Agents that are objects appear by their names. What changes no game is left out.
    """
    names = agents if isinstance(agents, str) else ",".join(name for name, _ in named(agents))
    default = plan.game.rules().as_dict()
    rules = {k: v for k, v in plan.rules.as_dict().items() if v != default[k]}
    words = ["python", "-m", "gubs_env", "record", "--agents", names]
    words += ["--game", plan.game.name.removesuffix("_v0"), "--players", str(plan.num_players)]
    words += ["--rules", options_text(rules)] * bool(rules)
    words += ["--games", str(plan.games), "--seed", str(plan.seed)]
    words += ["--no-rotate"] * (not plan.rotate)
    words += ["--no-hidden-state"] * (not columns.hidden_state) + ["--moves"] * columns.moves
    return shlex.join([*words, "--out", "FOLDER"])


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


def _as_given(agent: Any, num_players: int, seed: int) -> Any:
    """Return an agent that was given as an object."""
    return agent


# ------------------------------------------------------------------------------------- playing


def side_by_side(agents: Iterable[Any]) -> int:
    """Return the default number of games side by side."""
    slow = any(hasattr(agent, "search") or hasattr(agent, "choose") for agent in agents)
    return SEARCH_BATCH if slow else BATCH


def names_by_seat(labels: Iterable[str], seatings: np.ndarray) -> list[tuple[str, ...]]:
    """Return the names of the agents in each game by seat.

    Args:
        labels: the names of the agents.
        seatings: int64[games, num_players], indices into `labels`.
    """
    labels = list(labels)
    return [tuple(labels[index] for index in seating) for seating in seatings.tolist()]


def play_tables(
    game: Game,
    rules: Any,
    field: Mapping[str, Factory],
    deal_seeds: np.ndarray,
    seatings: np.ndarray,
    seed: int,
    labels: Sequence[str] = (),
    table: str = "",
    limit: Limit = NO_LIMIT,
) -> PlayedTables:
    """Play games side by side, with agents that are built anew for them.

    Each agent draws its randomness from an RNG that the deal, the names by seat and the seat
    determine, so no game depends on what was played before.

    Args:
        game, rules: the table.
        field: the agents by name.
        deal_seeds: int64[games], seeds of the deals.
        seatings: int64[games, num_players]: the agent in each seat, as an index into `field`.
        seed: seed of the agents, for those that draw from an RNG of their own.
        labels, table, limit: as for `play_games`; by default, errors name agents as `field` does.

    Raises:
        ValueError, TimeoutError: as for `play_games`.
    """
    rngs = seat_rngs(deal_seeds, seatings, [zlib.crc32(label.encode()) for label in field])
    agents = build_field(field, game, seatings.shape[1], rules, seed)
    used = [Counter(getattr(agent, "usage", {})) for agent in agents]
    played, seconds = play_games(
        game, agents, deal_seeds, seatings, rngs, rules, labels or list(field), table, limit
    )
    names = names_by_seat(field, seatings)
    records = records_of(game, rules, deal_seeds.tolist(), names, played)
    usage = {label: Counter[str]() for label in field}
    for counts, seats in zip(played.counts, names, strict=True):
        for seat, own in counts.items():
            usage[seats[seat]].update(asdict(own))
    for label, agent, before in zip(field, agents, used, strict=True):
        usage[label].update(getattr(agent, "usage", {}))
        usage[label].subtract(before)
    return PlayedTables(records, seconds, {label: dict(own) for label, own in usage.items() if own})


# ------------------------------------------------------------------------------------- writing


def write_records(
    path: Path,
    plan: Plan,
    resume: bool,
    batch: int | None,
    progress: Callable[[int, int], object],
    engine: str,
    processes: int,
) -> None:
    """Play the games of a plan that a file does not hold yet, and write them to it.

    Args:
        path: the file.
        plan: the games.
        resume: continue the file if it exists.
        batch: number of games side by side; None means the default number.
        progress: called as (games written, games in all) after each batch, and once before.
        engine, processes: where the games are played.

    Raises:
        ValueError, OSError, TimeoutError: as for `kept_lines`, `lock_file` and `play_tables`.
    """
    if processes > 1:
        check_picklable(plan)
    batch = batch or side_by_side(
        build_field(plan.field, plan.game, plan.num_players, plan.rules, 0)
    )
    lock = lock_file(path)
    try:
        lines = kept_lines(path, plan, resume)
        if len(lines) < plan.games:
            # With the same chunks, agents with an RNG of their own play as in an uninterrupted run.
            del lines[len(lines) // batch * batch :]
        with append_to(path, lines) as file:
            starts = range(len(lines), plan.games, batch)
            spans = [(start, min(start + batch, plan.games)) for start in starts]
            progress(len(lines), plan.games)
            chunks = in_order(engine, play_span, plan, spans, processes)
            for (_, stop), played in zip(spans, chunks, strict=True):
                write_lines(file, played)
                progress(stop, plan.games)
    finally:
        lock.release()


def play_span(plan: Plan, first: int, stop: int) -> list[str]:
    """Play the games from number `first` to before `stop`, and return their lines."""
    seeds, seatings = plan.seed + np.arange(first, stop), plan.seatings(first, stop)
    played = play_tables(plan.game, plan.rules, plan.field, seeds, seatings, seed=first)
    return [record.line() for record in played.records]


def kept_lines(path: Path, plan: Plan, resume: bool) -> list[str]:
    """Return the lines of the games that an interrupted run has written; none without a file.

    Every game is replayed. A last line that is not complete is skipped.

    Raises:
        ValueError: if the file is not the beginning of these games, or exists without `resume`.
    """
    lines, rest = complete_lines(path)
    if not resume and (lines or rest):
        raise ValueError(f"{path} exists already: resume it, delete it or write elsewhere")
    if not lines and not BEGINNING.startswith(rest[: len(BEGINNING)]):
        raise ValueError(f"{path} is not a file of records: write elsewhere")
    if len(lines) > plan.games:
        raise ValueError(
            f"{path} holds {len(lines):,} games, but only {plan.games:,} are to be played"
        )
    for first in range(0, len(lines), TOGETHER):
        part = lines[first : first + TOGETHER]
        places = [f"{path}, line {number}" for number in range(first + 1, first + len(part) + 1)]
        check_lines(part, places, plan.game, plan.rules, plan.tables(first, first + len(part)))
    return [line.decode() for line in lines]
