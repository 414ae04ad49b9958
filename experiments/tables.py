"""Every shipped network against the heuristic, at its table.

    python experiments/tables.py
    python experiments/tables.py --weights runs/gubs_3/best.safetensors

Prints the table of docs/research/shipped-networks.md: the win rate against a table of heuristics,
how much more the network wins than the heuristic would in the same seats and deals, and what one
heuristic and one greedy agent win, each alone at a table of networks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tyro
from tqdm import tqdm

import gubs_agents
from gubs_agents.arena import Duel, win_rate
from gubs_agents.arena.gate import read_candidate
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.networks.network import SHIPPED
from gubs_env.support import markdown
from gubs_env.support.output import print_everywhere

ALONE = ("heuristic", "greedy")


@dataclass(frozen=True)
class Options:
    """Networks against the heuristic, each at its table."""

    deals: int = 5000
    """Number of deals, each played from every seat, or by every team."""
    weights: tuple[Path, ...] = ()
    """Files of networks; by default all that are shipped."""


def row_of(path: Path, deals: int) -> tuple[str, ...]:
    """Return the row of a network: its table, what equals win, what it wins and loses."""
    found = read_candidate(path)
    table, seed = found.table, REPORT_DEALS.start
    policy = gubs_agents.make("policy", table, seed=0, weights=str(path))
    heuristic = gubs_agents.make("heuristic", table, seed=0)
    gain = Duel(policy, heuristic, table, deals, seed).difference()
    equals, ratio = f"{gain.opponent:.1%}", f"{gain.agent.rate / gain.opponent:.2f}"
    alone = ["–"] * len(ALONE)
    if table.num_sides > 2:
        lone = [gubs_agents.make(name, table, seed=0) for name in ALONE]
        rates = [win_rate(one, policy, table, deals, seed) for one in lone]
        alone = [str(rate) for rate in rates]
    return table.name, equals, str(gain.agent), str(gain), ratio, *alone


def main() -> None:
    options = tyro.cli(Options)
    paths = options.weights or sorted(SHIPPED.glob("*.safetensors"))
    rows = [row_of(path, options.deals) for path in tqdm(paths, unit="network")]
    head = ("table", "heuristic in its place", "network", "difference", "ratio")
    print(markdown.table((*head, *(f"{name} alone" for name in ALONE)), rows))


if __name__ == "__main__":
    print_everywhere()
    main()
