"""Leaderboards of every table that has a shipped network: the ratings of the agents that act.

    python experiments/leaderboards.py

Prints the tables of docs/leaderboards.md, one for each game. The agents answer at once; `gubs arena
--leaderboard` writes the two tables with search. The games lie in runs/leaderboards, a folder for
each table. After an interruption the command goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import tyro

from gubs_agents.arena import tournament
from gubs_agents.arena.gate import Candidate, read_candidate
from gubs_agents.arena.report import whole
from gubs_agents.arena.tournaments import GAMES_FILE
from gubs_agents.networks.network import SHIPPED
from gubs_env.support import markdown
from gubs_env.support.output import print_everywhere

AGENTS = ("random", "greedy", "heuristic", "policy")


@dataclass(frozen=True)
class Options:
    """Leaderboards of every table that has a shipped network."""

    deals: int = 500
    """Number of deals, each played in all matches of the table."""
    out: Path = Path("runs/leaderboards")
    """Folder of the games."""


def row_of(found: Candidate, options: Options) -> list[str]:
    """Return the row of a table: its players and options, and each rating ± half its interval."""
    table = found.table
    out = options.out / table.name
    result = tournament(
        AGENTS, table, deals=options.deals, out=out,
        resume=(out / GAMES_FILE).exists(), progress=True,
    )  # fmt: skip
    changed = table.changed_options(table.game.table_options)
    where = ", ".join([f"{table.num_players} players", *changed])
    ratings = {
        label: f"{whole(value)} ± {(high - low) / 2:.0f}"
        for label, value, low, high in zip(result.labels, *result.numbers.rating, strict=True)
    }
    return [where, *(ratings[agent] for agent in AGENTS)]


def main() -> None:
    options = tyro.cli(Options)
    shipped = [read_candidate(path) for path in sorted(SHIPPED.glob("*.safetensors"))]
    met = [found for found in shipped if found.table.num_sides > 1]
    for game, those in groupby(met, lambda found: found.table.game):
        rows = [row_of(found, options) for found in those]
        print(f"\n{game.title}\n\n{markdown.table(['table', *AGENTS], rows)}", flush=True)


if __name__ == "__main__":
    print_everywhere()
    main()
