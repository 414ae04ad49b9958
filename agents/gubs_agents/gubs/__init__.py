"""Scripted agents for Gubs."""

from gubs_agents.gubs.greedy import Greedy
from gubs_agents.gubs.heuristic import Heuristic, heuristic_action

__all__ = ["HORIZON", "SYMMETRY", "Greedy", "Heuristic", "heuristic_action"]

HORIZON = 0  # playouts go to the end of the game
SYMMETRY = None
