"""Tournaments, recordings and training runs killed at random moments, resumed, and compared.

GUBS_ENV_KILLS=20 pytest -n 0 -s tests/test_kills.py kills each of them twenty times.
More than one kill also tries a recording in one process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.commands import gubs

pytest.importorskip("choix", reason="the arena extra is not installed")
pytest.importorskip("sb3_contrib", reason="the train extra is not installed")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning"),
]
ROOT = Path(__file__).parents[1]
KILLS = int(os.environ.get("GUBS_ENV_KILLS", "1"))
DEALS, STEPS = 20 * (1 + KILLS), 512 * (4 + 2 * KILLS)  # enough for that many kills
ARENA = [
    "arena", "--agents", "random,greedy,heuristic", "--batch", "16",
    "--deals", str(DEALS),
]  # fmt: skip
RECORD = [
    "record", "--agents", "heuristic,greedy", "--batch", "16",
    "--games", str(100 * (1 + KILLS)),
]  # fmt: skip
TRAIN = [
    "train", "--steps", str(STEPS), "--imitate", "2048", "--games", "16", "--rollout", "32",
    "--batch", "128", "--width", "16", "--snapshot-every", "2", "--snapshots", "3",
    "--evaluate-every", "4", "--evaluation-deals", "4", "--checkpoint-every", "1",
    "--report-deals", "6",
]  # fmt: skip


def start(arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "gubs_env", *arguments], cwd=ROOT, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip


def size_of(path):
    return path.stat().st_size if path.exists() else 0


def kill_often(begin, resume, growing, seed):
    """Kill a command KILLS times, each at a random moment, and let it go on in between.

    Half of the kills come at any moment of the start, the others after the file `growing` has.

    Returns:
        How many kills came after the file had grown.
    """
    rng, in_the_middle, kills = np.random.default_rng(seed), 0, 0
    start_up = None
    while kills < KILLS:
        before, started = size_of(growing), time.monotonic()
        process = start(resume if start_up else begin)
        if kills % 2 and start_up:
            time.sleep(rng.uniform(0, start_up))
        else:
            while process.poll() is None and size_of(growing) == before:
                time.sleep(0.001)
            start_up = start_up or time.monotonic() - started
            time.sleep(rng.uniform(0, 0.3))
        if process.poll() is not None:
            break  # it came to its end before
        in_the_middle += size_of(growing) != before
        process.kill()
        process.communicate()
        kills += 1
    print(f"{begin[-1]}: {kills} kills, {in_the_middle} of them while it was writing")
    return kills


def test_a_killed_tournament_ends_with_the_same_bytes(tmp_path):
    once, killed = tmp_path / "once", tmp_path / "killed"
    gubs(*ARENA, "--out", once)
    command = [*ARENA, "--out", str(killed)]
    kills = kill_often(command, [*command, "--resume"], killed / "games.jsonl", seed=0)
    gubs(*command, "--resume")
    for name in ("games.jsonl", "report.md", "arena.png"):
        assert (killed / name).read_bytes() == (once / name).read_bytes(), name
    assert kills > KILLS // 2


@pytest.mark.parametrize("processes", ["1", "2"] if KILLS > 1 else ["2"])
def test_a_killed_recording_ends_with_the_same_bytes(tmp_path, processes):
    pytest.importorskip("pyarrow", reason="the data extra is not installed")
    once, killed = tmp_path / "once", tmp_path / "killed"
    gubs(*RECORD, "--out", once)
    command = [*RECORD, "--out", str(killed), "--processes", processes]
    kills = kill_often(command, [*command, "--resume"], killed / "_games.jsonl", seed=2)
    gubs(*RECORD, "--out", killed, "--resume")
    files = [path.name for path in once.glob("*games*") if not path.name.startswith(".")]
    assert len(files) > 1
    for name in files:
        assert (killed / name).read_bytes() == (once / name).read_bytes(), name
    assert kills > KILLS // 2


@pytest.mark.skipif(KILLS < 2, reason="at night: tests/training kills runs too")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_training_run_goes_on_and_ends_with_the_same_bytes(tmp_path, workers):
    once, killed = tmp_path / "once", tmp_path / "killed"
    command = [*TRAIN, "--workers", workers, "--out"]
    gubs(*command, once)
    begin, resume = [*command, str(killed)], ["train", "--resume", str(killed)]
    kills = kill_often(begin, resume, killed / "metrics.csv", seed=1)
    gubs(*resume)
    for name in ("best.safetensors", "metrics.csv", "evaluations.csv"):
        assert (killed / name).read_bytes() == (once / name).read_bytes(), name
    assert (killed / "results.md").exists()
    assert kills > KILLS // 2
