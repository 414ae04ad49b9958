"""The agent that plays uniformly at random."""

from __future__ import annotations

import numpy as np

from gubs_agents.common.decisions import Table
from gubs_agents.common.scripted import ScriptedAgent
from gubs_env._compiler.compilation import inlined
from gubs_env.engine.choosing import choose
from gubs_env.engine.game import Game


@inlined
def random_action(observation, mask, num_players, rng):
    """Return a legal action, uniformly at random."""
    return choose(rng, mask)


def any_table(num_players: int) -> Table:
    """Return a table of any observations and any number of actions."""
    return Table(np.zeros(0, np.uint8), 0)


class Uniform(ScriptedAgent):
    """Plays uniformly at random among the legal actions, at any table of any game."""

    choose_action = staticmethod(random_action)
    table_of = staticmethod(any_table)
    draw = True
    """Whether it draws its actions with the probabilities of `judge`, as `Network.draw` says."""

    def __init__(
        self, num_players: int = 2, seed: int | None = None, game: str | Game = "gubs"
    ) -> None:
        super().__init__(num_players, seed)

    def judge(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return equal probabilities for all legal actions, and no payoffs (see `Judge`)."""
        legal = (masks != 0).astype(np.float32)
        return legal / legal.sum(axis=1, keepdims=True), None
