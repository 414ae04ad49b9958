"""Language models as agents: any server that speaks the chat-completions protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NoReturn

from gubs_agents.language.chat import ChatClient, ModelServer
from gubs_env.agents.prompts import Prompt
from gubs_env.agents.text_options import TextOptions
from gubs_env.engine.table import Table
from gubs_env.support.checks import Range, check_option

DEFAULT = "default"
"""The temperature that leaves the choice to the server."""
AMOUNT = Range(0, 10**9)


@dataclass(frozen=True)
class ModelOptions(TextOptions, ModelServer):
    """A language model, the contents of its prompts, and the consequence of wrong answers.

    Raises:
        ValueError: without base_url or model, or for a value that is not allowed.
    """

    temperature: float | str = 0.0
    """Temperature of sampling, at least 0; "default" leaves it to the server."""
    max_tokens: Annotated[int, Range(0)] = 0
    """Largest number of tokens of an answer; 0 leaves it to the server."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """The name by which the server is told of it."""
    concurrency: Annotated[int, Range(1)] = 8
    """Number of requests under way at once."""
    input_price: Annotated[float, AMOUNT] = 0.0
    """Price of a million tokens of prompts."""
    output_price: Annotated[float, AMOUNT] = 0.0
    """Price of a million tokens of answers."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.base_url or not self.model:
            raise ValueError(
                "a language model needs a server and a name: write "
                "llm:base_url=http://localhost:8000/v1+model=NAME"
            )
        if self.temperature != DEFAULT:
            check_option("temperature", self.temperature, Annotated[float, AMOUNT])

    @property
    def request(self) -> dict[str, Any]:
        """The part of all requests that does not depend on the prompt."""
        request: dict[str, Any] = {"model": self.model}
        if self.temperature != DEFAULT:
            request["temperature"] = self.temperature
        if self.max_tokens:
            request[self.max_tokens_field] = self.max_tokens
        return request


class LanguageModel:
    """Asks a language model on a server for chat completions: give base_url and model.

    The answers depend on nothing but the prompts, if the model's do: with a cache, equal prompts
    get equal answers, and a run that is repeated or resumed asks for none of them again.

    Args:
        table: not used; prompts tell all about it.
        seed: not used; the server draws.
        options: those of `ModelOptions`, by name.

    Raises:
        ValueError: as for `ModelOptions`; for a `key_variable` that is not set, or a proxy that
            cannot be used.
        ModuleNotFoundError: without the extra `llm`, or the package that a SOCKS proxy needs.
    """

    Options = ModelOptions

    def __init__(self, table: Table, seed: int | None = None, **options: Any) -> None:
        self.text_options = ModelOptions(**options)
        self.concurrency = self.text_options.concurrency
        self._client = ChatClient(self.text_options)
        self.usage = self._client.usage
        """The requests, tokens and costs since the agent was built, by name.

        `requests` sent, `retries` among them, and `cache_hits`; `empty`, the answers without text;
        `prompt_tokens`, `completion_tokens` and `cost` of all answers; `cost_cached`, the part of
        `cost` that was not paid again.
        """
        self.usage |= {"empty": 0, "prompt_tokens": 0, "completion_tokens": 0}
        self.usage |= {"cost": 0.0, "cost_cached": 0.0}

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(
            "a language model cannot be copied or pickled: it holds an API key and a connection; "
            "build another from its name and options"
        )

    def choose(self, prompt: Prompt, moves: Sequence[str]) -> str:
        """Return the answer of the model to a prompt (see `TextAgent.choose`).

        Raises:
            ModelError: if the server refuses the request, or does not answer after all retries.
        """
        options, messages = self.text_options, prompt.messages()
        reply, is_cached = self._client.complete({**options.request, "messages": messages})
        text, asked, answered = reply
        cost = (asked * options.input_price + answered * options.output_price) / 1e6
        self._client.count(empty=not text.strip(), prompt_tokens=asked, completion_tokens=answered)
        self._client.count(cost=cost, cost_cached=cost * is_cached)
        return text
