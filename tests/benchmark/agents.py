"""Agents for the benchmark, good and bad ones."""

from __future__ import annotations

import signal
import time

import numpy as np


class Last:
    """Takes the highest legal action in every game."""

    def __init__(self, table, seed):
        assert table.game.name in ("gubs_v0", "fubnub_v0", "bad_bad_turtle_v0")

    def act(self, observations, masks, rngs):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


class Drawing:
    """Draws its actions from a generator of its own, which its seed determines."""

    def __init__(self, table, seed):
        self.rng = np.random.default_rng(seed)

    def act(self, observations, masks, rngs):
        return (masks * self.rng.random(masks.shape)).argmax(axis=1)


class Illegal:
    """Takes action 0, legal or not."""

    def __init__(self, table, seed):
        pass

    def act(self, observations, masks, rngs):
        return np.zeros(len(masks), int)


class Raising(Illegal):
    """Fails."""

    def act(self, observations, masks, rngs):
        raise KeyError("no idea")


class Slow(Illegal):
    """Thinks for longer than the limit of a test."""

    def act(self, observations, masks, rngs):
        time.sleep(0.001 * len(masks))
        return masks.argmax(axis=1)


class LateFor(Illegal):
    """Plays the first anchor's games, and then never returns, in a call that holds the lock."""

    def __init__(self, table, seed):
        self.late = seed >= 6

    def act(self, observations, masks, rngs):
        return sum(iter(int, 1)) if self.late else masks.argmax(axis=1)


class Sleeper(LateFor):
    """Plays the first anchor's games, and then sleeps for ever."""

    def act(self, observations, masks, rngs):
        time.sleep(3600 * self.late)
        return masks.argmax(axis=1)


class Deaf(LateFor):
    """Hears no signal, either."""

    def act(self, observations, masks, rngs):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return super().act(observations, masks, rngs)


class OfOneGame:
    """Knows the numbers of one game only, and does not ask which it plays."""

    def __init__(self, table, seed):
        pass

    def act(self, observations, masks, rngs):
        return masks[:, [9, 60, 61, 62]].argmax(axis=1)
