"""The luck of agents that draw their actions: random, and networks with draw=True.

The worth of an action is taken to be `Values.scale` times its log-probability under the network
that is shipped for the table: any frozen function of what is known before the draw will do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gubs_agents.luck.values import Values
from gubs_agents.networks.network import Network, policy, shipped
from gubs_env.agents.registry import Judge, build, is_harmless
from gubs_env.api.vector import VectorEnv
from gubs_env.engine.table import Table
from gubs_env.records.record import Record

LEAST = 1e-3
"""Smaller probabilities of the shipped network count as this one."""


def draws(agent: Any) -> bool:
    """Return whether an agent draws its actions with the probabilities of its `judge`."""
    return isinstance(agent, Judge) and bool(getattr(agent, "draw", False))


class Policies(NamedTuple):
    """Agents that draw their actions, and the values of actions."""

    agents: Mapping[str, Judge]
    """The agents that draw, by label."""
    worth: Network
    """The network whose log-probabilities value actions."""
    scale: float
    """The payoff that a unit of log-probability is worth."""

    @classmethod
    def of(cls, header: Mapping[str, Any], table: Table, values: Values) -> Policies | None:
        """Return the agents of a results file that draw; None without values for actions.

        An agent that cannot be built here counts as one whose probabilities are unknown: its
        decisions are not corrected. This holds for factories, which only a program knows, and for
        agents that may not be built because a file names them (`is_harmless`).
        """
        found = {label: _built(text, table) for label, text in header["agents"].items()}
        known = {label: agent for label, agent in found.items() if draws(agent)}
        if not known or values.scale == 0:
            return None
        return cls(known, policy(table, 0), values.scale)

    def watching(
        self, records: Sequence[Record], sides: np.ndarray, total: np.ndarray
    ) -> Callable[[VectorEnv, np.ndarray, np.ndarray], None]:
        """Return a function that adds the corrections of a step's decisions to `total`.

        Args:
            records: the games.
            sides: int64[num_players], the side of each seat.
            total: float64[games, num_sides], written.
        """
        labels = np.array([record.agents for record in records])

        def watch(env: VectorEnv, rows: np.ndarray, actions: np.ndarray) -> None:
            seats = env.actors[rows]
            choice = np.count_nonzero(env.masks[rows], axis=1) > 1
            for label, agent in self.agents.items():
                own = choice & (labels[rows, seats] == label)
                if own.any():
                    surprise = self._surprise(agent, env, rows[own], actions[own])
                    spread = -surprise[:, None] / (total.shape[1] - 1)
                    change = np.repeat(spread, total.shape[1], axis=1)
                    change[np.arange(len(surprise)), sides[seats[own]]] = surprise
                    total[rows[own]] -= change

        return watch

    def _surprise(
        self, agent: Judge, env: VectorEnv, rows: np.ndarray, actions: np.ndarray
    ) -> np.ndarray:
        """Return how much better the actions drawn were than expected, float64[len(rows)]."""
        observations, masks = env.observations[rows], env.masks[rows]
        probabilities = agent.judge(observations, masks)[0].astype(float)
        worth = np.log(np.maximum(self.worth.judge(observations, masks)[0], LEAST))
        taken = worth[np.arange(len(rows)), actions]
        return self.scale * (taken - (probabilities * worth).sum(axis=1))


def _built(text: str, table: Table) -> Any:
    """Return the agent that a file names; None if there is none, or it is not harmless."""
    try:
        return build(text, table, 0) if is_harmless(text) else None
    except (ValueError, TypeError, OSError, ImportError):
        return None


def has_worth(table: Table) -> bool:
    """Return whether a network is shipped whose log-probabilities can value actions."""
    try:
        return shipped(table).exists()
    except ValueError:
        return False
