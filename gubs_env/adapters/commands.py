"""The command `mcp`."""

from __future__ import annotations

from typing import Annotated

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
