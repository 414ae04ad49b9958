"""The agent that plays uniformly at random."""

from __future__ import annotations

import numpy as np

from gubs_agents.common.decisions import ANY_FORM
from gubs_agents.common.scripted import ScriptedAgent
from gubs_env.engine.choosing import choose
from gubs_env.engine.compiling import inlined
from gubs_env.engine.table import Table


@inlined
def random_action(observation, mask, num_players, rng):
    """Return a legal action, uniformly at random."""
    return choose(rng, mask)


class Uniform(ScriptedAgent):
    """Plays uniformly at random among the legal actions, at any table of any game."""

    choose_action = staticmethod(random_action)
    draw = True
    """Whether it draws its actions with the probabilities of `judge`, as `Network.draw` says."""

    def __init__(self, table: Table, seed: int | None = None) -> None:
        self.num_players, self.form = table.num_players, ANY_FORM
        self.rng = np.random.default_rng(seed)

    def judge(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return equal probabilities for all legal actions, and no payoffs (see `Judge`)."""
        legal = (masks != 0).astype(np.float32)
        return legal / legal.sum(axis=1, keepdims=True), None
