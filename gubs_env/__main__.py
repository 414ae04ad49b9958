"""Commands of `gubs_env`: compile ahead of time, and tell the versions for a bug report."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from typing import Annotated

import tyro

from gubs_env import GAMES, __version__, find_game
from gubs_env.api.warm import warm_all


def warm(
    games: Annotated[tuple[str, ...], tyro.conf.arg(metavar="GAME …")] = GAMES,
    processes: int = min(len(GAMES), os.cpu_count() or 1),
) -> None:
    """Compile the rules and all agents of the games, where they are not in the cache.

    Run it once in an image or before workers start: none of them then has to compile.

    Args:
        games: names of the games.
        processes: games that are compiled side by side.
    """
    try:
        for game in games:
            find_game(game)
    except ValueError as error:
        sys.exit(f"gubs_env: --games: {error}")
    if processes < 1:
        sys.exit(f"gubs_env: --processes {processes}: must be at least 1")
    print(f"gubs_env {__version__}: compiling {', '.join(games)}; a game takes some minutes")
    for warmed in warm_all(find_game, list(games), processes):
        print(f"{warmed.game:20} {warmed.part:12} {warmed.seconds:6.1f} s", flush=True)


def versions() -> None:
    """Print the versions that a bug report should name."""
    print(f"gubs_env {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for package in ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo"):
        print(f"{package} {metadata.version(package)}")


def main() -> None:
    tyro.extras.subcommand_cli_from_dict(
        {"warm": warm, "versions": versions}, prog="python -m gubs_env", description=__doc__
    )


if __name__ == "__main__":
    main()
