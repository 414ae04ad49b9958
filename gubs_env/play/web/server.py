"""The server of a game in the browser. It listens on this machine only.

Every person has a link with a token of their own. Requests with another host's name, from another
origin, or that are too large are refused before anything reads them.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from gubs_env.engine.border import read_json
from gubs_env.play.web.table import WebTable

HOST = "127.0.0.1"
LARGEST_MESSAGE = 4096
"""The most bytes of a message."""
PATIENCE = 20.0
"""Seconds after which a browser that waits for news is answered without."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'self' "
    "'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Refused(Exception):
    """A request that is answered with an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def application(table: WebTable, port: int) -> Starlette:
    """Return the application that serves a game at a port of this machine."""
    hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    def guarded(answer: Callable[[Request, str], Awaitable[Response]]) -> Any:
        async def endpoint(request: Request) -> Response:
            try:
                response = await answer(request, _seat(request, table, hosts))
            except Refused as error:
                response = PlainTextResponse(str(error), error.status)
            except ValueError as error:
                response = PlainTextResponse(str(error), 409)
            response.headers.update(HEADERS)
            return response

        return endpoint

    async def page(request: Request, seat: str) -> Response:
        return HTMLResponse(page_text())

    async def news(request: Request, seat: str) -> Response:
        version = request.query_params.get("version", "-1")
        known = int(version) if version.lstrip("-").isdecimal() and len(version) < 10 else -1
        return JSONResponse(await table.page(seat, known, PATIENCE))

    async def move(request: Request, seat: str) -> Response:
        version, picks = _move(await _message(request))
        await table.play(seat, version, picks)
        return JSONResponse({})

    async def hint(request: Request, seat: str) -> Response:
        await _message(request)
        return JSONResponse({"hint": await table.hint(seat)})

    async def rules(request: Request, seat: str) -> Response:
        return PlainTextResponse(table.session.env.game.rules_text())

    @asynccontextmanager
    async def running(app: Starlette) -> Any:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(table.run)
            yield
            tasks.cancel_scope.cancel()

    return Starlette(
        routes=[
            Route("/{token}/", guarded(page)),
            Route("/{token}/news", guarded(news)),
            Route("/{token}/rules", guarded(rules)),
            Route("/{token}/move", guarded(move), methods=["POST"]),
            Route("/{token}/hint", guarded(hint), methods=["POST"]),
        ],
        lifespan=running,
    )


def page_text() -> str:
    """Return the page, the same for every seat."""
    folder = files(__package__)
    text = folder.joinpath("page.html").read_text(encoding="utf-8")
    for name in ("css", "js"):
        text = text.replace(
            f"@{name}@", folder.joinpath(f"page.{name}").read_text(encoding="utf-8")
        )
    return text


def _seat(request: Request, table: WebTable, hosts: set[str]) -> str:
    """Return the seat that the token of a request opens; refuse all that looks foreign."""
    if request.headers.get("host") not in hosts:
        raise Refused(421, "this game is served on this machine only")
    origin = request.headers.get("origin")
    if origin is not None and origin.removeprefix("http://") not in hosts:
        raise Refused(403, "this page does not belong to the game")
    token = request.path_params["token"].encode()
    for known, seat in table.tokens.items():
        if hmac.compare_digest(known.encode(), token):
            return seat
    raise Refused(404, "there is no such game: use the whole link")


async def _message(request: Request) -> Any:
    """Return the JSON of a request."""
    if request.headers.get("content-type") != "application/json":
        raise Refused(415, "a message is JSON")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_MESSAGE:
            raise Refused(413, f"a message has at most {LARGEST_MESSAGE} bytes")
    try:
        return read_json(bytes(body).decode(), "the message")
    except (ValueError, UnicodeDecodeError) as error:
        raise Refused(400, str(error)) from None


def _move(message: Any) -> tuple[int, tuple[int, ...]]:
    """Return the version and the picks of a message that plays a move."""
    wanted = {"version", "picks"}
    if not isinstance(message, dict) or set(message) != wanted:
        raise Refused(400, 'a move is {"version": …, "picks": […]}')
    version, picks = message["version"], message["picks"]
    wholes = [version, *picks] if isinstance(picks, list) else [None]
    if not all(type(each) is int for each in wholes):
        raise Refused(400, "version and picks are whole numbers")
    return version, tuple(picks)
