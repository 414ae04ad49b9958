"""A game that people play from several browsers: what each seat is told, and when."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from gubs_env.engine.moves import Move
from gubs_env.engine.seats import NOBODY
from gubs_env.play.replay import write_game
from gubs_env.play.session import Session

TOKEN_BYTES = 16


class WebTable:
    """A session with a secret token for each person, and the newest page of each.

    All methods run in one event loop; only agents think in a thread of their own.

    Args:
        session: the game.
        path: the file that the game is written to after every decision.
        pace: the least number of seconds that a move of an agent is shown.
    """

    def __init__(self, session: Session, path: Path, pace: float) -> None:
        self.session, self.path, self.pace = session, path, pace
        self.tokens = {secrets.token_urlsafe(TOKEN_BYTES): seat for seat in session.people}
        """The seat that each token opens."""
        self._changed = asyncio.Condition()
        self._at_the_game = asyncio.Lock()
        """Held by whoever reads or plays the game, which only one may do at a time."""
        self._played = asyncio.Event()
        self._is_closed = False
        self._pages: dict[str, dict[str, Any]] = {}
        self._versions = dict.fromkeys(session.people, 0)

    async def run(self) -> None:
        """Let agents play whenever it is their turn, until the game is over."""
        async with self._at_the_game:
            await self._publish()
        while not self.session.is_over:
            if self.session.person is None:
                least = asyncio.create_task(asyncio.sleep(self.pace))
                async with self._at_the_game:
                    await asyncio.to_thread(self.session.play_opponent)
                    await least
                    await self._publish()
            else:
                self._played.clear()
                await self._played.wait()

    async def page(self, seat: str, version: int, patience: float) -> dict[str, Any]:
        """Return what a seat is told, as soon as it differs from a version, or after a while."""

        def is_new() -> bool:
            return self._is_closed or self._versions[seat] != version

        async with self._changed:
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._changed.wait_for(is_new), patience)
            return {"version": self._versions[seat], **self._pages[seat]}

    async def close(self) -> None:
        """Answer everybody who waits for news, so that the server can end."""
        self._is_closed = True
        async with self._changed:
            self._changed.notify_all()

    async def play(self, seat: str, version: int, picks: tuple[int, ...]) -> None:
        """Play a whole move of a person.

        Raises:
            ValueError: if the seat does not decide now, if the page is not the newest, or for a
                move that is not legal. Nothing is played then.
        """
        async with self._at_the_game:
            if version != self._versions[seat]:
                raise ValueError("the table has changed: look again, then choose")
            fitting = [move for move in self.session.moves(seat) if move.picks == picks]
            if not fitting:
                raise ValueError("this is no legal move")
            self.session.play(seat, fitting[0])
            await self._publish()
        self._played.set()

    async def hint(self, seat: str) -> str:
        """Return what the adviser would play, in words; raise ValueError if it cannot."""
        async with self._at_the_game:
            found = await asyncio.to_thread(self.session.hint, seat)
        if found is None:
            raise ValueError("there is no agent to give hints")
        worth = "" if found.worth is None else f" (worth {found.worth:+.2f})"
        return f"{found.adviser} would play: {found.move.text}{worth}"

    async def _publish(self) -> None:
        """Save the game, and tell every seat what is new to it."""
        write_game(self.path, self.session.env, self.session.names)
        async with self._changed:
            for seat in self.session.people:
                page = self._page(seat)
                if page is not None and page != self._pages.get(seat):
                    self._pages[seat] = page
                    self._versions[seat] += 1
            self._changed.notify_all()

    def _page(self, seat: str) -> dict[str, Any] | None:
        """Return what a seat is told; None while somebody else is asked in secret.

        Whoever is not asked in a window must not learn that somebody is (ruling G6 of Gubs). A
        person who has just been asked knows of the window.
        """
        session, game = self.session, self.session.env.game
        view, before = session.view(seat), self._pages.get(seat)
        if view.state.actor == NOBODY and not session.is_over and before and not before["moves"]:
            return None
        decides = session.person == seat
        moves: list[Move] = session.moves(seat) if decides else []
        return {
            "seat": seat,
            "names": dict(zip(session.env.possible_agents, session.names, strict=True)),
            "picture": game.draw(view),
            "open": self._open_picture(),
            "question": session.question(seat),
            "interrupt": bool(session.table(seat).interrupts),
            "moves": [[move.text, list(move.picks)] for move in moves],
            "log": session.log(seat),
            "over": session.is_over,
        }

    def _open_picture(self) -> str | None:
        """Return the picture with all hands open, once the game is over."""
        if not self.session.is_over:
            return None
        env = self.session.env
        return env.draw(env.possible_agents[0], open_hands=True)
