"""The arena: agents against each other on the same deals, from every seat (docs/benchmark.md).

    python -m agents.arena --agents random,heuristic --deals 500

>>> from agents import arena
>>> result = arena.tournament("random,heuristic", deals=20)
>>> dict(zip(result.labels, result.numbers.share.value.round(2).tolist()))
{'heuristic': 0.92, 'random': 0.08}
"""

from __future__ import annotations

from agents.arena.playing import WinRate, play, win_rate
from agents.arena.plot import draw
from agents.arena.ratings import Interval, Numbers
from agents.arena.records import Replay, load, replay
from agents.arena.report import markdown
from agents.arena.tournament import Result, tournament
from agents.games import GAMES

__all__ = [
    "GAMES",
    "Interval",
    "Numbers",
    "Replay",
    "Result",
    "WinRate",
    "draw",
    "load",
    "markdown",
    "play",
    "replay",
    "tournament",
    "win_rate",
]
