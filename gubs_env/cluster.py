"""Work in order: in this process, in several ones, or as tasks of a Ray cluster (extra `ray`)."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from gubs_env.api.checks import check_number, require_extra

T = TypeVar("T")

LOCAL, RAY = ENGINES = "local", "ray"
"""Where work is done: on this machine, or as tasks of a Ray cluster."""
RETRIES = 5
"""Maximum number of retries of a task whose process or node was lost."""
TASKS_A_CORE = 4
"""Tasks in flight for each core: enough that no core waits, few enough for the memory."""


def connect(cores: int = 1) -> None:
    """Connect to a Ray cluster, unless this process is connected already.

    The cluster is that of `$RAY_ADDRESS`, where `auto` means the one that runs on this machine.
    Without that variable a cluster of this machine's cores is started, which ends with the process.

    Args:
        cores: number of cores that are needed. A new local cluster declares at least this many,
            even if the machine has fewer. If an existing cluster has fewer, a line on standard
            error says that the work waits.

    Raises:
        ModuleNotFoundError: without the extra `ray`.
        ConnectionError: if the cluster of `$RAY_ADDRESS` does not answer.
    """
    require_extra("ray", "ray")
    import ray

    options = {"log_to_driver": False, "logging_level": logging.ERROR}
    if ray.is_initialized():
        pass
    elif os.environ.get("RAY_ADDRESS"):
        ray.init(**options)
    else:
        own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        ray.init(address="local", include_dashboard=False, num_cpus=max(cores, own or 1), **options)
    if cores > (found := int(ray.cluster_resources().get("CPU", 0))):
        print(f"waiting for {cores} cores: the cluster has {found}", file=sys.stderr)


def check_engine(engine: str, processes: int = 1) -> None:
    """Check that an engine is known and installed, and fits a number of processes.

    Raises:
        ValueError: for an unknown engine, or a number of processes that is not allowed.
        TypeError: for a number that is not whole.
        ModuleNotFoundError: for Ray without the extra `ray`.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine={engine!r}: allowed are {', '.join(ENGINES)}")
    check_number("processes", processes, 1)
    if engine == RAY:
        require_extra("ray", "ray")
        if processes != 1:
            raise ValueError(
                f"processes={processes}: with engine={RAY}, Ray plays on every core of the cluster"
            )


def in_order(
    engine: str,
    work: Callable[..., T],
    shared: Any,
    arguments: Iterable[tuple[Any, ...]],
    processes: int = 1,
) -> Iterator[T]:
    """Yield `work(shared, *each)` for each of the arguments, in their order.

    Args:
        engine: one of ENGINES; the results do not depend on it.
        work: a function of a module, which returns the same whenever it is called.
        shared: the first argument of all calls.
        arguments: the further arguments of each call. No more are taken than are worked on soon.
        processes: number of processes of this machine; 1 means this one. Ray has its own.

    Raises:
        Exception: the exception that `work` raises.
        ValueError: for arguments that cannot be sent to other processes.
        RuntimeError: for a process that dies, with Ray again and again.
        ModuleNotFoundError, ConnectionError: as for `connect`.
    """
    if engine == RAY:
        yield from as_tasks(work, shared, arguments)
    elif processes > 1:
        yield from in_processes(work, shared, arguments, processes)
    else:
        for each in arguments:
            yield work(shared, *each)


# ----------------------------------------------------------------------- processes of this machine


def in_processes(
    work: Callable[..., T], shared: Any, arguments: Iterable[tuple[Any, ...]], processes: int
) -> Iterator[T]:
    """Yield the results of `in_order` from processes that end with this one, however it ends."""
    check_picklable(shared)
    context = get_context("spawn")
    until_closed, closing = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, context, _follow, (until_closed,))
    left, running = iter(arguments), deque[Future[T]]()
    try:
        while True:
            for each in islice(left, TASKS_A_CORE * processes - len(running)):
                running.append(pool.submit(_work_or_sendable_error, work, shared, each))
            if not running:
                break
            yield running.popleft().result()
        pool.shutdown()
    except BrokenProcessPool as error:
        raise RuntimeError(
            "a process died: it ran out of memory, or it cannot import what it is sent, as the "
            "class of an agent that a notebook defines, or a script without "
            '`if __name__ == "__main__":` started it; use processes=1 for those'
        ) from error
    finally:
        closing.close()  # ends processes that still work
        pool.shutdown(cancel_futures=True)


def check_picklable(shared: Any) -> None:
    """Raise ValueError unless something can be sent to another process."""
    try:
        pickle.dumps(shared)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            "with more than one process, games, agents and their factories must be picklable: "
            "give agents as texts, or as classes or functions of a module, or use processes=1 "
            f"({error})"
        ) from error


def _work_or_sendable_error(work: Callable[..., T], shared: Any, arguments: tuple[Any, ...]) -> T:
    """Call `work`; an exception that another process cannot read becomes a RuntimeError."""
    try:
        return work(shared, *arguments)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise RuntimeError(f"{type(error).__name__}: {error}") from None
        raise


def _follow(until_closed: Connection) -> None:
    """Prepare a process that works: it ends when the other end of a pipe closes.

    That is when the main process fails, is interrupted or dies, whatever the work is doing. It
    leaves it to the main process to report Ctrl-C.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def leave() -> None:
        wait([until_closed])
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


# ---------------------------------------------------------------------------- tasks of a cluster


def as_tasks(
    work: Callable[..., T], shared: Any, arguments: Iterable[tuple[Any, ...]]
) -> Iterator[T]:
    """Yield the results of `in_order`, each call being a task of Ray on a core of its own.

    If the process or the node of a task is lost, it runs again elsewhere, and no other task does.
    Few tasks are in flight at a time, so results do not pile up. `shared` is sent to each node
    once.

    After an exception or an interruption, the tasks in flight run on unheeded until the process
    that asked for them ends. They are not cancelled: `ray.cancel` of a task that is just finishing
    can crash this process (https://github.com/ray-project/ray/pull/54785).
    """
    connect()
    import ray

    task = ray.remote(num_cpus=1, max_retries=RETRIES)(_work_on_own_core)
    try:
        common = ray.put((work, shared))
    except (TypeError, pickle.PicklingError) as error:
        raise ValueError(
            "Ray cannot send this to other processes: give agents as texts, or as classes or "
            f"functions of a module ({error})"
        ) from error
    left = iter(arguments)
    running: deque[Any] = deque()
    try:
        while True:
            cores = int(ray.cluster_resources().get("CPU", 1))
            wanted = max(0, TASKS_A_CORE * cores - len(running))
            running.extend(task.remote(common, each) for each in islice(left, max(1, wanted)))
            if not running:
                return
            yield ray.get(running[0])
            running.popleft()
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError) as error:
        raise RuntimeError(
            f"the process of a task died {1 + RETRIES} times; the logs of Ray say why ({error})"
        ) from error
    except ray.exceptions.RayError as error:
        raise RuntimeError(f"Ray could not finish a task: {error}") from error


def _work_on_own_core(common: tuple[Callable[..., T], Any], arguments: tuple[Any, ...]) -> T:
    work, shared = common
    with own_core():
        return work(shared, *arguments)


@contextmanager
def own_core() -> Iterator[None]:
    """Keep this process on a core that no other task has, so that budgets in ms mean the same.

    Does nothing on a system without `sched_setaffinity`, or when all cores are taken.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    lock = _free_core(sorted(allowed))
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)
        if lock is not None:
            lock.release()


def _free_core(cores: list[int]) -> FileLock | None:
    """Move this process to a core that is free, and return the lock that keeps it."""
    for core in cores:
        name = f"gubs_env-{os.getuid()}-core-{core}.lock"
        lock = FileLock(Path(tempfile.gettempdir()) / name, timeout=0)
        try:
            lock.acquire()
        except (Timeout, OSError):
            continue
        os.sched_setaffinity(0, {core})
        return lock
    return None
