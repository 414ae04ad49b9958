"""Players. Each gets what its seat may know, for a batch of games at once, and nothing else.

>>> import agents
>>> agent = agents.make("random", num_players=2, seed=0)
"""

from __future__ import annotations

from collections.abc import Callable

from agents.greedy import Greedy
from agents.heuristic import Heuristic
from agents.uniform import Uniform
from gubs_env.api.agent import Agent

__all__ = ["Agent", "make", "names"]


_AGENTS: dict[str, Callable[[int, int | None], Agent]] = {
    "random": Uniform,
    "greedy": Greedy,
    "heuristic": Heuristic,
}


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
