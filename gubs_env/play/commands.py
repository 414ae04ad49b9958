"""The commands `play` and `watch`: a game at the terminal or in the browser."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from gubs_env._compiler.compilation import BESIDE
from gubs_env.api.aec import AECGame, environment_of, plain_class
from gubs_env.commands.common import ONE_GROUP, OffSwitch, shown
from gubs_env.play import guide
from gubs_env.play.dealing import DealOptions, names_in, new_game, seat_players, seats_of
from gubs_env.play.naming import PERSON
from gubs_env.play.opponents import strongest
from gubs_env.play.saves import Place, believed, cut_before, place_named, read_game
from gubs_env.play.screen import Screen
from gubs_env.play.session import ALL, EVERYBODY, Player, Session
from gubs_env.play.terminal import TerminalGame
from gubs_env.play.watching import Watching
from gubs_env.play.web.links import Links
from gubs_env.play.web.pace import LONGEST_WAIT, Controls
from gubs_env.records.record import Record
from gubs_env.support.checks import check_number, require_extra

ONE_PERSON = "1"
"""The default of `--humans`."""
Agents = Annotated[str, shown("AGENTS", "the strongest")]
File = Annotated[Path | None, shown("FILE", "none")]


@dataclass(frozen=True)
class PlayOptions:
    """The players, their pace and the file of a game."""

    opponents: Agents = ""
    """Agents for the other seats, as ismcts,policy; they repeat if there are more."""
    humans: str = ONE_PERSON
    """How many people play, or their seats, as player_1,player_3."""
    think: float = 0.3
    """Seconds that a search thinks about a decision, unless it has ms= or playouts= of its own."""
    pace: float = 0.8
    """Least number of seconds that a move of an agent is shown."""
    guided: bool = False
    """Learn Gubs: a short game in which each step is explained."""
    auto: bool = False
    """Let forced moves play themselves, for one person at the terminal."""
    replay: Annotated[Path | None, shown("FILE", "named after the game and the time")] = None
    """File that the game is written to."""
    resume: Annotated[str, shown("FILE[#GAME[:MOVE]]", "none")] = ""
    """Game to go on with, also from the middle of a recorded one, as games.jsonl#12:40."""


@dataclass(frozen=True)
class WatchOptions:
    """The agents, the viewer and the pace of a game."""

    agents: Agents = ""
    """The agents, as ismcts,policy; they repeat if there are more seats."""
    eyes: str = EVERYBODY
    """Show everybody (what all players see), all (all hands too), or a seat, as player_0."""
    think: float = 0.3
    """Seconds that a search thinks about a decision, unless it has ms= or playouts= of its own."""
    delay: float = 0.5
    """Seconds between two moves."""
    step: bool = False
    """Wait for Enter after each move; in the browser, begin paused."""
    replay: File = None
    """File that the game is written to."""


@dataclass(frozen=True)
class WebOptions:
    """Whether and how a game is shown in the browser."""

    web: bool = False
    """Show it in the browser."""
    port: Annotated[int, shown("INT", "that of the file of the game, or a free one")] = 0
    """Port of this machine that the game is served at."""
    open_browser: OffSwitch = True
    """Do not open the first link."""

    def check(self) -> None:
        """Check that a game can be served, if it is.

        Raises:
            ModuleNotFoundError: without the extra `web`.
            ValueError: for a number that is no port.
        """
        if self.web:
            require_extra("web", "starlette", "uvicorn")
            check_number("--port", self.port, 0, 65_535)

    def serve(self, session: Session, controls: Controls, viewer: str, deal: Any = None) -> None:
        """Serve a game; only this function imports the packages of the extra `web`.

        Raises:
            OSError: for a port that is taken.
        """
        from gubs_env.play.web.browser import BrowserGame
        from gubs_env.play.web.table import WebTable

        table = WebTable(session, controls, viewer, deal)
        BrowserGame(table, self.port).run(self.open_browser)


def play(
    table: Annotated[DealOptions, ONE_GROUP],
    options: Annotated[PlayOptions, ONE_GROUP],
    browser: Annotated[WebOptions, ONE_GROUP],
) -> None:
    """Play against agents, at the terminal or in the browser.

    Play alone, or with others who pass the keyboard around. Type `help` in the game. Whoever leaves
    can go on later: the game is saved. With --web, play in the browser; each person has a link of
    their own.
    """
    browser.check()
    never_wait()
    session = seated(table, options)
    if options.auto and (browser.web or len(session.people) > 1):
        raise ValueError("--auto: for one person at the terminal; the browser has a switch for it")
    if browser.web:
        lead_on(options.resume, session)
        deal = partial(dealt_again, options.think)
        browser.serve(session, Controls(False, options.pace), EVERYBODY, deal)
    else:
        TerminalGame(session, Screen(), options.pace, options.auto).run()


def watch(
    table: Annotated[DealOptions, ONE_GROUP],
    options: Annotated[WatchOptions, ONE_GROUP],
    browser: Annotated[WebOptions, ONE_GROUP],
) -> None:
    """Watch agents play, at the terminal or in the browser.

    Ctrl-C ends it. With --web, watch in the browser, where the game can be paused and its speed
    changed.
    """
    browser.check()
    never_wait()
    session = watched(table, options)
    if browser.web:
        browser.serve(session, Controls(options.step, options.delay), options.eyes)
    else:
        delay = None if options.step else options.delay
        Watching(session, Screen(most_interrupts=1), options.eyes, delay).run()


def lead_on(resumed: str, session: Session) -> None:
    """Let the links of a game that is resumed in another file lead there."""
    if resumed:
        place = place_named(resumed)
        Links(place.path, session.env.possible_agents, place.game).lead_to(session.path)


def never_wait() -> None:
    """Let nothing in this process wait for the compiler, unless the user has said when to wait."""
    os.environ.setdefault("GUBS_ENV_COMPILE", BESIDE)


def seated(table: DealOptions, options: PlayOptions) -> Session:
    """Return a game with people and agents in their seats.

    Raises:
        ValueError, TypeError, OSError: as for `play`.
    """
    check_seconds("--think", options.think, 0.001)
    check_seconds("--pace", options.pace)
    place, seed = place_named(options.resume) if options.resume else None, None
    agents = names_in(options.opponents)
    if options.guided:
        check_alone("--guided is a game of its own", table, options, "opponents humans resume")
        env, seed = guide.deal(), 1
        people, agents = env.possible_agents[:1], [guide.OPPONENT]
    elif place is None:
        env, seed = new_game(table, options.humans, agents)
        people = seats_of(options.humans, env.possible_agents)
    else:
        check_alone("--resume takes the table from the file", table)
        env, people, left = resumed(place, options.humans)
        agents = agents or believed(left, place.path)
    own = place.path if place and place.game is None else None  # the file of a game of one's own
    path = options.replay or own or new_path(env)
    if path != own:
        check_new(path)
    opposed = seat_players(env, people, agents, options.think)
    advice = adviser(env, options.think)
    session = Session(env, opposed, advice, seed, path, options.guided)
    if place is not None:
        session.skip_news()
    return session


def dealt_again(
    think: float, last: Session, people: Sequence[str], opponents: str, move: int | None
) -> Session:
    """Return another game at the table of the last one.

    Args:
        think: seconds that a search thinks about a decision.
        last: the last game.
        people: the seats of the people.
        opponents: the agents of the other seats, or "" for those of the last game.
        move: number of whole moves of the last game to play on from; None for a new deal.

    Raises:
        ValueError: as for `seat_players` and `cut_before`.
    """
    seed, table = secrets.randbelow(1 << 31), last.env.table
    if move is None:
        env = environment_of(table)
        env.reset(seed)
    else:
        record = cut_before(Record.of(last.env, last.names), move)
        env = plain_class(table.game).from_saved(record)
    agents = names_in(opponents) or [player.name for player in last.opponents.values()]
    opposed = seat_players(env, people, agents, think)
    session = Session(env, opposed, last.adviser, seed, new_path(env))
    if move is not None:
        session.skip_news()
    return session


def new_path(env: AECGame[Any]) -> Path:
    """Return the file of a new game, named after the game and the time."""
    return Path(f"{env.game.name.removesuffix('_v0')}-{stamp()}.jsonl")


def resumed(place: Place, humans: str) -> tuple[AECGame[Any], list[str], list[str]]:
    """Return the game at a place, the seats of people, and the names of the agents elsewhere.

    Raises:
        ValueError, OSError: as for `read_game` and `people_of`.
    """
    env, names = read_game(*place)
    people = people_of(names, humans, env.possible_agents)
    seated = zip(env.possible_agents, names, strict=True)
    return env, people, [name for seat, name in seated if seat not in people and name != PERSON]


def watched(table: DealOptions, options: WatchOptions) -> Session:
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
    opposed = seat_players(env, [], names, options.think)
    return Session(env, opposed, seed=seed, path=options.replay)


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


def adviser(env: AECGame[Any], think: float) -> Player | None:
    """Return the agent that gives hints; None if no agent is installed."""
    try:
        return strongest(env.table, think)
    except ValueError:
        return None


def check_seconds(option: str, value: float, least: float = 0.0) -> None:
    """Raise ValueError for a number of seconds below `least` or above LONGEST_WAIT."""
    if not least <= value <= LONGEST_WAIT:
        raise ValueError(f"{option} {value}: allowed are {least:g} to {LONGEST_WAIT:g} seconds")


def check_alone(
    why: str, table: DealOptions, options: PlayOptions | None = None, others: str = ""
) -> None:
    """Raise ValueError for options of the table, or `others` of a game, that have no meaning.

    Args:
        why: the reason in words.
        table, options: what was given.
        others: names of `options`, separated by spaces.
    """
    given = vars(table) | {name: getattr(options, name) for name in others.split()}
    default = vars(DealOptions()) | vars(PlayOptions())
    if extra := [f"--{name}" for name, value in given.items() if value != default[name]]:
        raise ValueError(f"{why}: leave out {', '.join(extra)}")


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
