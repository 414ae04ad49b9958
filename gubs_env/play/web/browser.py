"""The server of a game for the browsers of this machine, from its start to its end."""

from __future__ import annotations

import asyncio
import math
import signal
import socket
import threading
import time
import webbrowser
from contextlib import suppress
from functools import partial

import uvicorn

from gubs_env.play.web.server import HOST, application
from gubs_env.play.web.table import WebTable
from gubs_env.support.system import handling

LAST_WORDS = 5.0
"""Seconds for which a game that has failed is served: longer than pages rest between two looks."""
ACCEPTING = 0.05
"""Seconds in which connections that were accepted last are made."""


class BrowserGame:
    """A game in the browser, served at a port of this machine.

    Args:
        table: the game and its viewers.
        port: the port, 0 to 65535; 0 takes that of the game (`Links.port`), or a free one if it is
            taken.

    Raises:
        OSError: for a port that is taken.
    """

    def __init__(self, table: WebTable, port: int) -> None:
        self.table = table
        self._asked = ["--port", str(port)] if port else []
        try:
            self._socket = listening(port or table.links.port)
        except OSError as error:
            if port:
                raise OSError(f"--port {port}: {error.strerror}") from None
            self._socket = listening(0)
        self.port = int(self._socket.getsockname()[1])

    @property
    def links(self) -> dict[str, str]:
        """The link of each viewer: of the people by seat, or of the watcher."""
        place = f"http://{HOST}:{self.port}"
        return {eyes: f"{place}/{token}/" for token, eyes in self.table.tokens.items()}

    def run(self, opens: bool = True) -> None:
        """Serve the game until Ctrl-C; `opens` shows the first link in a browser.

        Raises:
            Exception: what an agent raises, or ValueError if its answer is not legal.
        """
        self._tell_links()
        self.table.is_looked_at = opens
        if opens:
            opened = partial(open_browser, next(iter(self.links.values())))
            threading.Thread(target=opened, daemon=True).start()
        settings = uvicorn.Config(
            application(self.table, self.port),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        # uvicorn raises the signal that ended it once more.
        with handling(SIGTERM=signal.default_int_handler), suppress(KeyboardInterrupt):
            Server(settings, self.table).run(sockets=[self._socket])
        session = self.table.session
        if session.path is not None:
            print(f"The game is saved in {session.path}", flush=True)
            if session.is_over or session.people:
                print(*session.next_steps("--web", *self._asked), sep="\n", flush=True)
        if self.table.failure is not None:
            raise self.table.failure

    def _tell_links(self) -> None:
        does = "The game is" if self.table.is_watched else "{} plays"
        right = "sees the game" if self.table.is_watched else "plays in its seat"
        kept = "; the game is saved" if self.table.session.path is not None else ""
        for eyes, link in self.links.items():
            print(f"{does.format(eyes)} at {link}")
        print(f"Whoever has a link {right}. Ctrl-C ends it{kept}.", flush=True)


def listening(port: int) -> socket.socket:
    """Return a socket that listens at a port of this machine, 0 for a free one."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind((HOST, port))
        server.listen()  # a browser that comes before the game is ready waits
    except OSError:
        server.close()
        raise
    return server


def open_browser(link: str) -> None:
    """Open a link in the browser of the user, if there is one; a text browser takes its time."""
    with suppress(Exception):
        webbrowser.open(link)


class Server(uvicorn.Server):
    """A server that ends when the game fails, once pages that are open had time to say why."""

    def __init__(self, settings: uvicorn.Config, table: WebTable) -> None:
        super().__init__(settings)
        self._table = table
        self._end = math.inf

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._table.looks.end()
        # A connection that is accepted as its server closes would never be closed.
        with suppress(NotImplementedError):  # the loop of Windows
            for each in sockets or []:
                asyncio.get_running_loop().remove_reader(each)
        await asyncio.sleep(ACCEPTING)
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        table, now = self._table, time.monotonic()
        if table.failure is not None:
            self._end = min(self._end, now + LAST_WORDS * table.is_looked_at)
        return await super().on_tick(counter) or now >= self._end
