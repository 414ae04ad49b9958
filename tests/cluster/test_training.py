"""Training by RLlib: what it learns is kept, whatever process or node is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("ray", reason="needs the extra ray")
pytest.importorskip("sb3_contrib", reason="needs the extra train")
from gubs_agents.network import load
from gubs_agents.training.checkpoint import read_newest, write_checkpoint
from gubs_agents.training.metrics import METRICS, read_table
from gubs_agents.training.options import Options
from gubs_agents.training.run import Run, TrainingError

SMALL = {
    "engine": "rllib", "games": 32, "rollout": 16, "batch": 256, "imitate": 0, "width": 16,
    "layers": 1, "evaluation_deals": 4, "report_deals": 4, "snapshot_every": 2, "snapshots": 2,
}  # fmt: skip
UPDATE = 32 * 16


def small(folder, **more):
    return Options(**{**SMALL, "out": str(folder), **more})


@pytest.mark.parametrize("game", ["gubs", "fubnub", "bad_bad_turtle"])
def test_a_run_trains_evaluates_and_exports_a_network(cluster, tmp_path, game):
    run = Run(small(tmp_path, game=game, runners=2, steps=6 * UPDATE, imitate=2048))
    first = run.engine.weights().policy[0][0]
    run.train()
    results = run.report()
    assert set(results) == set(run.baselines)
    network = load(tmp_path / "best.safetensors", run.game, run.options.players)
    assert network.policy[0][0].shape == first.shape
    assert len(read_table(tmp_path / METRICS)) == 6
    assert len(run.opponents.snapshots) == 2


def test_opponents_are_drawn_from_the_pool_and_told(cluster, tmp_path):
    run = Run(small(tmp_path, baselines="random,greedy", baseline_share=0.5, newest_share=0.5,
                    rollout=64, steps=32 * 64, runners=1))  # fmt: skip
    counted = []
    run.opponents.count = lambda labels, share, sides: counted.extend(labels)
    run.train()
    assert set(counted) == {"random", "greedy", "newest"}


def test_a_run_goes_on_from_its_checkpoint(cluster, tmp_path):
    run = Run(small(tmp_path, steps=3 * UPDATE))
    run.train()
    again = Run(small(tmp_path, steps=6 * UPDATE, runners=1), resume=True)
    assert again.update == 3
    kept = layers_in_checkpoint(tmp_path)
    for before, after in zip(kept, again.engine.weights().layers, strict=True):
        np.testing.assert_array_equal(before[0], after[0])
    assert set(again.opponents.snapshots) == set(run.opponents.snapshots)
    again.train()
    assert again.update == 6
    assert [row["update"] for row in read_table(tmp_path / METRICS)] == list("123456")


def layers_in_checkpoint(folder):
    """Return the layers in the newest checkpoint, in the order of `Weights.layers`."""
    arrays = read_newest(folder / "checkpoints")[0].arrays
    names = ["trunk.hidden.0", "policy_head", "value_head"]
    return [
        tuple(arrays[f"learner/policy/{name}.{kind}"] for kind in ("weight", "bias"))
        for name in names
    ]


def test_an_edited_checkpoint_is_refused(cluster, tmp_path):
    run = Run(small(tmp_path, steps=2 * UPDATE))
    run.train()
    checkpoint, _ = read_newest(tmp_path / "checkpoints")
    arrays = checkpoint.arrays | {"learner/policy/policy_head.bias": np.zeros(3, np.float32)}
    write_checkpoint(tmp_path / "checkpoints", 2, arrays, checkpoint.numbers)
    with pytest.raises(TrainingError, match=r"learner: array policy/policy_head\.bias is"):
        Run(small(tmp_path, steps=3 * UPDATE), resume=True)


def test_a_run_starts_from_a_saved_network(cluster, tmp_path):
    first = Run(small(tmp_path / "first", steps=0))
    first.train()
    saved = tmp_path / "first" / "best.safetensors"
    second = Run(small(tmp_path / "second", steps=0, weights=str(saved)))
    second.train()
    weights = load(saved, first.game, 2)
    again = load(tmp_path / "second" / "best.safetensors", first.game, 2)
    for before, after in zip(weights.layers, again.layers, strict=True):
        np.testing.assert_array_equal(before[0], after[0])


def pids(run):
    group = run.engine.algorithm.env_runner_group
    return group.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)


def test_a_killed_runner_is_started_anew(cluster, tmp_path):
    run = Run(small(tmp_path, runners=2, steps=40 * UPDATE))
    before, rng = pids(run), random.Random(3)
    killer = threading.Timer(rng.uniform(0.5, 3), os.kill, (rng.choice(before), signal.SIGKILL))
    killer.start()
    run.train()
    killer.join()
    assert run.timesteps == 40 * UPDATE
    assert len(read_table(tmp_path / METRICS)) == 40


def test_a_lost_node_does_not_end_the_run(cluster, lose_a_node, tmp_path):
    run = Run(small(tmp_path, runners=4, steps=40 * UPDATE))
    loser = threading.Timer(random.Random(5).uniform(0.5, 3), lose_a_node)
    loser.start()
    run.train()
    loser.join()
    assert run.timesteps == 40 * UPDATE


def test_a_killed_driver_goes_on_from_its_last_checkpoint(tmp_path):
    options = small(tmp_path, steps=400 * UPDATE, checkpoint_every=1)
    words = [
        f"--{name.replace('_', '-')}={value}"
        for name, value in vars(options).items()
        if value not in ("", None)
    ]
    command = [sys.executable, "-m", "gubs_agents.training", *words]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    checkpoints = tmp_path / "checkpoints"
    while not any(path.name > "00000002" for path in checkpoints.glob("0*")):
        assert process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    resumed = Run(replace(options, steps=0), resume=True)
    assert resumed.update >= 3
    resumed.engine.close()


def test_several_learners_share_a_batch(cluster, tmp_path):
    run = Run(small(tmp_path, runners=1, learners=2, steps=3 * UPDATE))
    before = run.engine.weights().policy[0][0]
    run.train()
    assert run.timesteps == 3 * UPDATE
    kept = layers_in_checkpoint(tmp_path)
    assert not np.array_equal(kept[0][0], before)


def test_options_that_mean_something_else_are_refused(tmp_path):
    for wrong, told in [
        ({"value_clip": 0.2}, r"value_clip=0\.2: RLlib's PPO does not clip values; give 0"),
        ({"device": "mps"}, "device=mps: with engine=rllib it must be cpu or cuda"),
        ({"runners": 3}, "games=32: must be a multiple of runners=3"),
        ({"engine": "local", "runners": 2}, "runners=2: only engine=rllib has processes of Ray"),
    ]:
        with pytest.raises(ValueError, match=told):
            small(tmp_path, **wrong)
