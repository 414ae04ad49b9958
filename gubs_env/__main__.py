"""Commands of `gubs_env`: compile ahead of time, and tell the versions for a bug report."""

from __future__ import annotations

import os
import platform
import sys
from importlib import metadata
from typing import Annotated, NoReturn

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
    if not games:
        fail("--games: name at least one game")
    try:
        for game in games:
            find_game(game)
    except ValueError as error:
        fail(f"--games: {error}")
    if processes < 1:
        fail(f"--processes {processes}: must be at least 1")
    processes = min(processes, len(games))  # Windows allows no more than 61
    print(f"gubs_env {__version__}: compiling {', '.join(games)}; a game takes some minutes")
    for warmed in warm_all(find_game, list(dict.fromkeys(games)), processes):
        print(f"{warmed.game:20} {warmed.part:12} {warmed.seconds:6.1f} s", flush=True)


def fail(message: str) -> NoReturn:
    """End the process with one line on standard error and status 2, as for a wrong argument."""
    print(f"gubs_env: {message}", file=sys.stderr)
    sys.exit(2)


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
