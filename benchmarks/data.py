"""Measure recording, reading, Parquet and loading: the tables of docs/records.md and docs/data.md.

    OMP_NUM_THREADS=1 python benchmarks/data.py

Gubs with two players, one process, processor time. All rows take turns in each round and the
median round counts, as in `speed`.
"""

from __future__ import annotations

import tempfile
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import speed
import tyro

import gubs_env
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

AGENTS = ("random", "heuristic", "policy")
COLUMNS = ("observation", "action_mask", "action", "returns")
KINDS: dict[str, dict[str, Any]] = {
    "Parquet": {},
    "Parquet without states": {"hidden_state": False},
    "Parquet without states, with `--moves`": {"hidden_state": False, "moves": True},
}
"""The options of each kind of data set."""


class Rows:
    """The rows of the tables: each method does some work, and returns how much.

    Args:
        folder: an empty folder.
        games: games that each row records, reads, writes or loads in a round.
    """

    def __init__(self, folder: Path, games: int) -> None:
        self.folder, self.games, self.numbers = folder, games, count()
        self.path = folder / "policy.jsonl"

    def new(self, suffix: str = "") -> Path:
        """Return the path of a file or folder that is not there yet."""
        return self.folder / f"{next(self.numbers)}{suffix}"

    def record(self, agent: str, path: Path | None = None) -> int:
        """Record games, and return their number."""
        gubs_env.record(path or self.new(".jsonl"), agent, games=self.games)
        return self.games

    def read(self) -> int:
        """Read games, and return their number."""
        return len(list(gubs_env.read_records(self.path)))

    def write(self, kind: str, out: Path | None = None) -> int:
        """Write a data set, and return the number of its decisions."""
        out = out or self.new()
        gubs_env.to_parquet(self.path, out, **KINDS[kind])
        return len(gubs_env.load_dataset(out))

    def load(self, *columns: str) -> int:
        """Load columns of a data set, and return the number of decisions."""
        return len(gubs_env.load_dataset(self.folder / "Parquet").arrays(columns)[columns[0]])

    def load_tensors(self) -> int:
        """Load columns as tensors, and return the number of decisions."""
        batches = gubs_env.load_dataset(self.folder / "Parquet").torch(COLUMNS)
        return sum(len(batch["action"]) for batch in batches)


def main(games: int = 200) -> None:
    """Measure every row.

    Args:
        games: games that each row records, reads, writes or loads in a round.
    """
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(Path(folder), games)
        sizes = {}
        for agent in AGENTS:
            path = rows.folder / f"{agent}.jsonl"
            rows.record(agent, path)
            sizes[f"recording, `{agent}`"] = f"{path.stat().st_size / games:,.0f} bytes a game"
        for kind in KINDS:
            decisions = rows.write(kind, rows.folder / kind)
            size = sum(path.stat().st_size for path in (rows.folder / kind).glob("*.parquet"))
            sizes[kind] = f"{size / decisions:.0f} bytes"
        recording: dict[str, speed.Row] = {
            f"recording, `{agent}`": partial(rows.record, agent) for agent in AGENTS
        } | {"reading with replay": rows.read}
        data: dict[str, speed.Row] = {kind: partial(rows.write, kind) for kind in KINDS} | {
            "`arrays`, four columns": partial(rows.load, *COLUMNS),
            "`torch`, the same columns": rows.load_tensors,
            '`arrays(["states"])`': partial(rows.load, "states"),
        }
        speeds = speed.measure(recording | data)
    print(f"\n{speed.machine()}\n")
    for unit, names in (("games", recording), ("decisions", data)):
        found = [(name, f"{speeds[name]:,.0f}", sizes.get(name, "")) for name in names]
        print(table(("task", f"{unit} a second", "size"), found))
        print()


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
