"""Checkpoints that were edited, with hashes that fit: a run goes on, or ends with one clear line.

GUBS_ENV_MUTATIONS=500 pytest tests/training/test_checkpoints.py tries 500 mutations.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import shutil

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the train extra is not installed")

from gubs_agents.training.checkpoint import (
    ARRAYS_FILE,
    HASHES_FILE,
    NUMBERS_FILE,
    read_newest,
    write_checkpoint,
)
from gubs_agents.training.run import Run, TrainingError
from tests.training.test_training import tiny

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning"),
]
MUTATIONS = int(os.environ.get("GUBS_ENV_MUTATIONS", "40"))
SMALL = {"steps": 1024, "imitate": 0, "checkpoint_every": 1, "snapshot_every": 1}
ODD = [None, True, -1, 0, 1.5, 2**31, 2**63, 1e300, "", "newest", "update 7", [], {}, [1], {"a": 1}]


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


def resume(folder):
    """Continue the run for an update; return what its error says, if it is refused."""
    try:
        run = Run(tiny(folder, **SMALL | {"steps": 1536}), resume=True)
        run.train()
    except TrainingError as error:  # while it trains, for weights that are huge
        return str(error)
    assert run.timesteps == 1536
    return None


def rewrite(folder, change):
    """Write the newest checkpoint anew after `change(arrays, numbers)`."""
    newest, _ = read_newest(folder / "checkpoints")
    arrays, numbers = dict(newest.arrays), copy.deepcopy(newest.numbers)
    change(arrays, numbers)
    write_checkpoint(folder / "checkpoints", int(newest.path.name), arrays, numbers)


def set_in(numbers, path, value):
    *parents, last = path
    for name in parents:
        numbers = numbers[name]
    numbers[last] = value


EDITS = {
    "its array is missing": (
        lambda a, n: a.pop("starts"),
        "collector: unknown or missing arrays: starts",
    ),
    "an array too many": (
        lambda a, n: a.update(extra=np.zeros(3)),
        "collector: unknown or missing arrays: extra",
    ),
    "starts of another length": (
        lambda a, n: a.update(starts=np.ones(3, bool)),
        r"collector: array starts is bool\[3\], expected is bool\[16\]",
    ),
    "bytes that are no bools": (
        lambda a, n: a.update(starts=np.full(16, 7, np.uint8).view(bool)),
        "collector: array starts holds bytes that are no bools",
    ),
    "weights of another shape": (
        lambda a, n: a.update({"learner/policy/policy.bias": np.zeros(3, np.float32)}),
        "learner: array policy/policy.bias is",
    ),
    "weights that are not finite": (
        lambda a, n: a["learner/policy/policy.bias"].fill(np.nan),
        "learner: array policy/policy.bias holds numbers that are not finite",
    ),
    "a moment of another shape": (
        lambda a, n: a.update({"learner/optimizer/0/exp_avg": np.zeros((2, 2), np.float32)}),
        "learner: array optimizer/0/exp_avg is",
    ),
    "a moment is missing": (
        lambda a, n: a.pop("learner/optimizer/0/exp_avg"),
        "learner: unknown or missing arrays: optimizer/0/exp_avg",
    ),
    "a negative second moment": (
        lambda a, n: a["learner/optimizer/0/exp_avg_sq"].fill(-1),
        "learner: array optimizer/0/exp_avg_sq holds negative numbers",
    ),
    "an RNG of PyTorch in disorder": (
        lambda a, n: a["learner/rng/order"].fill(255),
        "RuntimeError",
    ),
    "an opponent's layer of another shape": (
        lambda a, n: a.update({"opponents/update 0/0/bias": np.zeros(9, np.float32)}),
        "opponents: array update 0/0/bias is",
    ),
    "a snapshot that has no network": (
        lambda a, n: n["opponents"]["snapshots"].append("update 9"),
        "opponents: snapshots: different labels like",
    ),
    "a share of a win that is none": (
        lambda a, n: set_in(n, ("opponents", "win_shares", "greedy"), 7),
        "opponents: win_shares: 'greedy': 7",
    ),
    "an interval of no updates": (
        lambda a, n: set_in(n, ("opponents", "every"), 0),
        "opponents: every=0: must be 1 to ",
    ),
    "an interval that no doubling gives": (
        lambda a, n: set_in(n, ("opponents", "every"), 2**62),
        "opponents: every=4611686018427387904: must be 1 to 4",
    ),
    "games longer than they are": (
        lambda a, n: a["games/lengths"].fill(2**40),
        "lengths: the learner cannot have made more decisions than its games",
    ),
    "a table with fewer rows than updates": (
        lambda a, n: set_in(n, ("run", "sizes", "metrics.csv"), 0),
        "run: update=2, but metrics.csv has 0 rows up to 0 bytes",
    ),
    "an opponent that is nobody": (
        lambda a, n: a["games/seating"].fill(99),
        "games: seating:",
    ),
    "two seats of the learner": (
        lambda a, n: a["games/seating"].fill(-1),
        "games: seating:",
    ),
    "a generator of another kind": (
        lambda a, n: set_in(n, ("games", "rng", "bit_generator"), "Philox"),
        "games: rng: this is no state of PCG64",
    ),
    "a rollout with a move that is not legal": (
        lambda a, n: a["ahead/masks"][0, 0].fill(False),
        "ahead: actions: one of them is not legal",
    ),
    "a rollout with an action that does not exist": (
        lambda a, n: a["ahead/actions"].fill(10**6),
        "ahead: actions: one of them is not legal",
    ),
    "a rollout with a negative count": (
        lambda a, n: a["ahead/observations"].fill(-1),
        "ahead: observations: out of the range",
    ),
    "a rollout with what the learner does not write": (
        lambda a, n: a.update({"ahead/extras/values": a["ahead/rewards"]}),
        "ahead: unknown or missing arrays: extras/values",
    ),
    "a game cut off that does not exist": (
        lambda a, n: a.update(
            {
                "ahead/cut_off": np.array([[0, 10**6]]),
                "ahead/last_observations": a["ahead/observations"][0, :1],
            }
        ),
        "ahead: cut_off: steps and games are below",
    ),
    "an unknown agent among the latest": (
        lambda a, n: set_in(n, ("run", "latest", "nobody"), [0.5, 0, 1, 2]),
        "run: latest: 'nobody' is not a baseline",
    ),
    "steps that do not fit the updates": (
        lambda a, n: set_in(n, ("run", "timesteps"), 7),
        "run: timesteps=7: 2 updates have 1024",
    ),
    "another update than that of its folder": (
        lambda a, n: n["run"].update(update=1, timesteps=512),
        "run: update=1: the folder is of update 00000002",
    ),
    "a table longer than it is": (
        lambda a, n: set_in(n, ("run", "sizes", "metrics.csv"), 10**12),
        "run: sizes: metrics.csv: 1000000000000, but the table in the folder has",
    ),
    "a table cut off in a line": (
        lambda a, n: set_in(n, ("run", "sizes", "metrics.csv"), 5),
        "run: sizes: metrics.csv: 5 is not the end of a line",
    ),
    "no object": (lambda a, n: n.update(run=[]), "run: no object with fields"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_checkpoint_is_refused_by_the_name_of_the_part(folder, edit):
    change, message = EDITS[edit]
    before = {path: path.read_bytes() for path in folder.glob("*.*") if path.is_file()}
    rewrite(folder, change)
    with pytest.raises(TrainingError, match=message) as raised:
        Run(tiny(folder, **SMALL), resume=True)
    assert "the checkpoint was edited; delete its folder to go back" in str(raised.value)
    assert before == {path: path.read_bytes() for path in before}


def test_an_edited_rng_of_stable_baselines3_is_refused(tmp_path):
    options = tiny(tmp_path, **SMALL, learner="sb3")
    Run(options).train()
    rewrite(tmp_path, lambda a, n: set_in(n, ("learner", "numpy", 1), 10**9))
    with pytest.raises(TrainingError, match="learner: numpy: this is no state of MT19937"):
        Run(options, resume=True)


def places_in(value, path=()):
    """Yield the path of every value inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, inner in items:
        yield (*path, name)
        if isinstance(inner, dict | list):
            yield from places_in(inner, (*path, name))


def mutate_numbers(rng, arrays, numbers):
    places = list(places_in(numbers))
    set_in(numbers, places[rng.integers(len(places))], ODD[rng.integers(len(ODD))])


def mutate_arrays(rng, arrays, numbers):
    name = sorted(arrays)[rng.integers(len(arrays))]
    array = np.atleast_1d(arrays[name].copy())
    kind = rng.integers(5)
    if kind == 0:
        array.view(np.uint8).reshape(-1)[:] = rng.integers(256, size=array.nbytes, dtype=np.uint8)
    elif kind == 1:
        array.view(np.uint8).reshape(-1)[rng.integers(array.nbytes)] ^= 1 << rng.integers(8)
    elif kind == 2:
        array = array[: rng.integers(len(array))]
    elif kind == 3:
        array = array.astype([np.float64, np.int8, np.uint8, np.bool_][rng.integers(4)])
    else:
        array = array.ravel()[None]
    arrays[name] = array


def mutate_bytes(rng, folder):
    """Change bytes of a file of the newest checkpoint, and compute its hashes anew."""
    newest, _ = read_newest(folder / "checkpoints")
    name = (NUMBERS_FILE, ARRAYS_FILE)[rng.integers(2)]
    data = bytearray((newest.path / name).read_bytes())
    for _ in range(rng.integers(1, 4)):
        data[rng.integers(len(data))] = rng.integers(256)
    (newest.path / name).write_bytes(data)
    hashes = json.loads((newest.path / HASHES_FILE).read_text())
    hashes[name] = hashlib.sha256(data).hexdigest()
    (newest.path / HASHES_FILE).write_text(json.dumps(hashes))


@pytest.mark.parametrize("seed", range(MUTATIONS))
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_a_mutated_checkpoint_is_resumed_or_refused(folder, seed):
    rng = np.random.default_rng(seed)
    kind = seed % 3
    if kind == 2:
        mutate_bytes(rng, folder)
    else:
        mutate = (mutate_numbers, mutate_arrays)[kind]
        rewrite(folder, lambda arrays, numbers: mutate(rng, arrays, numbers))
    said = resume(folder)
    assert said is None or ("\n" not in said and str(folder) in said), said
