"""The opponent pool: fixed baselines, the newest policy, and snapshots of older policies.

The higher the win rate of a snapshot against the learner, the more often it is drawn (prioritised
fictitious self-play: Vinyals et al., "Grandmaster level in StarCraft II", 2019). This way the
learner does not forget how to beat it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gubs_agents.networks.network import Network
from gubs_agents.training.players import Player
from gubs_env.agents.registry import Agent, SearchAgent

NEWEST = "newest"
MEMORY = 0.99
"""Decay of an opponent's running win rate: it covers about its last hundred games."""
LEAST_SHARE = 0.02
"""Lowest win rate used for drawing a snapshot, so that every snapshot is drawn sometimes."""


class Opponents:
    """The opponent pool and the win rate of each opponent.

    Args:
        baselines: fixed agents by label.
        newest: the newest policy, as an agent that draws its actions.
        baseline_share: probability of drawing a baseline.
        newest_share: probability of drawing the newest policy. The rest belongs to the snapshots,
            or to the newest policy while there are none.
        limit: largest number of snapshots. Beyond it, every second one is dropped, and from then on
            snapshots are taken half as often.
        every: number of updates between the first snapshots.
    """

    def __init__(
        self,
        baselines: Mapping[str, Agent | SearchAgent],
        newest: Network | Player,
        baseline_share: float,
        newest_share: float,
        limit: int,
        every: int,
    ) -> None:
        self.baselines, self.newest = dict(baselines), newest
        self.baseline_share, self.newest_share = baseline_share, newest_share
        self.limit, self.every = limit, every
        self.snapshots: dict[str, Network | Player] = {}
        self.win_shares: dict[str, float] = {}

    @property
    def agents(self) -> dict[str, Agent | SearchAgent]:
        """All opponents by label."""
        return {**self.baselines, NEWEST: self.newest, **self.snapshots}

    def chances(self) -> dict[str, float]:
        """Return the probability of drawing each opponent; they add up to 1."""
        baseline_share = self.baseline_share if self.baselines else 0.0
        rest = 1 - baseline_share
        newest = min(self.newest_share, rest) if self.snapshots else rest
        chances = {label: baseline_share / len(self.baselines) for label in self.baselines}
        chances[NEWEST] = newest
        strength = {
            label: max(self.win_shares.get(label, 0.5), LEAST_SHARE) ** 2
            for label in self.snapshots
        }
        total = sum(strength.values())
        return chances | {label: (rest - newest) * s / total for label, s in strength.items()}

    def count(self, results: Mapping[str, np.ndarray], num_sides: int) -> None:
        """Add games to the running win rates of the learner's opponents.

        Each opponent gets an equal part of the rest of the win, scaled so that 0.5 is even at every
        table. For example, if the learner loses against three opponents, each of them counts
        1/3 × 4/2 = 2/3.

        Args:
            results: the learner's shares of the win, as `Rollout.results`.
            num_sides: number of sides at the table.
        """
        for label, win_shares in results.items():
            running = self.win_shares.get(label, 0.5)
            for fair in ((1 - win_shares) / (num_sides - 1) * num_sides / 2).tolist():
                running = MEMORY * running + (1 - MEMORY) * fair
            self.win_shares[label] = running

    def wants_snapshot(self, update: int) -> bool:
        """Return whether a snapshot is due after an update."""
        return update % self.every == 0

    def add(self, update: int, snapshot: Network | Player) -> None:
        """Add a snapshot to the pool, and thin out the pool if it is full."""
        self.snapshots[f"update {update}"] = snapshot
        if len(self.snapshots) > self.limit:
            self.every *= 2
            self.snapshots = {
                label: kept
                for label, kept in self.snapshots.items()
                if int(label.split()[1]) % self.every == 0
            }

    def told(self) -> dict[str, Any]:
        """Return the pool as JSON types, without the weights of the snapshots."""
        return {
            "every": self.every,
            "snapshots": list(self.snapshots),
            "win_shares": self.win_shares,
        }
