"""The opponent pool: fixed baselines, the newest policy, and snapshots of older policies.

The higher the win rate of a snapshot against the learner, the more often it is drawn (prioritised
fictitious self-play: Vinyals et al., "Grandmaster level in StarCraft II", 2019). This way the
learner does not forget how to beat it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gubs_agents.training.arrays import part_of, under
from gubs_agents.training.errors import TrainingError
from gubs_agents.training.options import OpponentsOptions, Options
from gubs_agents.training.players import Policy, arrays_of
from gubs_env.agents.registry import Agent, MemoryAgent, SearchAgent, build, parse_agent
from gubs_env.api.pool import Pool
from gubs_env.support.errors import described, message_of

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
        options: how opponents are drawn, and how many snapshots are kept. Until there is a
            snapshot, their share belongs to the newest policy. When there are too many, every
            second one is dropped, and from then on snapshots are taken half as often.
    """

    def __init__(
        self,
        baselines: Mapping[str, Agent | SearchAgent],
        newest: Policy,
        options: OpponentsOptions,
    ) -> None:
        self.baselines, self.newest, self.options = dict(baselines), newest, options
        self.every = options.snapshot_every
        self.snapshots: dict[str, Policy] = {}
        self.win_shares: dict[str, float] = {}

    @property
    def agents(self) -> dict[str, Agent | SearchAgent]:
        """All opponents by label."""
        return {**self.baselines, NEWEST: self.newest, **self.snapshots}

    def pool(self) -> Pool:
        """Return the opponents as the games draw them."""
        return Pool(self.agents, self.chances(), NEWEST, self.options.copies_share)

    def chances(self) -> dict[str, float]:
        """Return the probability of drawing each opponent; they add up to 1."""
        baseline_share = self.options.baseline_share if self.baselines else 0.0
        rest = 1 - baseline_share
        newest = min(self.options.newest_share, rest) if self.snapshots else rest
        chances = {label: baseline_share / len(self.baselines) for label in self.baselines}
        chances[NEWEST] = newest
        strength = {
            label: max(self.win_shares.get(label, 0.5), LEAST_SHARE) ** 2
            for label in self.snapshots
        }
        total = sum(strength.values())
        return chances | {label: (rest - newest) * s / total for label, s in strength.items()}

    def count(self, results: Mapping[str, Sequence[float]], num_sides: int) -> None:
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
            lost = 1 - np.array(win_shares, float)
            for fair in (lost / (num_sides - 1) * num_sides / 2).tolist():
                running = MEMORY * running + (1 - MEMORY) * fair
            self.win_shares[label] = running

    def add(self, update: int, snapshot: Policy) -> None:
        """Add a snapshot to the pool, and thin out the pool if it is full."""
        self.snapshots[f"update {update}"] = snapshot
        if len(self.snapshots) > self.options.snapshots:
            self.every *= 2
            self.snapshots = {
                label: kept
                for label, kept in self.snapshots.items()
                if update_of(label) % self.every == 0
            }

    def state(self, seated: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return what `restore` needs: arrays by name, and values that JSON can hold.

        Args:
            seated: the opponents in games under way, by label. The state includes snapshots among
                them that were dropped from the pool.
        """
        dropped = {label: agent for label, agent in seated.items() if label not in self.agents}
        players: dict[str, Policy] = {**self.snapshots, **dropped}
        arrays: dict[str, np.ndarray] = {}
        for label, player in players.items():
            arrays |= under(label, arrays_of(player.weights))
        return arrays, {
            "every": self.every,
            "snapshots": list(self.snapshots),
            "win_shares": self.win_shares,
            "networks": list(players),
        }

    def restore(
        self,
        arrays: Mapping[str, np.ndarray],
        numbers: Mapping[str, Any],
        player: Callable[[dict[str, np.ndarray]], Policy],
    ) -> dict[str, Agent | SearchAgent]:
        """Continue from a `state`; return all opponents by label, dropped snapshots too.

        Args:
            arrays, numbers: the state.
            player: returns the agent of a snapshot, given its arrays.
        """
        players = {label: player(part_of(label, arrays)) for label in numbers["networks"]}
        self.every, self.win_shares = numbers["every"], dict(numbers["win_shares"])
        self.snapshots = {label: players[label] for label in numbers["snapshots"]}
        return self.agents | players


def update_of(label: str) -> int:
    """Return the update after which a snapshot was taken, from its label."""
    return int(label.split()[1])


# ------------------------------------------------------------------------- agents that texts name


def build_agent(text: str, options: Options) -> Any:
    """Return the agent that a text names, at the table of a run.

    Raises:
        OSError: for a file that cannot be read.
        TrainingError: for an agent that cannot play there.
    """
    try:
        return build(text, options.table, options.seed)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        message = message_of(error) if isinstance(error, ValueError) else described(error)
        raise TrainingError(f"agent {text!r}: {message}") from error


def build_teacher(options: Options) -> Agent:
    """Return the teacher of a run; errors as for `build_agent`."""
    teacher = build_agent(options.teacher, options)
    if isinstance(teacher, SearchAgent | MemoryAgent):
        raise TrainingError(
            f"teacher {options.teacher!r} searches or remembers: name one that acts on "
            "observations alone, such as heuristic or policy"
        )
    return teacher


def identities(options: Options) -> list[str]:
    """Return the text of each baseline with the hash of each file that it names."""
    return [parse_agent(text).identity for text in options.baseline_list]
