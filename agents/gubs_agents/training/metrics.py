"""The metrics of a run: CSV files and TensorBoard."""

from __future__ import annotations

import csv
from collections.abc import Mapping
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
        folder: folder of the run.
        sizes: number of bytes of each file to keep, from `sizes()`; None starts new files.
        timesteps: timesteps at the checkpoint.

    Raises:
        ValueError: for a file that is shorter already.
        OSError: for a file that cannot be written.
    """

    def __init__(
        self, folder: Path, sizes: Mapping[str, int] | None = None, timesteps: int = 0
    ) -> None:
        self.folder = folder
        for name, size in (sizes or {}).items():
            if (found := (folder / name).stat().st_size) < size:
                raise ValueError(f"{name} has {found} bytes; at the checkpoint it had {size}")
        for name in TABLES:
            with (folder / name).open("ab") as file:
                file.truncate(sizes[name] if sizes else 0)
        self.board_folder = folder / "tensorboard"
        with naming(self.board_folder):
            self.board = SummaryWriter(str(self.board_folder), purge_step=timesteps)

    def write(self, name: str, timesteps: int, row: Mapping[str, Any]) -> None:
        """Add a row to one of the tables."""
        path = self.folder / name
        has_head = path.stat().st_size > 0
        with naming(path), path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, ["timesteps", *row], lineterminator="\n")
            if not has_head:
                writer.writeheader()
            writer.writerow({"timesteps": timesteps} | dict(row))

    def show(self, group: str, timesteps: int, values: Mapping[str, float]) -> None:
        """Add a point to the TensorBoard curve of each value."""
        with naming(self.board_folder):
            for label, value in values.items():
                self.board.add_scalar(f"{group}/{label}", value, timesteps)

    def sizes(self) -> dict[str, int]:
        """Return the size of each table in bytes."""
        return {name: (self.folder / name).stat().st_size for name in TABLES}

    def close(self) -> None:
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
