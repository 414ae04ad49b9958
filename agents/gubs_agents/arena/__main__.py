"""Agents against each other on the same deals, from every seat (docs/benchmark.md).

    python -m gubs_agents.arena --agents random,heuristic --deals 500
    python -m gubs_agents.arena --players 4 --agents random,ismcts:playouts=200+exploration=1
    python -m gubs_agents.arena --game fubnub --rules mode=royal+num_points=7
    python -m gubs_agents.arena --leaderboard

Writes games.jsonl, report.md, arena.png, times.jsonl and times.md to the output folder.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import gubs_agents
from gubs_agents.arena import report
from gubs_agents.arena.plot import draw
from gubs_agents.arena.tournament import FIRST_DEAL, GAMES_FILE, Result, tournament
from gubs_agents.by_game import scripted_agents
from gubs_env import GAMES, find_game
from gubs_env.api.parsing import parse_rules

README = Path(__file__).parents[2] / "README.md"
DEALS = 500
"""Unless said otherwise."""
STRONGER = ["policy", "montecarlo:playouts=50", "ismcts:playouts=50"]
STANDARD_DEALS = 1000
STANDARD_MATCHES = {2: 5}
"""Of the leaderboard, by the number of sides, else 1: games of players that search take long."""


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m gubs_agents.arena",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    listed = "; ".join(f"{name}: {line}" for name, line in gubs_agents.names().items())
    parser.add_argument("--game", default="gubs", help=f"one of {', '.join(GAMES)}")
    parser.add_argument("--players", type=int, help="seats at the table (default: as usual)")
    parser.add_argument(
        "--rules", default="", help="options of the rules, as mode=royal+num_points=7"
    )
    parser.add_argument(
        "--agents",
        help="two or more, as name or name:option=value+option=value (default: random and the "
        "scripted ones). " + listed.replace("%", "%%"),
    )
    parser.add_argument("--deals", type=int, help=f"(default {DEALS})")
    parser.add_argument(
        "--matches", type=int, help="of each deal, dealt out in turn (default: every match)"
    )
    parser.add_argument(
        "--seed", type=int, default=FIRST_DEAL, help=f"of the first deal (default {FIRST_DEAL})"
    )
    parser.add_argument("--processes", type=int, default=1, help="(default 1)")
    parser.add_argument("--batch", type=int, help="games side by side in a process")
    parser.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    parser.add_argument("--out", type=Path, default=Path("runs/arena"), help="(default runs/arena)")
    parser.add_argument(
        "--leaderboard",
        action="store_true",
        help=f"put the result into the README too; by default {STANDARD_DEALS} deals, each in some "
        f"matches, also of {', '.join(STRONGER)}",
    )
    return parser.parse_args(arguments)


def standard_command(options: argparse.Namespace) -> str:
    rules = f" --rules '{options.rules}'" if options.rules else ""
    return (
        f"python -m gubs_agents.arena --leaderboard --game {options.game} "
        f"--players {options.players}"
        f"{rules} --agents '{options.agents}' --deals {options.deals}"
        + (f" --matches {options.matches}" if options.matches else "")
        + f" --seed {options.seed}"
    )


def fill_in(options: argparse.Namespace) -> None:
    """What the command line leaves open; ValueError for a game that there is not."""
    game = find_game(options.game)
    if options.players is None:
        options.players = game.players
    field, deals = ["random", *scripted_agents(game)], DEALS
    if options.leaderboard:
        field, deals = field + STRONGER, STANDARD_DEALS
        if options.matches is None:
            sides = game.sides(options.players, parse_rules(options.rules, game))
            options.matches = STANDARD_MATCHES.get(sides.max() + 1, 1)
    if options.deals is None:
        options.deals = deals
    if options.agents is None:
        options.agents = ",".join(field)


def write_files(result: Result, out: Path) -> None:
    (out / "report.md").write_text(report.markdown(result), encoding="utf-8")
    (out / "times.md").write_text(report.times_markdown(result), encoding="utf-8")
    draw(result, out / "arena.png")


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    try:
        fill_in(options)
        result = tournament(
            options.agents,
            options.game,
            options.players,
            options.deals,
            rules=parse_rules(options.rules, find_game(options.game)),
            seed=options.seed,
            matches=options.matches,
            out=options.out,
            resume=options.resume,
            processes=options.processes,
            batch=options.batch,
            progress=True,
        )
        write_files(result, options.out)
        if options.leaderboard:
            section = report.leaderboard_markdown(result, standard_command(options))
            report.replace_leaderboard(README, report.board_name(result), section)
    except ValueError as error:
        sys.exit(f"arena: {error}")
    except KeyboardInterrupt:
        print(f"interrupted; go on with the same command and --resume ({options.out})")
        sys.exit(130)
    print(report.ratings_table(result), report.times_markdown(result), sep="\n\n")
    print(f"report, picture and games ({GAMES_FILE}): {options.out}")


if __name__ == "__main__":
    main()
