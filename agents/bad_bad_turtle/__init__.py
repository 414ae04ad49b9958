"""Players of Bad, Bad, Turtle by rule."""

from agents.bad_bad_turtle.greedy import Greedy
from agents.bad_bad_turtle.heuristic import Heuristic, heuristic_action

__all__ = ["HORIZON", "SYMMETRY", "Greedy", "Heuristic", "heuristic_action"]

HORIZON = 0
SYMMETRY = None
