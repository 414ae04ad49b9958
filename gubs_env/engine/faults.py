"""Faults of states: the rules that a state must obey so that the game can be played on from it.

Compiled code trusts the states that it is given. The module `validity` of each game therefore finds
the first fault of a state or a view. The border refuses such a state, and the soak test looks for
faults after every decision. A fault is a pair (number, where): the number of a rule, and the card,
seat or field that breaks it.
"""

from __future__ import annotations

SOUND = 0
"""The number that says that a state has no fault."""
OUT_OF_RANGE = 1
"""A field lies outside the range that it declares; `where` is its index."""
NOTHING_LEGAL = 2
"""The player to decide has no legal action."""
FIRST_FAULT = 3
"""The number of the first fault that a game declares itself."""
