"""Evaluation: win rates, or payoffs, of a policy on fixed deals that no training game uses.

The policy plays its likeliest actions, as the saved network does, and so do the snapshots that it
meets here. If only one side sampled its actions, a policy would beat a copy of itself. A reference
policy draws its actions: it is hard to exploit because it mixes them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from gubs_agents.arena import WinRate
from gubs_agents.arena.measures import Measure
from gubs_agents.arena.playing import results_alone
from gubs_agents.training.distributed import gathered, rank, size
from gubs_env.agents.registry import Agent, MemoryAgent, SearchAgent
from gubs_env.engine.table import Table


def evaluate(
    player: Agent | MemoryAgent,
    against: Mapping[str, Agent | SearchAgent],
    table: Table,
    deals: int,
    first_deal: int,
    progress: Callable[[], object] = lambda: None,
) -> dict[str, WinRate]:
    """Return the win rate, or mean payoff, of a policy against each opponent.

    The workers share the deals. The results do not depend on their number.

    Args:
        player: the policy as an agent.
        against: opponents by label; each takes all seats that the policy does not have.
        table: the table.
        deals: number of deals, each played from every seat or by every team.
        first_deal: seed of the first deal.
        progress: is called before the games of each opponent.
    """
    first, until = (deals * worker // size() for worker in (rank(), rank() + 1))
    measure, results = Measure(table), {}
    for label, opponent in against.items():
        progress()
        labels, rows = ("the network", label), []
        if until > first:
            deal_seeds = range(first_deal + first, first_deal + until)
            rows = results_alone(measure, (player, opponent), deal_seeds, labels).tolist()
        shares = np.array([row for part in gathered(rows) for row in part], float)
        results[label] = measure.summary(shares)
    return results


def strength(results: Mapping[str, WinRate]) -> float:
    """Return the mean result over the baselines, by which the best network is chosen."""
    return float(np.mean([result.rate for result in results.values()]))
