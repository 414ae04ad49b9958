"""The commands `arena` and `gate`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from secrets import randbelow
from typing import Annotated, Any

from gubs_agents.arena import report
from gubs_agents.arena.gate import GateOptions
from gubs_agents.arena.gate import gate as pass_gate
from gubs_agents.arena.held_out import VERSION, against_held_out, anchors_of, held_out
from gubs_agents.arena.likelihood import H1
from gubs_agents.arena.options import (
    HELD_OUT_DEALS,
    SEATS_DEALS,
    STANDARD_DEALS,
    ArenaOptions,
    DealOptions,
)
from gubs_agents.arena.plot import draw
from gubs_agents.arena.sequential import STATUS, sprt
from gubs_agents.arena.tournaments import GAMES_FILE, tournament
from gubs_agents.arena.turn_order import seats
from gubs_agents.deals import BILLION
from gubs_agents.scripted.by_game import scripted_agents
from gubs_env.agents.parsing import split_agents
from gubs_env.commands.common import ONE_GROUP, TableOptions, shown
from gubs_env.engine.table import Table
from gubs_env.support.checks import require_extra
from gubs_env.support.files import replace_file
from gubs_env.support.markdown import frame, replace_section
from gubs_env.support.output import command_of

LEADERBOARDS = Path(__file__).parents[3] / "docs" / "leaderboards.md"
STRONGER = ["policy", "montecarlo:playouts=50", "ismcts:playouts=50"]
"""Agents of the standard field that are not scripted."""
STANDARD_MATCHES = {2: 5}
"""Matches of each deal on the leaderboard by number of sides, else 1: search takes long."""
RUN = ArenaOptions(out=Path("runs/arena"))
INSTEAD = ("sprt", "seats", "held_out", "leaderboard")
"""Options of which only one can be given."""


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
    held_out: Annotated[str, shown("COUNT,SEED", "none")] = ""
    """Measure each agent against COUNT opponents that SEED draws, and against the anchors; no
    files. COUNT alone draws a new seed, which is printed."""
    leaderboard: bool = False
    """Play the standard field, and write the result into docs/leaderboards.md too."""

    def check_alone(self) -> None:
        """Raise ValueError for more than one of INSTEAD."""
        chosen = {f"--{name.replace('_', '-')}": getattr(self, name) for name in INSTEAD}
        if len(names := [name for name, value in chosen.items() if value]) > 1:
            raise ValueError(f"{' and '.join(names)} were given: choose one of them")


def arena(
    table: TableOptions,
    deals: DealOptions,
    instead: InsteadOptions,
    agents: Annotated[str, shown("AGENTS", "random and the scripted agents")] = "",
    run: ArenaOptions = RUN,
) -> int | None:
    """Play agents against each other on the same deals, from every seat.

    $ gubs arena --agents random,heuristic --deals 500
    $ gubs arena --players 4 --agents random,ismcts:playouts=200+exploration=1
    $ gubs arena --agents heuristic,my_package.bots:Cautious
    $ gubs arena --game fubnub --rules mode=royal+num_points=7
    $ gubs arena --leaderboard
    $ gubs arena --sprt 0,10 --agents policy,heuristic
    $ gubs arena --seats --agents heuristic --players 4
    $ gubs arena --held-out 100 --agents policy,heuristic

    The folder of the results gets games.jsonl, report.md, arena.png and times.md. A test (--sprt)
    writes games.jsonl and sprt.json; its exit status is 0 if it accepts H1, 1 if it accepts H0,
    and 3 if it stays undecided.

    `gubs agents` lists the agents. docs/arena.md explains the protocol and the numbers.

    Args:
        agents: Two or more of name, name:option=value+option=value, and package.module:Class.
    """
    instead.check_alone()
    at, out = table.table, run.out or Path()
    standard = ["random", *scripted_agents(at.game)]
    if instead.sprt:
        return play_test(agents, at, instead, vars(deals) | vars(run))
    if instead.seats:
        show_seats(agents or ",".join(standard), at, deals)
        return None
    if instead.held_out:
        show_held_out(agents or ",".join(standard), at, deals, instead.held_out)
        return None
    require_extra("arena", "choix", "matplotlib", "tqdm")
    if instead.leaderboard:
        standard += STRONGER
        matches = deals.matches or STANDARD_MATCHES.get(at.num_sides, 1)
        deals = replace(deals, deals=deals.deals or STANDARD_DEALS, matches=matches)
        frame(LEADERBOARDS, report.board_of(at))  # it fails here rather than after the games
    agents = agents or ",".join(standard)
    result = tournament(agents, at, progress=True, **vars(deals), **vars(run))
    replace_file(out / "report.md", report.markdown(result))
    replace_file(out / "times.md", report.times_markdown(result))
    draw(result, out / "arena.png")
    if instead.leaderboard:
        values = vars(table) | {"players": at.num_players, "agents": agents} | vars(deals)
        command = command_of(["arena", "--leaderboard"], values, {"rules": "", "matches": 0})
        section = report.leaderboard_markdown(result, command)
        replace_section(LEADERBOARDS, report.board_of(at), section)
    print(report.ratings_table(result), report.times_markdown(result), sep="\n\n")
    print(f"report, picture and games ({GAMES_FILE}): {out}")
    return None


def play_test(agents: str, table: Table, instead: InsteadOptions, options: dict[str, Any]) -> int:
    """Play a sequential test and print its verdict; return the exit status.

    Raises:
        ValueError, OSError, TimeoutError, RuntimeError, ModuleNotFoundError: as for `sprt`.
    """
    if not agents:
        raise ValueError("--sprt needs --agents CHALLENGER,CHAMPION")
    verdict = sprt(
        agents, instead.sprt, table, alpha=instead.alpha, beta=instead.beta, progress=True,
        **options,
    )  # fmt: skip
    print(verdict, f"state and games: {options['out']}", sep="\n")
    return STATUS[verdict.accepted]


def show_seats(agents: str, table: Table, options: DealOptions) -> None:
    """Print the win rate of each seat for each agent against itself; errors as for `seats`."""
    deals = options.deals or SEATS_DEALS
    shares = {each: seats(each, table, deals, options.seed) for each in split_agents(agents)}
    print(report.seat_shares_table(shares))


def show_held_out(agents: str, table: Table, options: DealOptions, drawn: str) -> None:
    """Print the results of agents against held-out opponents; errors as for `against_held_out`."""
    try:
        count, *given = map(int, drawn.split(","))
        [seed] = given or [randbelow(BILLION)]
    except ValueError:
        raise ValueError(f"--held-out {drawn}: write COUNT, or COUNT,SEED, such as 100,7") from None
    opponents, deals = held_out(table, seed, count), options.deals or HELD_OUT_DEALS
    found = {
        each: against_held_out(each, opponents, table, deals, options.seed)
        for each in split_agents(agents)
    }
    print(
        f"Held-out opponents {VERSION}: {count} by seed {seed}, {deals} deals each (--held-out "
        f"{count},{seed} draws the same). Anchors: {', '.join(anchors_of(table))}.\n",
        report.held_out_table(found, next(iter(found.values())).measure.fair(table.num_sides)),
        sep="\n",
    )


def gate(options: Annotated[GateOptions, ONE_GROUP]) -> int:
    """Ship a network if it beats the shipped one in a sequential test.

    $ gubs gate runs/two/best.safetensors

    The candidate plays against the shipped network of its table, or against the heuristic where
    none is shipped, and then against the first network that was shipped there. If the tests accept
    H1, the network is copied to the package, and the section "Gate" of its model card says what was
    played. Else nothing changes, and the exit status is 1 if H0 is accepted, 3 if a test stays
    undecided. Every test is written to the ledger beside the networks, gate.jsonl, and the more
    there are of a table, the surer the next has to be.
    """
    tests = pass_gate(options)
    for number, _, verdict in tests:
        print(f"Test {number} of the ledger. {verdict}")
    accepted = tests[-1].verdict.accepted
    print(f"The network is {'shipped' if accepted == H1 else 'refused: nothing was copied'}.")
    return STATUS[accepted]
