"""Agents that answer in text, for tests: they read their prompts, or make mistakes on purpose."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from gubs_env.agents.prompts import MOVES, Prompt
from gubs_env.agents.text_options import TextOptions
from gubs_env.engine.table import Table


def picked(text: str, choices: Sequence[str]) -> str:
    """Return one of the choices, which depends on nothing but the text."""
    return choices[int(hashlib.sha256(text.encode()).hexdigest(), 16) % len(choices)]


class Reader:
    """Reads the listed moves in its prompt, and answers with one of them as JSON."""

    text_options = TextOptions(list_moves=True)

    def __init__(self, table: Table | None = None, seed: int | None = None) -> None:
        self.prompts: list[Prompt] = []

    def choose(self, prompt: Prompt, moves: Sequence[str]) -> str:
        self.prompts.append(prompt)
        listed = prompt.user.split(f"{MOVES}\n")[1].split("\n")
        assert [line.removeprefix("- ") for line in listed] == list(moves)
        return f"I think.\n{json.dumps({'move': picked(str(prompt), moves)})}"


class Renaming(Reader):
    """A `Reader` to whom all cards have invented names."""

    text_options = TextOptions(list_moves=True, names="obfuscated", names_seed=3)


class Guesser(Reader):
    """Is not shown the moves, and answers with a line."""

    text_options = TextOptions()

    def choose(self, prompt: Prompt, moves: Sequence[str]) -> str:
        self.prompts.append(prompt)
        assert MOVES not in prompt.user
        return f"My move: **{picked(str(prompt), moves).upper()}**"


class Bungler(Reader):
    """Answers illegally first, then in no form at all, then legally."""

    def choose(self, prompt: Prompt, moves: Sequence[str]) -> str:
        self.prompts.append(prompt)
        wrong = ["Fly to the moon", "{", moves[0]]
        return wrong[len(prompt.failed)]


class Hopeless(Reader):
    """Never answers legally, and so forfeits."""

    def choose(self, prompt: Prompt, moves: Sequence[str]) -> str:
        self.prompts.append(prompt)
        return "Fly to the moon"


class Unlucky(Hopeless):
    """Never answers legally, and plays at random."""

    text_options = TextOptions(attempts=1, on_failure="random")


class Broken(Reader):
    """Fails as a server does."""

    def choose(self, prompt: Prompt, moves: Sequence[str]) -> str:
        raise ConnectionError("the server is gone")
