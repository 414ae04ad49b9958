"""The requests of browsers and the answers to them, which reveal only what a viewer may know.

Each person, or the watcher, has a link with a secret token. A request with another host name, from
another origin or with an unknown token is refused before its message is read. A message that is too
long, too slow or malformed is refused before the game sees it.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from gubs_env.drawing.pages import filled_page
from gubs_env.engine.border import read_json
from gubs_env.engine.view import Size
from gubs_env.play.afterwards import AFTERWARDS
from gubs_env.play.naming import LEVELS
from gubs_env.play.rules import paragraphs
from gubs_env.play.session import AgentFailed
from gubs_env.play.web.pace import LONGEST_WAIT, Controls
from gubs_env.play.web.table import TERMINAL, WebTable
from gubs_env.support.errors import outlined

HOST = "127.0.0.1"
LARGEST_MESSAGE = 4096
"""Largest size of a message, in bytes."""
PATIENCE = 20.0
"""Seconds after which a message that is not complete is refused."""
NO_VERSION = -1
"""The version that a browser has before its first page."""
BOOL, WHOLE, NUMBER, TEXT, LIST = (bool,), (int,), (int, float), (str,), (list,)
WHOLE_OR_NULL = (int, type(None))
KINDS = {BOOL: "true or false", WHOLE: "a whole number", NUMBER: "a number", TEXT: "a text",
         LIST: "a list", WHOLE_OR_NULL: "a whole number or null"}  # fmt: skip
"""The types of the values in a message, in words."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; script-src 'self' "
    "'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

Answer = Callable[[Request, str], Awaitable[Response]]
"""(request, eyes) → response."""
Endpoint = Callable[[Request], Awaitable[Response]]


def application(table: WebTable, port: int) -> Starlette:
    """Return the application that serves a game at a port of this machine and lets agents play."""
    hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
    answers = Answers(table)

    def route(path: str, answer: Answer, method: str = "GET", for_people: bool = False) -> Route:
        endpoint = _guarded(answer, table, hosts, for_people)
        return Route(f"/{{token}}/{path}", endpoint, methods=[method])

    @asynccontextmanager
    async def running(app: Starlette) -> Any:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(table.run)
            yield
            tasks.cancel_scope.cancel()

    served = Starlette(
        routes=[
            route("", answers.page),
            route("news", answers.news),
            route("rules", answers.rules),
            route("move", answers.move, "POST", for_people=True),
            route("choose", answers.choose, "POST", for_people=True),
            route("hint", answers.hint, "POST", for_people=True),
            route("again", answers.again, "POST", for_people=True),
            route("after/{what}", answers.after, for_people=True),
            route("controls", answers.steer, "POST"),
            route("next", answers.next_move, "POST"),
        ],
        exception_handlers={HTTPException: _refused},
        lifespan=running,
    )
    served.router.redirect_slashes = False  # a redirection would name the host of the request
    return served


class Answers:
    """The answers to requests that `_guarded` lets pass: (request, eyes) → response."""

    def __init__(self, table: WebTable) -> None:
        self.table = table

    async def page(self, request: Request, eyes: str) -> Response:
        """Answer with the page of HTML."""
        return HTMLResponse(filled_page(__package__))

    async def news(self, request: Request, eyes: str) -> Response:
        """Answer with `WebTable.page` as JSON, at once, or with nothing if the page is not new.

        The query `version` names the page that is shown. No request stays open: browsers open six
        connections to a server, for all tabs together.
        """
        version = request.query_params.get("version", "")
        known = int(version) if re.fullmatch("[0-9]{1,9}", version) else NO_VERSION
        size = _size(request.query_params.get("size", ""))
        page = self.table.page(eyes, known, size)
        if page is None:
            _check_goes_on(self.table)
        return Response(status_code=204) if page is None else JSONResponse(page)

    async def rules(self, request: Request, eyes: str) -> Response:
        """Answer with the rules on one page."""
        text = self.table.session.env.game.rules_text()
        return PlainTextResponse("\n".join(paragraphs(text)))

    async def move(self, request: Request, seat: str) -> Response:
        """Play the move of the message: `{"version": …, "picks": […]}`."""
        version, picks = _move(await _message(request))
        await self.table.play(seat, version, picks)
        return JSONResponse({})

    async def choose(self, request: Request, seat: str) -> Response:
        """Answer with `WebTable.begin` for `{"version": …, "picks": […]}`: nothing is played."""
        version, picks = _move(await _message(request))
        size = _size(request.query_params.get("size", ""))
        return JSONResponse(await self.table.begin(seat, version, picks, size))

    async def again(self, request: Request, seat: str) -> Response:
        """Begin another game; the message is `{"opponents", "swap", "game", "move"}`."""
        await self.table.renew(*_again(await _message(request)))
        return JSONResponse({})

    async def after(self, request: Request, seat: str) -> Response:
        """Answer with what is to be seen after a game: see `afterwards.AFTERWARDS`.

        The query `game` names the game: another one may have begun since.
        """
        what = request.path_params["what"]
        if what not in AFTERWARDS:
            raise HTTPException(404, f"there is no {what}: allowed are {', '.join(AFTERWARDS)}")
        name = request.query_params.get("game", self.table.name)
        made = await self.table.after(seat, what, name)
        return HTMLResponse(made) if isinstance(made, str) else JSONResponse(made)

    async def hint(self, request: Request, seat: str) -> Response:
        """Answer with `{"hint": …}`, the advice in words; the message is any JSON."""
        await _message(request)
        return JSONResponse({"hint": await self.table.hint(seat)})

    async def steer(self, request: Request, eyes: str) -> Response:
        """Change the pace to that of the message: `{"paused": …, "delay": …}`."""
        self.table.steer(_controls(await _message(request)))
        return JSONResponse({})

    async def next_move(self, request: Request, eyes: str) -> Response:
        """Let the next move be shown, in a paused game; the message is any JSON."""
        await _message(request)
        self.table.pace.ask()
        return JSONResponse({})


def _guarded(answer: Answer, table: WebTable, hosts: set[str], for_people: bool) -> Endpoint:
    """Return an endpoint that checks who sends a request before it is answered."""

    async def endpoint(request: Request) -> Response:
        eyes = _eyes(request, table, hosts)
        if for_people and table.is_watched:
            raise HTTPException(403, "this link is for watching: it plays no moves")
        if request.method == "POST":
            _check_goes_on(table)
        try:
            response = await answer(request, eyes)
        except HTTPException:
            raise
        except AgentFailed as error:
            table.report(error)
            raise HTTPException(409, f"{error.outline}. {TERMINAL}.") from None
        except Exception as error:
            if isinstance(error, ValueError) and (for_people or request.method == "POST"):
                raise HTTPException(409, str(error)) from None  # what was asked is not possible
            table.report(error)
            why = f"The server could not answer: {outlined(error)}. {TERMINAL}."
            raise HTTPException(500, why) from None
        response.headers.update(HEADERS)
        return response

    return endpoint


def _check_goes_on(table: WebTable) -> None:
    if table.failure is not None:
        raise HTTPException(503, table.stopped)


def _refused(request: Request, error: Exception) -> Response:
    """Answer with the reason of a refusal in words."""
    assert isinstance(error, HTTPException)
    return PlainTextResponse(error.detail, error.status_code, {**(error.headers or {}), **HEADERS})


def _eyes(request: Request, table: WebTable, hosts: set[str]) -> str:
    """Return the viewer by the token of a request; refuse other hosts, origins and tokens."""
    if request.headers.get("host") not in hosts:
        raise HTTPException(
            421, f"This game is served at {' and '.join(sorted(hosts))} only: open its link there."
        )
    origin = request.headers.get("origin")
    if origin is not None and origin not in {f"http://{host}" for host in hosts}:
        raise HTTPException(403, "this page does not belong to the game")
    token = request.path_params["token"].encode()
    for known, eyes in table.tokens.items():
        if hmac.compare_digest(known.encode(), token):
            return eyes
    raise HTTPException(
        404,
        "No game that is served here has this link. Use a link that the terminal shows, the whole "
        "of it; a game that has ended goes on with the command that the terminal named then.",
    )


async def _message(request: Request) -> Any:
    """Return the message of a request, which is JSON."""
    if request.headers.get("content-type") != "application/json":
        raise HTTPException(415, "a message must be JSON")
    try:
        with anyio.fail_after(PATIENCE):
            return read_json((await _body(request)).decode(), "the message")
    except TimeoutError:
        raise HTTPException(408, f"a message takes at most {PATIENCE:g} seconds") from None
    except ClientDisconnect:
        raise HTTPException(400, "the message is not complete") from None
    except ValueError as error:
        raise HTTPException(400, str(error)) from None


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_MESSAGE:
            raise HTTPException(413, f"a message has at most {LARGEST_MESSAGE} bytes")
    return bytes(body)


def _fields(message: Any, about: str, **kinds: tuple[type, ...]) -> list[Any]:
    """Return the values of a message that has these keys, each of one of its types.

    Args:
        message: the message.
        about: what it is about, with its verb, for the error.
        kinds: the types of the value of each key.
    """
    if not isinstance(message, dict) or set(message) != set(kinds):
        form = ", ".join(f'"{name}": …' for name in kinds)
        raise HTTPException(400, f"{about} {{{form}}}")
    for name, types in kinds.items():
        if type(message[name]) not in types:
            raise HTTPException(400, f"{name} must be {KINDS[types]}")
    return [message[name] for name in kinds]


def _move(message: Any) -> tuple[int, tuple[int, ...]]:
    """Return the version and the picks of a message that plays a move."""
    version, picks = _fields(message, "a move is", version=WHOLE, picks=LIST)
    if not all(type(pick) is int for pick in picks):
        raise HTTPException(400, "picks must be whole numbers")
    return version, tuple(picks)


def _size(text: str) -> Size | None:
    """Return the size of a picture, written as `884x744`; None for anything that is not one."""
    if not re.fullmatch("[0-9]{1,4}x[0-9]{1,4}", text):
        return None
    wide, high = map(int, text.split("x"))
    return wide, high


def _again(message: Any) -> tuple[str, bool, str, int | None]:
    """Return the arguments of `WebTable.renew` of a message that asks for a game."""
    opponents, swaps, game, move = _fields(
        message, "a new game is", opponents=TEXT, swap=BOOL, game=TEXT, move=WHOLE_OR_NULL
    )  # fmt: skip
    if opponents not in ("", *LEVELS):
        raise HTTPException(400, f"opponents are one of {', '.join(LEVELS)}")
    if move is not None and move < 0:
        raise HTTPException(400, "move must be a number of moves to play on from")
    return opponents, swaps, game, move


def _controls(message: Any) -> Controls:
    """Return the controls of a message that steers the pace."""
    paused, delay = _fields(message, "the controls are", paused=BOOL, delay=NUMBER)
    if not 0 <= delay <= LONGEST_WAIT:
        raise HTTPException(400, f"delay {delay}: allowed are 0 to {LONGEST_WAIT:g} seconds")
    return Controls(paused, float(delay))
