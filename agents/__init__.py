"""Players. Each gets what its seat may know, for a batch of games at once, and nothing else.

>>> import agents
>>> agent = agents.make("random", num_players=2, seed=0)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from agents.greedy import Greedy
from agents.heuristic import Heuristic
from agents.network import policy
from agents.search import ISMCTS, MonteCarlo
from agents.uniform import Uniform
from gubs_env.api.agent import Agent

__all__ = ["Agent", "check_options", "make", "names"]


_SHARED = ("num_players", "seed")
_AGENTS: dict[str, Callable[..., Any]] = {
    "random": Uniform,
    "greedy": Greedy,
    "heuristic": Heuristic,
    "montecarlo": MonteCarlo,
    "ismcts": ISMCTS,
    "policy": policy,
}


def names() -> dict[str, str]:
    """The agents that `make` builds, each with one line about it."""
    return {name: (build.__doc__ or "").split("\n")[0] for name, build in _AGENTS.items()}


def check_options(name: str, options: Iterable[str]) -> None:
    """Raises ValueError for a name that `names()` does not list, or an option it does not take."""
    if name not in _AGENTS:
        raise ValueError(f"no agent is called {name!r}: there are {sorted(_AGENTS)}")
    allowed = [p for p in inspect.signature(_AGENTS[name]).parameters if p not in _SHARED]
    if unknown := sorted(set(options) - set(allowed)):
        there_are = f"its options are {', '.join(allowed)}" if allowed else "it has no options"
        raise ValueError(f"agent {name!r} has no option {', '.join(unknown)}: {there_are}")


def make(name: str, num_players: int = 2, seed: int | None = None, **options: Any) -> Any:
    """Build an `Agent` or `SearchAgent` for tables of `num_players`.

    Args:
        name: one of `names()`.
        num_players: seats at the table.
        seed: what its own choices follow where it is given no generators.
        options: of that agent.

    Raises:
        ValueError: for an unknown name or option, naming those there are.
    """
    check_options(name, options)
    return _AGENTS[name](num_players, seed, **options)
