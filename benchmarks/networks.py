"""Measure the decisions per second of the shipped networks on one core, in batches.

    python benchmarks/networks.py

Positions are those of games that the network plays against itself. The rounds of all tables are
interleaved and the median round counts, as in `speed`.
"""

from __future__ import annotations

import speed
import tyro

import gubs_agents
from gubs_env import find_table
from gubs_env.api.vector import VectorEnv
from gubs_env.support.output import print_everywhere

TABLES = {"gubs": (2, 3, 4, 5, 6), "fubnub": (4,), "bad_bad_turtle": (4,)}
GAMES, STEPS, CALLS = 1024, 40, 20


def answers(name: str, num_players: int) -> speed.Row:
    """Return a row in which the shipped network of a table answers recorded positions."""
    table = find_table(name, num_players)
    policy = gubs_agents.make("policy", table, seed=0)
    games = VectorEnv(table, GAMES, seed=0, skip_forced=True)
    for _ in range(STEPS):
        games.step(policy.act(games.observations, games.masks))

    def play() -> int:
        for _ in range(CALLS):
            policy.act(games.observations, games.masks)
        return GAMES * CALLS

    return play


def main() -> None:
    """Print a table: for each network, decisions a second."""
    speeds = speed.measure(
        {
            f"{name}, {players} players": answers(name, players)
            for name, tables in TABLES.items()
            for players in tables
        }
    )
    print(f"\n{speed.machine()}\n")
    print("| shipped network | decisions/s |\n|---|---|")
    for name, found in speeds.items():
        print(f"| {name} | {found:,.0f} |")


if __name__ == "__main__":
    print_everywhere()
    tyro.cli(main, description=__doc__)
