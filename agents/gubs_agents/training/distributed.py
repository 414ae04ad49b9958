"""What the workers of a run tell each other, through the process group of `torch.distributed`.

Every worker calls these functions in the same order. Without a process group there is one worker.

Nothing is unpickled. Messages are JSON, or arrays of names, shapes and types that the reader knows;
each carries a digest that only those can make who know the secret of the run. Gradients and means
are plain tensors of a known shape and type, without a digest.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
import torch.distributed as dist
from safetensors.numpy import load, save

from gubs_env.engine.border import LONGEST_JSON, read_json
from gubs_env.engine.compiling import usable_cores
from gubs_env.support.checks import check_array

T = TypeVar("T")
LOOPBACK = "loopback"
"""The name of the backend that connects the workers of one machine."""
NONCE_BYTES, LENGTH_BYTES = 32, 8


def rank() -> int:
    """Return the number of this worker, 0 … `size()` − 1."""
    return dist.get_rank() if dist.is_initialized() else 0


def size() -> int:
    """Return the number of workers."""
    return dist.get_world_size() if dist.is_initialized() else 1


def own_device(name: str) -> str:
    """Return this worker's device: of `cuda`, the GPUs of its machine in turn."""
    if name != "cuda" or size() == 1:
        return name
    return f"cuda:{int(os.environ['LOCAL_RANK']) % max(1, torch.cuda.device_count())}"


def own_cores() -> int:
    """Return the number of cores of this worker, its share of those that it may use."""
    return max(1, usable_cores() // int(os.environ.get("LOCAL_WORLD_SIZE", 1)))


# ------------------------------------------------------------------------------------- meeting


@contextmanager
def group(store: dist.Store, rank: int, size: int, secret: bytes) -> Iterator[None]:
    """Join the other workers at a store, and leave them at the end of the block.

    The workers of one machine listen on its loopback address only.

    Raises:
        ConnectionError: if another worker is lost.
        PermissionError: as for `admit`.
    """
    on_this_machine = int(os.environ["LOCAL_WORLD_SIZE"])
    backend = LOOPBACK if on_this_machine == size else "gloo"
    # NCCL wants a GPU for each worker; Gloo also averages what lies on a GPU that several share.
    if on_this_machine <= torch.cuda.device_count():
        if backend == LOOPBACK:
            os.environ["NCCL_SOCKET_IFNAME"] = "lo"
        backend = f"cpu:{backend},cuda:nccl"
    with _collective():
        dist.init_process_group(backend, store=store, rank=rank, world_size=size)
    _keep_sockets_from_interrupting()
    try:
        admit(secret)
        yield
    finally:
        dist.destroy_process_group()


def _keep_sockets_from_interrupting() -> None:
    """Let Gloo's thread of sockets wait its turn, on Linux: each average takes 0.4 ms and not 1.6.

    It spins where another thread of Gloo holds its lock. On the only core of a worker it would do
    so for a whole time slice, because the other thread cannot go on meanwhile.
    """
    if not hasattr(os, "SCHED_BATCH"):
        return
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # a thread that has ended, or a system that does not allow it
            if (thread / "comm").read_text().startswith("gloo_tcp"):
                os.sched_setscheduler(int(thread.name), os.SCHED_BATCH, os.sched_param(0))


def _loopback(store: dist.Store, rank: int, size: int, timeout: Any) -> Any:
    gloo: Any = dist.ProcessGroupGloo
    options = gloo._Options()
    # An address and no name: not every system knows "localhost".
    options._devices = [gloo.create_device(hostname="127.0.0.1")]
    options._timeout = timeout
    return gloo(store, rank, size, options)


dist.Backend.register_backend(LOOPBACK, _loopback, devices=["cpu", "cuda"])


class _Digests:
    """The digests of messages, which only those can make who know the secret of a run."""

    def __init__(self, key: bytes) -> None:
        self.key, self.messages = key, 0

    def of(self, worker: int, data: bytes) -> bytes:
        """Return the digest of the next message of a worker."""
        return hmac.digest(self.key, f"{self.messages} {worker} ".encode() + data, "sha256")


_digests: _Digests | None = None


def admit(secret: bytes) -> None:
    """Check that every worker of the process group knows the secret, before it is listened to.

    Raises:
        PermissionError: if one of them does not.
        ConnectionError: if one leaves before.
    """
    global _digests
    try:
        nonces = b"".join(_from_all(secrets.token_bytes(NONCE_BYTES)))
        _digests = _Digests(hmac.digest(secret, nonces, "sha256"))
        gathered(None)
    except ConnectionError as error:
        raise ConnectionError(f"a worker did not show that it knows the secret: {error}") from error


# ------------------------------------------------------------------------------------- messages


@contextmanager
def _collective() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # Gloo and NCCL say in many ways that a connection is closed
        raise ConnectionError(f"another worker is lost: {error}") from error


def _from_all(data: bytes) -> list[bytes]:
    """Return the bytes of each worker; all send equally many."""
    sent = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    received = [torch.empty_like(sent) for _ in range(size())]
    with _collective():
        dist.all_gather(received, sent)
    return [each.numpy().tobytes() for each in received]


def _exchanged(data: bytes, most: int) -> list[bytes]:
    """Return the bytes of each worker, not all of them empty.

    Raises:
        PermissionError: for more than `most` bytes, or those of one who does not know the secret.
        RuntimeError: before `admit`.
    """
    if _digests is None:
        raise RuntimeError("these workers have no secret: call `admit` first, or `launch.train`")
    headers = _from_all(len(data).to_bytes(LENGTH_BYTES, "big") + _digests.of(rank(), data))
    lengths = [int.from_bytes(header[:LENGTH_BYTES], "big") for header in headers]
    padded = _from_all(data.ljust(min(most, max(lengths)), b"\0"))
    for worker, (length, header) in enumerate(zip(lengths, headers, strict=True)):
        digest = _digests.of(worker, padded[worker][:length])
        if length > most or not hmac.compare_digest(digest, header[LENGTH_BYTES:]):
            raise PermissionError(
                f"worker {worker} does not know the secret of this run: start all workers with the "
                "same GUBS_ENV_SECRET"
            )
    _digests.messages += 1
    return [each[:length] for each, length in zip(padded, lengths, strict=True)]


def gathered(value: T) -> list[T]:
    """Return the value of each worker, in the order of their ranks.

    Args:
        value: what JSON can hold, of the same type for each worker.

    Raises:
        ConnectionError: if another worker is lost.
        PermissionError: if one does not know the secret of the run.
        ValueError: for what is not JSON, or a value of another type.
    """
    if size() == 1:
        return [value]
    messages = _exchanged(json.dumps(value, separators=(",", ":")).encode(), LONGEST_JSON)
    values = [read_json(each, "a message of a worker") for each in messages]
    if any(type(each) is not type(value) for each in values):
        raise ValueError(f"a worker sent something else than {type(value).__name__}")
    return values


def arrays_of_first(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays of the worker of rank 0.

    Args:
        arrays: arrays of the same names, shapes and types for each worker.

    Raises:
        ValueError: for arrays of other names, shapes or types.
        Exception: as for `gathered`.
    """
    sent = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    received = load(_exchanged(sent if rank() == 0 else b"", len(sent))[0])
    if other := sorted(received.keys() ^ arrays.keys()):
        raise ValueError(
            f"the first worker sent arrays of another network: only one has {', '.join(other)}"
        )
    for name, array in arrays.items():
        check_array(name, received[name], array)
    return received


# ------------------------------------------------------------------------------------- averages


def average(values: torch.Tensor) -> torch.Tensor:
    """Replace values by their means over the workers, and return them."""
    if size() > 1:
        with _collective():
            dist.all_reduce(values)
        values /= size()
    return values


def average_gradients(parameters: Iterable[torch.nn.Parameter]) -> None:
    """Replace the gradients by their means over the workers.

    They are sent as one vector in an order that never changes. `DistributedDataParallel` changes
    the order after its first step, and the last bits of a sum with it: resuming would not be exact.
    """
    if size() > 1:
        gradients = [p.grad for p in parameters if p.grad is not None]
        means = average(torch.cat([gradient.flatten() for gradient in gradients]))
        parts = means.split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))


def pooled(means: torch.Tensor, variances: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the means and the variances of samples of which each worker holds an equal part.

    Args:
        means, variances: those of this worker's parts, of one shape; biased variances.

    Returns:
        Both as float64; those of a single worker are what it gave.
    """
    local = means.double()
    mean = average(local.clone())
    return mean, average(variances.double() + (local - mean).square())
