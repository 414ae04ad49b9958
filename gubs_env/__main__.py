"""Commands: play, watch, record, parquet, replay, compile ahead, soak, MCP server, versions."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Annotated, NoReturn

import tyro

from gubs_env import GAMES, __version__, find_game
from gubs_env.agents.parsing import parse_rules
from gubs_env.checking.soak import Chunk
from gubs_env.checking.soak import soak as play_chunks
from gubs_env.commands.common import PATHS, one_line_errors, print_everywhere, progress_bars, shown
from gubs_env.commands.warm import warm_all
from gubs_env.engine.game import Game
from gubs_env.engine.text import printable
from gubs_env.play import commands
from gubs_env.play.commands import PlayOptions, TableOptions, WatchOptions
from gubs_env.records.parquet import to_parquet
from gubs_env.records.record import read_record
from gubs_env.records.recording import record as record_games
from gubs_env.replays.gif import save_gif
from gubs_env.replays.page import replay as make_replay
from gubs_env.support.checks import check_seed
from gubs_env.support.cluster import ENGINES, LOCAL

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
    web: bool = False,
    port: int = 0,
    open_browser: bool = True,
) -> None:
    """Play against agents at the terminal, alone or with others who pass the keyboard around.

    Type `help` in the game. Whoever leaves can go on later: the game is saved. With --web, play in
    the browser; each person has a link of their own.

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
        replay: file that the game is written to; by default it is named after the game and the
            time.
        resume: file of a game to go on with.
        web: play in the browser.
        port: port of this machine that the game is served at; 0 takes that of the file of the game,
            or a free one.
        open_browser: open the first link.
    """
    with one_line_errors("gubs_env", TypeError):
        table = TableOptions(game, players, rules, seed)
        options = PlayOptions(opponents, humans, think, pace, replay, resume)
        if web:
            served = commands.play_in_browser(table, options, port)
        else:
            sitting = commands.play(table, options)
    if web:
        served.run(open_browser)
    else:
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
    web: bool = False,
    port: int = 0,
    open_browser: bool = True,
) -> None:
    """Watch agents play at the terminal. Ctrl-C ends it.

    With --web, watch in the browser, where the game can be paused and its speed changed.

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
        step: wait for Enter after each move; in the browser, begin paused.
        replay: file that the game is written to.
        web: watch in the browser.
        port: port of this machine that the game is served at; 0 takes a free one.
        open_browser: open the link.
    """
    with one_line_errors("gubs_env", TypeError):
        table = TableOptions(game, players, rules, seed)
        options = WatchOptions(agents, eyes, think, delay, step, replay)
        if web:
            served = commands.watch_in_browser(table, options, port)
        else:
            watching = commands.watch(table, options)
    if web:
        served.run(open_browser)
    else:
        watching.run()


def record(
    agents: Annotated[str, shown("AGENTS")],
    out: Annotated[Path, shown("FILE.jsonl|FOLDER")],
    game: Annotated[str, shown(f"{{{','.join(GAMES)}}}")] = "gubs",
    players: Annotated[int, shown("INT", "the usual number for the game")] = 0,
    rules: Annotated[str, shown("RULES", "the official rules")] = "",
    games: int = 100,
    seed: int = 0,
    rotate: bool = True,
    resume: bool = False,
    batch: Annotated[int, shown("INT", "1024, or 8 for agents that search or write")] = 0,
    hidden_state: bool = True,
    moves: bool = False,
    engine: Annotated[str, shown(f"{{{','.join(ENGINES)}}}")] = LOCAL,
    processes: int = 1,
) -> None:
    """Let agents play games, and write a record of each: one line of JSON.

    $ python -m gubs_env record --agents heuristic,policy --games 100 --out games.jsonl

    With a folder as --out, the records go to its _games.jsonl, and every decision becomes a row of
    its Parquet files. The same command with --resume goes on after an interruption. docs/records.md
    and docs/data.md describe the files.

    Args:
        agents: one for all seats, or one for each seat: name, name:option=value+option=value, or
            package.module:Class, separated by commas.
        out: the file or the folder to write.
        game: the game.
        players: players at the table.
        rules: options of the rules, as mode=royal+num_points=7.
        games: number of games.
        seed: seed of the first deal; each further game has the next one.
        rotate: let the agents move one seat on from game to game.
        resume: go on with the file; give the same options as before, or more games.
        batch: games that are played side by side.
        hidden_state: for Parquet: write the whole states, which hold secrets.
        moves: for Parquet: write the legal moves in words, and the one that was played.
        engine: local, or ray: on every core of a Ray cluster, which needs the extra ray.
        processes: number of processes that play on this machine.
    """
    try:
        with one_line_errors("gubs_env", TypeError, RuntimeError), progress_bars("games") as tell:
            options = parse_rules(rules, find_game(game))
            path = record_games(
                out, agents, games, game, players or None, rules=options, seed=seed, rotate=rotate,
                resume=resume, batch=batch or None, hidden_state=hidden_state, moves=moves,
                progress=tell, engine=engine, processes=processes,
            )  # fmt: skip
    except KeyboardInterrupt:
        print("interrupted; the same command with --resume continues")
        sys.exit(130)
    print(f"{games:,} game{'s' * (games != 1)}: {path}")


def parquet(
    records: Annotated[tyro.conf.Positional[Path], shown("FILE")],
    out: Annotated[Path, shown("FOLDER")],
    hidden_state: bool = True,
    moves: bool = False,
    engine: Annotated[str, shown(f"{{{','.join(ENGINES)}}}")] = LOCAL,
    processes: int = 1,
) -> None:
    """Write the decisions of recorded games as Parquet files, one row for each decision.

    Args:
        records: a file of records, or the games.jsonl of an arena.
        out: the folder of the Parquet files.
        hidden_state: write the whole states, which hold secrets.
        moves: write the legal moves in words, and the one that was played.
        engine: local, or ray: on every core of a Ray cluster, which needs the extra ray.
        processes: number of processes of this machine.
    """
    try:
        with one_line_errors("gubs_env", RuntimeError), progress_bars("games") as tell:
            files = to_parquet(
                records, out, hidden_state=hidden_state, moves=moves, engine=engine,
                processes=processes, progress=partial(tell, "writing Parquet"),
            )  # fmt: skip
    except KeyboardInterrupt:
        print("interrupted; the same command continues")
        sys.exit(130)
    print(*files, sep="\n")


def replay(
    records: Annotated[tyro.conf.Positional[Path], shown("FILE")],
    game: int = 0,
    html: Annotated[Path, shown("FILE.html")] = Path("replay.html"),
    eyes: Annotated[str, shown("AGENT", "everybody, one at a time, and all hands open")] = "",
    judge: Annotated[str, shown("AGENT", "nobody")] = "",
    gif: Annotated[Path | None, shown("FILE.gif", "no moving picture")] = None,
    first: int = 0,
    count: int = 60,
    width: int = 800,
) -> None:
    """Write a page that replays a recorded game: one file of HTML that needs nothing else.

    $ python -m gubs_env replay games.jsonl --game 12 --judge policy --html game12.html

    With --gif, write a moving picture instead.

    Args:
        records: a file of records, or the games.jsonl of an arena.
        game: number of the game in the file, from 0.
        html: the page to write; a file of this name is replaced.
        eyes: the player who looks, as player_0; the page then holds nothing that is hidden from
            them.
        judge: a network whose probabilities of the moves, and expected payoff, stand beside each
            decision.
        gif: the moving picture to write in place of the page.
        first: number of the first move in the moving picture.
        count: number of positions in the moving picture.
        width: width of the moving picture, in pixels.
    """
    check_option("--game", game, 0)
    with one_line_errors("gubs_env", TypeError):
        if gif is not None:
            print(save_gif(read_record(records, game), gif, eyes or None, first, count, width))
            return
        with progress_bars("actions") as tell:
            drawn = partial(tell, "drawing")
            page = make_replay(read_record(records, game), eyes or None, judge or None, drawn)
        page.save(html)
    print(f"{html}: {page.title}")


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


def mcp(
    seed: int | None = None,
    opponents: Annotated[str, shown("AGENTS", "all that ask no server and write no file")] = "",
) -> None:
    """Serve games to a client of the Model Context Protocol, on standard input and output.

    Args:
        seed: seed of the first game that the client starts; each further one adds 1.
        opponents: the agents from which the client may choose, as
            heuristic,strong=ismcts:playouts=200. It names them by their labels.
    """
    with one_line_errors("gubs_env mcp"):
        check_seed(seed)
        import_module("gubs_env.adapters.mcp").make_server(seed, opponents).run()


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
    print(f"gubs_env: {printable(message)}", file=sys.stderr)
    sys.exit(2)


def main() -> None:
    print_everywhere()
    tyro.extras.subcommand_cli_from_dict(
        {
            "play": play,
            "watch": watch,
            "record": record,
            "parquet": parquet,
            "replay": replay,
            "warm": warm,
            "soak": soak,
            "mcp": mcp,
            "versions": versions,
        },
        prog="python -m gubs_env",
        description=__doc__,
        registry=PATHS,
    )


if __name__ == "__main__":
    main()
