"""The pace of a game in the browser: when the next move of an agent is shown."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import NamedTuple

LINGER = 1.0
"""Most seconds by which a move that brought several things is shown longer."""
LONGEST_WAIT = 60.0
"""Largest delay in seconds, also for the options `--think`, `--pace` and `--delay`."""


class Controls(NamedTuple):
    """The pace, which a watcher can change."""

    paused: bool
    """Whether moves are shown only on request."""
    delay: float
    """The least number of seconds that a move of an agent is shown."""


class Pace:
    """The clock of a game: a move is shown after a delay, or on request while the game is paused.

    All methods run in one event loop.
    """

    def __init__(self, controls: Controls) -> None:
        self.controls = controls
        self._changed = asyncio.Event()
        self._is_asked = False

    def steer(self, controls: Controls) -> None:
        """Change the controls, also for a move that is waiting."""
        self.controls = controls
        self._is_asked = False
        self._changed.set()

    def ask(self) -> None:
        """Let the next move be shown at once; raise ValueError unless the game is paused."""
        if not self.controls.paused:
            raise ValueError("the game is not paused: pause it, then ask for the next move")
        self._is_asked = True
        self._changed.set()

    async def wait(self, start: float, lines: int = 1) -> None:
        """Return when the next move may be shown.

        Args:
            start: the time from which the delay counts, of `time.monotonic()`, in seconds.
            lines: number of lines that everybody reads about the last move.
        """
        while not self._is_asked:
            paused, delay = self.controls
            linger = min(LINGER, 4 * delay) if lines > 1 else 0.0
            left = None if paused else start + delay + linger - time.monotonic()
            if left is not None and left <= 0:
                return
            self._changed.clear()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)
        self._is_asked = False
