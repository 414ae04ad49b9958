"""The n-th write, sync, rename or allocation fails: one clear error, and nothing is lost.

Each job runs once undisturbed, then once for each call that can fail. A run that failed goes on
without faults, and must leave the same bytes.

GUBS_ENV_FAULTS=0 pytest -n 0 -s tests/test_faults.py tries every call. By default a few fail in
turn, spread over the job; in a recording and a data set, every call that touches a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import gubs_env
from tests.commands import ends_with, gubs
from tests.faults import ARRAYS, FILES, injected

TRIES = int(os.environ.get("GUBS_ENV_FAULTS", "2"))
"""Number of calls of a job that fail in turn; 0 means all."""


class Job(NamedTuple):
    """Work that can be interrupted and continued."""

    run: Callable[[Path, bool], Any]
    """(folder, whether to resume) → anything."""
    files: tuple[str, ...]
    """Patterns of the files that must be equal in the end."""


def record(folder: Path, resume: bool) -> None:
    gubs_env.record(folder / "games.jsonl", "greedy,random", games=6, batch=2, resume=resume)


def make_data(folder: Path, resume: bool) -> None:
    pytest.importorskip("pyarrow", reason="the data extra is not installed")
    path = folder / "games.jsonl"
    table = gubs_env.find_table("bad_bad_turtle", 2, {"max_cycles": 30})
    gubs_env.record(path, "random", table, games=3, batch=2, resume=resume)
    gubs_env.to_parquet(path, folder, games_in_file=2)


def play_arena(folder: Path, resume: bool) -> None:
    arena = pytest.importorskip("gubs_agents.arena", reason="the arena extra is not installed")
    arena.tournament("greedy,random", deals=4, out=folder, batch=4, resamples=2, resume=resume)


def play_test(folder: Path, resume: bool) -> None:
    arena = pytest.importorskip("gubs_agents.arena", reason="the arena extra is not installed")
    arena.sprt("greedy,random", (0, 300), deals=4, out=folder, batch=4, resume=resume)


def train(folder: Path, resume: bool) -> None:
    pytest.importorskip("sb3_contrib", reason="the train extra is not installed")
    from gubs_agents.training.options import Options
    from gubs_agents.training.run import Run

    options = Options(
        out=str(folder), steps=512, games=8, rollout=32, batch=64, width=8, imitate=0,
        snapshot_every=1, snapshots=2, evaluate_every=1, evaluation_deals=2, checkpoint_every=1,
        report_deals=2, baselines="random",
    )  # fmt: skip
    resume = resume and (folder / "options.json").exists()
    Run(options, resume=resume).train()


JOBS = {
    "recording": Job(record, ("games.jsonl",)),
    "data set": Job(make_data, ("games.jsonl", "*.parquet", "_README.md", "_croissant.json")),
    "arena": Job(play_arena, ("games.jsonl",)),
    "sequential test": Job(play_test, ("games.jsonl", "sprt.json")),
    "training": Job(train, ("best.*", "metrics.csv", "evaluations.csv")),
}


def files_of(job: Job, folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for pattern in job.files
        for path in folder.glob(pattern)
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return a function that runs a job once without faults, and returns its files."""
    done: dict[str, dict[str, bytes]] = {}

    def files(name: str) -> dict[str, bytes]:
        if name not in done:
            folder = tmp_path_factory.mktemp("undisturbed")
            JOBS[name].run(folder, False)
            done[name] = files_of(JOBS[name], folder)
            assert done[name]
        return done[name]

    return files


@contextmanager
def may_fail() -> Iterator[None]:
    """Allow for the error that a fault causes, in one line.

    An agent in which memory runs out is named by a ValueError, and libraries raise others of their
    own (`choix`).
    """
    try:
        yield
    except (OSError, MemoryError, ValueError) as error:
        is_fault = any(isinstance(cause, OSError | MemoryError) for cause in causes_of(error))
        if "\n" in str(error) or not is_fault:
            raise


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that it was raised from, or while they were handled."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def calls_to_fail(count: int, tries: int) -> list[int]:
    """Return the numbers of calls that fail in turn, spread evenly; 0 tries means all."""
    tries = min(count, tries) if tries else count
    return sorted({1 + count * k // tries for k in range(tries)} | {count})


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("kind", [FILES, ARRAYS])
@pytest.mark.parametrize("name", JOBS)
def test_nothing_is_lost_when_a_call_fails(tmp_path, undisturbed, name, kind, lasting):
    job, expected = JOBS[name], undisturbed(name)
    with injected(kind) as faults:
        job.run(tmp_path / "counted", False)
    every = name in ("recording", "data set") and kind == FILES
    numbers = calls_to_fail(faults.calls, 0 if every else TRIES)
    print(f"{name}, {kind}: {len(numbers)} of {faults.calls} calls fail in turn")
    for number in numbers:
        folder = tmp_path / str(number)
        for resume in (False, True):  # it fails, and fails again when it is resumed
            with injected(kind, number, lasting), may_fail():
                job.run(folder, resume)
        job.run(folder, True)
        assert files_of(job, folder) == expected, f"after call {number} failed"


@pytest.mark.parametrize("kind", [FILES, ARRAYS])
def test_the_command_ends_with_one_line(tmp_path, capsys, kind):
    command = ["record", "--agents", "random", "--games", "4", "--batch", "2", "--out"]
    with injected(kind) as faults:
        gubs(*command, tmp_path / "once.jsonl")
    for number in calls_to_fail(faults.calls, 8):
        path = tmp_path / f"{number}.jsonl"
        with injected(kind, number), ends_with(capsys, "^gubs record: .*"):
            gubs(*command, path)
        gubs(*command, path, "--resume")
        assert path.read_bytes() == (tmp_path / "once.jsonl").read_bytes()
