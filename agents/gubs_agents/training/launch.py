"""The processes of a run: this one, workers of this machine, or workers of a Ray cluster."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from types import FrameType
from typing import Any

import torch
import torch.distributed as dist
from torch import multiprocessing

from gubs_agents.training.options import Options
from gubs_agents.training.run import Run, TrainingError, check_new
from gubs_env.support.cluster import CONTEXT, RAY, connect, sendable, wait_for_the_compiler
from gubs_env.support.files import expanded

RESTARTS = 10
"""How often a run goes on from its last checkpoint after the loss of workers."""
LOST = f"workers were lost {1 + RESTARTS} times; --resume {{}} continues"


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
        attempt = os.environ["TORCHELASTIC_RESTART_COUNT"]
        store, rank, _ = next(dist.rendezvous("env://"))
        _train_in_group(options, resume or attempt != "0", rank, dist.PrefixStore(attempt, store))
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


def _train_in_group(options: Options, resume: bool, rank: int, store: dist.Store) -> None:
    """Do the work of one worker in the process group that meets at a store."""
    # NCCL wants a GPU for each worker; Gloo also averages what lies on a GPU that several share.
    alone = int(os.environ["LOCAL_WORLD_SIZE"]) <= torch.cuda.device_count()
    backend = "cpu:gloo,cuda:nccl" if alone else "gloo"
    dist.init_process_group(backend, store=store, rank=rank, world_size=options.workers)
    try:
        _train(options, resume)
    finally:
        dist.destroy_process_group()


# --------------------------------------------------------------------- processes of this machine


def _train_in_processes(options: Options, resume: bool) -> None:
    """Start the workers, and start all of them again when one is lost."""
    if not resume:
        check_new(expanded(options.out))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (cores or 1) // options.workers)))
    store = dist.TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    before = signal.getsignal(signal.SIGINT)
    try:
        for attempt in range(1 + RESTARTS):
            errors = CONTEXT.SimpleQueue()
            work = options, store.port, str(attempt), errors
            if _all_end(multiprocessing.start_processes(_work, work, options.workers, join=False)):
                break
            _raise_first(errors)
        else:
            raise TrainingError(LOST.format(options.out))
        _raise_first(errors)
    finally:
        signal.signal(signal.SIGINT, before)


def _all_end(workers: multiprocessing.ProcessContext) -> bool:
    """Wait until all workers have ended, or until one fails: then end the others.

    Ctrl-C lets them stop after the update under way, and a second one ends them at once.
    """

    def pass_on(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for pid in workers.pids():
            os.kill(pid, signal.SIGINT)

    signal.signal(signal.SIGINT, pass_on)
    try:
        while not workers.join():
            pass
        return True
    except (multiprocessing.ProcessExitedException, multiprocessing.ProcessRaisedException):
        return False
    finally:
        for worker in workers.processes:
            worker.kill()


def _work(rank: int, options: Options, port: int, attempt: str, errors: Any) -> None:
    """Do the work of one worker, from the last checkpoint if there is one."""
    os.setpgid(0, 0)  # Ctrl-C at the terminal reaches the parent, which passes it on
    os.environ |= {"LOCAL_RANK": str(rank), "LOCAL_WORLD_SIZE": str(options.workers)}
    store = dist.PrefixStore(attempt, dist.TCPStore("localhost", port))
    try:
        _train_in_group(options, True, rank, store)
    except (Exception, KeyboardInterrupt) as error:
        errors.put(sendable(error))
        raise


def _raise_first(errors: Any) -> None:
    """Raise the first error of a worker, unless all say that another worker was lost."""
    while not errors.empty():
        if not isinstance(error := errors.get(), ConnectionError):
            raise error


# -------------------------------------------------------------------------------- a Ray cluster


def _train_on_ray(options: Options, resume: bool) -> None:
    connect(options.workers)
    from ray.train import FailureConfig, RunConfig, ScalingConfig, TrainingFailedError
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
    try:
        trainer.fit()
    except TrainingFailedError as error:
        raise TrainingError(LOST.format(options.out)) from error
    _raise_first(errors)
    print((folder / "results.md").read_text())  # the first worker's output stays on its node


def _work_on_ray(config: dict[str, Any]) -> None:
    wait_for_the_compiler()
    try:
        _train(config["options"], resume=True)
    except Exception as error:
        config["errors"].put(sendable(error))
