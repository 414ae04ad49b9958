"""The agent that knows only what is legal."""

from __future__ import annotations

from agents.by_rule import ByRule
from gubs_env.games.choosing import choose_all


class Uniform(ByRule):
    """Plays uniformly at random among the legal actions."""

    def decide_all(self, observations, masks, choosers, actions) -> None:
        choose_all(choosers, masks, actions)
