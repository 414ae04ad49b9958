"""Scripted agents for Gubs."""

from gubs_agents.scripted.gubs.greedy import Greedy
from gubs_agents.scripted.gubs.heuristic import Heuristic

__all__ = ["HORIZON", "SEAT_FIELD", "SYMMETRY", "Greedy", "Heuristic"]

HORIZON = 0  # playouts go to the end of the game
SEAT_FIELD = "actor"  # the row of `hand` of the player to decide
SYMMETRY = None
