"""The compiled rules are those of the source files, in every process and installation."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import gubs_env
from gubs_env.engine import compilation

PACKAGE = Path(gubs_env.__file__).parent
DRAW = """
import numpy as np
from gubs_env.engine.compilation import entry
from gubs_env.engine import generator
@entry
def draw(rng):
    return generator.random_below(rng, 1000)
print(draw(generator.seed_rng(1)), len(draw.stats.cache_hits))
"""


TEMPLATE = """
from gubs_env.engine.compilation import Templates
templates = Templates()
def score(game):
    raise NotImplementedError
@templates.rule
def doubled(game):
    return 2 * score(game)
@templates.entry
def decide(game):
    return doubled(game)
def for_game(name, score):
    return templates.bind(name, {"score": score})["decide"]
"""
HABIT = """
from gubs_env.engine.compilation import compiled
@compiled
def worth(game):
    return game + 1
@compiled
def worth_of_another(game):
    return game + 5
"""
DECIDE = """
from players import search
from players.one import habit
one, two = search.for_game("one", habit.worth), search.for_game("two", habit.worth_of_another)
print(one(10), two(10), len(one.stats.cache_hits), len(two.stats.cache_hits))
"""


def install(folder: Path) -> Path:
    """A copy of the package that can be edited."""
    shutil.copytree(PACKAGE, folder / "gubs_env", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "draw.py").write_text(DRAW)
    return folder


def start(folder: Path, script: str, **environment: str) -> subprocess.Popen:
    variables = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    variables |= {"PYTHONPATH": str(folder), "GUBS_ENV_CACHE": str(folder / "cache")} | environment
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, script], cwd=folder, env=variables, **pipes)


def output_of(process: subprocess.Popen) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out.strip()


def test_an_edited_rule_is_compiled_anew(tmp_path):
    """Numba's own cache would go on with the old rule: the edited file is not that of `draw`."""
    folder = install(tmp_path)
    number, _ = output_of(start(folder, "draw.py")).split()
    assert output_of(start(folder, "draw.py")) == f"{number} 1", "not from the cache"
    edited = folder / "gubs_env" / "games" / "generator.py"
    edited.write_text(edited.read_text().replace("return word % bound", "return bound + 7"))
    assert output_of(start(folder, "draw.py")).split()[0] == "1007"


def test_a_template_is_compiled_and_cached_for_each_game_by_itself(tmp_path):
    folder = install(tmp_path)
    for name, text in (
        ("players/__init__.py", ""),
        ("players/one/__init__.py", ""),
        ("players/search.py", TEMPLATE),
        ("players/one/habit.py", HABIT),
        ("decide.py", DECIDE),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    assert output_of(start(folder, "decide.py")) == "22 30 0 0"
    assert output_of(start(folder, "decide.py")) == "22 30 1 1", "not from the cache"
    habit = folder / "players" / "one" / "habit.py"
    habit.write_text(HABIT.replace("game + 5", "game + 6"))
    assert output_of(start(folder, "decide.py")) == "22 32 0 0", "a stale rule of the package"


def test_the_hash_covers_every_source_file_of_the_rules(tmp_path):
    folder = install(tmp_path) / "gubs_env" / "games"
    hashes = {compilation.source_hash(folder)}
    for path in sorted(folder.rglob("*.py")):
        path.write_text(path.read_text() + "\n# edited\n")
        hashes.add(compilation.source_hash(folder))
    (folder / "new.py").write_text("")
    hashes.add(compilation.source_hash(folder))
    assert len(hashes) == 2 + len(list(folder.rglob("*.py"))) - 1


def test_two_processes_compile_at_once(tmp_path):
    folder = install(tmp_path)
    processes = [start(folder, "draw.py") for _ in range(2)]
    values = {output_of(process).split()[0] for process in processes}
    assert len(values) == 1


def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path):
    folder = install(tmp_path)
    (folder / "file").write_text("")  # no folder can be made below a file
    blocked = str(folder / "file")
    process = start(folder, "draw.py", GUBS_ENV_CACHE=blocked, XDG_CACHE_HOME=blocked)
    assert output_of(process)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_installation_works(tmp_path):
    folder = install(tmp_path)
    package = folder / "gubs_env"
    for path in [package, *package.rglob("*")]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    assert output_of(start(folder, "draw.py"))


def test_nothing_is_written_into_the_installation(tmp_path):
    folder = install(tmp_path)
    output_of(start(folder, "draw.py", PYTHONDONTWRITEBYTECODE="1"))
    compiled = list(folder.rglob("*.nb?"))
    assert compiled
    assert all(path.is_relative_to(folder / "cache") for path in compiled)


def test_compilation_is_announced_once_and_only_when_the_cache_is_empty(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(compilation, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(compilation.CONFIG, "DISABLE_JIT", 0)
    compilation.announce_compilation()
    assert "compiling the rules" in capsys.readouterr().err
    (tmp_path / "entry.nbi").write_text("")
    compilation.announce_compilation()
    assert capsys.readouterr().err == ""
