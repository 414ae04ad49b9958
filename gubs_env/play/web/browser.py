"""A game that is served to the browsers of this machine until its people leave."""

from __future__ import annotations

import signal
import socket
import webbrowser
from contextlib import suppress
from pathlib import Path

import uvicorn

from gubs_env.play.session import Session
from gubs_env.play.web.server import HOST, application
from gubs_env.play.web.table import WebTable


class BrowserGame:
    """A game in the browser.

    Args:
        session: the game.
        path: the file that the game is written to after every move.
        pace: the least number of seconds that a move of an agent is shown.
        port: the port; 0 takes a free one.

    Raises:
        OSError: for a port that is taken.
    """

    def __init__(self, session: Session, path: Path, pace: float, port: int) -> None:
        self.table = WebTable(session, path, pace)
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
            self._socket.listen()  # a browser that comes before the game is ready waits
        except OSError as error:
            self._socket.close()
            raise OSError(f"--port {port}: {error.strerror}") from None
        self.port = int(self._socket.getsockname()[1])

    @property
    def links(self) -> dict[str, str]:
        """The link of each person, by seat."""
        return {
            seat: f"http://{HOST}:{self.port}/{token}/" for token, seat in self.table.tokens.items()
        }

    def run(self, opens: bool = True) -> None:
        """Serve the game until Ctrl-C; `opens` shows the first link in a browser."""
        for seat, link in self.links.items():
            print(f"{seat} plays at {link}", flush=True)
        print(
            "Whoever has a link plays in its seat. Ctrl-C ends it; the game is saved.", flush=True
        )
        if opens:
            webbrowser.open(next(iter(self.links.values())))
        settings = uvicorn.Config(
            application(self.table, self.port),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        # The server raises the signal that has ended it once more.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(KeyboardInterrupt):
            Server(settings, self.table).run(sockets=[self._socket])
        signal.signal(signal.SIGTERM, before)
        print(f"The game is saved in {self.table.path}")


class Server(uvicorn.Server):
    """A server that answers those who wait for news before it ends."""

    def __init__(self, settings: uvicorn.Config, table: WebTable) -> None:
        super().__init__(settings)
        self._table = table

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await self._table.close()
        await super().shutdown(sockets)
