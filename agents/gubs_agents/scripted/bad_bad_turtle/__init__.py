"""Scripted agents for Bad, Bad, Turtle."""

from gubs_agents.scripted.bad_bad_turtle.greedy import Greedy
from gubs_agents.scripted.bad_bad_turtle.heuristic import Heuristic

__all__ = ["HORIZON", "SEAT_FIELD", "SYMMETRY", "Greedy", "Heuristic"]

HORIZON = 0  # playouts go to the end of the game
SEAT_FIELD = None  # nobody has a hand
SYMMETRY = None
