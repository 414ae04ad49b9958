"""Training by RLlib: what it learns is kept, whatever process or node is lost."""

from __future__ import annotations

import contextlib
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
from gubs_agents.networks.network import load
from gubs_agents.training.checkpoint import read_newest, write_checkpoint
from gubs_agents.training.metrics import METRICS, read_table
from gubs_agents.training.options import Options
from gubs_agents.training.rllib.runner import episodes_of
from gubs_agents.training.run import Run, TrainingError

SMALL = {
    "backend": "rllib", "games": 32, "rollout": 16, "batch": 256, "imitate": 0, "width": 16,
    "layers": 1, "evaluation_deals": 4, "report_deals": 4, "snapshot_every": 2, "snapshots": 2,
}  # fmt: skip
UPDATE = 32 * 16


def small(folder, **more):
    return Options(**{**SMALL, "out": str(folder), **more})


@pytest.mark.parametrize("game", ["gubs", "fubnub", "bad_bad_turtle"])
def test_a_run_trains_evaluates_and_exports_a_network(cluster, tmp_path, game):
    run = Run(small(tmp_path, game=game, runners=2, steps=6 * UPDATE, imitate=2048))
    first = run.backend.weights().policy[0][0]
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
    for before, after in zip(kept, again.backend.weights().layers, strict=True):
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
    with pytest.raises(TrainingError, match=r"size mismatch for policy_head\.bias"):
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


def at_update(run, number, action):
    """Let something happen in the middle of an update: a moment after it has begun."""
    before, waiting = run._learn, random.Random(number).uniform(0, 0.3)

    def learn():
        if run.update + 1 == number:
            threading.Timer(waiting, action).start()
        return before()

    run._learn = learn


def kill(run, which):
    """Kill the processes of some runners."""
    group = run.backend.algorithm.env_runner_group
    pids = group.foreach_env_runner(lambda runner: os.getpid(), local_env_runner=False)
    for pid in pids[which]:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("update", [3, 7])
def test_a_killed_runner_is_started_anew(cluster, tmp_path, update):
    run = Run(small(tmp_path, runners=2, steps=40 * UPDATE))
    at_update(run, update, lambda: kill(run, slice(1)))
    run.train()
    assert 40 * UPDATE <= run.timesteps <= 42 * UPDATE
    rows = read_table(tmp_path / METRICS)
    assert all(np.isfinite(float(row["policy_loss"])) for row in rows)
    assert run.backend.algorithm.restarts == 1


@pytest.mark.parametrize("update", [2, 9])
def test_a_lost_node_does_not_end_the_run(cluster, lose_a_node, tmp_path, update):
    run = Run(small(tmp_path, runners=4, steps=20 * UPDATE))
    at_update(run, update, lose_a_node)
    run.train()
    assert 20 * UPDATE <= run.timesteps <= 23 * UPDATE
    assert all(float(row["policy_loss"]) for row in read_table(tmp_path / METRICS))


def test_a_run_whose_runners_are_all_lost_ends_and_can_go_on(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("gubs_agents.training.rllib.backend.PATIENCE", -1.0)
    run = Run(small(tmp_path, runners=2, steps=8 * UPDATE, checkpoint_every=1))
    at_update(run, 3, lambda: [kill(run, slice(None)) for _ in range(2)])
    with contextlib.suppress(TrainingError):  # none is back before the next update, or one is
        run.train()
    again = Run(small(tmp_path, runners=1, steps=8 * UPDATE, checkpoint_every=1), resume=True)
    assert again.update >= 2
    again.train()
    assert again.timesteps >= 8 * UPDATE


class Fails:
    """An agent that raises in the third call outside of the process that made it first."""

    def __init__(self, num_players, seed):
        self.calls, self.num_players = 0, num_players

    def act(self, observations, masks, rngs):
        self.calls += 1
        if os.environ.get("GUBS_ENV_DRIVER") != str(os.getpid()):
            raise ArithmeticError("this opponent cannot count")
        return masks.argmax(1)


def test_an_opponent_that_fails_on_a_runner_is_named(cluster, tmp_path, monkeypatch):
    monkeypatch.setenv("GUBS_ENV_DRIVER", str(os.getpid()))
    run = Run(small(tmp_path, runners=1, steps=8 * UPDATE, baselines=f"random,{__name__}:Fails",
                    baseline_share=1.0, newest_share=0.0))  # fmt: skip
    with pytest.raises(TrainingError, match=r"in update 1: .*ArithmeticError: this opponent"):
        run.train()


def test_returns_are_those_of_stable_baselines(cluster, tmp_path):
    """The same games give the same returns: ended, cut off, and open at the end of a rollout."""
    options = {"game": "fubnub", "rules": "max_cycles=60", "rollout": 64, "games": 16}
    local = Run(small(tmp_path / "local", backend="local", learner="sb3", **options)).backend
    cluster_backend = Run(small(tmp_path / "rllib", **options)).backend
    cluster_backend.set_weights(local.weights())
    local.reset()
    rollout = local.collector.collect(local.learner, 64)
    assert len(rollout.cut_off) > 0
    import torch

    with torch.no_grad():
        local.learner._fill_buffer(rollout)
    expected = local.learner.model.rollout_buffer.returns
    scores = np.zeros((64, 16, rollout.masks.shape[-1]), np.float32)
    extras = {"action_dist_inputs": scores, "action_logp": rollout.extras["log_probs"]}
    episodes = list(episodes_of(rollout._replace(extras=extras)))
    learner = cluster_backend.algorithm.learner_group._learner
    batch = learner._learner_connector(
        rl_module=learner.module, batch={}, episodes=episodes, shared_data={}, metrics=None
    )["default_policy"]
    found = batch["value_targets"].numpy()[batch["loss_mask"].numpy()]
    game_by_game = expected.T.reshape(-1)  # as the episodes come
    np.testing.assert_allclose(found, game_by_game, rtol=1e-4, atol=1e-4)
    cluster_backend.close()


def test_a_killed_driver_goes_on_from_its_last_checkpoint(cluster, tmp_path):
    options = small(tmp_path, steps=400 * UPDATE, checkpoint_every=1)
    words = [
        f"--{name.replace('_', '-')}={value}"
        for name, value in vars(options).items()
        if value not in ("", None)
    ]
    command = [sys.executable, "-m", "gubs_env", "train", *words]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    checkpoints = tmp_path / "checkpoints"
    while not any(path.name > "00000002" for path in checkpoints.glob("0*")):
        assert process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    resumed = Run(replace(options, steps=0), resume=True)
    assert resumed.update >= 3
    resumed.backend.close()


def test_several_learners_share_a_batch(cluster, tmp_path):
    run = Run(small(tmp_path, runners=1, learners=2, steps=3 * UPDATE))
    before = run.backend.weights().policy[0][0]
    run.train()
    assert run.timesteps == 3 * UPDATE
    kept = layers_in_checkpoint(tmp_path)
    assert not np.array_equal(kept[0][0], before)
    again = Run(small(tmp_path, runners=1, learners=2, steps=5 * UPDATE), resume=True)
    runners = again.backend.algorithm.env_runner_group.foreach_env_runner(
        lambda runner: runner.module.weights().policy[0][0], local_env_runner=False
    )
    np.testing.assert_array_equal(runners[0], kept[0][0])
    again.train()
    assert again.timesteps == 5 * UPDATE


def test_options_that_mean_something_else_are_refused(tmp_path):
    for wrong, told in [
        ({"value_clip": 0.2}, r"value_clip=0\.2: with backend=rllib it must be 0"),
        ({"device": "mps"}, "device=mps: with backend=rllib it must be cpu or cuda"),
        ({"runners": 3}, "games=32: must be a multiple of runners=3, such as 30 or 33"),
        ({"backend": "local", "runners": 2}, "runners=2: only backend=rllib has processes of Ray"),
    ]:
        with pytest.raises(ValueError, match=told):
            small(tmp_path, **wrong)
