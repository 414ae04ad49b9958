"""The row groups of Parquet files: their games, row counts, ranges and checksums.

A writer stores a `Group` of each row group in the footer of the file, and every reader demands it.
So a file whose rows were cut, doubled, reordered or edited is refused, even if whoever rewrote it
kept its metadata.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gubs_env.engine.border import read_json
from gubs_env.engine.history import NONE
from gubs_env.engine.slices import highs_of
from gubs_env.engine.table import Table

KEY = b"gubs_env groups"
"""The key of the groups in the footer of a file."""
STATE = "state."
"""The prefix of the columns that hold a state."""


class Group(NamedTuple):
    """A row group of a file: the decisions of some games, which are read together."""

    path: Path
    number: int
    first_game: int
    """The number of its first game."""
    games: int
    """Number of games, some of which may have no decisions."""
    rows: int
    """Number of decisions."""
    crc32: Mapping[str, int]
    """The checksum of each column."""


def described(table: Any, first_game: int, games: int) -> dict[str, Any]:
    """Return what is stored of a table of pyarrow that becomes a row group."""
    crc32 = {name: checksum(array_of(table, name)) for name in table.column_names}
    return {"first_game": first_game, "games": games, "rows": len(table), "crc32": crc32}


def checksum(values: np.ndarray) -> int:
    """Return the CRC-32 of the values of a column, as `array_of` returns them."""
    if values.dtype == object:
        return zlib.crc32(json.dumps(values.tolist()).encode())
    return zlib.crc32(np.ascontiguousarray(values).data)


def array_of(table: Any, name: str) -> np.ndarray:
    """Return a column of a table of pyarrow as an array; see `DataSet.arrays`."""
    import pyarrow as pa

    column = table[name].combine_chunks()
    if pa.types.is_fixed_size_list(column.type):
        return column.flatten().to_numpy().reshape(len(column), column.type.list_size)
    if pa.types.is_integer(column.type):
        return column.fill_null(-1).to_numpy()
    if pa.types.is_list(column.type):
        texts = np.empty(len(column), object)
        texts[:] = column.to_pylist()
        return texts
    return column.to_numpy(zero_copy_only=False)


def groups_of(path: Path, first_game: int, games: int) -> tuple[Group, ...]:
    """Return the row groups of a file.

    Args:
        path: the file.
        first_game, games: the number of its first game, and number of games.

    Raises:
        ValueError: for a file without this description, or whose row groups have other games or
            numbers of rows than it says; the message names the file.
    """
    import pyarrow.parquet as pq

    footer = pq.read_metadata(path)
    rows = [footer.row_group(number).num_rows for number in range(footer.num_row_groups)]
    try:
        listed = read_json((footer.metadata or {}).get(KEY, b""), "the description of its rows")
        groups = tuple(Group(path, number, **each) for number, each in enumerate(listed))
        names = {*footer.schema.to_arrow_schema().names}
        starts = np.cumsum([first_game] + [group.games for group in groups]).tolist()
        sound = (
            len(groups) > 0
            and [group.rows for group in groups] == rows
            and [*(group.first_game for group in groups), first_game + games] == starts
            and all(type(g.crc32) is dict and g.crc32.keys() == names for g in groups)
        )
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise ValueError(
            f"{path}: its {sum(rows):,} rows are not those that gubs_env wrote: the file was "
            "rewritten by another program or an older version; write it anew from its records"
        )
    return groups


def read_group(group: Group, names: Iterable[str], ranges: Mapping[str, Any]) -> Any:
    """Read columns of a row group.

    Args:
        group: the row group.
        names: the columns.
        ranges: the least and the largest value of columns, by name (`ranges_of`).

    Returns:
        A table of pyarrow, and its columns as arrays, by name.

    Raises:
        ValueError: if the file is damaged, or a column has other values than were written or a
            value out of its range; the message names the file and the column.
        OSError: for a file that cannot be read.
    """
    import pyarrow
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(group.path, page_checksum_verification=True) as file:
            table = file.read_row_group(group.number, columns=[*names])
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"{group.path} is damaged ({error}): write it anew") from None
    arrays = {name: array_of(table, name) for name in table.column_names}
    limits = {**ranges, "game": (group.first_game, group.first_game + group.games - 1)}
    for name, values in arrays.items():
        where = f"{group.path}: column {name}, games from {group.first_game:,} on:"
        if checksum(values) != group.crc32[name]:
            raise ValueError(f"{where} not as it was written: write the file anew from its records")
        if name in limits and len(values):
            low, high = limits[name]
            if values.min() < low or (values.max(axis=0) > high).any():
                raise ValueError(f"{where} values out of their range")
    return table, arrays


def ranges_of(table: Table, history: int) -> dict[str, tuple[Any, Any]]:
    """Return the least and the largest value of columns of numbers, by name.

    Args:
        table: the table of the games.
        history: the number of events at each decision.
    """
    game = table.game
    return {
        "decision": (0, table.max_decisions - 1),
        "seat": (0, table.num_players - 1),
        "phase": (0, max(game.mechanics.Phase)),
        "observation": (0, table.observation_highs),
        "action_mask": (0, 1),
        "action": (0, table.num_actions - 1),
        "history": (NONE, np.tile(highs_of(game.event_slices()), history)),
    } | {STATE + field.name: (field.low, field.high) for field in game.state_fields}
