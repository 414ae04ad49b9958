"""Arrays by name, as a checkpoint holds those of all parts of a run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np


def under(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays with a prefix added to their names."""
    return {f"{prefix}/{name}": array for name, array in arrays.items()}


def part_of(prefix: str, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the arrays whose names have a prefix, without it: the inverse of `under`."""
    start = f"{prefix}/"
    return {name[len(start) :]: a for name, a in arrays.items() if name.startswith(start)}
