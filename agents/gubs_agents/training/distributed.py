"""What the workers of a run tell each other, through the process group of `torch.distributed`.

Every worker calls these functions in the same order. Without a process group there is one worker.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import torch
import torch.distributed as dist

T = TypeVar("T")


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


@contextmanager
def _collective() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # Gloo and NCCL say in many ways that a connection is closed
        raise ConnectionError(f"another worker is lost: {error}") from error


def gathered(value: T) -> list[T]:
    """Return the value of each worker, in the order of their ranks."""
    if size() == 1:
        return [value]
    values = [value] * size()
    with _collective():
        dist.all_gather_object(values, value)
    return values


def from_first(value: T) -> T:
    """Return the value of the worker of rank 0."""
    if size() == 1:
        return value
    values = [value]
    with _collective():
        dist.broadcast_object_list(values)
    return values[0]


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
    own = means.double()
    mean = average(own.clone())
    return mean, average(variances.double() + (own - mean).square())
