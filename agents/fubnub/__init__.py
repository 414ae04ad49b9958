"""Players by rule for FUBNUB."""

from agents.fubnub.greedy import Greedy
from agents.fubnub.heuristic import Heuristic, heuristic_action

__all__ = ["HORIZON", "Greedy", "Heuristic", "heuristic_action"]

HORIZON = 6  # cards: to the end of the hand, which pays
