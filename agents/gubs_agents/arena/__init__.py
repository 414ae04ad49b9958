"""The arena: tournaments between agents on the same deals, from every seat (docs/arena.md).

    gubs arena --agents random,heuristic --deals 500

>>> from gubs_agents import arena
>>> result = arena.tournament("random,heuristic", deals=20)
>>> dict(zip(result.labels, result.numbers.share.value.round(2).tolist()))
{'heuristic': 0.92, 'random': 0.08}
"""

from __future__ import annotations

from gubs_agents.arena.measures import MeanPayoff, WinRate
from gubs_agents.arena.options import PlayOptions
from gubs_agents.arena.playing import Difference, Duel, play, win_rate
from gubs_agents.arena.plot import draw
from gubs_agents.arena.ratings import Interval, Numbers
from gubs_agents.arena.records import load
from gubs_agents.arena.report import markdown
from gubs_agents.arena.seats import SeatShares, seats
from gubs_agents.arena.sprt import Verdict, sprt
from gubs_agents.arena.tournament import Result, tournament
from gubs_agents.arena.training_seeds import OverSeeds, over_seeds

__all__ = [
    "Difference",
    "Duel",
    "Interval",
    "MeanPayoff",
    "Numbers",
    "OverSeeds",
    "PlayOptions",
    "Result",
    "SeatShares",
    "Verdict",
    "WinRate",
    "draw",
    "load",
    "markdown",
    "over_seeds",
    "play",
    "seats",
    "sprt",
    "tournament",
    "win_rate",
]
