"""A client of the chat-completions protocol, with retries, a cache on disk and token counts."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import uuid
import weakref
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from gubs_env.api.checks import require_extra
from gubs_env.api.files import replace_file

if TYPE_CHECKING:
    import httpx

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 529}
"""Statuses after which a request is sent again."""
LONGEST_WAIT = 60.0
"""Largest number of seconds between two attempts."""
LONGEST_QUOTE = 200
"""Number of characters of a server's message that an error quotes."""


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


class ChatClient:
    """Asks one server for chat completions; it may be used by several threads at once.

    Args:
        base_url: the address before `/chat/completions`, as "http://localhost:8000/v1".
        key: the API key; "" sends none. It is written nowhere.
        timeout: seconds to wait for an answer.
        retries: number of further attempts after a failure that may pass.
        backoff: seconds before the second attempt; each wait is about twice as long as the last.
        cache: folder of the answers, which are not asked for again; None keeps none.

    Attributes:
        usage: `requests` sent, `retries` among them, and `cache_hits`.

    Raises:
        ValueError: for an address or a key that cannot be used.
        ModuleNotFoundError: without the extra `llm`.
    """

    def __init__(
        self,
        base_url: str,
        key: str = "",
        timeout: float = 60.0,
        retries: int = 5,
        backoff: float = 1.0,
        cache: Path | None = None,
    ) -> None:
        require_extra("llm", "httpx", "tenacity")
        import httpx

        self.url = f"{check_url(base_url).rstrip('/')}/chat/completions"
        self.retries, self.backoff, self.cache = retries, backoff, cache
        if not (key.isascii() and key.isprintable()):
            raise ValueError("the API key holds characters that no key has")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._key = key
        self._client = httpx.Client(headers=headers, timeout=timeout)
        weakref.finalize(self, self._client.close)
        self.usage: Counter[str] = Counter(requests=0, retries=0, cache_hits=0)
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
                self._count("cache_hits")
                return kept, True
            reply = self._asked(request)
            write_reply(path, request, reply)
            return reply, False

    def _count(self, name: str) -> None:
        with self._lock:
            self.usage[name] += 1

    def _asked(self, request: dict[str, Any]) -> Reply:
        """Return the answer of the server, which may be asked several times."""
        import tenacity

        # The random part keeps threads from waiting together.
        growing = tenacity.wait_combine(
            tenacity.wait_exponential(self.backoff, LONGEST_WAIT),
            tenacity.wait_random(0, self.backoff),
        )

        def wait(state: tenacity.RetryCallState) -> float:
            self._count("retries")
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
            raise ModelError(f"{error} ({self.retries + 1} attempts)") from None

    def _send(self, request: dict[str, Any]) -> Reply:
        """Return the answer to one attempt; raise _TryAgain or ModelError if there is none."""
        import httpx

        self._count("requests")
        try:
            response = self._client.post(self.url, json=request)
        except httpx.HTTPError as error:
            raise _TryAgain(f"{self.url} does not answer: {type(error).__name__}") from None
        if response.status_code in AGAIN:
            raise _TryAgain(self._told(response), seconds_of(response))
        if response.status_code != 200:
            raise ModelError(self._told(response))
        try:
            return reply_of(response.json())
        except ValueError as error:
            raise _TryAgain(f"{self.url}: {error}") from None

    def _told(self, response: httpx.Response) -> str:
        """Return what a server answered in place of a completion, on one line, without the key."""
        said = " ".join(response.text.split())
        said = said.replace(self._key, "…") if self._key else said
        return f"{self.url} answered {response.status_code}: {said[:LONGEST_QUOTE] or 'nothing'}"


def check_url(base_url: Any) -> str:
    """Return an address; raise ValueError unless it is one of a web server, without secrets."""
    parts = urlsplit(base_url) if isinstance(base_url, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
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
    """Return the seconds after which a server wants to be asked again; 0 if it names none."""
    try:
        return max(0.0, float(response.headers.get("retry-after", "0")))
    except ValueError:  # a date
        return 0.0


def reply_of(found: Any) -> Reply:
    """Return the answer in a completion; raise ValueError for anything else.

    A message without content, as of a model that refuses or has only thought, is an empty text.
    """
    try:
        content = found["choices"][0]["message"].get("content")
        usage = found.get("usage") or {}
        counts = [usage.get(name) or 0 for name in ("prompt_tokens", "completion_tokens")]
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError("the answer is not a chat completion") from None
    if not isinstance(content, str | None) or not all(type(count) is int for count in counts):
        raise ValueError("the answer is not a chat completion of text")
    return Reply(content or "", *counts)


# ------------------------------------------------------------------------------------ the cache


def read_reply(path: Path, request: dict[str, Any]) -> Reply | None:
    """Return the answer in a file; None unless it is whole, and the answer to this request."""
    try:
        found = json.loads(path.read_bytes())
        if found["request"] != request:
            return None
        reply = Reply(found["text"], found["prompt_tokens"], found["completion_tokens"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    fits = isinstance(reply.text, str) and all(type(count) is int for count in reply[1:])
    return reply if fits else None


def write_reply(path: Path, request: dict[str, Any], reply: Reply) -> None:
    """Write an answer with its request in one step, whoever else writes the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    own = path.with_name(f"{path.stem}.{uuid.uuid4().hex}")
    text = json.dumps({"request": request, **reply._asdict()}, ensure_ascii=False, indent=1)
    replace_file(own, text + "\n")
    os.replace(own, path)
