"""The commands `arena` and `gate`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from gubs_agents.arena import report
from gubs_agents.arena.gate import Options as GateOptions
from gubs_agents.arena.gate import gate as pass_gate
from gubs_agents.arena.likelihood import H1
from gubs_agents.arena.plot import draw
from gubs_agents.arena.seats import seats
from gubs_agents.arena.sprt import MOST_DEALS, STATUS, sprt
from gubs_agents.arena.tournament import GAMES_FILE, Result
from gubs_agents.arena.tournament import tournament as play_tournament
from gubs_agents.deals import REPORT_DEALS
from gubs_agents.scripted.by_game import scripted_agents
from gubs_env.agents.parsing import split_agents
from gubs_env.commands.common import ONE_GROUP, BackendName, TableOptions, shown
from gubs_env.support.checks import require_extra
from gubs_env.support.cluster import LOCAL
from gubs_env.support.files import replace_file
from gubs_env.support.markdown import frame, replace_section
from gubs_env.support.output import command_of

LEADERBOARDS = Path(__file__).parents[3] / "docs" / "leaderboards.md"
DEALS, SEATS_DEALS = 500, 10_000
STRONGER = ["policy", "montecarlo:playouts=50", "ismcts:playouts=50"]
"""Agents of the standard field that are not scripted."""
STANDARD_DEALS = 1000
STANDARD_MATCHES = {2: 5}
"""Matches of each deal on the leaderboard by number of sides, else 1: search takes long."""


@dataclass(frozen=True)
class TournamentOptions(TableOptions):
    """Who plays, at which table, how often."""

    agents: Annotated[str, shown("AGENTS", "random and the scripted agents")] = ""
    """Two or more of name, name:option=value+option=value, and package.module:Class."""
    deals: Annotated[
        int,
        shown("INT", f"{DEALS}; {STANDARD_DEALS} for the leaderboard, {SEATS_DEALS} for --seats"),
    ] = 0
    """Number of deals; the largest number for --sprt."""
    matches: Annotated[int, shown("INT", "all of them")] = 0
    """Matches that each deal is played in, which are dealt out in turn."""
    seed: int = REPORT_DEALS.start
    """Seed of the first deal."""


@dataclass(frozen=True)
class InsteadOptions:
    """Other work of the arena than a tournament."""

    sprt: Annotated[str, shown("ELO0,ELO1", "none")] = ""
    """Test if the first of two agents is stronger, by at least ELO1 points or by at most ELO0."""
    alpha: float = 0.05
    """Probability of accepting the second bound of the test where the first is true."""
    beta: float = 0.05
    """Probability of accepting the first bound of the test where the second is true."""
    seats: bool = False
    """Print the win rate of each place in the turn order when each agent plays itself; no files."""


@dataclass(frozen=True)
class OutputOptions:
    """Where the results go."""

    out: Annotated[Path, shown("FOLDER")] = Path("runs/arena")
    """Folder of the results."""
    resume: bool = False
    """Continue the run in the folder; give the same options as before."""
    leaderboard: bool = False
    """Play the standard field, and write the result into docs/leaderboards.md too."""


@dataclass(frozen=True)
class SpeedOptions:
    """How the games are played; the results do not depend on it."""

    backend: BackendName = LOCAL
    """local, or ray: on every core of a Ray cluster, which needs the extra ray."""
    processes: int = 1
    """Number of processes that play on this machine."""
    batch: Annotated[int, shown("INT", "1024, or 8 for agents that search or write")] = 0
    """Games that a process plays side by side."""
    timeout: Annotated[float, shown("SECONDS")] = 0.0
    """Seconds for one call of an agent, which asks for up to BATCH decisions; 0 means no limit."""


def arena(
    tournament: TournamentOptions,
    instead: InsteadOptions,
    output: OutputOptions,
    speed: SpeedOptions,
) -> int | None:
    """Play agents against each other on the same deals, from every seat.

    $ gubs arena --agents random,heuristic --deals 500
    $ gubs arena --players 4 --agents random,ismcts:playouts=200+exploration=1
    $ gubs arena --agents heuristic,my_package.bots:Cautious
    $ gubs arena --game fubnub --rules mode=royal+num_points=7
    $ gubs arena --leaderboard
    $ gubs arena --sprt 0,10 --agents policy,heuristic
    $ gubs arena --seats --agents heuristic --players 4

    The folder of the results gets games.jsonl, report.md, arena.png and times.md. A test (--sprt)
    writes games.jsonl and sprt.json; its exit status is 0 if it accepts H1, 1 if it accepts H0,
    and 3 if it stays undecided.

    `gubs agents` lists the agents. docs/arena.md explains the protocol and the numbers.
    """
    given = CommandLine(tournament, instead, output, speed)
    check_alone(given)
    if instead.seats:
        show_seats(given)
    elif instead.sprt:
        return play_test(given)
    else:
        result = play(given)
        print(report.ratings_table(result), report.times_markdown(result), sep="\n\n")
        print(f"report, picture and games ({GAMES_FILE}): {output.out}")
    return None


def gate(options: Annotated[GateOptions, ONE_GROUP]) -> int:
    """Ship a network if it beats the shipped one in a sequential test.

    $ gubs gate runs/two/best.safetensors

    The candidate plays against the shipped network of its table, or against the heuristic where
    none is shipped. If the test accepts H1, the network is copied to the package, and the section
    "Gate" of its model card says what was played. Else nothing changes, and the exit status is 1 if
    H0 is accepted, 3 if the test stays undecided.
    """
    verdict = pass_gate(options)
    print(verdict)
    print(
        f"The network is {'shipped' if verdict.accepted == H1 else 'refused: nothing was copied'}."
    )
    return STATUS[verdict.accepted]


class CommandLine(NamedTuple):
    """The options of the arena in the groups of `--help`."""

    tournament: TournamentOptions
    instead: InsteadOptions
    output: OutputOptions
    speed: SpeedOptions


def check_alone(given: CommandLine) -> None:
    """Raise ValueError for options of which only one can be given."""
    chosen = {
        "--sprt": given.instead.sprt,
        "--seats": given.instead.seats,
        "--leaderboard": given.output.leaderboard,
    }
    if len(names := [name for name, value in chosen.items() if value]) > 1:
        raise ValueError(f"{' and '.join(names)} were given: choose one of them")


def fill_in(given: CommandLine) -> TournamentOptions:
    """Return the options of the tournament, with defaults for those that are not given.

    Raises:
        ValueError: for an unknown game, or rules that it does not have.
    """
    options, table = given.tournament, given.tournament.table
    field, deals, matches = ["random", *scripted_agents(table.game)], DEALS, options.matches
    if given.instead.sprt:
        deals = MOST_DEALS
    elif given.instead.seats:
        deals = SEATS_DEALS
    elif given.output.leaderboard:
        field, deals = field + STRONGER, STANDARD_DEALS
        matches = matches or STANDARD_MATCHES.get(table.num_sides, 1)
    return replace(
        options,
        players=table.num_players,
        matches=matches,
        deals=options.deals or deals,
        agents=options.agents or ",".join(field),
    )


def write_files(result: Result, out: Path) -> None:
    """Write the report, the picture and the times."""
    replace_file(out / "report.md", report.markdown(result))
    replace_file(out / "times.md", report.times_markdown(result))
    draw(result, out / "arena.png")


def settings(options: TournamentOptions, given: CommandLine) -> dict[str, Any]:
    """Return the arguments that `tournament` and `sprt` share."""
    return {
        "table": options.table,
        "deals": options.deals,
        "seed": options.seed,
        "out": given.output.out,
        "resume": given.output.resume,
        "backend": given.speed.backend,
        "processes": given.speed.processes,
        "batch": given.speed.batch or None,
        "progress": True,
        "timeout": given.speed.timeout,
    }


def play_test(given: CommandLine) -> int:
    """Play a sequential test and print its verdict; return the exit status.

    Raises:
        ValueError, OSError, TimeoutError, RuntimeError, ModuleNotFoundError: as for `sprt`.
    """
    options, instead = fill_in(given), given.instead
    if not given.tournament.agents:
        raise ValueError("--sprt needs --agents CHALLENGER,CHAMPION")
    if options.matches:
        raise ValueError("--sprt plays one match of each deal: leave out --matches")
    verdict = sprt(
        options.agents, instead.sprt, alpha=instead.alpha, beta=instead.beta,
        **settings(options, given),
    )  # fmt: skip
    print(verdict, f"state and games: {given.output.out}", sep="\n")
    return STATUS[verdict.accepted]


def show_seats(given: CommandLine) -> None:
    """Print the win rate of each seat for each agent against itself.

    Raises:
        ValueError: as for `seats`.
    """
    options = fill_in(given)
    shares = {
        agent: seats(agent, options.table, options.deals, options.seed)
        for agent in split_agents(options.agents)
    }
    print(report.seat_shares_table(shares))


def play(given: CommandLine) -> Result:
    """Play the tournament and write its files.

    Raises:
        ValueError, OSError, TimeoutError, RuntimeError: as for `tournament`.
        ModuleNotFoundError: without the arena extra, before any game is played.
    """
    require_extra("arena", "choix", "matplotlib", "tqdm")
    output, options = given.output, fill_in(given)
    board = report.board_of(options.table)
    if output.leaderboard:
        frame(LEADERBOARDS, board)  # it fails here rather than after the games
    result = play_tournament(
        options.agents, matches=options.matches or None, **settings(options, given)
    )
    write_files(result, output.out)
    if output.leaderboard:
        shown = command_of(["arena", "--leaderboard"], asdict(options), {"rules": "", "matches": 0})
        section = report.leaderboard_markdown(result, shown)
        replace_section(LEADERBOARDS, board, section)
    return result
