"""docs/reference/prompts.md shows the prompts as they are, docs/language_models.md the options.

`python -m tests.language.test_page` writes the prompts into their page.
"""

from __future__ import annotations

import doctest
import re
from dataclasses import fields
from pathlib import Path

import pytest

from gubs_agents.language.llm import ModelOptions
from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.agents.text_game import TextGame
from gubs_env.support.files import replace_file

PAGE = Path(__file__).parents[2] / "docs" / "language_models.md"
PROMPTS = PAGE.parent / "reference" / "prompts.md"
FIRST, LAST = "<!-- prompts -->", "<!-- end of prompts -->"
SCENES = ((gubs_v0, 2, 14), (fubnub_v0, 4, 9), (bad_bad_turtle_v0, 3, 5))
"""Module, number of players, and number of moves played before: always the last legal one."""


def prompt_of(module, num_players, moves):
    """Return the prompt of a seat after so many moves."""
    env = module.raw_env(num_players)
    env.reset(seed=7)
    game = TextGame(env)
    for _ in range(moves):
        game.play(game.moves()[-1])
    assert not game.is_over
    return game.prompt()


def section():
    """Return the part of the page that shows the prompts."""
    parts = []
    for module, num_players, moves in SCENES:
        prompt = prompt_of(module, num_players, moves)
        title = f"## {module.GAME.title}, {num_players} players"
        for name, text in (("system", prompt.system), ("user", prompt.user)):
            parts.append(f"{title}, {name} text\n\n```text\n{text}\n```")
    return "\n\n".join(parts)


def test_the_page_shows_the_prompts_as_they_are():
    text = PROMPTS.read_text(encoding="utf-8")
    shown = text.split(FIRST)[1].split(LAST)[0].strip()
    assert shown == section(), "run python -m tests.language.test_page and read the diff"


def test_the_page_lists_all_options():
    text = PAGE.read_text(encoding="utf-8").split("## Options")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", text, re.M)
    shown = {name: default for cell, default in rows for name in re.findall(r"`(\w+)`", cell)}
    options = {option.name: option.default for option in fields(ModelOptions)}
    assert list(shown) == list(options)
    for name, default in options.items():
        plain = "false" if default is False else str(default) or '""'
        assert shown[name] == ("–" if name in ("base_url", "model") else plain), name


def test_the_examples_of_the_page_run():
    pytest.importorskip("httpx", reason="needs the extra llm")
    pytest.importorskip("tenacity", reason="needs the extra llm")
    results = doctest.testfile(str(PAGE), module_relative=False)
    assert (results.failed, results.attempted > 8) == (0, True)


def main():
    """Write the prompts into their page."""
    text = PROMPTS.read_text(encoding="utf-8")
    before, after = text.split(FIRST)[0], text.split(LAST)[1]
    replace_file(PROMPTS, f"{before}{FIRST}\n\n{section()}\n\n{LAST}{after}")


if __name__ == "__main__":
    main()
