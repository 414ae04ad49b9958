"""The levels at which people can play against the agents of this package (`gubs_env.levels`)."""

from __future__ import annotations

LEVELS = {
    "strongest": ("ismcts:weights=shipped", "ismcts", "montecarlo"),
    "hard": ("policy",),
    "medium": ("heuristic",),
    "easy": ("greedy",),
    "beginner": ("random",),
}
"""The agents of each level, strongest first: the first that can play at a table plays there."""
