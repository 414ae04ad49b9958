"""What a run writes down as it goes: CSV files and TensorBoard."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

METRICS, EVALUATIONS, TIMES = "metrics.csv", "evaluations.csv", "times.csv"


class Metrics:
    """Tables of a run; going on from a checkpoint, what was written after it is cut off.

    `metrics.csv` has a row an update and `evaluations.csv` a row an opponent evaluated; both are
    the same for every run with the same options. `times.csv`, of the machine and the day, says
    where the seconds of each update went. TensorBoard shows all three.

    Args:
        folder: of the run.
        sizes: bytes of each file to keep, as `sizes()` gave them; None: begin anew.
        timesteps: of the checkpoint.
    """

    def __init__(
        self, folder: Path, sizes: Mapping[str, int] | None = None, timesteps: int = 0
    ) -> None:
        self.folder = folder
        for name in (METRICS, EVALUATIONS, TIMES):
            with (folder / name).open("ab") as file:
                file.truncate(sizes[name] if sizes else 0)
        self.board = SummaryWriter(str(folder / "tensorboard"), purge_step=timesteps)

    def write(self, name: str, timesteps: int, row: Mapping[str, Any]) -> None:
        """Add a row to one of the tables."""
        path = self.folder / name
        has_head = path.stat().st_size > 0
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, ["timesteps", *row], lineterminator="\n")
            if not has_head:
                writer.writeheader()
            writer.writerow({"timesteps": timesteps} | dict(row))

    def show(self, group: str, timesteps: int, values: Mapping[str, float]) -> None:
        """Put numbers on the board."""
        for label, value in values.items():
            self.board.add_scalar(f"{group}/{label}", value, timesteps)

    def sizes(self) -> dict[str, int]:
        return {name: (self.folder / name).stat().st_size for name in (METRICS, EVALUATIONS, TIMES)}

    def close(self) -> None:
        self.board.close()


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
