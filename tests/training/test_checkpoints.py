"""Checkpoints that are damaged or of another run: a run goes back to the one before, or refuses.

GUBS_ENV_MUTATIONS=500 pytest tests/training/test_checkpoints.py tries 500 mutations.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import shutil

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the train extra is not installed")

from gubs_agents.training.checkpoint import (
    ARRAYS_FILE,
    HASHES_FILE,
    NUMBERS_FILE,
    read_newest,
    write,
)
from gubs_agents.training.errors import TrainingError
from gubs_agents.training.run import Run
from tests.training.test_training import tiny

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning"),
]
MUTATIONS = int(os.environ.get("GUBS_ENV_MUTATIONS", "40"))
SMALL = {"steps": 1024, "imitate": 0, "checkpoint_every": 1, "snapshot_every": 1}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make a run of two updates."""
    folder = tmp_path_factory.mktemp("made")
    Run(tiny(folder, **SMALL)).train()
    return folder


@pytest.fixture
def folder(made, tmp_path):
    shutil.copytree(made, tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize("seed", range(MUTATIONS))
def test_a_damaged_checkpoint_is_noticed_and_the_one_before_it_used(folder, seed):
    rng = np.random.default_rng(seed)
    newest, _ = read_newest(folder / "checkpoints")
    path = newest.path / (ARRAYS_FILE, NUMBERS_FILE, HASHES_FILE)[seed % 3]
    before = path.read_bytes()
    data = bytearray(before[: rng.integers(len(before))] if seed % 2 else before)
    for _ in range(rng.integers(1, 4)):
        if data:
            data[rng.integers(len(data))] ^= rng.integers(1, 256)
    path.write_bytes(data)
    found, damaged = read_newest(folder / "checkpoints")
    assert (found.numbers["run"]["update"], damaged) == (1, [newest.path])


FOREIGN = {
    "an array is missing": (lambda a, n: a.pop("starts"), "KeyError: 'starts'"),
    "fewer games": (
        lambda a, n: a.update({"games/lengths": a["games/lengths"][1:]}),
        r"lengths must be int64 of the shape \(16,\), not int64 of the shape \(15,\)",
    ),
    "another opponent": (
        lambda a, n: n["games"].update(labels=[f"my {label}" for label in n["games"]["labels"]]),
        "in the state's games sit opponents that are absent: {'my ",
    ),
    "another width": (
        lambda a, n: a.update({"learner/policy/policy.bias": np.zeros(3, np.float32)}),
        r"RuntimeError: Error\(s\) in loading state_dict for PolicyAndValue: size mismatch",
    ),
    "a moment of another width": (
        lambda a, n: a.update({"learner/optimizer/0/exp_avg": np.zeros((2, 2), np.float32)}),
        "0/exp_avg must be float32 of the shape",
    ),
    "a snapshot of another width": (
        lambda a, n: a.update({"opponents/update 0/0/bias": np.zeros(9, np.float32)}),
        r"layer 0 is float32\[16, \d+\] and float32\[9\]",
    ),
    "a snapshot that has no network": (
        lambda a, n: n["opponents"]["snapshots"].append("update 9"),
        "KeyError: 'update 9'",
    ),
    "an RNG of PyTorch in disorder": (
        lambda a, n: a["learner/rng/order"].fill(255),
        "RuntimeError",
    ),
    "a table that is shorter": (
        lambda a, n: n["run"]["sizes"].update({"metrics.csv": 10**12}),
        r"metrics\.csv has \d+ bytes; at the checkpoint it had 1000000000000",
    ),
    "a number is missing": (lambda a, n: n["run"].pop("best"), "KeyError: 'best'"),
}


@pytest.mark.parametrize("change", FOREIGN)
def test_a_checkpoint_of_another_run_is_refused_in_one_line(folder, change):
    edit, message = FOREIGN[change]
    newest, _ = read_newest(folder / "checkpoints")
    arrays, numbers = dict(newest.arrays), copy.deepcopy(newest.numbers)
    edit(arrays, numbers)
    write(folder / "checkpoints", int(newest.path.name), arrays, numbers)
    before = {path: path.read_bytes() for path in folder.glob("*.*") if path.is_file()}
    with pytest.raises(TrainingError, match=message) as raised:
        Run(tiny(folder, **SMALL), resume=True)
    said = str(raised.value)
    assert said.startswith(f"{newest.path}: ")
    assert "another version of gubs_env wrote this checkpoint, or it was edited; " in said
    assert "\n" not in said
    assert before == {path: path.read_bytes() for path in before}


class Evil:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("name", [ARRAYS_FILE, NUMBERS_FILE, HASHES_FILE])
def test_a_forged_checkpoint_runs_no_code(folder, tmp_path, name):
    newest, _ = read_newest(folder / "checkpoints")
    data = pickle.dumps(Evil(str(tmp_path / "ran")))
    (newest.path / name).write_bytes(data)
    if name != HASHES_FILE:
        hashes = json.loads((newest.path / HASHES_FILE).read_text())
        hashes[name] = hashlib.sha256(data).hexdigest()
        (newest.path / HASHES_FILE).write_text(json.dumps(hashes))
    _, damaged = read_newest(folder / "checkpoints")
    assert damaged == [newest.path]
    assert not (tmp_path / "ran").exists()
