"""Reading data sets: the Parquet files of a folder as arrays of NumPy, or as batches of PyTorch.

>>> import gubs_env
>>> data = gubs_env.load_dataset("data")  # doctest: +SKIP
>>> arrays = data.arrays(["observation", "action"], split="train")  # doctest: +SKIP
>>> arrays["observation"].shape  # doctest: +SKIP
(161844, 626)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any

import numpy as np

from gubs_env.engine.table import Table
from gubs_env.games import find_table
from gubs_env.records import parquet
from gubs_env.records.row_groups import STATE, Group, groups_of, ranges_of, read_group
from gubs_env.support.checks import check_number, check_switch, require_extra
from gubs_env.support.fields import whole
from gubs_env.support.files import expanded

if TYPE_CHECKING:
    from gubs_env.records.tensors import Batches

STATES = "states"
"""The name under which `arrays` returns the whole states, from all columns `state.…`."""
SPLITS = "train", "validation"
"""The parts of a data set: games of one deal are in the same part."""
NO_NUMBERS = {"agent", parquet.LEGAL_MOVES, STATES}
"""The columns that cannot become tensors."""
OF_A_FILE = "first_game", "games", "records_sha256"
"""The keys of the metadata that differ from file to file."""


@dataclass(frozen=True)
class DataSet:
    """The Parquet files of a folder, which have been checked to belong together.

    Opening checks the number of rows and reads none; `arrays` and `torch` read, and check that each
    column has the values that were written.
    """

    files: tuple[Path, ...]
    """The files in the order of their games."""
    metadata: dict[str, Any]
    """The metadata of the files, as docs/data.md lists them."""
    groups: tuple[Group, ...]
    """All row groups, in the order of their games."""
    num_games: int
    """Number of games in all files."""
    validation: float
    """Fraction of the deals in the split "validation"."""

    def __len__(self) -> int:
        """Return the number of decisions in all files, both splits included."""
        return sum(group.rows for group in self.groups)

    @cached_property
    def table(self) -> Table:
        """The table of all games: the game, its number of players and its rules."""
        return table_of(self.metadata)

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        """The names of all columns; `states` is not one of them, but stands for `state.…`."""
        return tuple(expected_schema(self.metadata).names)

    def arrays(self, columns: Sequence[str], split: str | None = None) -> dict[str, np.ndarray]:
        """Return columns as arrays of NumPy, by name, with a row for each decision.

        Args:
            columns: names of columns, and "states" for the whole states, STATE[rows].
            split: "train" or "validation"; None for all games.

        Returns:
            Numbers have the dtype of their column, and a second axis for the columns of a fixed
            length; `history` is int8[rows, events, event_size]. Null becomes NaN in `returns`, and
            −1 in `seed` and `move`. Texts and lists of texts are objects.

        Raises:
            ValueError: for an unknown column or split, or a file that is damaged or was rewritten.
            OSError: for a file that cannot be read.
        """
        parts = [self.read(group, columns, split) for group in self.groups]
        return {name: np.concatenate([part[name] for part in parts]) for name in columns}

    def torch(
        self,
        columns: Sequence[str],
        split: str | None = None,
        *,
        batch_size: int = 1024,
        shuffle: bool = True,
        seed: int = 0,
    ) -> Batches:
        """Return the decisions as an iterable data set of PyTorch, which streams the files.

        Args:
            columns: names of columns of numbers.
            split: "train" or "validation"; None for all games.
            batch_size: number of decisions in a batch, at least 1; the last one of an epoch may
                have fewer.
            shuffle: shuffle the games of an epoch, and the decisions within a buffer of games.
            seed: seed of the shuffling.

        Raises:
            ValueError, TypeError: for an argument that is not allowed.
            ModuleNotFoundError: without PyTorch.
        """
        require_extra("train", "torch")
        from gubs_env.records.tensors import Batches

        self._check(columns, split)
        if not columns or {*columns} & NO_NUMBERS:
            raise ValueError(
                f"columns={[*columns]}: a tensor holds numbers; give at least one column, and none "
                f"of {', '.join(sorted(NO_NUMBERS))}"
            )
        check_number("batch_size", batch_size, 1)
        check_number("seed", seed, 0)
        check_switch("shuffle", shuffle)
        read = partial(self.read, columns=tuple(columns), split=split)
        return Batches(self.groups, read, batch_size, shuffle, seed)

    def read(
        self, group: Group, columns: Sequence[str], split: str | None = None
    ) -> dict[str, np.ndarray]:
        """Return the decisions of one row group; arguments and errors as for `arrays`."""
        self._check(columns, split)
        wanted = {*columns, "game", "seed"}
        if STATES in wanted:
            wanted |= {name for name in self.column_names if name.startswith(STATE)}
        names = [name for name in self.column_names if name in wanted]
        rows, arrays = read_group(group, names, self._ranges)
        if STATES in columns:
            arrays[STATES] = parquet.read_states(rows)
        if parquet.HISTORY in arrays:
            size = self.table.game.history.event_size
            arrays[parquet.HISTORY] = arrays[parquet.HISTORY].reshape(len(rows), -1, size)
        if split is None:
            return {name: arrays[name] for name in columns}
        keys = np.where(arrays["seed"] < 0, arrays["game"], arrays["seed"])
        kept = is_held_out(keys, self.validation) == (split == "validation")
        return {name: arrays[name][kept] for name in columns}

    def _check(self, columns: Sequence[str], split: str | None) -> None:
        """Raise ValueError for an unknown column or split."""
        known = [*self.column_names, *[STATES] * bool(self.metadata["state"])]
        if isinstance(columns, str) or not {*columns} <= {*known}:
            absent = [columns] if isinstance(columns, str) else sorted({*columns} - {*known})
            raise ValueError(
                f"columns: {', '.join(map(repr, absent))}: give a list of names; this data set has "
                f"{', '.join(known)}"
            )
        if split is not None and split not in SPLITS:
            raise ValueError(
                f"split={split!r}: allowed are None, {' and '.join(map(repr, SPLITS))}"
            )

    @cached_property
    def _ranges(self) -> dict[str, tuple[Any, Any]]:
        return ranges_of(self.table, parquet.events_of(self.metadata))


def load_dataset(folder: str | Path, *, validation: float = 0.1) -> DataSet:
    """Open the Parquet files of a folder, and check that they belong together.

    Args:
        folder: the folder that `record` or `to_parquet` wrote.
        validation: fraction of the deals that the split "validation" gets, 0 to 1. A hash of the
            seed assigns each deal, so further games change the split of no other.

    Raises:
        ValueError: for a folder without such files, files of several data sets, a missing,
            rewritten or damaged file, or a fraction that is not allowed.
        OSError: for files that cannot be read.
        ModuleNotFoundError: without the extra `data`.
    """
    require_extra("data", "pyarrow")
    if not 0 <= validation <= 1:
        raise ValueError(f"validation={validation!r}: must be 0 to 1")
    files = sorted(expanded(folder).glob("games-*.parquet"))
    if not files:
        raise ValueError(f"{folder} holds no games-….parquet: write them with gubs_env.record")
    games = 0
    groups: list[Group] = []
    first: dict[str, Any] = {}
    for path in files:
        meta = parquet.metadata(path)
        common = {key: value for key, value in meta.items() if key not in OF_A_FILE}
        first = first or common
        if common != first:
            raise ValueError(f"{path} is of another data set than {files[0]}")
        if meta.get("first_game") != games or not isinstance(meta.get("games"), int):
            raise ValueError(f"{path} does not follow: game {games:,} is expected to be its first")
        check_columns(path, common)
        groups += groups_of(path, games, meta["games"])
        games += meta["games"]
    return DataSet(tuple(files), first, tuple(groups), games, float(validation))


def table_of(meta: dict[str, Any]) -> Table:
    """Return the table that metadata name; raise ValueError or TypeError if there is none."""
    num_players, rules = whole("num_players", meta["num_players"]), meta["rules"]
    if not isinstance(rules, dict):
        raise ValueError(f"rules must be an object, not {shortened(rules)}")
    return find_table(meta["game"], num_players, rules)


def expected_schema(meta: dict[str, Any]) -> Any:
    """Return the columns that a file with some metadata must have, as a schema of pyarrow."""
    optional = parquet.Columns(
        hidden_state=bool(meta.get("state")),
        moves=parquet.MOVE in meta.get("moves", []),
        history=parquet.events_of(meta),
    )
    return parquet.schema_of(table_of(meta), optional)


def check_columns(path: Path, meta: dict[str, Any]) -> None:
    """Check that a file has the columns that its metadata name.

    Raises:
        ValueError: if it does not; the message names the file.
    """
    import pyarrow.parquet as pq

    try:
        expected = expected_schema(meta)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: its metadata name no table ({error})") from None
    if not pq.read_schema(path).remove_metadata().equals(expected):
        raise ValueError(f"{path} has other columns than its metadata say: write it anew")


def is_held_out(keys: np.ndarray, fraction: float) -> np.ndarray:
    """Return which games are in the validation split, by a hash of each key, bool[…].

    The hash is the finaliser of splitmix64 (Steele, Lea and Flood 2014).

    Args:
        keys: int64[…]: the seed of the deal, or the number of a game without one.
        fraction: the fraction to hold out.
    """
    mixed = keys.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)) < np.uint64(fraction * 2**53)
