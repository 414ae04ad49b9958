"""Workers that train together: they take the step of one, and none is missed when it dies."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="the train extra is not installed")

import torch
import torch.distributed as dist
from safetensors.numpy import save
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from gubs_agents.training import distributed, launch
from gubs_agents.training.checkpoint import finished_folders
from gubs_agents.training.errors import TrainingError
from gubs_agents.training.evaluation import evaluate
from gubs_agents.training.options import Options
from gubs_agents.training.ppo import PPOLearner
from gubs_agents.training.rollout import arrays_of, rollout_of
from gubs_agents.training.run import Run
from gubs_agents.training.worker import Worker
from gubs_env.support import cluster
from gubs_env.support.cluster import DiedError
from tests.amounts import MORE
from tests.commands import gubs
from tests.training.test_training import KILLS, contents, rows_written, tiny, words

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning"),
    pytest.mark.usefixtures("quick_processes"),
]
WHOLE = {"epochs": 1, "batch": 16 * 32, "precision": "float32", "games": 16}
"""Options with which an update is a single step."""
SECRET = b"known to all workers of this test"
UPDATES = 6 + KILLS  # enough for that many kills
SHORT = {"steps": 512 * UPDATES}


def step(rank, workers, folder, arrays, following, weights):
    """Take the step of one of the workers, and leave its gradients and an evaluation in a file."""
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=workers
    )
    distributed.admit(SECRET)
    options = tiny(folder, workers=workers, **WHOLE).share(rank, 0)
    own = slice(rank * options.games, (rank + 1) * options.games)
    parts = {name: array if name in ("cut_off", "last_observations") else array[:, own]
             for name, array in arrays.items()}  # fmt: skip
    worker = Worker(options, PPOLearner, {})
    worker.learner.set_weights(weights)
    metrics = worker.learner.learn(rollout_of(parts, following[own]), 0.0)
    against = {"itself": worker.learner.player}
    player = worker.player(worker.weights(), draw=False)
    results = evaluate(player, against, options.table, deals=3, first_deal=0)
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
    given = workers, tmp_path, arrays_of(rollout), rollout.next_observations, weights
    method = cluster.CONTEXT.get_start_method()
    torch.multiprocessing.start_processes(step, given, workers, start_method=method)
    expected = learner.learn(rollout, 0.0)
    player = run.worker.player(weights, draw=False)
    results = evaluate(player, {"itself": learner.player}, run.table, 3, 0)
    found = [torch.load(tmp_path / f"{rank}.pt") for rank in range(workers)]
    for gradients, metrics, result in found:
        assert torch.equal(gradients, found[0][0])
        torch.testing.assert_close(gradients, gradients_of(learner), rtol=1e-4, atol=1e-6)
        assert metrics == pytest.approx(expected, rel=1e-4, abs=1e-6)
        assert result[3] == results["itself"].games
        assert result[0] == pytest.approx(results["itself"].rate, abs=0.2)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Return the folder of a short run of two workers; read only."""
    folder = tmp_path_factory.mktemp("alone")
    launch.train(tiny(folder / "run", **SHORT, workers=2))
    return folder / "run"


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


def check_same(alone, other):
    """Check that two runs have written the same bytes, in their checkpoints too."""
    found, expected = contents(other), contents(alone)
    assert [name for name in found | expected if found.get(name) != expected.get(name)] == []
    for name in ("1-arrays.safetensors", "arrays.safetensors"):
        one, two = (finished_folders(f / "checkpoints")[-1] / name for f in (alone, other))
        assert one.read_bytes() == two.read_bytes()


def train_with_torchrun(folder):
    """Run `gubs train` in a process that torchrun has started."""
    os.environ[launch.SECRET] = SECRET.decode()
    gubs(*words(folder, **SHORT, workers=2))


def test_torchrun_starts_the_same_workers(alone, tmp_path):
    method = cluster.CONTEXT.get_start_method()
    torchrun = LaunchConfig(
        1, 1, 2, rdzv_backend="c10d", rdzv_endpoint="localhost:0", start_method=method
    )
    with ThreadPoolExecutor(1) as thread:  # its handlers of signals would stay in the main one
        thread.submit(elastic_launch(torchrun, train_with_torchrun), tmp_path / "run").result()
    check_same(alone, tmp_path / "run")


def test_killed_workers_are_not_missed(alone, tmp_path):
    """The bytes are those of undisturbed workers."""
    killed, kills, ended = tmp_path / "killed", [0] * KILLS, threading.Event()
    killer = threading.Thread(target=kill_some, args=(killed, kills, ended))
    killer.start()
    try:
        launch.train(tiny(killed, **SHORT, workers=2))
    finally:
        ended.set()
        killer.join()
    assert not kills
    check_same(alone, killed)
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
    options = tiny(tmp_path, workers=2, imitate=0, **opponents)
    with ThreadPoolExecutor(1) as thread:  # signals reach the main one only
        training = thread.submit(launch.train, options)
        with pytest.raises(ArithmeticError, match="this opponent cannot count"):
            training.result()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("losses", "message"),
    [
        ([DiedError(1)] * 2, "lost twice at their start: a process ended with status 1"),
        ([ConnectionError("no way")] * 2, "lost twice at their start: no way; --resume"),
        ([DiedError(-9), DiedError(-11)] * 6, "lost 11 times: a process was ended by signal 9"),
    ],
)
def test_the_cause_ends_a_run_that_cannot_start(tmp_path, monkeypatch, losses, message):
    coming = iter(losses)
    monkeypatch.setattr(launch, "_loss", lambda *_: next(coming))
    with pytest.raises(TrainingError, match=message):
        launch.train(tiny(tmp_path, workers=2))


def test_workers_that_were_lost_while_they_trained_go_on(tmp_path, monkeypatch):
    coming = iter([DiedError(-9)] * 5 + [None])

    def lose(common, count, meeting):
        launch._begun(Path(meeting)).touch()
        return next(coming)

    monkeypatch.setattr(launch, "_loss", lose)
    launch.train(tiny(tmp_path, workers=2))
    assert next(coming, "all came") == "all came"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists who listens, in /proc")
def test_workers_listen_here_only_and_end_with_their_command(tmp_path):
    """Their ends of its pipe are then closed, into which they wrote nothing more."""
    main = subprocess.Popen(
        [sys.executable, "-m", "gubs_env", *words(tmp_path, steps=10**7, imitate=0, workers=2)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ | {"TQDM_DISABLE": "1"},
    )  # fmt: skip
    while rows_written(tmp_path) < 2 and main.poll() is None:
        time.sleep(0.01)
    children = Path(f"/proc/{main.pid}/task/{main.pid}/children").read_text().split()
    listening = [address for pid in [main.pid, *children] for address in listened(pid)]
    main.kill()
    assert (main.communicate(timeout=60)[0], len(listening)) == (b"", 2)
    assert {*listening} == {"0100007F"}, "127.0.0.1"


def listened(process):
    """Return the addresses on which a process listens, as the kernel writes them."""
    folder = Path(f"/proc/{process}")
    own = {os.readlink(link) for link in (folder / "fd").iterdir() if link.is_symlink()}
    tables = [(folder / "net" / kind).read_text().splitlines()[1:] for kind in ("tcp", "tcp6")]
    lines = [line.split() for table in tables for line in table]
    listening = [line for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in own]
    return [address.partition(":")[0] for _, address, *_ in listening]


# ------------------------------------------------------------------------------------ strangers


class Wire:
    """A process group of two in one process: what this worker says, and what the other answers."""

    def __init__(self, answers):
        self.answers, self.said = iter(answers), []

    def __call__(self, data):
        self.said.append(data)
        return [data, next(self.answers)(data)]


@pytest.fixture
def wired(monkeypatch):
    """Return a function that puts another worker at the end of the wire."""

    def wire(*answers):
        monkeypatch.setattr(distributed, "_from_all", Wire(answers))
        monkeypatch.setattr(distributed, "size", lambda: 2)
        monkeypatch.setattr(distributed, "rank", lambda: 0)
        monkeypatch.setattr(distributed, "read_json", read)

    def read(*_):
        raise AssertionError("a stranger was listened to")

    return wire


def repeated(data):
    return data


def of_length(number):
    return lambda data: number.to_bytes(8, "big") + bytes(32)


def header(secret, worker, message):
    """Return an answer: the header of a message of one who knows another secret."""

    def answer(data):
        digests = distributed._Digests(secret)
        return len(message).to_bytes(8, "big") + digests.of(worker, message)

    return answer


@pytest.mark.parametrize(
    "told",
    [
        [repeated, repeated],  # what the first worker said
        [of_length(4), lambda data: b"null"],
        [of_length(2**63), lambda data: data],
        [header(b"another", 1, b"null"), lambda data: b"null"],
    ],
)
def test_nobody_is_listened_to_who_does_not_know_the_secret(wired, told):
    wired(lambda data: bytes(len(data)), *told)
    with pytest.raises(
        PermissionError, match="worker 1 does not know the secret of this run: start"
    ):
        distributed.admit(SECRET)


def test_a_message_is_heard_once(wired, monkeypatch):
    again = [header(b"key", 1, b"1"), lambda data: b"1"]
    wired(*again, *again)
    monkeypatch.setattr(distributed, "_digests", distributed._Digests(b"key"))
    assert distributed._exchanged(b"2", 10) == [b"2", b"1"]
    with pytest.raises(PermissionError):
        distributed._exchanged(b"2", 10)


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        ({"a": np.zeros(2)}, "of another network: only one has b$"),
        ({"a": np.zeros(2), "b": np.zeros(2), "c": np.zeros(2)}, "only one has c$"),
        ({"a": np.zeros(2), "b": np.zeros(3)}, "b must be float64 of the shape"),
    ],
)
def test_arrays_of_another_network_are_refused(monkeypatch, sent, message):
    monkeypatch.setattr(distributed, "_exchanged", lambda data, most: [save(sent)])
    with pytest.raises(ValueError, match=message):
        distributed.arrays_of_first({"a": np.zeros(2), "b": np.zeros(2)})


@pytest.mark.parametrize("secret", [None, "short"])
def test_torchrun_without_a_secret_is_refused_before_it_meets_anybody(
    tmp_path, monkeypatch, secret
):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
    monkeypatch.delenv(launch.SECRET, raising=False)
    if secret:
        monkeypatch.setenv(launch.SECRET, secret)
    with pytest.raises(ValueError, match="GUBS_ENV_SECRET must hold at least 32 characters"):
        launch.train(tiny(tmp_path, workers=2))


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
