"""The commands `agents`, `describe`, `warm`, `soak` and `versions`."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from gubs_env.commands.common import ONE_GROUP, GameName, GameNames, TableOptions, shown
from gubs_env.games import GAMES, find_game
from gubs_env.support.checks import check_number
from gubs_env.support.files import replace_file
from gubs_env.support.version import __version__

if TYPE_CHECKING:
    from gubs_env.checking.soak import Chunk
    from gubs_env.engine.game import Game


def agents(game: tyro.conf.Positional[GameName] = "gubs") -> None:
    """List the agents that can play a game.

    They are named as here, or with options, as ismcts:playouts=200+exploration=1. A module of the
    working directory or of a package brings further ones, as my_package.bots:Cautious.

    Args:
        game: the game.
    """
    from gubs_env.agents.registry import names

    lines = names(find_game(game))
    for name, line in lines.items():
        print(f"{name.ljust(max(map(len, lines)))}  {line}")


def describe(
    out: Annotated[Path | None, shown("FILE.md", "the terminal")] = None,
    *,
    at: Annotated[TableOptions, ONE_GROUP],
) -> None:
    """Write the page of a game: actions, observation, events, state.

    $ gubs describe --game fubnub --players 4

    It is made from what the game declares, as Markdown, for a game of one's own as for ours.

    Args:
        out: the page to write; a file of this name is replaced.
        at: the table.
    """
    from gubs_env.commands.describe import page_of

    page = page_of(at.table)
    if out is None:
        print(page, end="")
    else:
        replace_file(out, page)
        print(f"{out}: {at.table.game.title}")


def warm(games: GameNames = GAMES, processes: int = min(len(GAMES), os.cpu_count() or 1)) -> None:
    """Compile the rules and the agents of games ahead of time.

    What is in the cache is not compiled again. Run it once in an image or before workers start:
    none of them then has to compile.

    Args:
        games: names of the games.
        processes: games that are compiled side by side.
    """
    from gubs_env.commands.warm import warm as warm_game
    from gubs_env.support.cluster import in_processes

    names = [game.name for game in found_games(games)]
    check_number("--processes", processes, 1)
    print(f"gubs_env {__version__}: compiling {', '.join(names)}; a game takes some minutes")
    # Windows allows no more than 61 processes.
    each = [(name,) for name in names]
    warmed = in_processes(warm_game, find_game, each, min(processes, len(names)))
    for name, parts in zip(names, warmed, strict=True):
        for part, seconds in parts:
            print(f"{name:20} {part:12} {seconds:6.1f} s", flush=True)


def soak(
    count: int = 10_000, games: GameNames = GAMES, first: int = 0, thorough: bool = False
) -> int:
    """Play random games, and check the invariants of all games.

    Prints a line for each violation, with the table, the seed and the decision, and the totals; any
    violation makes the status 1. Ctrl-C ends it; `--first` continues.

    Args:
        count: number of games to play.
        games: names of the games.
        first: number of the first chunk; it is the seed of its table and its deals.
        thorough: check all invariants, also those in Python, which takes eighty times as long.
    """
    from gubs_env.checking.soak import soak as play_chunks

    chosen = found_games(games)
    check_number("--count", count, 1)
    check_number("--first", first, 0)
    chunks: list[Chunk] = []
    try:
        for chunk in play_chunks(chosen, count, first, thorough):
            chunks.append(chunk)
            print(*chunk.violations, sep="\n", end="\n" * bool(chunk.violations))
            done = sum(chunk.games for chunk in chunks)
            print(f"\r{done:,} of {count:,} games", end="", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print(f"\ninterrupted: --first {first + len(chunks)} continues")
    print(file=sys.stderr)
    for game in chosen:
        played = [chunk for chunk in chunks if chunk.table.game is game]
        num_games, decisions = sum(c.games for c in played), sum(c.decisions for c in played)
        seconds = sum(chunk.seconds for chunk in played)
        cut_off = sum(chunk.cut_off for chunk in played)
        print(
            f"{game.name:20}{num_games:>14,} games, {cut_off:,} cut off{decisions:>17,} decisions"
            f"{seconds:>9,.0f} s"
        )
    violations = sum(len(chunk.violations) for chunk in chunks)
    print(f"{violations} violations")
    return 1 if violations else 0


def versions() -> None:
    """Print the versions that a bug report should name."""
    print(f"gubs_env {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for package in ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo"):
        print(f"{package} {metadata.version(package)}")


def found_games(names: Sequence[str]) -> list[Game]:
    """Return the games with these names, each once.

    Raises:
        ValueError: for an unknown name, or none.
    """
    if not names:
        raise ValueError("--games: name at least one game")
    return [find_game(name) for name in dict.fromkeys(names)]
