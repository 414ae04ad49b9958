"""Inputs that once broke something: each is refused at its door, in one line that says why.

`corpus` has a folder for each door, with the files that enter it; `corpus/errors.json` has a
pattern of the error of each. To keep another input, add a file and its pattern.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import gubs_env
from gubs_env import find_game, find_table, gubs_v0

CORPUS = Path(__file__).parent / "corpus"
ERRORS: dict[str, str] = json.loads((CORPUS / "errors.json").read_text(encoding="utf-8"))


def part_of(module: str) -> Any:
    return pytest.importorskip(module, reason="an extra is not installed")


def named(path: Path, folder: Path, name: str) -> Path:
    """Copy a file into a folder under the name that its reader looks for."""
    return Path(shutil.copy(path, folder / name))


def resume_arena(path: Path, folder: Path) -> None:
    named(path, folder, "times.jsonl")
    part_of("gubs_agents.arena").tournament("random,greedy", deals=2, out=folder, resume=True)


def begin_test(path: Path, folder: Path) -> None:
    named(path, folder, "sprt.json")
    part_of("gubs_agents.arena").sprt("random,greedy", deals=2, out=folder)


def read_options(path: Path, folder: Path) -> None:
    named(path, folder, "options.json")
    part_of("gubs_agents.training.options").read_options(folder)


def set_state(path: Path, folder: Path) -> None:
    edit = json.loads(path.read_text())
    env = import_module(f"gubs_env.{find_game(edit['game']).name}").env()
    env.reset(seed=0)
    state = env.state()
    state[edit["field"]] = edit["value"]
    env.set_state(state)


DOORS: dict[str, Callable[[Path, Path], object]] = {
    "records": lambda path, _: list(gubs_env.read_records(path)),
    "saved": lambda path, _: gubs_v0.raw_env.from_json(path.read_text("utf-8", "replace")),
    "results": lambda path, _: part_of("gubs_agents.arena").load(path),
    "times": resume_arena,
    "test": begin_test,
    "config": lambda path, _: part_of("gubs_agents.training.options").read_config(path),
    "run": read_options,
    "benchmark": lambda path, _: part_of("gubs_agents.benchmark.results").read_result(path),
    "values": lambda path, _: part_of("gubs_agents.luck").values_for(find_table("gubs"), path),
    "beliefs": lambda path, _: part_of("gubs_agents.search.beliefs").load(path, find_table("gubs")),
    "state": set_state,
}
"""(file of the corpus, an empty folder) → whatever reads the file."""


def test_every_input_has_a_door_and_an_error():
    found = {path.relative_to(CORPUS).as_posix() for path in CORPUS.glob("*/*")}
    assert found == ERRORS.keys()
    assert {name.split("/")[0] for name in found} == DOORS.keys()


@pytest.mark.parametrize("name", ERRORS)
def test_what_once_broke_something_is_refused(tmp_path, name):
    with pytest.raises((ValueError, TypeError), match=ERRORS[name]) as raised:
        DOORS[name.split("/")[0]](CORPUS / name, tmp_path)
    assert "\n" not in str(raised.value)
