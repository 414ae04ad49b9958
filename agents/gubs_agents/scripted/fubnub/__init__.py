"""Scripted agents for FUBNUB."""

from gubs_agents.scripted.fubnub.greedy import Greedy
from gubs_agents.scripted.fubnub.heuristic import Heuristic
from gubs_agents.scripted.fubnub.symmetry import SYMMETRY

__all__ = ["HORIZON", "SEAT_FIELD", "SYMMETRY", "Greedy", "Heuristic"]

HORIZON = 1  # a playout ends with the hand, which pays
SEAT_FIELD = "asked"  # the row of `hand` of the player to decide
