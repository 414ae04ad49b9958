"""A game in several browsers: the page of each viewer, and when it changes.

`WebTable.play` checks that a move is legal and that the page on which it was chosen is current.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gubs_env.drawing import plain
from gubs_env.drawing.pieces import cards_at
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.text import printable
from gubs_env.engine.view import Size, View
from gubs_env.play import guide
from gubs_env.play.previews import Previews
from gubs_env.play.session import ALL, EVERYBODY, AgentFailed, Session, seat_of
from gubs_env.play.web.ahead import Ahead
from gubs_env.play.web.links import Links
from gubs_env.play.web.looks import Look, Looks
from gubs_env.play.web.pace import Controls, Pace
from gubs_env.support.errors import message_of, outlined, places_of

FIRST_VERSIONS = 10**8
"""The versions of the pages of a server begin somewhere below, so that those of another differ."""

TERMINAL = "The terminal in which the game was started says more"

Deal = Callable[[Session, Sequence[str], str, int | None], Session]
"""(last game, seats of the people, agents, moves of it to keep) → a game."""


class Dealt(NamedTuple):
    """A game that was dealt at a table, and by how many seats everybody had moved on in it."""

    session: Session
    shift: int


class WebTable:
    """A session with a secret token and the newest page for each viewer.

    Each person has a token, which opens their seat. A game without people has one token, for
    watchers, who can change the pace.

    All methods run in one event loop; only agents think in a thread of their own.

    Args:
        session: the game, which is written to its file after every change.
        controls: the pace of the agents' moves at the beginning.
        watcher: the viewer of a game without people: a seat, EVERYBODY or ALL.
        deal: deals the next game at this table; None if there is none.
    """

    def __init__(
        self,
        session: Session,
        controls: Controls,
        watcher: str = EVERYBODY,
        deal: Deal | None = None,
    ) -> None:
        self.session = session
        self.pace = Pace(controls)
        self._deal = deal
        self.eyes: Sequence[str] = session.people or [watcher]
        """The viewers: the seats of the people, or the watcher."""
        self.links = Links(session.path, session.env.possible_agents)
        self.looks = Looks()
        """The looks back at games that are over."""
        self.failure: Exception | None = None
        """The error that ended the game early; None if there was none."""
        self.is_looked_at = False
        """Whether anybody has asked for a page, or is about to."""
        self._before: dict[str, Dealt] = {}
        """The games before this one, by their names."""
        self._told = self._just_told = 0
        """Number of lines of the public log at the last page, and those of them that it brought."""
        self._reported: list[Any] = []
        self._faces: tuple[tuple[Session, int], str] = (session, 0), ""
        """The cards of the last trick, drawn, by its game and its number there."""
        self._at_the_game = asyncio.Lock()
        """The lock of the game: only one task at a time reads or plays it."""
        self._played = asyncio.Event()
        self._pages: dict[str, dict[str, Any]] = {}
        self._views: dict[str, tuple[View, bool]] = {}
        """What each page shows: a view, and whether all hands are open in it."""
        self._previews: dict[str, Previews] = {}
        """The moves of the person who decides."""
        self._versions = dict.fromkeys(self.eyes, secrets.randbelow(FIRST_VERSIONS))
        self._since = dict(self._versions)
        """The version of each page since which only the pace may have changed."""

    @property
    def tokens(self) -> dict[str, str]:
        """The viewer of each token."""
        return self.links.tokens(self.eyes)

    @property
    def name(self) -> str:
        """The name of the game, among those that have been played at this table."""
        return "" if self.session.path is None else self.session.path.name

    @property
    def stopped(self) -> str:
        """Why the game has ended early, as everybody may know it; "" if it has not."""
        if self.failure is None:
            return ""
        if isinstance(self.failure, AgentFailed):
            why = self.failure.outline
        elif isinstance(self.failure, OSError) and self.failure.strerror:
            why = f"it cannot be saved ({self.failure.strerror})"
        else:
            why = outlined(self.failure)
        return f"The game has stopped: {why}. {TERMINAL}, and how to go on."

    @property
    def is_watched(self) -> bool:
        """Whether only agents play, so that the one link is for watching."""
        return not self.session.people

    async def run(self) -> None:
        """Let agents play whenever it is their turn, until the game is over or one of them fails.

        An error is kept in `failure`, so that the server can end.
        """
        try:
            async with self._at_the_game:
                self._publish(self._new_pages())
            while not self.session.is_over or self._deal is not None:
                if self.session.person is None and not self.session.is_over:
                    async with self._at_the_game:
                        await self._let_agents_play()
                else:
                    self._played.clear()
                    await self._played.wait()
        except Exception as error:  # an agent's, perhaps
            self.failure = error

    async def _let_agents_play(self) -> None:
        """Let agents play until some viewer has a new page.

        Secret answers are not shown, and their time is part of the pause before the next move.
        """
        start, pages = time.monotonic(), dict[str, dict[str, Any]]()
        while not pages and self.session.person is None and not self.session.is_over:
            await asyncio.to_thread(self.session.play_opponent)
            pages = self._new_pages()
        await self.pace.wait(start, self._just_told)
        self._publish(pages)

    def page(self, eyes: str, version: int, size: Size | None = None) -> dict[str, Any] | None:
        """Return the page of a viewer; None if there is none yet that is newer.

        Args:
            eyes: the viewer.
            version: the version of the page that the browser shows.
            size: the width and height of the window for the picture; None for the usual width.

        Returns:
            The page as JSON: its `version`, `controls`, the keys of `_page` and, for a person to
            decide, the `previews` of their moves (`Ahead.all`).
        """
        self.is_looked_at = True
        if eyes not in self._pages or self._versions[eyes] == version:
            return None
        controls = self.pace.controls._asdict()
        page = self._pages[eyes] | {"version": self._versions[eyes], "controls": controls}
        if size:
            page |= self._drawn(*self._views[eyes], eyes, size)
            if page["trick"] and page["trick"]["ending"]:
                laid = self._drawn(self.session.laid_trick(seat_of(eyes)), False, eyes, size)
                page["trick"] = page["trick"] | {"picture": laid["picture"]}
        if eyes in self._previews:
            page["previews"] = self._ahead(eyes, size).all()
        return page

    # ------------------------------------------------------------------------ what people do

    async def play(
        self,
        seat: str,
        version: int,
        picks: tuple[int, ...],
        size: Size | None = None,
        is_forced: bool = False,
    ) -> dict[str, Any]:
        """Play a whole move of a person; return their new page.

        After a move that the browser has played by itself, because it is forced, old news stay
        news.

        Raises:
            ValueError: if the seat does not decide now, if the page is not the newest, or for a
                move that is not legal. Nothing is played then.
        """
        async with self._at_the_game:
            self._check_version(seat, version)
            chosen = [move for move in self.session.moves(seat) if move.picks == picks]
            if not chosen:
                raise ValueError("this is no legal move")
            self.session.play(seat, chosen[0], is_forced)
            self._publish(self._new_pages())
            page = self.page(seat, version, size)
        self._played.set()
        return page or {}

    def begin(
        self, seat: str, version: int, picks: tuple[int, ...], size: Size | None
    ) -> dict[str, Any]:
        """Return a move of a person as far as it is chosen (`Ahead.begun`); nothing is played.

        Raises:
            ValueError: as for `play`.
        """
        self._check_version(seat, version)
        if seat not in self._previews:
            raise ValueError(f"{seat} does not decide now")
        return self._ahead(seat, size).begun(picks)

    def _ahead(self, seat: str, size: Size | None) -> Ahead:
        """Return the moves of the person who decides, on a page of a size."""
        return Ahead(
            self._previews[seat], lambda view: self._drawn(view, False, seat, size)["picture"]
        )

    def _check_version(self, seat: str, version: int) -> None:
        if not self._since[seat] <= version <= self._versions[seat]:
            raise ValueError("the table has changed: look again, then choose")

    async def after(self, seat: str, what: str, name: str, patience: float | None = None) -> Any:
        """Return what is to be seen of a game that is over, as `Looks.made`.

        Whoever has moved on by a seat since looks at it from the seat that they had in it.

        Raises:
            ValueError: while the game goes on, where no agent is installed that could judge, or
                for the name of a game that was not played at this table.
        """
        async with self._at_the_game:
            game, seats = self._game(name), self.session.env.possible_agents
        sat = seats[(seats.index(seat) - self.links.shift + game.shift) % len(seats)]
        return await self.looks.made(Look(game.session, sat, what), patience)

    async def renew(self, opponents: str, swaps: bool, name: str, move: int | None) -> None:
        """Begin another game at this table.

        A game that is not over stays in its file; only somebody who plays alone against agents can
        leave it.

        Args:
            opponents: the agents of the other seats, as in `--opponents`; "" for those of before.
            swaps: whether everybody moves on by one seat.
            name: the name of a game of this table.
            move: number of whole moves of it to play on from; None for a new deal.

        Raises:
            ValueError: while a game of several people goes on, for an agent that is not installed,
                or for a game or a move that does not exist.
        """
        async with self._at_the_game:
            leaves = name == self.name and move is None and len(self.session.people) == 1
            if self._deal is None or not (self.session.is_over or leaves):
                raise ValueError("a new game begins when this one is over")
            last, shift = self._game(name)
            people, seats = last.people, last.env.possible_agents
            if swaps:
                people = [seats[(seats.index(each) + 1) % len(seats)] for each in people]
            dealt = await asyncio.to_thread(self._deal, last, people, opponents, move)
            if self.session.is_over:
                self._before[self.name] = self._game(self.name)
            self.session = dealt
            self.links.shift = (shift + swaps) % len(seats)
            self.links.lead_to(dealt.path)
            self.eyes = people
            self._pages, self._views = {}, {}
            latest = max(self._versions.values())
            self._versions = dict.fromkeys(people, latest)
            self._since = dict(self._versions)
            self._publish(self._new_pages())
        self._played.set()

    def _game(self, name: str) -> Dealt:
        """Return a game of this table; raise ValueError if there is none of this name."""
        here = self._before | {self.name: Dealt(self.session, self.links.shift)}
        if name not in here:
            raise ValueError(f"{name} is no game of this table: see it with the command replay")
        return here[name]

    async def hint(self, seat: str) -> dict[str, str]:
        """Return the advice for a person as JSON, in words; raise ValueError without one."""
        async with self._at_the_game:
            hint = await asyncio.to_thread(self.session.hint, seat)
        if hint is None:
            raise ValueError("no agent is installed that could give a hint")
        told = f"A hint: {hint.move.text}.", *hint.told
        return {"hint": " ".join(told)}

    def steer(self, controls: Controls) -> None:
        """Change the pace, and update all pages of the watcher."""
        self.pace.steer(controls)
        for eyes in self.eyes:
            self._versions[eyes] += 1

    # ------------------------------------------------------------------------------- the pages

    def _publish(self, pages: dict[str, dict[str, Any]]) -> None:
        """Save the game, and send each viewer their new page."""
        self._save()
        self._pages |= pages
        self._views |= {eyes: self._view(eyes) for eyes in pages}
        told = len(self.session.log(None))
        self._just_told, self._told = told - self._told, told
        person = self.session.person
        self._previews = {person: self.session.previews(person)} if person else {}
        for eyes in pages:
            self._versions[eyes] += 1
            self._since[eyes] = self._versions[eyes]

    def _save(self) -> None:
        """Write the game to its file, if it has one; a failure ends the game."""
        path = self.session.path
        try:
            self.session.save(print)
        except OSError as error:
            self.failure = error
        if self.session.path != path:
            self.links.lead_to(self.session.path)

    def _new_pages(self) -> dict[str, dict[str, Any]]:
        """Return the pages that differ from those sent last, by viewer."""
        pages = {eyes: self._page(eyes) for eyes in self.eyes if not self._is_unaware(eyes)}
        return {eyes: page for eyes, page in pages.items() if page != self._pages.get(eyes)}

    def _is_unaware(self, eyes: str) -> bool:
        """Return whether somebody is asked in secret, so that a viewer's page must not change.

        Whoever is not asked in a window must not learn that somebody is (ruling G6 of Gubs). A
        person who has just been asked knows of the window.
        """
        if eyes == ALL or self.session.is_over or not (before := self._pages.get(eyes)):
            return False
        return not before.get("moves") and self.session.view(seat_of(eyes)).state.actor == NOBODY

    def _page(self, eyes: str) -> dict[str, Any]:
        """Return the page of a viewer."""
        session, seat = self.session, seat_of(eyes)
        view, is_open = self._view(eyes)
        page = self._drawn(view, is_open, eyes) | {
            "eyes": eyes,
            "game": session.env.table.title,
            "seats": self._seats(eyes),
            "question": session.question(seat),
            "note": session.note,
            "log": session.log(seat),
            "trick": self._trick(eyes),
            "over": session.is_over,
        }
        return page if seat is None or self.is_watched else page | self._decision(seat)

    def _drawn(
        self, view: View, is_open: bool, eyes: str, size: Size | None = None
    ) -> dict[str, str]:
        """Return the `picture` of a view as JSON, and the `trouble` with it, if there is any.

        If a game cannot draw its table, the table is shown in words: people can play on.
        """
        try:
            picture = self.session.drawn(view, self._reader(eyes), size, is_open)
            return {"picture": picture, "trouble": ""}
        except Exception as error:  # perhaps of a game of another package
            self.report(error)
            words = self.session.addressed(plain.draw(view, is_open, size), self._reader(eyes))
            why = f"The table is shown in words, since it cannot be drawn: {outlined(error)}."
            return {"picture": words, "trouble": f"{why} {TERMINAL}."}

    def _trick(self, eyes: str) -> dict[str, Any] | None:
        """Return the last trick as a viewer reads it (`Session.trick`), with its `faces` drawn."""
        trick = self.session.trick(seat_of(eyes))
        if trick and self._faces[0] != (which := (self.session, trick["number"])):
            picture = self._drawn(self.session.laid_trick(), False, eyes)["picture"]
            self._faces = which, cards_at(picture, "trick, laid by")
        return trick and trick | {"faces": self._faces[1]}

    def report(self, error: Exception) -> None:
        """Tell the terminal of an error that does not end the game; of several alike, the first."""
        if (fault := (message_of(error), places_of(error)[-1:])) in self._reported:
            return
        self._reported.append(fault)
        trace = "".join(traceback.format_exception(error))
        lines = [str(error)] if isinstance(error, AgentFailed) else trace.split("\n")
        for line in filter(None, map(printable, lines)):
            print(line, file=sys.stderr, flush=True)

    def _view(self, eyes: str) -> tuple[View, bool]:
        """Return what a viewer sees, and whether all hands are open: at the end, or for ALL."""
        session, seat = self.session, seat_of(eyes)
        if eyes == ALL or (session.is_over and not self.is_watched):
            env = session.env
            place = env.possible_agents.index(seat or env.possible_agents[0])
            return View(place, env.state(), env.game), True
        return session.view(seat), False

    def _reader(self, eyes: str) -> str | None:
        """Return the seat of a viewer who plays; None for a watcher."""
        return None if self.is_watched else eyes

    def _seats(self, eyes: str) -> list[dict[str, str]]:
        """Return who sits where: the name, the level of an agent, and the agent in full."""
        session = self.session
        called = session.called | ({} if self.is_watched else {eyes: "You"})
        levels = {seat: player.level for seat, player in session.opponents.items()}
        return [
            {"name": called[seat], "level": levels.get(seat, ""), "agent": agent}
            for seat, agent in zip(session.env.possible_agents, session.names, strict=True)
        ]

    def _decision(self, seat: str) -> dict[str, Any]:
        """Return the part of a page for a person only: their moves, and their news."""
        session = self.session
        is_asked = session.person == seat
        begun = session.previews(seat).begun(()) if is_asked else None
        return {
            "interrupt": session.interrupted(seat),
            "moves": [[move.text, list(move.picks)] for move in begun.answers] if begun else [],
            "news": list(map(list, session.account(seat))),
            "result": session.result(seat),
            "file": str(session.path or ""),
            "name": self.name,
            "before": [*filter(None, self._before)],
            "guide": guide.said(session, seat),
        }
