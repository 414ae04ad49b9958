"""Array operations that are others in compiled code: read, borrow, copy, move, prefetch.

Every decision runs most of them. Without `borrowed`, every call that passes an array increments the
reference count of the array's owner, atomically. `copy_counts` is a plain copy; a slice assignment
compiles to loops for any shape, stride and overlap, and is ten times as slow. `prefetch` loads the
next state early: in a batch larger than the processor's caches, waiting for a state takes longer
than playing it.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Numbers(np.ndarray):
    """An array whose entries are read as Python's own numbers.

    Compiled code adds up comparisons as Python does, and NumPy does not: there two of them are one.
    """

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return found if isinstance(found, np.ndarray) else found.item()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array.item() if return_scalar else super().__array_wrap__(array, context)

    def argmax(self, *arguments: Any, **options: Any) -> Any:
        return numbers(np.asarray(super().argmax(*arguments, **options)))[()]

    def argmin(self, *arguments: Any, **options: Any) -> Any:
        return numbers(np.asarray(super().argmin(*arguments, **options)))[()]


def numbers(array: np.ndarray) -> np.ndarray:
    """Return the same array, to be read as `Numbers` where nothing is compiled."""
    return array.view(Numbers)


def borrowed(array: np.ndarray) -> np.ndarray:
    """Return the same array without counting a reference to its owner, which must outlive it."""
    return array


def copy_counts(out: np.ndarray, at: int, counts: np.ndarray) -> int:
    """Copy a C-contiguous int8 array of any shape into `out`, int8[…], from entry `at` on.

    Returns the entry after the copy. Bounds are not checked, except with NUMBA_BOUNDSCHECK=1.
    """
    out[at : at + counts.size] = counts.ravel()
    return at + counts.size


def append_rows(rows: np.ndarray, new: np.ndarray, count: int) -> None:
    """Move the rows of an array up, and put the first `count` rows of another one at its end.

    Those that do not fit are lost, the first ones first.

    Args:
        rows: int8[length, size], C-contiguous, written.
        new: int8[…, size], C-contiguous, of other memory.
        count: 0 … len(new).
    """
    kept = min(count, len(rows))
    rows[: len(rows) - kept] = rows[kept:].copy()
    rows[len(rows) - kept :] = new[count - kept : count]


def prefetch(array: np.ndarray, index: int) -> None:
    """Begin to load array[index] into the caches; an index past the end does nothing."""
