"""Who the learner meets: fixed baselines, its newest self, and older ones.

Older selves are snapshots, drawn the more often the more they still win (prioritised fictitious
self-play: Vinyals et al., "Grandmaster level in StarCraft II", 2019), so that what was learnt once
is not forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gubs_agents.network import Network
from gubs_env.api.agents import Agent

NEWEST = "newest"
MEMORY = 0.99
"""Of the running share of wins: what counts is about the last hundred games."""
LEAST_SHARE = 0.02
"""Of wins, below which an opponent is not thought to fall: none is forgotten."""


class Opponents:
    """The pool of opponents, and how often each of them wins.

    Args:
        baselines: fixed agents by label.
        newest: the policy that learns, as an agent.
        baseline_share, newest_share: of the opponents drawn; snapshots have the rest, or while
            there are none the newest has.
        limit: how many snapshots are kept; when there are more, every second one goes, and from
            then on one is taken half as often.
        every: updates between two snapshots at first.
    """

    def __init__(
        self,
        baselines: Mapping[str, Agent],
        newest: Network,
        baseline_share: float,
        newest_share: float,
        limit: int,
        every: int,
    ) -> None:
        self.baselines, self.newest = dict(baselines), newest
        self.baseline_share, self.newest_share = baseline_share, newest_share
        self.limit, self.every = limit, every
        self.snapshots: dict[str, Network] = {}
        self.win_shares: dict[str, float] = {}

    @property
    def agents(self) -> dict[str, Agent]:
        return {**self.baselines, NEWEST: self.newest, **self.snapshots}

    def chances(self) -> dict[str, float]:
        """Of each to be drawn; they add up to 1."""
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

    def count(self, labels: Iterable[str], win_share: float, num_sides: int) -> None:
        """Note a game: who sat on the other sides, and the learner's share of the win.

        What the learner left is divided among the other sides.
        """
        for label in set(labels):
            before = self.win_shares.get(label, 0.5)
            fair = (1 - win_share) / (num_sides - 1) * num_sides / 2
            self.win_shares[label] = MEMORY * before + (1 - MEMORY) * fair

    def wants_snapshot(self, update: int) -> bool:
        return update % self.every == 0

    def add(self, update: int, snapshot: Network) -> None:
        """Take a snapshot into the pool."""
        self.snapshots[f"update {update}"] = snapshot
        if len(self.snapshots) > self.limit:
            self.every *= 2
            self.snapshots = {
                label: kept
                for label, kept in self.snapshots.items()
                if int(label.split()[1]) % self.every == 0
            }

    def told(self) -> dict[str, Any]:
        """What JSON can hold of it; the snapshots' layers are kept apart."""
        return {
            "every": self.every,
            "snapshots": list(self.snapshots),
            "win_shares": self.win_shares,
        }
