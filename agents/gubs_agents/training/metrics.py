"""The metrics of a run: CSV files and TensorBoard."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from gubs_env.support.files import naming

METRICS, EVALUATIONS, TIMES = "metrics.csv", "evaluations.csv", "times.csv"
TABLES = (METRICS, EVALUATIONS, TIMES)


class Metrics:
    """The tables of a run, and their curves in TensorBoard.

    `metrics.csv` has a row for each update and `evaluations.csv` a row for each opponent of each
    evaluation; both are the same for every run with the same options. `times.csv` has the seconds
    that the parts of each update took, which vary. Resuming drops the rows that are newer than the
    checkpoint.

    Args:
        folder: folder of the run; None for a worker that writes nothing.
        on_row: called with the name of a table and each new row of it, by column.
        sizes: number of bytes of each file to keep, from `sizes()`; None starts new files.
        timesteps: timesteps at the checkpoint.

    Attributes:
        stopped: whether `on_row` returned True.

    Raises:
        ValueError: for a file that is shorter already.
        OSError: for a file that cannot be written.
    """

    def __init__(
        self,
        folder: Path | None,
        on_row: Callable[[str, dict[str, Any]], object] | None = None,
        sizes: Mapping[str, int] | None = None,
        timesteps: int = 0,
    ) -> None:
        self.folder, self.on_row, self.stopped = folder, on_row, False
        if folder is None:
            return
        for name, size in (sizes or {}).items():
            if (there := (folder / name).stat().st_size) < size:
                raise ValueError(f"{name} has {there} bytes; at the checkpoint it had {size}")
        for name in TABLES:
            with (folder / name).open("ab") as file:
                file.truncate(sizes[name] if sizes else 0)
        self.board_folder = folder / "tensorboard"
        with naming(self.board_folder):
            self.board = SummaryWriter(str(self.board_folder), purge_step=timesteps)

    def write(self, name: str, timesteps: int, row: Mapping[str, Any]) -> None:
        """Add a row to one of the tables."""
        if self.folder is None:
            return
        path, row = self.folder / name, {"timesteps": timesteps} | dict(row)
        has_head = path.stat().st_size > 0
        with naming(path), path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if not has_head:
                writer.writeheader()
            writer.writerow(row)
        if self.on_row is not None and self.on_row(name, row):
            self.stopped = True

    def show(self, group: str, timesteps: int, values: Mapping[str, float]) -> None:
        """Add a point to the TensorBoard curve of each value."""
        if self.folder is None:
            return
        with naming(self.board_folder):
            for label, value in values.items():
                self.board.add_scalar(f"{group}/{label}", value, timesteps)

    def sizes(self) -> dict[str, int] | None:
        """Return the size of each table in bytes, if there are any."""
        folder = self.folder
        return {name: (folder / name).stat().st_size for name in TABLES} if folder else None

    def close(self) -> None:
        """Close the files of TensorBoard."""
        if self.folder is not None:
            with naming(self.board_folder):
                self.board.close()


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, as text by column.

    Raises:
        ValueError: for a row with more or fewer entries than columns.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise ValueError(f"{path}, line {number}: it has not one entry for each column")
    return rows
