"""The processes of a run: this one, workers of this machine, or workers of a Ray cluster."""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import torch.distributed as dist

from gubs_agents.training import checkpoint
from gubs_agents.training.distributed import admit, group
from gubs_agents.training.errors import TrainingError
from gubs_agents.training.options import Options
from gubs_agents.training.run import Run
from gubs_env.engine.compiling import usable_cores
from gubs_env.support import cluster
from gubs_env.support.files import expanded
from gubs_env.support.system import end_with_parent, handling, leave_terminal, pass_interrupt_on

RESTARTS = 10
"""How often a run goes on from its last checkpoint after the loss of workers."""
LOST = "workers were lost {}: {}; --resume {} continues"
SECRET = "GUBS_ENV_SECRET"
"""The variable with what all workers of torchrun must know."""
SECRET_BYTES = 32


def train(options: Options, resume: bool = False) -> None:
    """Train with all workers of a run, measure its network and write the report.

    A worker that dies ends the update under way: all begin again from the last checkpoint. In a
    process that torchrun started, this is one of the workers. In a thread other than the main one,
    Ctrl-C stays with the program.

    Args:
        options: the options of the run.
        resume: continue the run in the folder `options.out`.

    Raises:
        KeyboardInterrupt: after Ctrl-C; the run can be resumed.
        ModuleNotFoundError, ConnectionError: as for `connect`, with `backend="ray"`.
        PermissionError: if a worker does not know the secret of the run.
        OSError, TrainingError: as for `Run`; TrainingError also if workers are lost too often, or
            twice in the same way before they train.
        ValueError: without a secret, in a process that torchrun started.
    """
    if dist.is_torchelastic_launched():
        secret = _secret()
        end_with_parent()
        attempt = os.environ["TORCHELASTIC_RESTART_COUNT"]
        store, rank, _ = next(dist.rendezvous("env://"))
        with group(dist.PrefixStore(attempt, store), rank, options.workers, secret):
            _train(options, resume or attempt != "0")
    elif options.backend == cluster.RAY or options.workers > 1:
        if not resume:
            checkpoint.check_new(expanded(options.out))
        (_train_on_ray if options.backend == cluster.RAY else _train_in_processes)(options)
    else:
        _train(options, resume)


def _secret() -> bytes:
    """Return the secret of the environment; raise ValueError if it is missing or short."""
    secret = os.environ.get(SECRET, "").encode()
    if len(secret) < SECRET_BYTES:
        raise ValueError(
            f"{SECRET} must hold at least {SECRET_BYTES} characters, the same for all workers: "
            "docs/scaling.md shows how to make such a secret"
        )
    return secret


def _train(
    options: Options, resume: bool, on_row: Callable[[str, dict[str, Any]], object] | None = None
) -> None:
    """Do the work of one worker; arguments as for `Run`."""
    run = Run(options, resume, on_row=on_row)
    if run.first and run.timesteps and run.progress == 1:
        print(f"nothing left to train: {run.timesteps:,} steps of self-play are done; a larger "
              "--steps or --minutes continues")  # fmt: skip
    run.train()
    if run.stopping:
        raise KeyboardInterrupt
    run.report()


# --------------------------------------------------------------------- processes of this machine


def _train_in_processes(options: Options) -> None:
    """Start the workers, and start all of them again when one is lost."""
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, usable_cores() // options.workers)))
    common, failed = cluster.as_bytes((_work, options)), None
    with TemporaryDirectory() as private:
        for attempt in range(1 + RESTARTS):
            meeting = Path(private, str(attempt))
            loss = _loss(common, options.workers, str(meeting))
            if loss is None:
                return
            how = type(loss), getattr(loss, "status", None)
            before, failed = failed, None if _begun(meeting).exists() else how
            if failed and failed == before:
                raise TrainingError(LOST.format("twice at their start", loss, options.out))
    raise TrainingError(LOST.format(f"{1 + RESTARTS} times", loss, options.out))


def _begun(meeting: Path) -> Path:
    """Return the file that is there when workers that met somewhere have begun to train."""
    return meeting.with_suffix(".begun")


def _loss(common: bytes, count: int, meeting: str) -> Exception | None:
    """Let workers train; return how one of them was lost, or None if they have done their work.

    Ctrl-C lets them stop after the update under way, and a second one ends them at once.

    Args:
        common: the work, as `Worker` reads it.
        count: number of workers.
        meeting: the path of the file where they meet, in a folder that only this user can read.
    """
    workers: list[cluster.Worker] = []

    def pass_on(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for worker in workers:
            assert worker.process.pid is not None
            pass_interrupt_on(worker.process.pid)

    try:
        with handling(SIGINT=pass_on):
            secret = secrets.token_bytes(SECRET_BYTES)
            for rank in range(count):
                workers.append(cluster.Worker(common))
                workers[-1].begin(rank, meeting, secret)
            if (loss := _first_loss(workers)) is None:
                for worker in workers:
                    worker.leave()
            return loss
    finally:
        for worker in workers:
            worker.kill()


def _first_loss(workers: list[cluster.Worker]) -> Exception | None:
    """Wait until all workers have done their work, or one is lost; return how, or None.

    An error of a worker's own is raised. After a lost connection or an interruption, the others
    have PATIENCE seconds to report the cause, or to write a checkpoint.
    """
    working, first = {*workers}, None
    while working and (
        ended := wait(
            [worker.connection for worker in working], cluster.PATIENCE if first else None
        )
    ):
        for worker in [each for each in workers if each.connection in ended]:
            working.remove(worker)
            try:
                worker.result()
            except (ConnectionError, KeyboardInterrupt) as error:
                first = error if first is None or isinstance(first, ConnectionError) else first
            except cluster.DiedError as error:
                return error
    if isinstance(first, KeyboardInterrupt):
        raise first
    return first


def _work(options: Options, rank: int, meeting: str, secret: bytes) -> None:
    """Do the work of one worker, from the last checkpoint if there is one."""
    leave_terminal()  # Ctrl-C reaches the parent, which passes it on
    os.environ |= {"LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(options.workers)}
    with group(dist.FileStore(meeting, options.workers), rank, options.workers, secret):
        _train(options, True, lambda table, row: _begun(Path(meeting)).touch())


# -------------------------------------------------------------------------------- a Ray cluster


def _train_on_ray(options: Options) -> None:
    cluster.connect(options.workers)
    from ray.train import FailureConfig, RunConfig, ScalingConfig, TrainingFailedError
    from ray.train.torch import TorchConfig, TorchTrainer
    from ray.util.queue import Queue

    folder = expanded(options.out).absolute()
    errors, on_gpu = Queue(), options.device != "cpu"
    shared = {"errors": errors, "secret": secrets.token_bytes(SECRET_BYTES)}
    trainer = TorchTrainer(
        _work_on_ray,
        train_loop_config=shared | {"options": replace(options, out=str(folder))},
        torch_config=TorchConfig("cpu:gloo,cuda:nccl" if on_gpu else "gloo"),
        scaling_config=ScalingConfig(
            num_workers=options.workers, use_gpu=on_gpu, resources_per_worker={"CPU": 1}
        ),
        run_config=RunConfig(
            "ray", str(folder), failure_config=FailureConfig(max_failures=RESTARTS)
        ),
    )
    try:
        trainer.fit()
    except TrainingFailedError as error:
        raise TrainingError(LOST.format(f"{1 + RESTARTS} times", error, options.out)) from error
    while not errors.empty():
        if not isinstance(cause := errors.get(), ConnectionError):
            raise cause
    print((folder / "results.md").read_text())  # the first worker's output stays on its node


def _work_on_ray(config: dict[str, Any]) -> None:
    cluster.wait_for_the_compiler()
    try:
        admit(config["secret"])
        _train(config["options"], resume=True)
    except Exception as error:
        config["errors"].put(cluster.sendable(error))
