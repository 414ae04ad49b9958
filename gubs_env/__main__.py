"""Commands of `gubs_env`: compile ahead of time, test for hours, tell the versions."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Annotated, NoReturn

import tyro

from gubs_env import GAMES, __version__, find_game
from gubs_env.api.soak import Chunk
from gubs_env.api.soak import soak as play_chunks
from gubs_env.api.warm import warm_all
from gubs_env.engine.game import Game


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
    names = [game.name for game in found_games(games)]
    check_option("--processes", processes, 1)
    print(f"gubs_env {__version__}: compiling {', '.join(names)}; a game takes some minutes")
    # Windows allows no more than 61 processes.
    for warmed in warm_all(find_game, names, min(processes, len(names))):
        print(f"{warmed.game:20} {warmed.part:12} {warmed.seconds:6.1f} s", flush=True)


def soak(
    count: int = 10_000,
    games: Annotated[tuple[str, ...], tyro.conf.arg(metavar="GAME …")] = GAMES,
    first: int = 0,
    thorough: bool = False,
) -> None:
    """Play random games at random tables, and check the invariants of all games.

    Prints a line for each violation, and the totals; any violation makes the status 1. Ctrl-C ends
    it; `--first` continues.

    Args:
        count: number of games to play.
        games: names of the games.
        first: number of the first chunk; it determines the tables and the deals.
        thorough: check all invariants, also those in Python, which takes eighty times as long.
    """
    found = found_games(games)
    check_option("--count", count, 1)
    check_option("--first", first, 0)
    chunks: list[Chunk] = []
    try:
        for chunk in play_chunks(found, count, first, thorough):
            chunks.append(chunk)
            print(*chunk.violations, sep="\n", end="\n" * bool(chunk.violations))
            done = sum(chunk.games for chunk in chunks)
            print(f"\r{done:,} of {count:,} games", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print(f"\ninterrupted: --first {first + len(chunks)} continues")
    print(file=sys.stderr)
    for game in found:
        own = [chunk for chunk in chunks if chunk.game is game]
        num_games, decisions = (
            sum(getattr(c, name) for c in own) for name in ("games", "decisions")
        )
        seconds = sum(chunk.seconds for chunk in own)
        print(f"{game.name:20}{num_games:>14,} games{decisions:>17,} decisions{seconds:>9,.0f} s")
    violations = sum(len(chunk.violations) for chunk in chunks)
    print(f"{violations} violations")
    sys.exit(1 if violations else 0)


def versions() -> None:
    """Print the versions that a bug report should name."""
    print(f"gubs_env {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for package in ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo"):
        print(f"{package} {metadata.version(package)}")


def found_games(names: Sequence[str]) -> list[Game]:
    """Return the games with these names, each once; end the process if there is none."""
    try:
        games = [find_game(name) for name in dict.fromkeys(names)]
    except ValueError as error:
        fail(f"--games: {error}")
    return games or fail("--games: name at least one game")


def check_option(name: str, value: int, least: int) -> None:
    """End the process if a number is too small."""
    if value < least:
        fail(f"{name} {value}: must be at least {least}")


def fail(message: str) -> NoReturn:
    """End the process with one line on standard error and status 2, as for a wrong argument."""
    print(f"gubs_env: {message}", file=sys.stderr)
    sys.exit(2)


def main() -> None:
    tyro.extras.subcommand_cli_from_dict(
        {"warm": warm, "soak": soak, "versions": versions},
        prog="python -m gubs_env",
        description=__doc__,
    )


if __name__ == "__main__":
    main()
