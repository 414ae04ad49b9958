"""The commands `play` and `watch`: a game at the terminal or in the browser, from options."""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gubs_env import find_game
from gubs_env.agents.parsing import parse_options
from gubs_env.api.aec import AECGame, environment_of
from gubs_env.play.opponents import make_players, strongest
from gubs_env.play.replay import believed, read_game
from gubs_env.play.screen import Screen
from gubs_env.play.session import ALL, EVERYBODY, PERSON, Player, Session
from gubs_env.play.terminal import TerminalGame
from gubs_env.play.watching import Watching
from gubs_env.play.web.pace import LONGEST_WAIT, Controls
from gubs_env.support.checks import check_number, check_seed, require_extra

if TYPE_CHECKING:
    from gubs_env.play.web.browser import BrowserGame

ONE_PERSON = "1"
"""The default of `--humans`."""
ASK_EVERYONE = "ask_everyone"
"""The rule option without which passing the keyboard would reveal who holds an answer."""


@dataclass(frozen=True)
class TableOptions:
    """The game to play, its table and its deal."""

    game: str = "gubs"
    players: int = 0
    """Number of players; 0 means the usual number, or more if more are named."""
    rules: str = ""
    """Options of the rules, as `parsing.parse_options` reads them."""
    seed: int | None = None
    """Seed of the deal and of the agents; None draws one."""


@dataclass(frozen=True)
class PlayOptions:
    """The players, their pace and the file of a game; the command `play` explains the fields."""

    opponents: str = ""
    humans: str = ONE_PERSON
    think: float = 0.3
    pace: float = 0.8
    replay: Path | None = None
    resume: Path | None = None


@dataclass(frozen=True)
class WatchOptions:
    """The agents, the viewer and the pace of a game; the command `watch` explains the fields."""

    agents: str = ""
    eyes: str = EVERYBODY
    think: float = 0.3
    delay: float = 0.5
    step: bool = False
    replay: Path | None = None


def play(table: TableOptions, options: PlayOptions) -> TerminalGame:
    """Return a game at the terminal; its method `run` plays it.

    Raises:
        ValueError, TypeError: for an option that is not allowed.
        OSError: for a file that cannot be read or written.
    """
    session, path = seated(table, options)
    return TerminalGame(session, Screen(), path, options.pace)


def play_in_browser(table: TableOptions, options: PlayOptions, port: int) -> BrowserGame:
    """Return a game in the browser; its method `run` serves it.

    Args:
        table: the game and its table.
        options: the players, their pace and the file of the game.
        port: the port, 0 to 65535; 0 takes a free one.

    Raises:
        ModuleNotFoundError: without the extra `web`.
        ValueError, TypeError: for an option that is not allowed.
        OSError: for a file that cannot be read or written, or a port that is taken.
    """
    check_web(port)
    session, path = seated(table, options)
    return served(session, path, Controls(False, options.pace), EVERYBODY, port)


def watch(table: TableOptions, options: WatchOptions) -> Watching:
    """Return a game of agents at the terminal; its method `run` shows it.

    Raises:
        ValueError, TypeError: for an option that is not allowed.
        OSError: for a file that cannot be written.
    """
    session = watched(table, options)
    delay = None if options.step else options.delay
    return Watching(session, Screen(most_interrupts=1), options.eyes, delay, options.replay)


def watch_in_browser(table: TableOptions, options: WatchOptions, port: int) -> BrowserGame:
    """Return a game of agents in the browser; its method `run` serves it.

    Args:
        table: the game and its table.
        options: the agents, the viewer and the pace.
        port: the port, 0 to 65535; 0 takes a free one.

    Raises:
        ModuleNotFoundError: without the extra `web`.
        ValueError, TypeError: for an option that is not allowed.
        OSError: for a file that cannot be written, or a port that is taken.
    """
    check_web(port)
    session = watched(table, options)
    controls = Controls(options.step, options.delay)
    return served(session, options.replay, controls, options.eyes, port)


def check_web(port: int) -> None:
    """Check that a game can be served at a port, 0 for a free one.

    Raises:
        ModuleNotFoundError: without the extra `web`.
        ValueError: for a number that is no port.
    """
    require_extra("web", "starlette", "uvicorn")
    check_number("--port", port, 0, 65_535)


def served(
    session: Session, path: Path | None, controls: Controls, watcher: str, port: int
) -> BrowserGame:
    """Return a game in the browser; only this function imports the packages of the extra `web`."""
    from gubs_env.play.web.browser import BrowserGame
    from gubs_env.play.web.table import WebTable

    return BrowserGame(WebTable(session, path, controls, watcher), port)


def seated(table: TableOptions, options: PlayOptions) -> tuple[Session, Path]:
    """Return a game with people and agents in their seats, and the file that it is written to.

    Raises:
        ValueError, TypeError, OSError: as for `play`.
    """
    check_seconds("--think", options.think, 0.001)
    check_seconds("--pace", options.pace)
    resume, agents = options.resume, names_in(options.opponents)
    if resume is None:
        env, seed = new_game(table, options.humans, agents)
        people = seats_of(options.humans, env.possible_agents)
    else:
        check_alone("--resume", table)
        (env, names), seed = read_game(resume), None
        people = people_of(names, options.humans, env.possible_agents)
        left = [
            name
            for seat, name in zip(env.possible_agents, names, strict=True)
            if seat not in people and name != PERSON
        ]
        agents = agents or believed(left, resume)
    path = options.replay or resume or Path(f"{env.game.name.removesuffix('_v0')}-{stamp()}.jsonl")
    if path != resume:
        check_new(path)
    opposed = seat_players(env, people, agents, options.think)
    session = Session(env, opposed, adviser(env, options.think), seed)
    if resume is not None:
        session.skip_news()
    return session, path


def watched(table: TableOptions, options: WatchOptions) -> Session:
    """Return a game with an agent in every seat.

    Raises:
        ValueError, TypeError, OSError: as for `watch`.
    """
    check_seconds("--think", options.think, 0.001)
    check_seconds("--delay", options.delay)
    names = names_in(options.agents)
    env, seed = new_game(table, "0", names)
    allowed = [EVERYBODY, ALL, *env.possible_agents]
    if options.eyes not in allowed:
        raise ValueError(f"--eyes {options.eyes}: allowed are {', '.join(allowed)}")
    if options.replay is not None:
        check_new(options.replay)
    return Session(env, seat_players(env, [], names, options.think), None, seed)


# ------------------------------------------------------------------------------------ the table


def new_game(options: TableOptions, humans: str, agents: Sequence[str]) -> tuple[AECGame[Any], int]:
    """Deal a game, and return it with its seed.

    With several people, the rule option `ask_everyone` is on unless `options` sets it.

    Args:
        options: the table.
        humans: the value of `--humans`: a number of people, or the names of their seats.
        agents: the agents that are named; without `options.players` each gets a seat.

    Raises:
        ValueError, TypeError: for an option that is not allowed.
    """
    game = find_game(options.game)
    given = parse_options(options.rules)
    count = people_in(humans)
    if count > 1 and ASK_EVERYONE in game.make_rules().as_dict():
        given = {ASK_EVERYONE: True} | given
    num_players = options.players or max(game.players, count + len(agents))
    env = environment_of(game)(num_players, given)
    check_seed(options.seed)
    seed = secrets.randbelow(1 << 31) if options.seed is None else options.seed
    env.reset(seed)
    return env, seed


def people_in(humans: str) -> int:
    """Return the number of people, who are given as a number or by their seats."""
    return int(humans) if humans.strip().isdigit() else len(names_in(humans))


def seats_of(humans: str, seats: Sequence[str]) -> list[str]:
    """Return the seats of the people: the first ones for a number, else those that are named.

    Raises:
        ValueError: for too many people, or a seat that is not at the table.
    """
    if humans.strip().isdigit():
        if not 1 <= int(humans) <= len(seats):
            raise ValueError(f"--humans {humans}: allowed are 1 to {len(seats)} at this table")
        return list(seats[: int(humans)])
    named = names_in(humans)
    if not named or set(named) - set(seats) or len(set(named)) < len(named):
        raise ValueError(
            f"--humans {humans}: write a number, or different seats of {', '.join(seats)}"
        )
    return named


def people_of(names: Sequence[str], humans: str, seats: Sequence[str]) -> list[str]:
    """Return the seats of the people in a saved game: those of its file, unless others are named.

    Args:
        names: the names in the file, by seat.
        humans: the value of `--humans`.
        seats: all seats.

    Raises:
        ValueError: as for `seats_of`, or if nobody is named and the file names no person.
    """
    saved = [seat for seat, name in zip(seats, names, strict=True) if name == PERSON]
    if not saved and humans == ONE_PERSON:
        raise ValueError(
            "only agents play in this game: take a seat, as with --humans player_0, or look at it "
            "with the command replay"
        )
    return saved if humans == ONE_PERSON else seats_of(humans, seats)


def seat_players(
    env: AECGame[Any], people: Sequence[str], agents: Sequence[str], think: float
) -> dict[str, Player]:
    """Return the agent of each seat that no person takes; agents repeat if there are more seats.

    Raises:
        ValueError: for more agents than seats, or an agent that is not installed.
    """
    free = [seat for seat in env.possible_agents if seat not in people]
    if len(agents) > len(free):
        raise ValueError(
            f"{len(agents)} agents are named, but {len(free)} of {env.num_players} seats are free: "
            "name fewer, or give more --players"
        )
    if not free:
        return {}
    made = make_players(agents, env.game, env.num_players, think, env.rules)
    return {seat: made[number % len(made)] for number, seat in enumerate(free)}


def adviser(env: AECGame[Any], think: float) -> Player | None:
    """Return the agent that gives hints; None if no agent is installed."""
    try:
        return strongest(env.game, env.num_players, think, env.rules)
    except ValueError:
        return None


# ---------------------------------------------------------------------------------- the options


def names_in(text: str) -> list[str]:
    """Return names that are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def check_seconds(option: str, value: float, least: float = 0.0) -> None:
    """Raise ValueError for a number of seconds below `least` or above LONGEST_WAIT."""
    if not least <= value <= LONGEST_WAIT:
        raise ValueError(f"{option} {value}: allowed are {least:g} to {LONGEST_WAIT:g} seconds")


def check_alone(option: str, table: TableOptions) -> None:
    """Raise ValueError for options of the table, which the file of a game determines."""
    default = TableOptions()
    given = [f"--{name}" for name, value in vars(table).items() if value != getattr(default, name)]
    if given:
        raise ValueError(f"{option} takes the table from the file: leave out {', '.join(given)}")


def check_new(path: Path) -> None:
    """Raise OSError unless a new file can be written at a path."""
    if path.exists():
        raise FileExistsError(f"--replay {path}: this file exists already; name a new one")
    try:
        path.touch()
        path.unlink()
    except OSError as error:
        raise OSError(f"--replay {path}: cannot be written ({error.strerror})") from None


def stamp() -> str:
    """Return the local time for the name of a file, such as `20261122-090558`."""
    return time.strftime("%Y%m%d-%H%M%S")
