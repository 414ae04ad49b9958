"""Commands of `gubs_env`: play, watch, compile ahead of time, test for hours, tell the versions."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Annotated, NoReturn

import tyro

from gubs_env import GAMES, __version__, find_game
from gubs_env.api.soak import Chunk
from gubs_env.api.soak import soak as play_chunks
from gubs_env.api.warm import warm_all
from gubs_env.engine.game import Game
from gubs_env.play import commands
from gubs_env.play.commands import TableOptions

GameName = Annotated[str, tyro.conf.arg(metavar=f"{{{','.join(GAMES)}}}")]
Players = Annotated[int, tyro.conf.arg(help_behavior_hint="(default: the usual number)")]
Agents = Annotated[
    str, tyro.conf.arg(metavar="AGENTS", help_behavior_hint="(default: the strongest)")
]
OptionalFile = Annotated[Path | None, tyro.conf.arg(metavar="FILE", help_behavior_hint="")]


def play(
    game: GameName = "gubs",
    players: Players = 0,
    opponents: Agents = "",
    humans: str = "1",
    rules: str = "",
    seed: int | None = None,
    think: float = 0.3,
    pace: float = 0.8,
    replay: OptionalFile = None,
    resume: OptionalFile = None,
) -> None:
    """Play against agents at the terminal, alone or with others who pass the keyboard around.

    Type `help` in the game. Whoever leaves can go on later: the game is saved.

    Args:
        game: the game.
        players: players at the table.
        opponents: agents for the other seats, as ismcts,policy; they repeat if there are more.
        humans: how many people play, or their seats, as player_1,player_3.
        rules: options of the rules, as letters=anywhere+ask_everyone=true.
        seed: seed of the deal and of the agents.
        think: seconds that a searching agent thinks about a decision, unless it has ms= or
            playouts= of its own.
        pace: least number of seconds that a move of an agent is shown.
        replay: file that the game is written to; by default it is named after the time.
        resume: file of a game to go on with.
    """
    with user_errors():
        table = TableOptions(game, players, rules, seed)
        sitting = commands.play(table, opponents, humans, think, pace, replay, resume)
    sitting.run()


def watch(
    game: GameName = "gubs",
    players: Players = 0,
    agents: Agents = "",
    rules: str = "",
    seed: int | None = None,
    eyes: str = "everybody",
    think: float = 0.3,
    delay: float = 0.5,
    step: bool = False,
    replay: OptionalFile = None,
) -> None:
    """Watch agents play at the terminal. Ctrl-C ends it.

    Args:
        game: the game.
        players: players at the table.
        agents: the agents, as ismcts,policy; they repeat if there are more seats.
        rules: options of the rules, as letters=anywhere+ask_everyone=true.
        seed: seed of the deal and of the agents.
        eyes: what is shown: everybody (what everybody sees), all (all hands too), or a seat, as
            player_0.
        think: seconds that a searching agent thinks about a decision, unless it has ms= or
            playouts= of its own.
        delay: seconds between two moves.
        step: wait for Enter after each move.
        replay: file that the game is written to.
    """
    with user_errors():
        table = TableOptions(game, players, rules, seed)
        watching = commands.watch(table, agents, eyes, think, delay, step, replay)
    watching.run()


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


@contextmanager
def user_errors() -> Iterator[None]:
    """End the process with one line for an error that its user has caused."""
    try:
        yield
    except (ValueError, TypeError, OSError, ImportError) as error:
        fail(" ".join(str(error).split()))


def fail(message: str) -> NoReturn:
    """End the process with one line on standard error and status 2, as for a wrong argument."""
    print(f"gubs_env: {message}", file=sys.stderr)
    sys.exit(2)


def main() -> None:
    tyro.extras.subcommand_cli_from_dict(
        {"play": play, "watch": watch, "warm": warm, "soak": soak, "versions": versions},
        prog="python -m gubs_env",
        description=__doc__,
    )


if __name__ == "__main__":
    main()
