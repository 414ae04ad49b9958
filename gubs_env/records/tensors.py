"""Data sets as batches of PyTorch; importing this module imports PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

Rows = dict[str, np.ndarray]
"""Columns by name, with a row for each decision."""
GROUPS_IN_BUFFER = 16
"""Number of row groups, of 64 games each, whose decisions are shuffled together."""


class Batches(IterableDataset[dict[str, torch.Tensor]]):
    """Batches of decisions, read file by file, so that a data set of any size fits.

    Each batch is a dict of tensors. Use it as it is, or with
    `torch.utils.data.DataLoader(batches, batch_size=None, num_workers=…)`, whose workers share the
    row groups. The order depends on the seed, the epoch and the number of workers only.

    Args:
        groups: the row groups.
        read: returns the decisions of a row group, which may be none.
        batch_size, shuffle, seed: as for `DataSet.torch`.

    Raises:
        ValueError, OSError: while it is read, as for `DataSet.arrays`.
    """

    def __init__(
        self,
        groups: Sequence[Any],
        read: Callable[[Any], Rows],
        batch_size: int,
        shuffle: bool,
        seed: int,
    ) -> None:
        self.groups, self.read = groups, read
        self.batch_size, self.shuffle, self.seed = batch_size, shuffle, seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of an epoch; call it before each, and without persistent workers."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        order = np.arange(len(self.groups))
        if self.shuffle:
            np.random.default_rng([self.seed, self.epoch]).shuffle(order)
        rng = np.random.default_rng([self.seed, self.epoch, number])
        left: Rows = {}
        groups = [self.groups[group] for group in order[number::workers]]
        for start in range(0, len(groups), GROUPS_IN_BUFFER):
            rows = self._buffer(groups[start : start + GROUPS_IN_BUFFER], left, rng)
            whole = size_of(rows) // self.batch_size * self.batch_size
            for first in range(0, whole, self.batch_size):
                yield as_tensors(rows, first, first + self.batch_size)
            left = {name: values[whole:] for name, values in rows.items()}
        if left and size_of(left):
            yield as_tensors(left, 0, self.batch_size)

    def _buffer(self, groups: list[Any], left: Rows, rng: np.random.Generator) -> Rows:
        """Return the decisions of some groups, after those that are left, shuffled if asked."""
        parts = [*[left] * bool(left), *map(self.read, groups)]
        rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        if not self.shuffle:
            return rows
        order = rng.permutation(size_of(rows))
        return {name: values[order] for name, values in rows.items()}


def size_of(rows: Rows) -> int:
    """Return the number of decisions."""
    return len(next(iter(rows.values())))


def as_tensors(rows: Rows, first: int, stop: int) -> dict[str, torch.Tensor]:
    """Return some rows of columns as tensors."""
    return {name: torch.from_numpy(values[first:stop].copy()) for name, values in rows.items()}
