"""A client of the chat-completions protocol, with retries, a cache on disk and token counts."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import uuid
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple
from urllib.parse import urlsplit

from gubs_env.engine.border import read_json
from gubs_env.engine.text import plural, printable
from gubs_env.support.checks import Range, check_options, require_extra
from gubs_env.support.files import expanded, replace_file

if TYPE_CHECKING:
    import httpx

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
"""Statuses after which a request is sent again."""
LONGEST_WAIT = 60.0
"""Largest number of seconds between two attempts."""
LONGEST_BODY = 4_000_000
"""Largest number of bytes of an answer."""
LONGEST_QUOTE = 200
"""Number of characters of a server's message that an error quotes."""
LONGEST = 10**9
"""Largest number of seconds that an option names."""
MOST_TOKENS = 10**9
"""Largest number of tokens that an answer may count."""
SHORTEST_PART = 8
"""Number of letters and digits of a key, one after another, that no error quotes."""
CODE = re.compile(
    r"(?:%u?|\\[xu]\{?|&#x|=|0x|U\+)0*([0-9a-f]{2})|&#0*(\d{2,3})|\x1b\[[\d;]*[a-z]|<[^<>]*>", re.I
)
"""A character as an escape of a URL, JSON, HTML or an e-mail; a tag; a style of a terminal."""


class ModelError(RuntimeError):
    """A server that refuses a request, or does not answer it after all retries."""


class _TryAgain(Exception):
    """A failure that may pass; `wait` is the number of seconds that the server asked for."""

    def __init__(self, message: str, wait: float = 0) -> None:
        super().__init__(message)
        self.wait = wait


class Reply(NamedTuple):
    """The answer of a model, and the tokens that it took; zeros if the server counts none."""

    text: str
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class ModelServer:
    """A server of language models, and how it is asked.

    Raises:
        ValueError: for a value that is not allowed.
    """

    base_url: str = ""
    """The address before `/chat/completions`, as "http://localhost:8000/v1"."""
    model: str = ""
    """The name of the model on that server."""
    key_variable: str = ""
    """The name of the environment variable that holds the API key; "" sends none."""
    timeout: Annotated[float, Range(0.001, LONGEST)] = 60.0
    """Seconds that an answer may take, from the connection to its last byte."""
    retries: Annotated[int, Range(0)] = 5
    """Number of further attempts after a failure that may pass, such as a timeout, a connection
    that fails, or too many requests (status 429)."""
    backoff: Annotated[float, Range(0, LONGEST)] = 1.0
    """Seconds before the second attempt; each wait is about twice as long as the last."""
    cache: str = ""
    """Folder of the answers, which are not asked for again; "" keeps none."""

    def __post_init__(self) -> None:
        check_options(self)


class ChatClient:
    """Asks one server for chat completions; it may be used by several threads at once.

    Attributes:
        usage: `requests` sent, `retries` among them, and `cache_hits`.

    Raises:
        ValueError: for an address or a proxy that cannot be used; for a `key_variable` that is not
            set, or a key with characters that no key has.
        ModuleNotFoundError: without the extra `llm`, or the package that a SOCKS proxy needs.
    """

    def __init__(self, server: ModelServer) -> None:
        require_extra("llm", "anyio", "httpx", "tenacity")
        import httpx

        from gubs_agents.language.route import proxy_to

        self.url = f"{check_url(server.base_url).rstrip('/')}/chat/completions"
        self._proxy = proxy_to(self.url)
        self._server = f"{self.url} (through {self._proxy})" if self._proxy else self.url
        """The server in messages, with the proxy that a request goes through."""
        self.timeout, self.retries, self.backoff = server.timeout, server.retries, server.backoff
        self.cache = expanded(server.cache) if server.cache else None
        self._key = key_in(server.key_variable)  # which is written nowhere
        self._tls = httpx.create_ssl_context()
        self.usage: dict[str, float] = {"requests": 0, "retries": 0, "cache_hits": 0}
        self._lock = threading.Lock()
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def complete(self, request: dict[str, Any]) -> tuple[Reply, bool]:
        """Return the answer to a request, and whether it is from the cache.

        Args:
            request: the body of the request.

        Raises:
            ModelError: if the server refuses it, or does not answer after all retries.
            OSError: if the cache cannot be written.
        """
        if self.cache is None:
            return self._asked(request), False
        name = hashlib.sha256(json.dumps([self.url, request]).encode()).hexdigest()
        path = self.cache / name[:2] / f"{name}.json"
        with self._lock:
            lock = self._locks[name]
        with lock:
            if (kept := read_reply(path, request)) is not None:
                self.count(cache_hits=1)
                return kept, True
            reply = self._asked(request)
            write_reply(path, request, reply)
            return reply, False

    def count(self, **amounts: float) -> None:
        """Add amounts to `usage`, by name."""
        with self._lock:
            for name, amount in amounts.items():
                self.usage[name] += amount

    def _asked(self, request: dict[str, Any]) -> Reply:
        """Return the answer of the server, which may be asked several times."""
        import tenacity

        # The random part keeps threads from waiting together.
        growing = tenacity.wait_combine(
            tenacity.wait_exponential(self.backoff, LONGEST_WAIT),
            tenacity.wait_random(0, self.backoff),
        )

        def wait(state: tenacity.RetryCallState) -> float:
            self.count(retries=1)
            failure = state.outcome.exception() if state.outcome else None
            return max(growing(state), min(getattr(failure, "wait", 0), LONGEST_WAIT))

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_TryAgain),
            stop=tenacity.stop_after_attempt(self.retries + 1),
            wait=wait,
            reraise=True,
        )
        try:
            return retrying(self._send, request)
        except _TryAgain as error:
            raise ModelError(f"{error} ({plural(self.retries + 1, 'attempt')})") from None

    def _send(self, request: dict[str, Any]) -> Reply:
        """Return the answer to one attempt; raise _TryAgain or ModelError if there is none."""
        import httpx
        from anyio.from_thread import start_blocking_portal

        self.count(requests=1)
        try:
            with start_blocking_portal() as portal:
                response, body = portal.call(self._exchange, request)
        except TimeoutError:
            raise _TryAgain(f"{self._server}: no answer within {self.timeout:g} s") from None
        except httpx.HTTPError as error:
            said = quoted(f"{type(error).__name__}: {error}", self._key)
            raise _TryAgain(f"{self._server} does not answer: {said}") from None
        if response.status_code in AGAIN:
            raise _TryAgain(self._told(response, body), seconds_of(response))
        if response.status_code != 200:
            raise ModelError(self._told(response, body))
        try:
            return reply_of(read_json(body, "a chat completion"))
        except ValueError as error:
            raise _TryAgain(f"{self._told(response, body)} ({error})") from None

    async def _exchange(self, request: dict[str, Any]) -> tuple[httpx.Response, bytes]:
        """Send a request on a connection of its own; return the answer and its body.

        An event loop is what stops a server that sends a byte now and then: the timeouts of httpx
        are for one read each. A compressed body is refused, since it may grow without a bound.

        Raises:
            TimeoutError: after `timeout` seconds, whatever the server does.
            httpx.HTTPError: if there is no connection, or not HTTP.
            ModelError: for a body that is too long, or compressed.
        """
        import anyio
        import httpx

        from gubs_agents.language.route import Transport

        way = Transport(verify=self._tls, proxy=self._proxy.url if self._proxy else None)
        headers = {"Accept-Encoding": "identity"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        body = bytearray()
        with anyio.fail_after(self.timeout):
            async with (
                httpx.AsyncClient(timeout=None, transport=way) as client,
                client.stream("POST", self.url, json=request, headers=headers) as response,
            ):
                if response.headers.get("content-encoding", "identity") != "identity":
                    raise ModelError(f"{self._server} compresses its answer, although asked not to")
                async for part in response.aiter_raw():
                    body += part
                    if len(body) > LONGEST_BODY:
                        raise ModelError(
                            f"{self._server} answers with more than {LONGEST_BODY:,} bytes"
                        )
        return response, bytes(body)

    def _told(self, response: httpx.Response, body: bytes) -> str:
        """Return what a server answered in place of a completion, on one line, without the key."""
        said = body.decode(errors="replace")
        if "location" in response.headers:
            said = f"a redirect, which is not followed, to {response.headers['location']}"
        said = quoted(said, self._key) or "nothing"
        return f"{self._server} answered {response.status_code}: {said}"


def key_in(variable: str) -> str:
    """Return the API key in an environment variable; "" for the variable "".

    Raises:
        ValueError: for a variable that is not set, or holds no key; the message does not hold its
            value.
    """
    key = os.environ.get(variable, "").strip() if variable else ""
    if variable and not key:
        raise ValueError(f"key_variable={variable}: this environment variable is not set")
    if not (key.isascii() and key.isprintable()):
        raise ValueError("the API key holds characters that no key has")
    return key


def check_url(base_url: str) -> str:
    """Return an address; raise ValueError unless it is one of a web server, without secrets."""
    import httpx

    try:
        httpx.URL(base_url)
        parts = urlsplit(base_url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except (httpx.InvalidURL, TypeError, ValueError):
        is_web = False
    if not is_web:
        raise ValueError(
            f"base_url={base_url!r}: it must begin with http:// or https://, such as "
            "http://localhost:8000/v1"
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            "base_url must hold no user, password or query: keys belong in an environment "
            "variable, which key_variable names"
        )
    return base_url


def seconds_of(response: httpx.Response) -> float:
    """Return the seconds after which a server wants to be asked again; 0 if it names none.

    It names a number of seconds or a date, which is compared with that of the answer.
    """
    asked = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(asked))
    except ValueError:
        until = date_of(asked)
    now = date_of(response.headers.get("date", "")) or datetime.now(timezone.utc)
    return max(0.0, (until - now).total_seconds()) if until else 0.0


def date_of(text: str) -> datetime | None:
    """Return a date of HTTP, which is always in UTC; None for any other text."""
    try:
        return parsedate_to_datetime(text).replace(tzinfo=timezone.utc)
    except (ValueError, TypeError, OverflowError):
        return None


def quoted(said: str, key: str) -> str:
    """Return the beginning of a server's message as a terminal may show it, without the key."""
    start = " ".join((said.replace(key, "…") if key else said).split())[:LONGEST_QUOTE]
    hides = key and resembles(start, key)
    return "a message that holds parts of the API key" if hides else printable(start)


def resembles(text: str, key: str) -> bool:
    """Return whether a text holds a part of a key, be it spaced, escaped or both."""
    plain = letters_of(key)
    size = min(SHORTEST_PART, len(plain))
    parts = {plain[start : start + size] for start in range(len(plain) - size + 1)}
    before = ""
    while text != before:
        if any(part in letters_of(text) for part in parts):
            return True
        before, text = text, CODE.sub(character, text)
    return False


def character(code: re.Match[str]) -> str:
    """Return the character of an escape that `CODE` matches; nothing for a tag or a style."""
    return chr(int(code[1], 16)) if code[1] else chr(int(code[2])) if code[2] else ""


def letters_of(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text)).casefold()


def reply_of(completion: Any) -> Reply:
    """Return the answer in a completion; raise ValueError for anything else, or for a broken one.

    A message without text, as of a model that refuses, calls a tool or has only thought, is an
    empty text. Gateways report with status 200 that a model failed in the middle of its answer.
    """
    try:
        choice = completion["choices"][0]
        reason = choice.get("finish_reason")
        has_failed = completion.get("error") or choice.get("error") or reason == "error"
        text = text_of(choice["message"].get("content"))
        usage = completion.get("usage") or {}
        counts = [usage.get(name, 0) for name in ("prompt_tokens", "completion_tokens")]
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError("the answer is not a chat completion") from None
    if has_failed:
        raise ValueError("the model failed while it answered")
    return check_reply(text, *(0 if count is None else count for count in counts))


def text_of(content: Any) -> Any:
    """Return the text of a message, which may come in parts: thoughts and the like are none."""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part["type"] == "text")
    return "" if content is None else content


def check_reply(text: Any, *counts: Any) -> Reply:
    """Return an answer; raise ValueError unless it is a text with whole numbers of tokens.

    Half a surrogate pair, which JSON can name and no file can hold, becomes a question mark.
    """
    if not isinstance(text, str):
        raise ValueError("the answer is not a chat completion of text")
    if not all(
        type(count) in (int, float) and 0 <= count <= MOST_TOKENS and count == int(count)
        for count in counts
    ):
        raise ValueError(f"the tokens of the answer must be numbers from 0 to {MOST_TOKENS:,}")
    return Reply(text.encode(errors="replace").decode(), *map(int, counts))


# ------------------------------------------------------------------------------------ the cache


def read_reply(path: Path, request: dict[str, Any]) -> Reply | None:
    """Return the answer in a file; None unless it is whole, and the answer to this request."""
    try:
        entry = read_json(path.read_bytes(), "an answer")
        if entry["request"] != request:
            return None
        return check_reply(entry["text"], entry["prompt_tokens"], entry["completion_tokens"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_reply(path: Path, request: dict[str, Any], reply: Reply) -> None:
    """Write an answer with its request in one step, whoever else writes the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.stem}.{uuid.uuid4().hex}")
    text = json.dumps({"request": request, **reply._asdict()}, ensure_ascii=False, indent=1)
    replace_file(unfinished, text + "\n")
    os.replace(unfinished, path)
