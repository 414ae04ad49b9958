"""The commands `record` and `parquet`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import tyro

from gubs_env.agents.parsing import parse_rules
from gubs_env.commands.common import BackendName, GameName, OffSwitch, Players, Rules, shown
from gubs_env.games import find_game
from gubs_env.records.parquet import to_parquet
from gubs_env.records.recording import record as record_games
from gubs_env.support.cluster import LOCAL
from gubs_env.support.output import progress_bars


def record(
    agents: Annotated[str, shown("AGENTS")],
    out: Annotated[Path, shown("FILE.jsonl[.gz]|FOLDER")],
    game: GameName = "gubs",
    players: Players = 0,
    rules: Rules = "",
    games: int = 100,
    seed: int = 0,
    rotate: OffSwitch = True,
    resume: bool = False,
    batch: Annotated[int, shown("INT", "1024, or 8 for agents that search or write")] = 0,
    hidden_state: OffSwitch = True,
    moves: bool = False,
    history: int = 0,
    backend: BackendName = LOCAL,
    processes: int = 1,
) -> None:
    """Let agents play games, and write a record of each.

    $ gubs record --agents heuristic,policy --games 100 --out games.jsonl

    A record is one line of JSON; a file that ends in .jsonl.gz is compressed after the last game.
    With a folder as --out, the records go to its _games.jsonl, and every decision becomes a row of
    its Parquet files. The same command with --resume goes on after an interruption. docs/records.md
    and docs/data.md describe the files.

    Args:
        agents: one for all seats, or one for each seat: name, name:option=value+option=value, or
            package.module:Class, separated by commas.
        out: the file or the folder to write.
        game: the game.
        players: players at the table.
        rules: options of the rules, as mode=royal+num_points=7.
        games: number of games.
        seed: seed of the first deal; each further game has the next one.
        rotate: keep the agents in their seats; they move one seat on from game to game otherwise.
        resume: go on with the file; give the same options as before, or more games.
        batch: games that are played side by side.
        hidden_state: for Parquet: leave out the whole states, which hold secrets.
        moves: for Parquet: write the legal moves in words, and the one that was played.
        history: for Parquet: events to write at each decision, the last that its seat has seen.
        backend: local, or ray: on every core of a Ray cluster, which needs the extra ray.
        processes: number of processes that play on this machine.
    """
    with progress_bars("games") as tell:
        path = record_games(
            out, agents, games, game, players or None, rules=parse_rules(rules, find_game(game)),
            seed=seed, rotate=rotate, resume=resume, batch=batch or None,
            hidden_state=hidden_state, moves=moves, history=history, progress=tell,
            backend=backend, processes=processes,
        )  # fmt: skip
    print(f"{games:,} game{'s' * (games != 1)}: {path}")


def parquet(
    records: Annotated[tyro.conf.Positional[Path], shown("FILE")],
    out: Annotated[Path, shown("FOLDER")],
    hidden_state: OffSwitch = True,
    moves: bool = False,
    history: int = 0,
    backend: BackendName = LOCAL,
    processes: int = 1,
) -> None:
    """Write the decisions of recorded games as Parquet files.

    Each decision is a row.

    Args:
        records: a file of records, or the games.jsonl of an arena.
        out: the folder of the Parquet files.
        hidden_state: leave out the whole states, which hold secrets.
        moves: write the legal moves in words, and the one that was played.
        history: events to write at each decision, the last that its seat has seen.
        backend: local, or ray: on every core of a Ray cluster, which needs the extra ray.
        processes: number of processes of this machine.
    """
    with progress_bars("games") as tell:
        files = to_parquet(
            records, out, hidden_state=hidden_state, moves=moves, history=history,
            backend=backend, processes=processes, progress=partial(tell, "writing Parquet"),
        )  # fmt: skip
    print(*files, sep="\n")
