"""Play agents against each other on the same deals, from every seat.

$ gubs-arena --agents random,heuristic --deals 500
$ gubs-arena --players 4 --agents random,ismcts:playouts=200+exploration=1
$ gubs-arena --agents heuristic,my_package.bots:Cautious
$ gubs-arena --game fubnub --rules mode=royal+num_points=7
$ gubs-arena --leaderboard

The folder of the results gets games.jsonl, report.md, arena.png and times.md.

docs/benchmark.md explains the protocol and the numbers.
"""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

import gubs_agents
from gubs_agents.arena import report
from gubs_agents.arena.plot import draw
from gubs_agents.arena.tournament import (
    FIRST_DEAL,
    GAMES_FILE,
    Result,
    tournament,
)
from gubs_agents.by_game import scripted_agents
from gubs_env import GAMES, find_game
from gubs_env.api.checks import require_extra
from gubs_env.api.files import replace_file
from gubs_env.api.parsing import parse_rules
from gubs_env.cluster import ENGINES, LOCAL
from gubs_env.commands import one_line_errors, shown

README = Path(__file__).parents[2] / "README.md"
DEALS = 500
STRONGER = ["policy", "montecarlo:playouts=50", "ismcts:playouts=50"]
"""Agents of the standard field that are not scripted."""
STANDARD_DEALS = 1000
STANDARD_MATCHES = {2: 5}
"""Matches of each deal on the leaderboard by number of sides, else 1: search takes long."""


@dataclass(frozen=True)
class TournamentOptions:
    """Who plays, at which table, how often."""

    game: Annotated[str, shown(f"{{{','.join(GAMES)}}}")] = "gubs"
    """The game."""
    players: Annotated[int, shown("INT", "the usual number for the game")] = 0
    """Players at the table."""
    rules: Annotated[str, shown("RULES", "the official rules")] = ""
    """Options of the rules, as mode=royal+num_points=7."""
    agents: Annotated[str, shown("AGENTS", "random and the scripted agents")] = ""
    """Two or more of name, name:option=value+option=value, and package.module:Class."""
    deals: Annotated[int, shown("INT", f"{DEALS}; {STANDARD_DEALS} for the leaderboard")] = 0
    """Number of deals."""
    matches: Annotated[int, shown("INT", "all of them")] = 0
    """Matches that each deal is played in, which are dealt out in turn."""
    seed: int = FIRST_DEAL
    """Seed of the first deal."""


@dataclass(frozen=True)
class OutputOptions:
    """Where the results go."""

    out: Annotated[Path, shown("FOLDER")] = Path("runs/arena")
    """Folder of the results."""
    resume: bool = False
    """Continue the run in the folder; give the same options as before."""
    leaderboard: bool = False
    """Play the standard field, and write the result into README.md too."""


@dataclass(frozen=True)
class SpeedOptions:
    """How the games are played; the results do not depend on it."""

    engine: Annotated[str, shown(f"{{{','.join(ENGINES)}}}")] = LOCAL
    """local, or ray: on every core of a Ray cluster, which needs the extra ray."""
    processes: int = 1
    """Number of processes that play on this machine."""
    batch: Annotated[int, shown("INT", "1024, or 8 for agents that search or write")] = 0
    """Games that a process plays side by side."""
    timeout: Annotated[float, shown("SECONDS")] = 0.0
    """Seconds that an agent may take for one call, which asks for up to BATCH decisions; 0 means no
    limit."""


@dataclass(frozen=True)
class CommandLine:
    """The options in the groups of `--help`."""

    tournament: TournamentOptions
    output: OutputOptions
    speed: SpeedOptions


def parse(arguments: Sequence[str] | None = None) -> CommandLine:
    """Return the options of a command line, this process's unless `arguments` are given."""
    lines = [f"{name}: {line}" for name, line in gubs_agents.names().items()]
    wrapped = [textwrap.fill(f"- {line}", 79, subsequent_indent="  ") for line in lines]
    description = "\n".join([f"{__doc__}\n\nAgents for Gubs:", *wrapped])
    return tyro.cli(
        tyro.conf.OmitArgPrefixes[tyro.conf.FlagCreatePairsOff[CommandLine]],
        args=arguments, prog="gubs-arena", description=description,
        default=CommandLine(TournamentOptions(), OutputOptions(), SpeedOptions()),
    )  # fmt: skip


def standard_command(options: TournamentOptions) -> str:
    """Return the command that repeats a leaderboard."""
    rules = f" --rules '{options.rules}'" if options.rules else ""
    return (
        f"python -m gubs_agents.arena --leaderboard --game {options.game} "
        f"--players {options.players}"
        f"{rules} --agents '{options.agents}' --deals {options.deals}"
        + (f" --matches {options.matches}" if options.matches else "")
        + f" --seed {options.seed}"
    )


def fill_in(options: TournamentOptions, leaderboard: bool) -> TournamentOptions:
    """Replace the options that are not given by their defaults.

    Raises:
        ValueError: for an unknown game, or rules that it does not have.
    """
    game = find_game(options.game)
    players = options.players or game.players
    field, deals, matches = ["random", *scripted_agents(game)], DEALS, options.matches
    if leaderboard:
        field, deals = field + STRONGER, STANDARD_DEALS
        if not matches:
            sides = game.sides(players, parse_rules(options.rules, game))
            matches = STANDARD_MATCHES.get(int(sides.max()) + 1, 1)
    return replace(
        options,
        players=players,
        matches=matches,
        deals=options.deals or deals,
        agents=options.agents or ",".join(field),
    )


def write_files(result: Result, out: Path) -> None:
    """Write the report, the picture and the times."""
    replace_file(out / "report.md", report.markdown(result))
    replace_file(out / "times.md", report.times_markdown(result))
    draw(result, out / "arena.png")


def play(given: CommandLine) -> Result:
    """Play the tournament and write its files.

    Raises:
        ValueError, OSError, TimeoutError, RuntimeError: as for `tournament`.
        ModuleNotFoundError: without the arena extra, before any game is played.
    """
    require_extra("arena", "choix", "matplotlib", "tqdm")
    output, options = given.output, fill_in(given.tournament, given.output.leaderboard)
    board = report.board_name(find_game(options.game), options.players)
    if output.leaderboard:
        report.leaderboard_frame(README, board)  # it fails here rather than after the games
    result = tournament(
        options.agents,
        options.game,
        options.players,
        options.deals,
        rules=parse_rules(options.rules, find_game(options.game)),
        seed=options.seed,
        matches=options.matches or None,
        out=output.out,
        resume=output.resume,
        engine=given.speed.engine,
        processes=given.speed.processes,
        batch=given.speed.batch or None,
        progress=True,
        timeout=given.speed.timeout,
    )
    write_files(result, output.out)
    if output.leaderboard:
        section = report.leaderboard_markdown(result, standard_command(options))
        report.replace_leaderboard(README, board, section)
    return result


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command `gubs-arena`."""
    given = parse(arguments)
    # As with `python -m`, agents may be modules of the working directory.
    sys.path.insert(0, os.getcwd())
    try:
        with one_line_errors("arena", RuntimeError):
            result = play(given)
    except KeyboardInterrupt:
        print("interrupted; the same command with --resume continues")
        sys.exit(130)
    print(report.ratings_table(result), report.times_markdown(result), sep="\n\n")
    print(f"report, picture and games ({GAMES_FILE}): {given.output.out}")


if __name__ == "__main__":
    main()
