"""The form in which an environment returns observations: an array or a dict, int8 or float32."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from gubs_env.engine.table import Table
from gubs_env.support.checks import check_switch

DTYPES = ("int8", "float32")


@dataclass(frozen=True)
class ObservationForm:
    """The form of observations.

    Raises:
        ValueError: for another dtype.
    """

    dtype: str = "int8"
    """"int8", or "float32" for libraries that accept no integers."""
    as_dict: bool = False
    """Whether an observation is a dict of `observation` and `action_mask`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", str(self.dtype))
        check_switch("dict_observations", self.as_dict)
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype={self.dtype!r}: allowed are {DTYPES}")

    def space(self, table: Table) -> spaces.Space[Any]:
        """Return the space of one observation at a table."""
        dtype: Any = np.dtype(self.dtype).type
        highs = table.observation_highs.astype(dtype)
        observation = spaces.Box(np.zeros_like(highs), highs, dtype=dtype)
        if not self.as_dict:
            return observation
        mask = spaces.Box(0, 1, (table.num_actions,), dtype)
        return spaces.Dict({"observation": observation, "action_mask": mask})

    def of(self, observations: np.ndarray, masks: np.ndarray) -> Any:
        """Return copies of observations and masks in this form.

        Args:
            observations: int8[…, observation_size].
            masks: int8[…, num_actions].
        """
        observation = observations.astype(self.dtype)
        if not self.as_dict:
            return observation
        return {"observation": observation, "action_mask": masks.astype(self.dtype)}
