"""The requests of browsers and the answers to them, which reveal only what a viewer may know.

Each person, or the watcher, has a link with a secret token. A request with another host name, from
another origin or with an unknown token is refused before its message is read. A message that is too
long, too slow or malformed is refused before the game sees it. `WebTable.play` checks that a move
is legal and that its page is current.
"""

from __future__ import annotations

import hmac
import html
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from inspect import isawaitable
from reprlib import repr as shortened
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from gubs_env.agents.registry import levels
from gubs_env.drawing.pages import filled_page
from gubs_env.engine.border import read_json
from gubs_env.engine.card_texts import card_help
from gubs_env.engine.view import Size
from gubs_env.play.afterwards import AFTERWARDS
from gubs_env.play.rules import rules_of
from gubs_env.play.session import AgentFailed
from gubs_env.play.web.looks import Unfinished
from gubs_env.play.web.pace import LONGEST_WAIT, Controls
from gubs_env.play.web.table import TERMINAL, WebTable
from gubs_env.support.errors import outlined

HOST = "127.0.0.1"
LARGEST_MESSAGE = 4096
"""Largest size of a message, in bytes."""
PATIENCE = 20.0
"""Seconds after which a message that is not complete is refused."""
REPLAY_PATIENCE = 1.0
"""Seconds after which a browser is told that its replay is not made yet."""
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

AFTER = "after/{what}"
MOVES = ("move", "forced", "choose", "hint", "again")
"""The messages of people who play; a watcher sends none of them."""
Act = Callable[[str, Any, Size | None], Any]
"""(eyes, message, size of the picture) → what the answer holds, or an awaitable of it."""
Answer = Callable[[Request, str], Awaitable[Response]]
"""(request, eyes) → response."""
Endpoint = Callable[[Request], Awaitable[Response]]


def application(table: WebTable, port: int) -> Starlette:
    """Return the application that serves a game at a port of this machine and lets agents play."""
    hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
    acts: dict[str, Act] = {
        "move": lambda seat, message, size: table.play(seat, *_move(message), size),
        "forced": lambda seat, message, size: table.play(seat, *_move(message), size, True),
        "choose": lambda seat, message, size: table.begin(seat, *_move(message), size),
        "hint": lambda seat, message, size: table.hint(seat),
        "again": lambda seat, message, size: table.renew(*_again(message)),
        "controls": lambda eyes, message, size: table.steer(
            _controls(message, table.pace.controls)
        ),
        "next": lambda eyes, message, size: table.pace.ask(),
    }

    def route(path: str, answer: Answer, method: str, for_people: bool) -> Route:
        endpoint = _guarded(answer, table, hosts, for_people)
        return Route(f"/{{token}}/{path}", endpoint, methods=[method])

    @asynccontextmanager
    async def running(app: Starlette) -> Any:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(table.run)
            yield
            tasks.cancel_scope.cancel()

    gets = {"": _page, "news": _news, "rules": _rules, AFTER: _after}
    served = Starlette(
        routes=[
            *(route(path, partial(get, table), "GET", path == AFTER) for path, get in gets.items()),
            *(route(path, _acting(act), "POST", path in MOVES) for path, act in acts.items()),
        ],
        exception_handlers={HTTPException: _refused},
        middleware=[Middleware(GZipMiddleware, minimum_size=2000, compresslevel=4)],
        lifespan=running,
    )
    served.router.redirect_slashes = False  # a redirection would name the host of the request
    return served


async def _page(table: WebTable, request: Request, eyes: str) -> Response:
    """Answer with the page of HTML."""
    names = json.dumps([*reversed(levels())])
    return HTMLResponse(filled_page(__package__, LEVELS=html.escape(names)))


async def _news(table: WebTable, request: Request, eyes: str) -> Response:
    """Answer with `WebTable.page` as JSON, at once, or with nothing if the page is not new.

    The query `version` names the page that is shown. No request stays open: browsers open six
    connections to a server, for all tabs together.
    """
    version = request.query_params.get("version", "")
    known = int(version) if re.fullmatch("[0-9]{1,9}", version) else NO_VERSION
    page = table.page(eyes, known, _size(request))
    if page is None:
        _check_goes_on(table)
    return Response(status_code=204) if page is None else JSONResponse(page)


async def _rules(table: WebTable, request: Request, eyes: str) -> Response:
    """Answer with the `text` of the rules on one page, and what each of the `cards` does."""
    env = table.session.env
    return JSONResponse({"text": "\n".join(rules_of(env.table)), "cards": card_help(env.game)})


async def _after(table: WebTable, request: Request, seat: str) -> Response:
    """Answer with what is to be seen after a game: see `afterwards.AFTERWARDS`.

    The query `game` names the game: another one may have begun since. A replay that takes long is
    a page that asks again and says how much is done, so that a new tab is not empty.
    """
    what = request.path_params["what"]
    if what not in AFTERWARDS:
        raise HTTPException(404, f"there is no {what}: allowed are {', '.join(AFTERWARDS)}")
    name, is_page = request.query_params.get("game", table.name), what == "replay"
    made = await table.after(seat, what, name, REPLAY_PATIENCE if is_page else None)
    if isinstance(made, Unfinished):
        percent = 100 * made.done // max(1, made.steps)
        left = f", in {made.told}" if made.told else ""
        page = filled_page(__package__, "making.html", PERCENT=str(percent), LEFT=left)
        return HTMLResponse(page)
    return HTMLResponse(made) if is_page else JSONResponse(made)


def _acting(act: Act) -> Answer:
    """Return the answer to a message: what is done with it returns, as JSON."""

    async def answer(request: Request, eyes: str) -> Response:
        made = act(eyes, await _message(request), _size(request))
        return JSONResponse((await made if isawaitable(made) else made) or {})

    return answer


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


def _size(request: Request) -> Size | None:
    """Return the size of a picture, written as `884x744`; None for anything that is not one."""
    text = request.query_params.get("size", "")
    if not re.fullmatch("[0-9]{1,4}x[0-9]{1,4}", text):
        return None
    wide, high = map(int, text.split("x"))
    return wide, high


def _again(message: Any) -> tuple[str, bool, str, int | None]:
    """Return the arguments of `WebTable.renew` of a message that asks for a game."""
    opponents, swaps, game, move = _fields(
        message, "a new game is", opponents=TEXT, swap=BOOL, game=TEXT, move=WHOLE_OR_NULL
    )  # fmt: skip
    if opponents not in ("", *levels()):
        raise HTTPException(
            400,
            f"opponents must be a level, {', '.join(levels())}, or an empty text for those of "
            f"before, not {shortened(opponents)}",
        )
    if move is not None and move < 0:
        raise HTTPException(
            400,
            f"move must be a number of moves to play on from, or null for a new deal, not {move}",
        )
    return opponents, swaps, game, move


def _controls(message: Any, now: Controls) -> Controls:
    """Return the controls after a message that changes them, in part or whole."""
    message = now._asdict() | message if isinstance(message, dict) and message else message
    paused, delay = _fields(message, "the controls are", paused=BOOL, delay=NUMBER)
    if not 0 <= delay <= LONGEST_WAIT:
        raise HTTPException(400, f"delay {delay}: allowed are 0 to {LONGEST_WAIT:g} seconds")
    return Controls(paused, float(delay))
