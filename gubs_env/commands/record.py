"""The commands `record` and `parquet`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import tyro

from gubs_env.commands.common import ONE_GROUP, TableOptions, shown
from gubs_env.records.parquet import ParquetOptions, to_parquet
from gubs_env.records.recording import RecordOptions
from gubs_env.records.recording import record as record_games
from gubs_env.support.output import progress_bars


def record(
    agents: Annotated[str, shown("AGENTS")],
    out: Annotated[Path, shown("FILE.jsonl[.gz]|FOLDER")],
    at: Annotated[TableOptions, ONE_GROUP],
    options: Annotated[RecordOptions, ONE_GROUP],
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
        at: the table.
        options: how the games are recorded.
    """
    with progress_bars("games") as tell:
        path = record_games(out, agents, at.table, progress=tell, **vars(options))
    print(f"{options.games:,} game{'s' * (options.games != 1)}: {path}")


def parquet(
    records: Annotated[tyro.conf.Positional[Path], shown("FILE")],
    out: Annotated[Path, shown("FOLDER")],
    options: Annotated[ParquetOptions, ONE_GROUP],
) -> None:
    """Write the decisions of recorded games as Parquet files.

    Each decision is a row.

    Args:
        records: a file of records, or the games.jsonl of an arena.
        out: the folder of the Parquet files.
        options: what is written.
    """
    with progress_bars("games") as tell:
        progress = partial(tell, "writing Parquet")
        files = to_parquet(records, out, progress=progress, **vars(options))
    print(*files, sep="\n")
