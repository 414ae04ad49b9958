"""Measure recording, reading, Parquet and loading: the tables of docs/records.md and docs/data.md.

    OMP_NUM_THREADS=1 python benchmarks/data.py

Gubs with two players, one process; seconds of processor time, not of the clock. The games that a
row writes are others than those that compile its code before.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tyro
from tqdm import tqdm

import gubs_env
from gubs_env.support.markdown import table
from gubs_env.support.output import print_everywhere

WARM_UP = 4
"""Games before the measured ones, which compile what is needed."""
COLUMNS = ("observation", "action_mask", "action", "returns")


@dataclass(frozen=True)
class Options:
    """Speed and size of records and data sets."""

    games: int = 2000
    """Games that are recorded and read; a tenth of them with legal moves in words."""


def seconds_of(work: Callable[[], Any]) -> float:
    """Return the seconds of processor time that some work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def bytes_of(folder: Path, pattern: str) -> int:
    """Return the size of the files of a folder."""
    return sum(path.stat().st_size for path in folder.glob(pattern))


def record_rows(folder: Path, games: int) -> list[tuple[str, ...]]:
    """Return the rows of recording and of reading."""
    rows: list[tuple[str, ...]] = []
    for agent in ("random", "heuristic", "policy"):
        gubs_env.record(folder / f"{agent}-first.jsonl", agent, games=WARM_UP)
        path = folder / f"{agent}.jsonl"
        seconds = seconds_of(partial(gubs_env.record, path, agent, games=games, seed=WARM_UP))
        size = f"{path.stat().st_size / games:,.0f} bytes a game"
        rows.append((f"recording, `{agent}`", f"{games / seconds:,.0f}", size))
    list(gubs_env.read_records(folder / "policy-first.jsonl"))
    seconds = seconds_of(lambda: list(gubs_env.read_records(path)))
    return [*rows, ("reading with replay", f"{games / seconds:,.0f}", "")]


def data_rows(folder: Path, games: int) -> list[tuple[str, ...]]:
    """Return the rows of writing Parquet and of loading it, of the games of `policy`."""
    rows: list[tuple[str, ...]] = []
    few = max(1, games // 10)
    lines = (folder / "policy.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for name, kept, states, moves in (
        ("Parquet", games, True, False),
        ("Parquet without states", games, False, False),
        ("Parquet without states, with `--moves`", few, False, True),
    ):
        write = partial(gubs_env.to_parquet, hidden_state=states, moves=moves)
        part, out = folder / f"{kept}.jsonl", folder / f"parquet{len(rows)}"
        part.write_text("".join(lines[:kept]), encoding="utf-8")
        write(folder / "policy-first.jsonl", folder / f"first{len(rows)}")
        seconds = seconds_of(partial(write, part, out))
        count = len(gubs_env.load_dataset(out))
        size = f"{bytes_of(out, '*.parquet') / count:.0f} bytes"
        rows.append((name, f"{kept / seconds:,.0f}", f"{count / seconds:,.0f}", size))
    list(gubs_env.load_dataset(folder / "first0").torch(COLUMNS))  # imports PyTorch
    data = gubs_env.load_dataset(folder / "parquet0")
    for name, work in (
        ("`arrays`, four columns", lambda: data.arrays(COLUMNS)),
        ("`torch`, the same columns", lambda: list(data.torch(COLUMNS))),
        ('`arrays(["states"])`', lambda: data.arrays(["states"])),
    ):
        rows.append((name, "", f"{len(data) / seconds_of(work):,.0f}", ""))
    return rows


def main() -> None:
    options = tyro.cli(Options)
    with tempfile.TemporaryDirectory() as folder, tqdm(total=2, unit="table") as bar:
        records = record_rows(Path(folder), options.games)
        bar.update()
        rows = data_rows(Path(folder), options.games)
        bar.update()
    print(table(("task", "games a second", "size"), records))
    print()
    print(table(("task", "games a second", "decisions a second", "size of a decision"), rows))


if __name__ == "__main__":
    print_everywhere()
    main()
