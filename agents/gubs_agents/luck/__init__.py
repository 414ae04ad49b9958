"""Luck taken out of recorded games, so that fewer games tell two agents apart (docs/luck.md).

    gubs luck runs/arena/games.jsonl

The corrections follow AIVAT (Burch, Schmid, Moravčík, Morrill and Bowling, 2018): they have mean
zero, whatever the values of outcomes say.
"""

from gubs_env.support.lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__)
