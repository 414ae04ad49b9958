"""Data sets: the decisions of recorded games as rows of Parquet files.

docs/data.md describes the columns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from reprlib import repr as shortened
from typing import Annotated, Any

import numpy as np

from gubs_env.engine.border import read_json
from gubs_env.engine.course import played_moves
from gubs_env.engine.fields import state_dtype
from gubs_env.engine.game import Game
from gubs_env.engine.slices import Slice
from gubs_env.engine.table import Table
from gubs_env.games import find_game
from gubs_env.records.croissant import version_of, write_croissant
from gubs_env.records.data_card import Contents, write_card
from gubs_env.records.playing import Replay
from gubs_env.records.record import Record, as_played, batches, plain_lines, read_line, replay_of
from gubs_env.records.row_groups import KEY as GROUPS_KEY
from gubs_env.records.row_groups import STATE, array_of, described, groups_of, ranges_of, read_group
from gubs_env.support.checks import Range, check_number, check_options, require_extra
from gubs_env.support.cluster import ProcessOptions, check_backend, in_order
from gubs_env.support.files import expanded, lock_folder, replace_file
from gubs_env.support.version import __version__

SCHEMA = "gubs_env decisions 1"
"""The version of the schema, in the metadata of every file."""
KEY = b"gubs_env"
"""The key of this project's metadata in a file."""
GAMES_IN_FILE, GAMES_IN_GROUP = 1000, 64
"""Numbers of games in a file, which is held in memory compressed, and in a row group of it."""
HISTORY = "history"
"""The column of the events that a seat has seen, and its key in the metadata."""
LEGAL_MOVES, MOVE = "legal_moves", "move"
"""The columns of moves in words: all that are legal, and the number of the one that was played."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The optional columns of a data set."""

    hidden_state: bool = True
    """For Parquet: write the whole states, with their secrets: not for agents that play."""
    moves: bool = False
    """For Parquet: write the legal moves in words, and the one that was played."""
    history: Annotated[int, Range(0)] = 0
    """For Parquet: events to write at each decision, the last that its seat has seen."""

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True, kw_only=True)
class ParquetOptions(ProcessOptions, Columns):
    """The options of `to_parquet` and of the command `gubs parquet`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_backend(self.backend, self.processes)


def to_parquet(
    path: str | Path,
    folder: str | Path,
    *,
    games_in_file: int = GAMES_IN_FILE,
    progress: Callable[[int, int], object] = lambda done, count: None,
    made_by: str = "",
    **options: Any,
) -> list[Path]:
    """Write the decisions of recorded games as Parquet files, one row for each decision.

    Every game is replayed first, as by `read_records`. A file that was made from the same games
    before is kept, so that the same call continues after an interruption. A dataset card,
    `_README.md`, describes them; one that somebody else wrote is kept too. `_croissant.json` has
    their name, version, checksums and columns.

    Args:
        path: the file of records, or the `games.jsonl` of an arena; all games must be of one table:
            the same game, number of players and rules.
        folder: the folder of the files `games-00000.parquet`, `games-00001.parquet`, …
        games_in_file: number of games in each file, at least 1.
        progress: called as (games in files, games in all) after each file.
        made_by: how the games were made, for the card: a command, or other text.
        options: those of `ParquetOptions` by name, as `moves=True`.

    Returns:
        The files.

    Raises:
        ValueError: for an option that is not allowed, a line that is not the record of a game,
            games of several tables, or files in the folder that were not made from these records.
        TypeError: for an unknown option, or a number of games that is not whole.
        OSError: for files that cannot be read or written.
        ModuleNotFoundError: without the extra `data`, or for Ray without the extra `ray`, before
            any work begins.
        RuntimeError: for a process that dies, or a cluster that cannot finish the work.
        ConnectionError: for a cluster that does not answer.
    """
    chosen = ParquetOptions(**options)
    check_folder(folder)
    check_number("games_in_file", games_in_file, 1)
    if not expanded(path).exists():
        raise FileNotFoundError(f"no such file: {path}")
    folder, count = expanded(folder), sum(1 for _ in plain_lines(path))
    names = [f"games-{number:05}.parquet" for number in range(-(-count // games_in_file))]
    files, contents = [folder / name for name in names], Contents()
    lock = lock_folder(folder)
    try:
        left = unwritten(path, files, games_in_file, chosen, contents)
        for file, written, done in in_order(
            chosen.backend, contents_of, chosen, left, chosen.processes
        ):
            replace_file(file, written)
            progress(done, count)
        progress(contents.games, count)
        if more := sorted({*folder.glob("games-*.parquet")} - {*files}):
            raise ValueError(f"{more[0]} was not made from {path}: delete it or write elsewhere")
        if files:
            command = f"gubs parquet {Path(path).name} --out FOLDER"
            describe(folder, files, contents, made_by or command)
    finally:
        lock.release()
    return files


def describe(folder: Path, files: Sequence[Path], contents: Contents, made_by: str) -> None:
    """Write the card of the files in a folder, and their metadata in the Croissant format."""
    import pyarrow.parquet as pq

    meta = metadata(files[0])
    version = version_of(meta, contents, files)
    write_card(folder, f"{version.name} {version.version}", meta, contents, made_by)
    write_croissant(folder, version, meta, contents, pq.read_schema(files[0]))


def check_folder(folder: str | Path) -> None:
    """Check that Parquet files can be written to a folder, which need not exist.

    Raises:
        ValueError: for something that is not the name of a folder.
        ModuleNotFoundError: without the extra `data`.
    """
    folder = expanded(folder)
    if folder.is_file() or (folder.suffix and not folder.is_dir()):
        raise ValueError(
            f"{folder}: give a file that ends in .jsonl or .jsonl.gz for records, or a folder for "
            "records and Parquet"
        )
    require_extra("data", "pyarrow")


# --------------------------------------------------------------------------------- one file


FilePart = tuple[Path, list[tuple[str, Record]], dict[str, Any]]
"""A file, the places and the records of its games, and its metadata."""


def unwritten(
    path: str | Path, files: Sequence[Path], games: int, columns: Columns, contents: Contents
) -> Iterator[FilePart]:
    """Yield the parts of the records that are in no file yet.

    Args:
        path: the file of records.
        files: the file of each part.
        games: number of games in each file.
        columns: the optional columns.
        contents: counts every game.

    Raises:
        ValueError: for a game of another table, or an existing file with other contents.
    """
    places, table = plain_lines(path), None
    for number, file in enumerate(files):
        part = [(place, read_line(line, place), line) for place, line in islice(places, games)]
        table = table or part[0][1].table
        for place, record, _ in part:
            if record.table != table:
                raise ValueError(
                    f"{place}: this game is of another table than the first one; write games of "
                    "other rules, players or games to a folder of their own"
                )
            contents.count(record)
        lines = [line for _, _, line in part]
        meta = description(table, columns) | {"first_game": number * games} | identity(lines)
        if not is_written(file, table, lines, meta):
            yield file, [(place, record) for place, record, _ in part], meta


def is_written(path: Path, table: Table, lines: Sequence[bytes], meta: dict[str, Any]) -> bool:
    """Return whether a file of these games exists; False for one of fewer games of the same run.

    Raises:
        ValueError: for an existing file with other contents, or one that was rewritten or damaged.
    """
    if not path.exists():
        return False
    there = metadata(path)
    if there == meta:
        ranges = ranges_of(table, events_of(meta))
        for group in groups_of(path, meta["first_game"], len(lines)):
            read_group(group, group.crc32, ranges)
        return True
    fewer = lines[: there["games"]] if isinstance(there.get("games"), int) else []
    if there != meta | identity(fewer):
        raise ValueError(f"{path} holds other games or columns: delete it or write elsewhere")
    return False


def contents_of(
    columns: Columns, path: Path, games: Sequence[tuple[str, Record]], meta: dict[str, Any]
) -> tuple[Path, bytes, int]:
    """Return the path and the contents of the Parquet file of some games, and where it ends.

    Args:
        columns: the optional columns.
        path, games, meta: a `FilePart`.

    Raises:
        ValueError: if the replay of a game contradicts its record.
    """
    import pyarrow.parquet as pq

    schema = schema_of(games[0][1].table, columns).with_metadata({KEY: json.dumps(meta)})
    file, number, groups = BytesIO(), meta["first_game"], []
    # The checksums let readers notice damage.
    with pq.ParquetWriter(file, schema, compression="zstd", write_page_checksum=True) as writer:
        for records, places in batches(games, GAMES_IN_GROUP):
            rows = table_of_rows(schema, records, places, number)
            writer.write_table(rows, row_group_size=max(1, len(rows)))
            groups.append(described(rows, number, len(records)))
            number += len(records)
        writer.add_key_value_metadata({GROUPS_KEY: json.dumps(groups)})
    return path, file.getvalue(), number


def identity(lines: Sequence[bytes]) -> dict[str, Any]:
    """Return the number of games and the SHA-256 of their lines, which identify a file."""
    written = b"".join(line.rstrip(b"\n") + b"\n" for line in lines)
    return {"games": len(lines), "records_sha256": hashlib.sha256(written).hexdigest()}


def metadata(path: str | Path) -> dict[str, Any]:
    """Return the metadata of a file: its schema version, table, slices, names and fields.

    docs/data.md lists the keys.

    Raises:
        ValueError: for a file that is not a data set of `gubs_env`; the message names it.
        OSError: for a file that cannot be read.
    """
    import pyarrow
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(expanded(path))
    except (pyarrow.ArrowInvalid, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # it cannot be read; pyarrow raises an OSError for damaged files too
        raise ValueError(f"{path} is not a data set of gubs_env ({error})") from None
    return _metadata(schema, path)


def _metadata(schema: Any, name: str | Path) -> dict[str, Any]:
    """Return the metadata in a schema of pyarrow; raise ValueError unless they are of SCHEMA."""
    try:
        meta = read_json((schema.metadata or {}).get(KEY, b""), "its metadata")
        version = meta.get("schema")
    except (ValueError, AttributeError):
        meta = version = None
    if version != SCHEMA:
        raise ValueError(
            f"{name} is not a data set of gubs_env: its schema is {shortened(version)}, not "
            f"{SCHEMA!r}"
        )
    return meta


def description(table: Table, columns: Columns) -> dict[str, Any]:
    """Return the metadata that do not depend on the games of a file."""
    game = table.game
    # Files without moves or events have the metadata that they had before there were any.
    optional: dict[str, Any] = {"moves": [LEGAL_MOVES, MOVE]} if columns.moves else {}
    if columns.history:
        slices = described_slices(game.event_slices())
        optional |= {HISTORY: {"events": columns.history, "event": slices}}
    return {
        "schema": SCHEMA,
        "version": __version__,
        "game": game.name,
        "num_players": table.num_players,
        "rules": json.loads(json.dumps(table.rules.as_dict(), default=np.generic.item)),
        "observation": described_slices(table.observation_slices),
        "actions": list(table.action_names),
        "phases": {phase.name: int(phase) for phase in game.mechanics.Phase},
        "state": [
            {"name": f.name, "dtype": np.dtype(f.dtype).name, "shape": list(f.shape),
             "meaning": f.meaning}
            for f in game.state_fields
        ] if columns.hidden_state else [],
    } | optional  # fmt: skip


def described_slices(slices: Mapping[str, Slice]) -> list[dict[str, Any]]:
    """Return slices for JSON."""
    return [
        {"name": s.name, "start": s.start, "shape": list(s.shape), "high": s.high,
         "meaning": s.meaning}
        for s in slices.values()
    ]  # fmt: skip


def events_of(meta: Mapping[str, Any]) -> int:
    """Return the number of events at each decision that metadata name.

    Raises:
        TypeError, ValueError: for anything but a number.
    """
    events = meta.get(HISTORY, {"events": 0})
    return check_number("events", events.get("events") if isinstance(events, dict) else events, 0)


def schema_of(table: Table, optional: Columns) -> Any:
    """Return the columns of a file as a schema of pyarrow, without metadata."""
    import pyarrow as pa

    game = table.game
    columns = [
        ("game", pa.int64()),
        ("seed", pa.int64()),
        ("decision", pa.int32()),
        ("seat", pa.int8()),
        ("agent", pa.string()),
        ("phase", pa.int8()),
        ("observation", column_type(np.int8, (table.observation_size,))),
        ("action_mask", column_type(np.int8, (table.num_actions,))),
        ("action", pa.int16()),
        ("returns", pa.float32()),
    ]
    if optional.moves:
        columns += [(LEGAL_MOVES, pa.list_(pa.string())), (MOVE, pa.int32())]
    if optional.history:
        shape = optional.history, game.history.event_size
        columns.append((HISTORY, column_type(np.int8, shape)))
    for field in game.state_fields if optional.hidden_state else ():
        columns.append((STATE + field.name, column_type(field.dtype, field.shape)))
    return pa.schema(columns)


def column_type(dtype: Any, shape: tuple[int, ...]) -> Any:
    """Return the type of a column of arrays, each flat in a list of a fixed length, or numbers."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(np.dtype(dtype))
    return pa.list_(kind, int(np.prod(shape))) if shape else kind


# --------------------------------------------------------------------------------- the rows


def table_of_rows(schema: Any, records: Sequence[Record], places: Sequence[str], first: int) -> Any:
    """Return the decisions of games as a table of pyarrow, game by game, each in order.

    Args:
        schema: the columns.
        records: the records of the games, all of one table.
        places: their places, for errors.
        first: number of the first game.

    Raises:
        ValueError: if the replay of a game contradicts its record.
    """
    import pyarrow as pa

    replay = replay_of(records, places)
    if HISTORY in schema.names:
        size = schema.field(HISTORY).type.list_size
        replay.env.keep_history(size // replay.env.game.history.event_size)
    rows = decisions_of(replay) if any(record.actions for record in records) else {}
    as_played(records, replay)
    if not rows:
        return schema.empty_table()
    at, seats = rows["game"], rows["seat"]
    over = np.array([record.outcome is not None for record in records])
    rows["returns"] = np.ma.masked_array(replay.payoffs[at, seats], ~over[at])
    rows["seed"] = [records[k].seed for k in at]
    rows["agent"] = [records[k].agents[seat] for k, seat in zip(at, seats, strict=True)]
    if MOVE in schema.names:
        rows |= moves_of(records[0].table.game, rows)
    rows["game"] = at + first
    arrays = [column(pa, rows, field) for field in schema]
    return pa.Table.from_arrays(arrays, schema=schema)


def decisions_of(replay: Replay) -> dict[str, Any]:
    """Play a replay, and return the columns of its decisions as arrays, by name.

    The rows are sorted by game, then by decision. `states` is STATE[rows]; `game` is the index of
    the game, int64[rows]; `history` is there if the games keep it.
    """
    env, steps = replay.env, []
    names = ["game", "decision", "action", "seat", "states", "observation", "action_mask"]
    names += [HISTORY] * (env.recent is not None)
    for step, (rows, actions) in enumerate(replay.steps()):
        numbers = np.full(len(rows), step)
        arrays = env.actors, env.states, env.observations, env.masks
        step_columns = [rows, numbers, actions, *(array[rows] for array in arrays)]
        if env.recent is not None:
            step_columns.append(env.recent.events[rows, env.actors[rows]])
        steps.append(step_columns)
    columns = dict(zip(names, map(np.concatenate, zip(*steps, strict=True)), strict=True))
    order = np.argsort(columns["game"], kind="stable")
    ordered = {name: values[order] for name, values in columns.items()}
    return ordered | {"phase": ordered["states"]["phase"]}


def moves_of(game: Game, rows: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the columns of moves, with None at decisions inside a move.

    The words come from the view of the seat that decides, so they hold nothing that is hidden from
    it.

    Args:
        game: the game.
        rows: the columns of `decisions_of`.
    """
    listed: list[list[str] | None] = [None] * len(rows["game"])
    indices: list[int | None] = [None] * len(listed)
    first = 0
    for count in np.bincount(rows["game"]).tolist():
        part = slice(first, first + count)
        states, seats, actions = (rows[name][part] for name in ("states", "seat", "action"))
        for played in played_moves(game, states, seats, actions.tolist()):
            listed[first + played.number] = [move.text for move in played.legal]
            indices[first + played.number] = played.index
        first += count
    return {LEGAL_MOVES: listed, MOVE: indices}


def column(pa: Any, rows: dict[str, Any], field: Any) -> Any:
    """Return a column as an array of pyarrow; the fields of a state come from `states`."""
    name = field.name
    values = rows["states"][name.removeprefix(STATE)] if name.startswith(STATE) else rows[name]
    if not pa.types.is_fixed_size_list(field.type):
        return pa.array(values, field.type)
    flat = pa.array(np.ascontiguousarray(values).reshape(-1), field.type.value_type)
    return pa.FixedSizeListArray.from_arrays(flat, field.type.list_size)


# ------------------------------------------------------------------------------ reading states


def read_states(rows: Any) -> np.ndarray:
    """Return the states in the rows of a data set, STATE[rows], as `set_states` takes them.

    They are not checked here: `set_state` and `set_states` do that.

    Args:
        rows: a table of pyarrow with all columns `state.…`, as `pyarrow.parquet.read_table`
            returns it.

    Raises:
        ValueError: for a table that is not a data set of `gubs_env`, has no states, or lacks a
            column of a state or has it with another type.
    """
    meta = _metadata(rows.schema, "the table")
    if not meta.get("state"):
        raise ValueError("this data set has no states: write it with hidden_state=True")
    fields = find_game(meta["game"]).state_fields
    states = np.zeros(len(rows), state_dtype(fields))
    for field in fields:
        name, expected = STATE + field.name, column_type(field.dtype, field.shape)
        if name not in rows.column_names:
            raise ValueError(f"the data set lacks the column {name}")
        if rows[name].type != expected or rows[name].null_count:
            raise ValueError(f"column {name} must be of the type {expected}, not {rows[name].type}")
        states[field.name] = array_of(rows, name).reshape(states[field.name].shape)
    return states
