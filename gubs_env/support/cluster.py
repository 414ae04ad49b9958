"""Work in order: in this process, in several ones, or as tasks of a Ray cluster (extra `ray`)."""

from __future__ import annotations

import atexit
import logging
import os
import pickle
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue
from threading import RLock
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from filelock import FileLock, Timeout

from gubs_env.engine.compiling import usable_cores
from gubs_env.support.checks import Range, check_number, require_extra
from gubs_env.support.errors import described
from gubs_env.support.files import private_folder
from gubs_env.support.limits import watch_with
from gubs_env.support.system import end_after, kill_at_close

T = TypeVar("T")
CONTEXT = get_context("spawn")

LOCAL, RAY = BACKENDS = "local", "ray"
"""Where work is done: on this machine, or as tasks of a Ray cluster."""
RETRIES = 5
"""Maximum number of retries of a task whose process or node was lost."""
TASKS_A_CORE = 4
"""Tasks in flight for each core: enough that no core waits, few enough for the memory."""
PATIENCE = 5
"""Seconds for which a process that has done its work may take to end by itself."""


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
        at_least = max(cores, usable_cores())
        ray.init(address="local", include_dashboard=False, num_cpus=at_least, **options)
    if cores > (there := int(ray.cluster_resources().get("CPU", 0))):
        print(f"waiting for {cores} cores: the cluster has {there}", file=sys.stderr)


def check_backend(backend: str, processes: int = 1) -> None:
    """Check that a backend is known and installed, and fits a number of processes.

    Raises:
        ValueError: for an unknown backend, or a number of processes that is not allowed.
        TypeError: for a number that is not whole.
        ModuleNotFoundError: for Ray without the extra `ray`.
    """
    if backend not in BACKENDS:
        raise ValueError(f"backend={backend!r}: allowed are {', '.join(BACKENDS)}")
    check_number("processes", processes, 1)
    if backend == RAY:
        require_extra("ray", "ray")
        if processes != 1:
            raise ValueError(
                f"processes={processes}: with backend={RAY}, Ray plays on every core of the cluster"
            )


@dataclass(frozen=True, kw_only=True)
class ProcessOptions:
    """Where work is done; no result depends on it."""

    backend: Literal["local", "ray"] = "local"
    """local, or ray: on every core of a Ray cluster, which needs the extra ray."""
    processes: Annotated[int, Range(1)] = 1
    """Processes of this machine; for Ray 1."""


def in_order(
    backend: str,
    work: Callable[..., T],
    shared: Any,
    arguments: Iterable[tuple[Any, ...]],
    processes: int = 1,
    apart: bool = False,
) -> Iterator[T]:
    """Yield `work(shared, *each)` for each of the arguments, in their order.

    Args:
        backend: one of BACKENDS; the results do not depend on it.
        work: a function of a module, which returns the same whenever it is called.
        shared: the first argument of all calls.
        arguments: the further arguments of each call. No more are taken than are worked on soon.
        processes: number of processes of this machine; 1 means this one. Ray has its own.
        apart: work in another process even if there is only one, and in one more for each task of
            Ray, so that calls that `api.limits` limits can be ended.

    Raises:
        Exception: the exception that `work` raises.
        TimeoutError: for a call that takes longer than its limit.
        ValueError: for arguments that cannot be sent to other processes.
        RuntimeError: for a process that dies, with Ray again and again.
        ModuleNotFoundError, ConnectionError: as for `connect`.
    """
    if backend == RAY:
        yield from as_tasks(work, shared, arguments, apart)
    elif processes > 1 or apart:
        yield from in_processes(work, shared, arguments, processes)
    else:
        for each in arguments:
            yield work(shared, *each)


# ----------------------------------------------------------------------- processes of this machine


def in_processes(
    work: Callable[..., T], shared: Any, arguments: Iterable[tuple[Any, ...]], processes: int
) -> Iterator[T]:
    """Yield the results of `in_order` from processes that end with this one, however it ends."""
    left, running = iter(arguments), deque[Future[T]]()
    workers, idle = list[Worker](), SimpleQueue[Worker]()
    common = as_bytes((work, shared))

    def call(arguments: tuple[Any, ...]) -> T:
        worker = idle.get()
        try:
            worker.begin(*arguments)
            return worker.result()
        finally:
            idle.put(worker)

    def stop() -> None:
        for worker in workers:
            worker.kill()

    pool = ThreadPoolExecutor(processes)
    atexit.register(stop)
    try:
        while True:
            ahead = list(islice(left, TASKS_A_CORE * processes - len(running)))
            while len(workers) < min(processes, len(running) + len(ahead)):
                workers.append(Worker(common))
                idle.put(workers[-1])
            running.extend(pool.submit(call, each) for each in ahead)
            if not running:
                break
            yield running.popleft().result()
        for worker in workers:
            worker.leave()
    finally:
        stop()
        pool.shutdown(cancel_futures=True)
        atexit.unregister(stop)


class Worker:
    """A process that works, and ends with this one, however this one ends.

    Args:
        common: the work and its first argument, as `as_bytes` returns them. They are read when the
            process is safe: no import of theirs keeps it from ending.

    Attributes:
        process: the process.
        connection: the end of a pipe that can be read when `result` has an answer.

    Raises:
        RuntimeError: in a daemonic process or in a program from standard input, which cannot start
            others.
    """

    def __init__(self, common: bytes) -> None:
        _check_can_start()
        self.connection, theirs = CONTEXT.Pipe()
        until_closed, self._closing = CONTEXT.Pipe(duplex=False)
        self.process = CONTEXT.Process(target=_serve, args=(theirs, until_closed, common))
        self.process.start()
        assert self.process.pid is not None
        kill_at_close(until_closed.fileno(), self.process.pid)  # while it imports, too
        until_closed.close()
        theirs.close()

    def begin(self, *arguments: Any) -> None:
        """Let the process work; `result` waits for it."""
        with suppress(ConnectionError):  # `result` says how it ended
            self.connection.send(arguments)

    def result(self) -> Any:
        """Return the result of the work; raise what it raises, or what ended the process.

        Raises:
            TimeoutError: for a call that takes longer than its limit.
            DiedError: for a process that dies.
            KeyboardInterrupt: for one that Ctrl-C ended.
        """
        message: _Done | tuple[float, str] | None = None
        try:
            while not isinstance(message, _Done) and self.connection.poll(message and message[0]):
                message = self.connection.recv()
        except (EOFError, ConnectionError):
            self.process.join(PATIENCE)
            if self.process.exitcode == -signal.SIGINT:
                raise KeyboardInterrupt from None
            raise DiedError(self.process.exitcode) from None
        if isinstance(message, _Done):
            if message.error is not None:
                raise message.error
            return message.result
        self.kill()
        assert message is not None
        raise TimeoutError(message[1])

    def leave(self) -> None:
        """Let the process end by itself, if it soon does."""
        self.connection.close()
        self.process.join(PATIENCE)

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join()


def _check_can_start() -> None:
    """Raise RuntimeError if this process cannot start others, which begin by reading its script."""
    if current_process().daemon:
        raise RuntimeError(
            "a daemonic process cannot start processes: work in one of daemon=False, or with "
            "processes=1 and without a time limit"
        )
    if getattr(sys.modules["__main__"], "__file__", None) == "<stdin>":
        raise RuntimeError(
            "a program from standard input cannot start processes: write it to a file, or work "
            "with one process and without a time limit"
        )


class DiedError(RuntimeError):
    """A process ended in the middle of its work.

    Args:
        status: its exit status; below 0, the number of the signal that ended it.
    """

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status

    def __str__(self) -> str:
        if self.status is not None and self.status < 0:
            return (
                f"a process was ended by signal {-self.status}: it ran out of memory, or somebody "
                "killed it"
            )
        return (
            f"a process ended with status {self.status} in the middle of its work: a script that "
            'starts processes needs `if __name__ == "__main__":`'
        )


class _Done(NamedTuple):
    """The result or the error of one call of the work."""

    result: Any
    error: BaseException | None = None


def _serve(connection: Connection, until_closed: Connection, common: bytes) -> None:
    """Work in a process until the other end of the connection closes.

    The process ends when the other end of `until_closed` closes, as when the main process dies: on
    Linux the kernel kills it, elsewhere a thread ends it.
    """
    from tqdm import tqdm

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    kill_at_close(until_closed.fileno(), os.getpid())
    end_after(partial(wait, [until_closed]))
    # The semaphore that progress bars of several processes share would outlive a killed process.
    tqdm.set_lock(RLock())
    watch_with(connection.send)
    while True:
        try:
            arguments = connection.recv()
        except EOFError:
            return
        connection.send(_done(common, arguments))


def _done(common: bytes, arguments: tuple[Any, ...]) -> _Done:
    """Work, and return what came of it as another process can read it.

    The work and what it shares are read anew, so that no work depends on others before it.
    """
    try:
        work, shared = pickle.loads(common)
        return _Done(work(shared, *arguments))
    except BaseException as error:
        return _Done(None, sendable(error))


def sendable(error: BaseException) -> BaseException:
    """Return an error that another process can read: this one, or its description."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(described(error))
    return error


def check_picklable(shared: Any) -> None:
    """Raise ValueError unless something can be sent to another process."""
    as_bytes(shared)


def as_bytes(shared: Any) -> bytes:
    """Return something as bytes for another process; raise ValueError if that is not possible."""
    # Unlike pickle, it sends lambdas, and the classes of a notebook or a script.
    import cloudpickle

    try:
        return cloudpickle.dumps(shared)
    except Exception as error:
        raise ValueError(
            "with more than one process or a time limit, games, agents and their factories must "
            "be picklable: give agents as texts, or as classes or functions of a module "
            f"({described(error)})"
        ) from error


# ---------------------------------------------------------------------------- tasks of a cluster


def as_tasks(
    work: Callable[..., T], shared: Any, arguments: Iterable[tuple[Any, ...]], apart: bool = False
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
            ahead = islice(left, max(1, wanted))
            running.extend(task.remote(common, each, apart) for each in ahead)
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


def _work_on_own_core(
    common: tuple[Callable[..., T], Any], arguments: tuple[Any, ...], apart: bool
) -> T:
    work, shared = common
    wait_for_the_compiler()
    with own_core():
        if apart:
            return next(in_processes(work, shared, [arguments], 1))
        return work(shared, *arguments)


def wait_for_the_compiler() -> None:
    """Let this process of a cluster wait for the compiler, as the workers of one machine do."""
    os.environ.setdefault("GUBS_ENV_COMPILE", "wait")


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
        try:
            lock = FileLock(private_folder() / f"core-{core}.lock", timeout=0)
            lock.acquire()
        except (Timeout, OSError):
            continue
        os.sched_setaffinity(0, {core})
        return lock
    return None
