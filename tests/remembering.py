"""An agent with a memory that checks what it is told, and plays by all of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gubs_env.engine.history import NONE

PRIME = 8191
"""All that is remembered is counted below this, so that float32 holds it."""


class Remembering:
    """Chooses by a sum over all that it was shown in a game, so that one wrong byte shows.

    Its memory holds the number of its decisions, the number of events, and that sum.
    """

    memory_size = 3
    num_events = 24

    def __init__(self, num_players: int, seed: int | None = None) -> None:
        self.num_players = num_players

    def act(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        rngs: np.ndarray | None,
        memories: np.ndarray,
        events: np.ndarray,
    ) -> np.ndarray:
        count = len(observations)
        assert (memories.shape, memories.dtype) == ((count, self.memory_size), np.float32)
        assert (events.shape[:2], events.dtype) == ((count, self.num_events), np.int8)
        is_event = (events != NONE).any(axis=2)
        assert (np.diff(is_event.astype(int), axis=1) >= 0).all(), "events are the last rows"
        is_first = memories[:, 0] == 0
        assert (memories[is_first] == 0).all()
        seen = observations @ np.arange(1, observations.shape[1] + 1)
        told = (events.reshape(count, -1) + 1) @ np.arange(1, events[0].size + 1)
        memories[:, 0] += 1
        memories[:, 1] += is_event.sum(axis=1)
        memories[:, 2] = (memories[:, 2].astype(int) * 31 + seen + told) % PRIME
        wanted = memories[:, 2].astype(int) % np.count_nonzero(masks, axis=1)
        return np.array([np.flatnonzero(mask)[k] for mask, k in zip(masks, wanted, strict=True)])


class Forgetful:
    """An agent whose memory is one number, and that is shown no events."""

    memory_size, num_events = 1, 0

    def act(self, observations: Any, masks: Any, rngs: Any, memories: Any, events: Any) -> Any:
        assert events.shape[:2] == (len(observations), 0)
        memories[:, 0] += 1
        return np.where(
            memories[:, 0] % 2, masks.argmax(1), masks.shape[1] - 1 - masks[:, ::-1].argmax(1)
        )
