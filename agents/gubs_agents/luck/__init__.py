"""Luck taken out of recorded games, so that fewer games tell two agents apart (docs/luck.md).

    gubs luck runs/arena/games.jsonl

The corrections follow AIVAT (Burch, Schmid, Moravčík, Morrill and Bowling, 2018): they have mean
zero, whatever the values of outcomes say.
"""

from __future__ import annotations

from gubs_agents.luck.adjusting import Adjusted, adjust, corrections, values_for
from gubs_agents.luck.comparison import Comparison, compare, markdown
from gubs_agents.luck.values import Values
from gubs_agents.luck.verdict import Verdict, sprt

__all__ = [
    "Adjusted",
    "Comparison",
    "Values",
    "Verdict",
    "adjust",
    "compare",
    "corrections",
    "markdown",
    "sprt",
    "values_for",
]
