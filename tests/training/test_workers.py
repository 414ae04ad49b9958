"""Workers that train together: they take the step of one, and none is missed when it dies."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the train extra is not installed")

import torch
import torch.distributed as dist

from gubs_agents.training import launch
from gubs_agents.training.checkpoint import finished_folders
from gubs_agents.training.evaluation import evaluate
from gubs_agents.training.options import Options
from gubs_agents.training.ppo import PPOLearner
from gubs_agents.training.rollout import arrays_of, rollout_of
from gubs_agents.training.run import Run, TrainingError
from gubs_agents.training.worker import Worker
from tests.amounts import MORE
from tests.training.test_training import KILLS, ROOT, TINY, contents, rows_written, tiny

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning"),
]
WHOLE = {"epochs": 1, "batch": 16 * 32, "precision": "float32", "games": 16}
"""Options with which an update is a single step."""
UPDATES = 6 + KILLS  # enough for that many kills
SHORT = TINY | {"steps": 512 * UPDATES}


def step(rank, workers, folder, arrays, following, weights):
    """Take the step of one of the workers, and leave its gradients and an evaluation in a file."""
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=workers
    )
    options = tiny(folder, workers=workers, **WHOLE).share(rank, 0)
    own = slice(rank * options.games, (rank + 1) * options.games)
    parts = {name: array if name in ("cut_off", "last_observations") else array[:, own]
             for name, array in arrays.items()}  # fmt: skip
    worker = Worker(options, PPOLearner)
    worker.set_weights(weights)
    metrics = worker.learner.learn(rollout_of(parts, following[own]), 0.0)
    against = {"itself": worker.learner.player}
    game = worker.env.games.game
    player = worker.player(worker.weights(), draw=False)
    results = evaluate(player, against, game, 2, deals=3, first_deal=0)
    dist.destroy_process_group()
    torch.save([gradients_of(worker.learner), metrics, tuple(results["itself"])],
               f"{folder}/{rank}.pt")  # fmt: skip


def gradients_of(learner):
    return torch.cat([p.grad.flatten() for p in learner.network.parameters()])


@pytest.mark.parametrize("workers", [2, *[4] * (MORE > 1)])
def test_workers_take_the_step_of_one_with_all_their_games(tmp_path, workers):
    run = Run(tiny(tmp_path / "one", **WHOLE))
    run.worker.reset()
    learner, weights = run.worker.learner, run.worker.weights()
    rollout = run.worker.collector.collect(learner, 32)
    torch.multiprocessing.spawn(
        step, (workers, tmp_path, arrays_of(rollout), rollout.next_observations, weights), workers
    )
    expected = learner.learn(rollout, 0.0)
    player = run.worker.player(weights, draw=False)
    results = evaluate(player, {"itself": learner.player}, run.game, 2, 3, 0)
    found = [torch.load(tmp_path / f"{rank}.pt") for rank in range(workers)]
    for gradients, metrics, result in found:
        assert torch.equal(gradients, found[0][0])
        torch.testing.assert_close(gradients, gradients_of(learner), rtol=1e-4, atol=1e-6)
        assert metrics == pytest.approx(expected, rel=1e-4, abs=1e-6)
        assert result[3] == results["itself"].games
        assert result[0] == pytest.approx(results["itself"].rate, abs=0.2)


def kill_some(folder, kills, until):
    """Kill a worker at random moments until the run has ended."""
    rng = np.random.default_rng(0)
    while kills and not until.is_set():
        more = rows_written(folder) + rng.integers(1, 4)
        while not until.is_set() and rows_written(folder) != more:
            time.sleep(0.001)
        time.sleep(rng.uniform(0, 0.1))
        for worker in multiprocessing.active_children()[:1]:
            worker.kill()
            kills.pop()


def test_killed_workers_are_not_missed(tmp_path):
    """The bytes are those of undisturbed workers, which torchrun has started."""
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    options = [f"--{name.replace('_', '-')}={value}" for name, value in SHORT.items()]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    subprocess.run(
        [*torchrun, "train.py", *options, "--workers=2", f"--out={alone}"], cwd=ROOT, check=True,
        capture_output=True,
    )  # fmt: skip
    kills, ended = [0] * KILLS, threading.Event()
    killer = threading.Thread(target=kill_some, args=(killed, kills, ended))
    killer.start()
    try:
        launch.train(Options(**SHORT, out=str(killed), workers=2))
    finally:
        ended.set()
        killer.join()
    assert not kills
    one, other = contents(killed), contents(alone)
    assert [name for name in one | other if one.get(name) != other.get(name)] == []
    for name in ("1-arrays.safetensors", "arrays.safetensors"):
        one, other = (finished_folders(f / "checkpoints")[-1] / name for f in (alone, killed))
        assert one.read_bytes() == other.read_bytes()
    with pytest.raises(TrainingError, match="holds a run already"):
        launch.train(tiny(killed, workers=2))
    again = Run(tiny(killed, steps=SHORT["steps"] + 1024), resume=True)
    assert (again.update, again.begun) == (UPDATES, UPDATES)
    again.train()
    again.report()
    said = f"From update {UPDATES} on, another number of workers, 1, went on with new games"
    assert said in (killed / "results.md").read_text()


class Fails:
    """An agent that fails in the second worker."""

    def __init__(self, num_players, seed):
        self.num_players = num_players

    def act(self, observations, masks, rngs):
        if dist.is_initialized() and dist.get_rank() == 1:
            raise ArithmeticError("this opponent cannot count")
        return masks.argmax(1)


def test_an_opponent_that_fails_in_one_worker_is_named(tmp_path, capfd):
    opponents = {"baselines": f"random,{__name__}:Fails", "baseline_share": 1, "newest_share": 0}
    with pytest.raises(ArithmeticError, match="this opponent cannot count"):
        launch.train(tiny(tmp_path, workers=2, imitate=0, **opponents))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 3}, "games=1024: must be a multiple of workers=3, such as 1026"),
        ({"workers": 2, "batch": 125}, "batch=125: must be a multiple of workers=2, such as 126"),
        ({"workers": 2, "learner": "sb3"}, "workers=2: with learner=sb3 it must be 1"),
        ({"backend": "ray", "learner": "sb3"}, "backend=ray: with learner=sb3 it must be local"),
        ({"backend": "rllib"}, "backend='rllib': allowed are local, ray"),
    ],
)
def test_options_that_workers_cannot_have_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Options(**options)


def test_a_worker_without_the_others_is_refused(tmp_path):
    with pytest.raises(ValueError, match="workers=2: here are 1; `gubs train` starts all of them"):
        Run(tiny(tmp_path, workers=2))
