"""Players by rule for FUBNUB."""

from agents.fubnub.greedy import Greedy
from agents.fubnub.heuristic import Heuristic, heuristic_action

__all__ = ["Greedy", "Heuristic", "heuristic_action"]
