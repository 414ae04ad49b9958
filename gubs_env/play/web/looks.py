"""Looks back at games that are over: each is made once, one at a time, in a thread."""

from __future__ import annotations

import asyncio
import time
from typing import Any, NamedTuple

from gubs_env.engine.text import plural
from gubs_env.play.afterwards import AFTERWARDS, check_over
from gubs_env.play.session import Session

LEAST_STEPS = 10
"""Number of steps after which the time that is left can be told."""
ALMOST_A_MINUTE = 55
"""Seconds up to which a time is told in seconds."""


class Look(NamedTuple):
    """A look of a player back at a game."""

    session: Session
    """The game, which is over."""
    seat: str
    """The player's."""
    what: str
    """A name of `AFTERWARDS`."""


class Unfinished(NamedTuple):
    """How far something is that is being made."""

    done: int
    steps: int
    """Number of steps in all; 0 before the first."""
    seconds: float
    """Since the first step."""

    @property
    def told(self) -> str:
        """About how long it still takes, in words; "" if that cannot be told yet."""
        if self.done < LEAST_STEPS:
            return ""
        left = self.seconds * (self.steps - self.done) / self.done
        if left > ALMOST_A_MINUTE:
            return f"about {plural(round(left / 60), 'minute')}"
        return f"about {10 * max(1, round(left / 10))} seconds"


class Looks:
    """Everything that is made of games that are over; whoever asks again gets the same.

    All methods run in one event loop.
    """

    def __init__(self) -> None:
        self._making = asyncio.Lock()
        self._tasks: dict[Look, asyncio.Task[Any]] = {}
        self._progress: dict[Look, Unfinished] = {}
        self._copies: dict[Session, Session] = {}
        """What was found for one look serves the next."""
        self._has_ended = False

    async def made(self, look: Look, patience: float | None = None) -> Any:
        """Return what is to be seen; `Unfinished` if it is not made within so many seconds.

        Raises:
            ValueError: while the game goes on, or if no agent is installed that could judge.
        """
        check_over(look.session)
        if look not in self._tasks:
            self._tasks[look] = asyncio.create_task(self._make(look))
        task = self._tasks[look]
        await asyncio.wait({task}, timeout=patience)
        if task.cancelled():
            raise ValueError("the server is about to end")
        return task.result() if task.done() else self._progress.get(look, Unfinished(0, 0, 0.0))

    def end(self) -> None:
        """Stop what is being made."""
        self._has_ended = True
        for task in self._tasks.values():
            task.cancel()

    async def _make(self, look: Look) -> Any:
        started = list[float]()

        def tell(done: int, steps: int) -> None:
            if self._has_ended:
                raise asyncio.CancelledError  # nothing else ends a thread
            started.append(time.monotonic())  # first once networks are loaded
            self._progress[look] = Unfinished(done, steps, started[-1] - started[0])

        async with self._making:  # the next game goes on meanwhile
            if look.session not in self._copies:
                self._copies[look.session] = look.session.copied()
            copied = self._copies[look.session]
            return await asyncio.to_thread(AFTERWARDS[look.what], copied, look.seat, tell)
