"""Players by rule for FUBNUB."""

from agents.fubnub.greedy import Greedy
from agents.fubnub.heuristic import Heuristic, heuristic_action
from agents.fubnub.symmetry import SYMMETRY

__all__ = ["HORIZON", "SYMMETRY", "Greedy", "Heuristic", "heuristic_action"]

HORIZON = 6  # cards: to the end of the hand, which pays
