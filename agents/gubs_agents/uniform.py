"""The agent that plays uniformly at random."""

from __future__ import annotations

from gubs_agents.common.scripted import ScriptedAgent
from gubs_env.engine.choosing import choose_all
from gubs_env.engine.game import Game


class Uniform(ScriptedAgent):
    """Plays uniformly at random among the legal actions."""

    def __init__(
        self, num_players: int = 2, seed: int | None = None, game: str | Game = "gubs"
    ) -> None:
        super().__init__(num_players, seed)

    def decide_all(self, observations, masks, rngs, actions) -> None:
        choose_all(rngs, masks, actions)
