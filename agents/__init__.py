"""Players. Each gets what its seat may know, for a batch of games at once, and nothing else.

>>> import agents
>>> agent = agents.make("random", num_players=2, seed=0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from agents.heuristic import Heuristic
from agents.uniform import Uniform


class Agent(Protocol):
    """Chooses actions for a batch of decisions."""

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Actions int64[batch], legal ones, for observations int8[batch, observation_size] and
        masks int8[batch, num_actions], each with at least one legal action."""
        ...


_AGENTS: dict[str, Callable[[int, int | None], Agent]] = {"random": Uniform, "heuristic": Heuristic}


def names() -> dict[str, str]:
    """The agents that `make` builds, each with one line about it."""
    return {name: (build.__doc__ or "").split("\n")[0] for name, build in _AGENTS.items()}


def make(name: str, num_players: int = 2, seed: int | None = None) -> Agent:
    """Build an agent for tables of `num_players`; its own choices follow `seed`.

    Raises ValueError for a name that `names()` does not list.
    """
    if name not in _AGENTS:
        raise ValueError(f"no agent is called {name!r}: there are {sorted(_AGENTS)}")
    return _AGENTS[name](num_players, seed)
