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

from gubs_env.agents.parsing import names_in
from gubs_env.api.aec import AECGame, environment_of, plain_class
from gubs_env.commands.common import ONE_GROUP, OffSwitch, shown
from gubs_env.engine.compiling import BESIDE
from gubs_env.play import guide
from gubs_env.play.dealing import DealOptions, new_game, seat_players, seats_of
from gubs_env.play.opponents import make_adviser
from gubs_env.play.saves import ResumePoint, believed, cut_before, read_game, resume_point
from gubs_env.play.screen import Screen
from gubs_env.play.session import ALL, EVERYBODY, Session
from gubs_env.play.terminal import TerminalGame
from gubs_env.play.watching import Watching
from gubs_env.play.web.links import Links
from gubs_env.play.web.pace import LONGEST_WAIT, Controls
from gubs_env.records.record import PERSON, Record
from gubs_env.support.checks import Range, check_options, require_extra

ONE_PERSON = "1"
"""The default of `--humans`."""
TABLE = ("game", "players", "rules", "seed")
"""The options of a table, which have no meaning for a game that has one."""
Agents = Annotated[str, shown("AGENTS", "the strongest")]


@dataclass(frozen=True)
class ShownOptions(DealOptions):
    """The options that `play` and `watch` share: the game, and where it is shown."""

    think: Annotated[float, Range(0.001, LONGEST_WAIT)] = 0.3
    """Seconds that a search thinks about a decision, unless it has ms= or playouts= of its own."""
    web: bool = False
    """Show it in the browser."""
    port: Annotated[
        int, Range(0, 65_535), shown("INT", "that of the file of the game, or a free one")
    ] = 0
    """Port of this machine that the game is served at."""
    open_browser: OffSwitch = True
    """Do not open the first link."""

    def __post_init__(self) -> None:
        check_options(self)

    def prepare(self) -> None:
        """Let nothing in this process wait for the compiler, and look for the extra `web`.

        Raises:
            ModuleNotFoundError: without it, if it is needed.
        """
        if self.web:
            require_extra("web", "starlette", "uvicorn")
        os.environ.setdefault("GUBS_ENV_COMPILE", BESIDE)  # unless the user says when to wait

    def serve(self, session: Session, controls: Controls, viewer: str, deal: Any = None) -> None:
        """Serve a game; only this function imports the packages of the extra `web`.

        Raises:
            OSError: for a port that is taken.
        """
        from gubs_env.play.web.browser import BrowserGame
        from gubs_env.play.web.table import WebTable

        table = WebTable(session, controls, viewer, deal)
        BrowserGame(table, self.port).run(self.open_browser)


@dataclass(frozen=True)
class PlayOptions(ShownOptions):
    """The options of `play`: the players, their pace and the file of a game."""

    opponents: Agents = ""
    """Agents for the other seats, as ismcts,policy; they repeat if there are more."""
    humans: str = ONE_PERSON
    """How many people play, or their seats, as player_1,player_3."""
    pace: Annotated[float, Range(0, LONGEST_WAIT)] = 0.8
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
class WatchOptions(ShownOptions):
    """The options of `watch`: the agents, the viewer and the pace of a game."""

    agents: Agents = ""
    """The agents, as ismcts,policy; they repeat if there are more seats."""
    eyes: str = EVERYBODY
    """Show everybody (what all players see), all (all hands too), or a seat, as player_0."""
    delay: Annotated[float, Range(0, LONGEST_WAIT)] = 0.5
    """Seconds between two moves."""
    step: bool = False
    """Wait for Enter after each move; in the browser, begin paused."""
    replay: Annotated[Path | None, shown("FILE", "none")] = None
    """File that the game is written to."""


def play(options: Annotated[PlayOptions, ONE_GROUP]) -> None:
    """Play against agents, at the terminal or in the browser.

    Play alone, or with others who pass the keyboard around. Type `help` in the game. Whoever leaves
    can go on later: the game is saved. With --web, play in the browser; each person has a link of
    their own.
    """
    options.prepare()
    session = seated(options)
    if options.auto and (options.web or len(session.people) > 1):
        raise ValueError("--auto: for one person at the terminal; the browser has a switch for it")
    if options.web:
        lead_on(options.resume, session)
        deal = partial(dealt_again, options.think)
        options.serve(session, Controls(False, options.pace), EVERYBODY, deal)
    else:
        TerminalGame(session, Screen(), options.pace, options.auto).run()


def watch(options: Annotated[WatchOptions, ONE_GROUP]) -> None:
    """Watch agents play, at the terminal or in the browser.

    Ctrl-C ends it. With --web, watch in the browser, where the game can be paused and its speed
    changed.
    """
    options.prepare()
    session = watched(options)
    if options.web:
        options.serve(session, Controls(options.step, options.delay), options.eyes)
    else:
        delay = None if options.step else options.delay
        Watching(session, Screen(most_interrupts=1), options.eyes, delay).run()


def lead_on(resumed: str, session: Session) -> None:
    """Let the links of a game that is resumed in another file lead there."""
    if resumed:
        place = resume_point(resumed)
        Links(place.path, session.env.possible_agents, place.game).lead_to(session.path)


def seated(options: PlayOptions) -> Session:
    """Return a game with people and agents in their seats.

    Raises:
        ValueError, TypeError, OSError: as for `play`.
    """
    place, seed = resume_point(options.resume) if options.resume else None, None
    agents = names_in(options.opponents)
    if options.guided:
        check_alone("--guided is a game of its own", options, "opponents", "humans", "resume")
        env, seed = guide.deal(), 1
        people, agents = env.possible_agents[:1], [guide.OPPONENT]
    elif place is None:
        env, seed = new_game(options, options.humans, agents)
        people = seats_of(options.humans, env.possible_agents)
    else:
        check_alone("--resume takes the table from the file", options)
        env, people, left = resumed(place, options.humans)
        agents = agents or believed(left, place.path)
    before = place.path if place and place.game is None else None  # the file of this one game
    path = options.replay or before or new_path(env)
    if path != before:
        check_new(path)
    opposed = seat_players(env, people, agents, options.think)
    adviser = make_adviser(env.table, options.think)
    return Session(env, opposed, adviser, seed, path, options.guided)


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
    return Session(env, opposed, last.adviser, seed, new_path(env, last.path))


def new_path(env: AECGame[Any], beside: Path | None = None) -> Path:
    """Return the file of a new game, named after the game and the local time.

    It lies beside the file of the game before, or in the current folder.
    """
    name = env.game.name.removesuffix("_v0")
    path = Path(f"{name}-{time.strftime('%Y%m%d-%H%M%S')}.jsonl")
    return beside.parent / path if beside else path


def resumed(place: ResumePoint, humans: str) -> tuple[AECGame[Any], list[str], list[str]]:
    """Return the game at a place, the seats of people, and the names of the agents elsewhere.

    Raises:
        ValueError, OSError: as for `read_game` and `people_of`.
    """
    env, names = read_game(*place)
    people = people_of(names, humans, env.possible_agents)
    seated = zip(env.possible_agents, names, strict=True)
    return env, people, [name for seat, name in seated if seat not in people and name != PERSON]


def watched(options: WatchOptions) -> Session:
    """Return a game with an agent in every seat.

    Raises:
        ValueError, TypeError, OSError: as for `watch`.
    """
    names = names_in(options.agents)
    env, seed = new_game(options, "0", names)
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


def check_alone(why: str, options: PlayOptions, *others: str) -> None:
    """Raise ValueError for options of the table, or others, that have no meaning.

    Args:
        why: the reason in words.
        options: what was given.
        others: the names of further options.
    """
    usual = PlayOptions()
    names = [name for name in (*TABLE, *others) if getattr(options, name) != getattr(usual, name)]
    if names:
        raise ValueError(f"{why}: leave out {', '.join(f'--{name}' for name in names)}")


def check_new(path: Path) -> None:
    """Raise OSError unless a new file can be written at a path."""
    if path.exists():
        raise FileExistsError(f"--replay {path}: this file exists already; name a new one")
    try:
        path.touch()
        path.unlink()
    except OSError as error:
        raise OSError(f"--replay {path}: cannot be written ({error.strerror})") from None
