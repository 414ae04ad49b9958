"""Players by rule for Gubs."""

from agents.gubs.greedy import Greedy
from agents.gubs.heuristic import Heuristic, heuristic_action

__all__ = ["HORIZON", "SYMMETRY", "Greedy", "Heuristic", "heuristic_action"]

HORIZON = 0
SYMMETRY = None
