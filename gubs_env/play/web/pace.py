"""When the next move of an agent is shown."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import NamedTuple

LONGEST_WAIT = 60.0
"""The most seconds of a delay, and of any option of the commands."""


class Controls(NamedTuple):
    """What a watcher steers."""

    paused: bool
    delay: float
    """The least number of seconds that a move of an agent is shown."""


class Pace:
    """The clock of a game: a move is shown after a delay, or when somebody asks for it in a pause.

    All methods run in one event loop.
    """

    def __init__(self, controls: Controls) -> None:
        self.controls = controls
        self._changed = asyncio.Event()
        self._is_asked = False

    def steer(self, controls: Controls) -> None:
        """Change the delay, pause or go on; this concerns a move that waits already."""
        self.controls = controls
        self._is_asked = False
        self._changed.set()

    def ask(self) -> None:
        """Let the next move be shown at once; raise ValueError unless the game is paused."""
        if not self.controls.paused:
            raise ValueError("the game is not paused: pause it, then ask for the next move")
        self._is_asked = True
        self._changed.set()

    async def wait(self, start: float) -> None:
        """Return when the next move may be shown.

        Args:
            start: when the last one was shown, as `time.monotonic()` counts.
        """
        while not self._is_asked:
            paused, delay = self.controls
            left = None if paused else start + delay - time.monotonic()
            if left is not None and left <= 0:
                return
            self._changed.clear()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)
        self._is_asked = False
