"""The commands `mcp` and `minari`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro

from gubs_env.commands.common import shown
from gubs_env.support.checks import check_seed


def mcp(
    seed: int | None = None,
    opponents: Annotated[str, shown("AGENTS", "all that ask no server and write no file")] = "",
) -> None:
    """Serve games to a client of the Model Context Protocol.

    It talks on standard input and output.

    Args:
        seed: seed of the first game that the client starts; each further one adds 1.
        opponents: the agents from which the client may choose, as
            heuristic,strong=ismcts:playouts=200. It names them by their labels.
    """
    check_seed(seed)
    from gubs_env.adapters.mcp import make_server  # says which extra is missing

    make_server(seed, opponents).run()


def minari(
    records: Annotated[tyro.conf.Positional[Path], shown("FILE")],
    id: Annotated[str, shown("NAME")],
    agents: Annotated[str, shown("AGENTS", "the seats of all agents")] = "",
) -> None:
    """Write recorded games as a data set of Minari.

    Each seat of a game is an episode.

    Args:
        records: a file of records, or the games.jsonl of an arena.
        id: the name of the data set, as gubs/policy-v0.
        agents: only the seats of these agents, by their names in the records.
    """
    from gubs_env.adapters.minari import to_minari  # says which extra is missing

    data = to_minari(records, id, [name for name in agents.split(",") if name])
    print(f"{data.total_episodes:,} episodes, {data.total_steps:,} steps: {data.spec.data_path}")
