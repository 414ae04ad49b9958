"""Limits on the time of calls of agents.

A call that never returns can only be ended from outside: `gubs_env.support.cluster` plays in
a process that says before each call how long it may take, and kills that process when it takes
longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

LONGEST = 1_000_000
"""The most seconds of a limit."""
Tell = Callable[[tuple[float, str] | None], object]
"""Receives (seconds, the message of the error if they pass) before a call, and None after it."""
_watchdogs: list[Tell] = []


class Limit(NamedTuple):
    """The time that an agent may take for one call."""

    seconds: float = 0
    """0 means no limit."""
    a_decision: bool = False
    """Whether these are seconds for each decision that the call asks for."""

    def __str__(self) -> str:
        if self.a_decision:
            return f"{self.seconds:g} seconds a decision"
        return f"{self.seconds:g} seconds a call (--timeout; 0 means no limit)"

    def of(self, decisions: int) -> float:
        """Return the seconds for a call that asks for a number of decisions."""
        return self.seconds * (decisions if self.a_decision else 1)


NO_LIMIT = Limit()


def watch_with(tell: Tell) -> None:
    """Let a watchdog know of all calls that this process limits."""
    _watchdogs[:] = [tell]


@contextmanager
def limited(seconds: float, message: str) -> Iterator[None]:
    """Raise TimeoutError with a message unless the block takes at most some seconds.

    A block that does not end is left to the watchdog of this process. 0 seconds mean no limit.
    """
    if not seconds:
        yield
        return
    for tell in _watchdogs:
        tell((seconds, message))
    start = time.perf_counter()
    try:
        yield
    finally:
        for tell in _watchdogs:
            tell(None)
    if time.perf_counter() - start > seconds:
        raise TimeoutError(message)
