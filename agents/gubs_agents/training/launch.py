"""The processes of a run: this one, workers of this machine, or workers of a Ray cluster."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import tempfile
from dataclasses import replace
from types import FrameType
from typing import Any

import torch.distributed as dist
from torch.distributed.elastic.multiprocessing import DefaultLogsSpecs
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from gubs_agents.training.options import Options
from gubs_agents.training.run import Run, TrainingError, check_new
from gubs_env.commands.main import MENDABLE
from gubs_env.support.cluster import RAY, connect, sendable, wait_for_the_compiler
from gubs_env.support.files import expanded

RESTARTS = 10
"""How often a run goes on from its last checkpoint after the loss of workers."""


def train(options: Options, resume: bool = False) -> None:
    """Train with all workers of a run, measure its network and write the report.

    A worker that dies ends the update under way: all begin again from the last checkpoint. In a
    process that torchrun started, this is one of the workers.

    Args:
        options: the options of the run.
        resume: continue the run in the folder `options.out`.

    Raises:
        KeyboardInterrupt: after Ctrl-C; the run can be resumed.
        ModuleNotFoundError, ConnectionError: as for `connect`, with `backend="ray"`.
        OSError, TrainingError: as for `Run`.
    """
    if dist.is_torchelastic_launched():
        again = int(os.environ["TORCHELASTIC_RESTART_COUNT"]) > 0
        _train_in_group(options, resume or again)
    elif options.backend == RAY:
        _train_on_ray(options, resume)
    elif options.workers > 1:
        _train_in_processes(options, resume)
    else:
        _train(options, resume)


def _train(options: Options, resume: bool) -> None:
    """Do the work of one worker."""
    run = Run(options, resume)
    if run.first and run.timesteps and run.progress == 1:
        print(f"nothing left to train: {run.timesteps:,} steps of self-play are done; a larger "
              "--steps or --minutes continues")  # fmt: skip
    run.train()
    if run.stopping:
        raise KeyboardInterrupt
    run.report()


def _train_in_group(options: Options, resume: bool) -> None:
    """Do the work of one worker in the process group of those that were started with it."""
    dist.init_process_group()
    try:
        _train(options, resume)
    finally:
        dist.destroy_process_group()  # so that the others notice if this one has failed


def _outcome(options: Options) -> BaseException | None:
    """Do the work of one worker, from the last checkpoint if there is one, and return its error.

    An error that is returned ends the run. The death of a process starts the workers again.
    """
    os.setpgid(0, 0)  # a Ctrl-C at the terminal reaches the parent, which passes it on
    try:
        _train_in_group(options, resume=True)
    except (*MENDABLE, KeyboardInterrupt) as error:
        return sendable(error)
    return None


def _raise_first(outcomes: list[BaseException | None]) -> None:
    """Raise the error that ended a run, rather than what the other workers then saw."""
    errors = [error for error in outcomes if error is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, ConnectionError)):
        raise error


def _train_in_processes(options: Options, resume: bool) -> None:
    if not resume:
        check_new(expanded(options.out))
    logging.getLogger("torch.distributed.elastic").setLevel(logging.CRITICAL)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (cores or 1) // options.workers)))
    before = signal.signal(signal.SIGINT, _pass_on)
    try:
        with tempfile.TemporaryDirectory() as folder:
            config = LaunchConfig(
                min_nodes=1, max_nodes=1, nproc_per_node=options.workers, rdzv_backend="c10d",
                rdzv_endpoint="localhost:0", local_addr="localhost", run_id="gubs",
                max_restarts=RESTARTS, logs_specs=DefaultLogsSpecs(folder),
                signals_to_handle="SIGTERM,SIGHUP,SIGQUIT",
            )  # fmt: skip
            outcomes = elastic_launch(config, _outcome)(options)
    except ChildFailedError as error:
        raise TrainingError(
            f"workers died {RESTARTS + 1} times, the last with exit code "
            f"{error.get_first_failure()[1].exitcode}; --resume {options.out} continues"
        ) from error
    finally:
        signal.signal(signal.SIGINT, before)
    _raise_first(list(outcomes.values()))


def _pass_on(number: int, frame: FrameType | None) -> None:
    """Let the workers stop after the update under way; a second Ctrl-C ends them at once."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for worker in multiprocessing.active_children():
        if worker.pid:
            os.kill(worker.pid, signal.SIGINT)


# -------------------------------------------------------------------------------- a Ray cluster


def _train_on_ray(options: Options, resume: bool) -> None:
    connect(options.workers)
    from ray.train import FailureConfig, RunConfig, ScalingConfig
    from ray.train.torch import TorchConfig, TorchTrainer
    from ray.util.queue import Queue

    folder = expanded(options.out).absolute()
    if not resume:
        check_new(folder)
    errors, on_gpu = Queue(), options.device != "cpu"
    trainer = TorchTrainer(
        _work_on_ray,
        train_loop_config={"options": replace(options, out=str(folder)), "errors": errors},
        torch_config=TorchConfig("cpu:gloo,cuda:nccl" if on_gpu else "gloo"),
        scaling_config=ScalingConfig(
            num_workers=options.workers, use_gpu=on_gpu, resources_per_worker={"CPU": 1}
        ),
        run_config=RunConfig(
            "ray", str(folder), failure_config=FailureConfig(max_failures=RESTARTS)
        ),
    )
    trainer.fit()
    _raise_first(errors.get_nowait_batch(errors.size()))


def _work_on_ray(config: dict[str, Any]) -> None:
    wait_for_the_compiler()
    try:
        _train(config["options"], resume=True)
    except MENDABLE as error:
        config["errors"].put(sendable(error))
