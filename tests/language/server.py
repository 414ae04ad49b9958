"""A local server of chat completions that answers well, badly, slowly or not at all."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any

Answer = tuple[int, str, dict[str, str]]
"""Status, body, headers."""


def completion(text: str | None, prompt_tokens: int = 100, completion_tokens: int = 7) -> Answer:
    """Return a completion as servers write it."""
    body = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens},
    }
    return 200, json.dumps(body), {}


def well(request: dict[str, Any]) -> Answer:
    """Answer with the first listed move, or with what every game accepts at that point."""
    listed = request["messages"][1]["content"].split("\n- ")
    return completion(json.dumps({"move": listed[-1]}))


class Server(ThreadingHTTPServer):
    """The server; `script(request)` makes each answer.

    Attributes:
        requests: the bodies of all requests so far.
        keys: the headers `Authorization` of all requests so far.
    """

    daemon_threads = True
    server_bind = TCPServer.server_bind  # without the name of this machine, which takes a resolver

    def __init__(self, script: Callable[[dict[str, Any]], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about clients that have gone."""


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.keys.append(self.headers.get("Authorization"))
        status, body, headers = self.server.script(request)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body.encode()))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments: Any) -> None:
        """Write no log."""


def slowly(request: dict[str, Any]) -> Answer:
    """Answer when nobody waits any more."""
    time.sleep(1)
    return completion("too late")


def read_request(connection: socket.socket) -> None:
    """Read a whole request: a connection closed with bytes unread is reset, not ended."""
    length = 0
    with connection.makefile("rb") as reader:
        while line := reader.readline().strip().lower():
            if line.startswith(b"content-length:"):
                length = int(line.removeprefix(b"content-length:"))
        reader.read(length)


@contextmanager
def sending(head: bytes, again: bytes = b"", pause: float = 0) -> Iterator[str]:
    """Serve bytes as they are: `head`, then `again` until the client leaves; yield the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                read_request(connection)
                connection.sendall(head)
                while again:
                    connection.sendall(again)
                    time.sleep(pause)

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=serve, args=listener.accept()[:1], daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        listener.shutdown(socket.SHUT_RDWR)  # wakes `accept`


@contextmanager
def serving(script: Callable[[dict[str, Any]], Answer]) -> Iterator[Server]:
    """Serve on a free port of this machine."""
    server = Server(script)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
