"""Data sets as batches of PyTorch; importing this module imports PyTorch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

if TYPE_CHECKING:
    from gubs_env.loading import DataSet, Group

GROUPS_IN_BUFFER = 16
"""Number of row groups, of 64 games each, whose decisions are shuffled together."""


class Batches(IterableDataset[dict[str, torch.Tensor]]):
    """Batches of decisions, read file by file, so that a data set of any size fits.

    Each batch is a dict of tensors. Use it as it is, or with
    `torch.utils.data.DataLoader(batches, batch_size=None, num_workers=…)`, whose workers share the
    row groups. The order depends on the seed, the epoch and the number of workers only.

    Args:
        data, columns, split, batch_size, shuffle, seed: as for `DataSet.torch`.

    Raises:
        ValueError, OSError: while it is read, as for `DataSet.arrays`.
    """

    def __init__(
        self,
        data: DataSet,
        columns: tuple[str, ...],
        split: str | None,
        batch_size: int,
        shuffle: bool,
        seed: int,
    ) -> None:
        self.data, self.columns, self.split = data, columns, split
        self.batch_size, self.shuffle, self.seed = batch_size, shuffle, seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of an epoch; call it before each, and without persistent workers."""
        self.epoch = epoch

    def __iter__(self) -> Iterator[dict[str, torch.Tensor]]:
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        groups = np.arange(len(self.data.groups))
        if self.shuffle:
            np.random.default_rng([self.seed, self.epoch]).shuffle(groups)
        rng = np.random.default_rng([self.seed, self.epoch, number])
        left: dict[str, np.ndarray] | None = None
        own = [self.data.groups[group] for group in groups[number::workers]]
        for start in range(0, len(own), GROUPS_IN_BUFFER):
            rows = self._buffer(own[start : start + GROUPS_IN_BUFFER], left, rng)
            whole = len(rows[self.columns[0]]) // self.batch_size * self.batch_size
            for first in range(0, whole, self.batch_size):
                yield as_tensors(rows, first, first + self.batch_size)
            left = {name: values[whole:] for name, values in rows.items()}
        if left is not None and len(left[self.columns[0]]):
            yield as_tensors(left, 0, self.batch_size)

    def _buffer(
        self,
        groups: list[Group],
        left: dict[str, np.ndarray] | None,
        rng: np.random.Generator,
    ) -> dict[str, np.ndarray]:
        """Return the decisions of some groups, after those that are left, shuffled if asked."""
        parts = [] if left is None else [left]
        parts += [self.data.read(group, self.columns, self.split) for group in groups]
        rows = {name: np.concatenate([part[name] for part in parts]) for name in self.columns}
        if not self.shuffle:
            return rows
        order = rng.permutation(len(rows[self.columns[0]]))
        return {name: values[order] for name, values in rows.items()}


def as_tensors(rows: dict[str, np.ndarray], first: int, stop: int) -> dict[str, torch.Tensor]:
    """Return some rows of columns as tensors."""
    return {name: torch.from_numpy(values[first:stop].copy()) for name, values in rows.items()}
