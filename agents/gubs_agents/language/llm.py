"""Language models as agents: any server that speaks the chat-completions protocol."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NoReturn

from gubs_agents.language.chat import ChatClient
from gubs_env.engine.table import Table
from gubs_env.language.options import Naming, OnFailure, TextOptions
from gubs_env.language.prompts import Prompt
from gubs_env.support.checks import check_number, check_option
from gubs_env.support.files import expanded

DEFAULT = "default"
"""The temperature that leaves the choice to the server."""
LimitField = Literal["max_tokens", "max_completion_tokens"]
"""The names by which servers are told how long an answer may be."""


class LanguageModel:
    """Asks a language model on a server for chat completions: give base_url and model.

    The answers depend on nothing but the prompts, if the model's do: with a cache, equal prompts
    get equal answers, and a run that is repeated or resumed asks for none of them again.

    Args:
        table: the table.
        seed: not used; the server draws.
        base_url: the address before `/chat/completions`, as "http://localhost:8000/v1".
        model: the name of the model on that server.
        key_variable: the name of the environment variable that holds the API key; "" sends none.
        list_moves, names, names_seed, attempts, on_failure: as for `TextOptions`.
        temperature: of sampling, at least 0; "default" leaves it to the server.
        max_tokens: largest number of tokens of an answer; 0 leaves it to the server.
        max_tokens_field: the name by which the server is told of it, "max_tokens" or
            "max_completion_tokens".
        timeout: seconds that an answer may take, from the connection to its last byte.
        retries: number of further attempts after a failure that may pass, such as a timeout, a
            connection that fails, or too many requests (status 429).
        backoff: seconds before the second attempt; each wait is about twice as long as the last.
        concurrency: number of requests under way at once.
        cache: folder of the answers; "" keeps none.
        input_price, output_price: price of a million tokens of prompts and of answers.

    Raises:
        ValueError: without base_url or model, for a value that is not allowed, or for a
            `key_variable` that is not set, or a proxy that cannot be used.
        ModuleNotFoundError: without the extra `llm`, or the package that a SOCKS proxy needs.
    """

    def __init__(
        self,
        table: Table,
        seed: int | None = None,
        base_url: str = "",
        model: str = "",
        key_variable: str = "",
        list_moves: bool = False,
        names: Naming = "real",
        names_seed: int = 0,
        attempts: int = 3,
        on_failure: OnFailure = "forfeit",
        temperature: float | str = 0.0,
        max_tokens: int = 0,
        max_tokens_field: LimitField = "max_tokens",
        timeout: float = 60.0,
        retries: int = 5,
        backoff: float = 1.0,
        concurrency: int = 8,
        cache: str = "",
        input_price: float = 0.0,
        output_price: float = 0.0,
    ) -> None:
        if not base_url or not isinstance(model, str) or not model:
            raise ValueError(
                "a language model needs a server and a name: write "
                "llm:base_url=http://localhost:8000/v1+model=NAME"
            )
        self.text_options = TextOptions(list_moves, names, names_seed, attempts, on_failure)
        self.concurrency = check_number("concurrency", concurrency, 1)
        self.prices = (
            check_amount("input_price", input_price),
            check_amount("output_price", output_price),
        )
        self._request = request_options(model, temperature, max_tokens, max_tokens_field)
        self._client = ChatClient(
            base_url,
            key_in(key_variable),
            check_amount("timeout", timeout, 0.001),
            check_number("retries", retries, 0),
            check_amount("backoff", backoff),
            expanded(cache) if cache else None,
        )
        self._counts: Counter[str] = Counter(empty=0, prompt_tokens=0, completion_tokens=0)
        self._costs = {"cost": 0.0, "cost_cached": 0.0}
        self._lock = threading.Lock()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            "a language model cannot be copied or pickled: it holds an API key and a connection; "
            "build another from its name and options"
        )

    @property
    def usage(self) -> dict[str, float]:
        """The requests, tokens and costs since the agent was built, by name.

        `requests` sent, `retries` among them, and `cache_hits`; `empty`, the answers without text;
        `prompt_tokens`, `completion_tokens` and `cost` of all answers; `cost_cached`, the part of
        `cost` that was not paid again.
        """
        with self._lock:
            return {**self._client.usage, **self._counts, **self._costs}

    def choose(self, prompt: Prompt, moves: Sequence[str]) -> str:
        """Return the answer of the model to a prompt (see `TextAgent.choose`).

        Raises:
            ModelError: if the server refuses the request, or does not answer after all retries.
        """
        reply, is_cached = self._client.complete({**self._request, "messages": prompt.messages()})
        text, *tokens = reply
        cost = sum(count * price for count, price in zip(tokens, self.prices, strict=True)) / 1e6
        with self._lock:
            self._counts.update(
                empty=not text.strip(), prompt_tokens=tokens[0], completion_tokens=tokens[1]
            )
            self._costs["cost"] += cost
            self._costs["cost_cached"] += cost * is_cached
        return text


def request_options(
    model: str, temperature: Any, max_tokens: Any, max_tokens_field: Any
) -> dict[str, Any]:
    """Return the part of all requests that does not depend on the prompt."""
    options: dict[str, Any] = {"model": model}
    if temperature != DEFAULT:
        options["temperature"] = check_amount("temperature", temperature)
    field = check_option("max_tokens_field", max_tokens_field, LimitField)
    if check_number("max_tokens", max_tokens, 0):
        options[field] = int(max_tokens)
    return options


def key_in(variable: Any) -> str:
    """Return the API key in an environment variable; "" for the variable "".

    Raises:
        ValueError: for a variable that is not set; the message does not hold its value.
    """
    if not variable:
        return ""
    key = os.environ.get(str(variable), "").strip()
    if not key:
        raise ValueError(f"key_variable={variable}: this environment variable is not set")
    return key


def check_amount(name: str, value: Any, least: float = 0.0) -> float:
    """Return a number as a float; raise ValueError for anything below `least` or not finite."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < 1e9:
        raise ValueError(f"{name}={value!r}: must be a number of at least {least:g}")
    return float(value)
