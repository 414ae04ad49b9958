"""Cached machine code always belongs to the current source files, in every process.

GUBS_ENV_MUTATIONS=200 pytest tests/engine/test_compilation.py -k damaged damages 200 caches.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from numba.core.event import Event, EventStatus

import gubs_env
from gubs_env import GAMES, find_game
from gubs_env.engine import compilation, kernel, machine_code, sources
from gubs_env.engine.templates import module_of

PACKAGE = Path(gubs_env.__file__).parent
every_game = pytest.mark.parametrize("game", list(map(find_game, GAMES)), ids=GAMES)
compiled_only = pytest.mark.skipif(
    compilation.compiling_mode() == compilation.NEVER, reason="nothing is compiled"
)
DAMAGES = int(os.environ.get("GUBS_ENV_MUTATIONS", "20"))
DRAW = """
import numpy as np
from gubs_env.engine import rng
from gubs_env.engine.compilation import entry
@entry
def draw(state):
    return rng.random_below(state, 1000)
print(draw(rng.seed_rng(1)), len(draw.dispatcher.stats.cache_hits))
"""
TEMPLATE = """
from gubs_env.engine.templates import Placeholder, Templates
templates = Templates()
score = Placeholder("score")
@templates.template
def doubled(game):
    return 2 * score(game)
@templates.entry_template
def decide(game):
    return doubled(game)
def for_game(name, score):
    return templates.specialise(name, {"score": score})["decide"]
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
print(one(10), two(10), len(one.dispatcher.stats.cache_hits), len(two.dispatcher.stats.cache_hits))
"""
OVERRUN = """
import sys
import numpy as np
from gubs_env.engine.arrays import copy_counts
from gubs_env.engine.compilation import entry
@entry
def read(values, index):
    return values[index]
@entry
def copied(out, at, counts):
    return copy_counts(out, at, counts)
def said_by(call):
    try:
        return str(call())
    except Exception as error:
        return type(error).__name__
values, small, large = np.zeros(8, np.int64), np.zeros(4, np.int8), np.ones((2, 4), np.int8)
print(read(values[:4], 3), copied(small, 0, large[0]), said_by(lambda: read(values[:4], 4)))
if "copy" in sys.argv:
    print(said_by(lambda: copied(small, 0, large)))
print(len(read.dispatcher.stats.cache_hits), len(copied.dispatcher.stats.cache_hits))
"""


def install(folder: Path) -> Path:
    """Return a copy of the package that can be edited."""
    folder.mkdir(exist_ok=True)
    shutil.copytree(PACKAGE, folder / "gubs_env", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "draw.py").write_text(DRAW)
    return folder


def start(folder: Path, script: str, *arguments: str, **environment: str) -> subprocess.Popen:
    variables = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    variables |= {"PYTHONPATH": str(folder), "GUBS_ENV_CACHE": str(folder / "cache")} | environment
    return subprocess.Popen(
        [sys.executable, script, *arguments], cwd=folder, env=variables, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def output_of(process: subprocess.Popen) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out.strip()


# --------------------------------------------------------------------------- in other processes


def test_an_edited_rule_is_compiled_anew(tmp_path):
    """Numba's own cache would keep the old rule, since the edited file is not that of `draw`."""
    folder = install(tmp_path)
    number, _ = output_of(start(folder, "draw.py")).split()
    words = folder / "gubs_env" / "games" / "gubs" / "words.py"
    words.write_text(words.read_text() + "\n# edited\n")
    assert output_of(start(folder, "draw.py")) == f"{number} 1", "not from the cache"
    edited = folder / "gubs_env" / "engine" / "rng.py"
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


def test_another_installation_with_equal_sources_shares_the_machine_code(tmp_path):
    """A second virtual environment does not compile again; one with other rules does."""
    folders = [install(tmp_path / name) for name in ("one", "two", "three")]
    rng = folders[2] / "gubs_env" / "engine" / "rng.py"
    rng.write_text(rng.read_text().replace("return word % bound", "return bound + 7"))
    cache = str(tmp_path / "cache")
    first, second, third = (
        output_of(start(folder, "draw.py", GUBS_ENV_CACHE=cache)).split() for folder in folders
    )
    assert (second[0], second[1]) == (first[0], "1")
    assert (third[0], third[1]) == ("1007", "0")


def test_two_processes_compile_at_once(tmp_path):
    folder = install(tmp_path)
    processes = [start(folder, "draw.py") for _ in range(2)]
    values = {output_of(process).split()[0] for process in processes}
    assert len(values) == 1


def test_a_cache_that_cannot_be_written_is_no_obstacle(tmp_path):
    folder = install(tmp_path)
    (folder / "file").write_text("")  # a file cannot contain a folder
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


def test_checked_code_is_compiled_apart_and_catches_an_overrun(tmp_path):
    """Code that was cached without checks does not hide it, and is found again afterwards."""
    folder = install(tmp_path)
    (folder / "overrun.py").write_text(OVERRUN)
    plain = output_of(start(folder, "overrun.py")).splitlines()
    assert plain == ["0 4 0", "0 0"], "an overrun inside another array goes unnoticed"
    checked = output_of(start(folder, "overrun.py", "copy", NUMBA_BOUNDSCHECK="1")).splitlines()
    assert checked == ["0 4 IndexError", "ValueError", "0 0"]
    again = output_of(start(folder, "overrun.py", "copy", NUMBA_BOUNDSCHECK="1")).splitlines()
    assert again == ["0 4 IndexError", "ValueError", "1 2"], "from the cache, both signatures"
    assert output_of(start(folder, "overrun.py")).splitlines() == ["0 4 0", "1 1"]


def test_code_that_numba_cannot_cache_or_optimises_otherwise_runs(tmp_path):
    folder = install(tmp_path)
    assert output_of(start(folder, "draw.py", NUMBA_OPT="0")) == "233 0", "cannot be cached"
    assert output_of(start(folder, "draw.py", NUMBA_OPT="1")) == "233 0"
    assert output_of(start(folder, "draw.py")) == "233 0", "the code of another optimisation"
    assert output_of(start(folder, "draw.py")) == "233 1"


# ---------------------------------------------------------------------------------- damaged files


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """A function that returns a new entry, as another process would, and the folder of its code."""
    monkeypatch.setattr(machine_code, "cache_directory", lambda name: tmp_path / name)
    assert compilation.entry(sample)(1) == 2
    (folder,) = tmp_path.iterdir()
    return lambda: compilation.entry(sample), folder


def loads(entry) -> bool:
    """Return whether an entry, called for the first time, comes from the cache."""
    assert entry(41) == 42
    return bool(entry.dispatcher.stats.cache_hits)


def damage(path: Path, rng: np.random.Generator, others: list[bytes]) -> None:
    """Damage a file of the cache in one of the ways in which files are damaged."""
    content = path.read_bytes()
    at = int(rng.integers(len(content)))
    noise = rng.integers(256, size=int(rng.integers(1, 200)), dtype=np.uint8).tobytes()
    ways = (
        lambda: path.write_bytes(content[:at]),
        lambda: path.write_bytes(b""),
        lambda: path.write_bytes(noise),
        lambda: path.write_bytes(bytes(len(content))),
        lambda: path.write_bytes(content + noise),
        lambda: path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]),
        lambda: path.write_bytes(content[:at] + noise + content[at + len(noise) :]),
        lambda: path.write_bytes(content[32:]),
        lambda: path.write_bytes(others[rng.integers(len(others))]),
        path.unlink,
    )
    ways[rng.integers(len(ways))]()


@compiled_only
@pytest.mark.parametrize("seed", range(DAMAGES))
def test_a_damaged_cache_heals_itself(cached, seed):
    new, folder = cached
    files = sorted(folder.iterdir())
    assert [path.suffix for path in files] == [".nbc", ".nbi"]
    rng = np.random.default_rng(seed)
    before = [path.read_bytes() for path in files]
    for number in {int(number) for number in rng.integers(2, size=2)}:
        damage(files[number], rng, before)
    if [path.exists() and path.read_bytes() for path in files] != before:
        assert not compilation.is_cached(new())
        assert not loads(new())
    assert compilation.is_cached(new())
    assert loads(new())


@compiled_only
def test_a_folder_in_the_place_of_a_file_is_no_obstacle(cached):
    new, folder = cached
    for path in list(folder.iterdir()):
        path.unlink()
        path.mkdir()
    assert not loads(new())


@compiled_only
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_what_cannot_be_written_is_compiled_in_each_process(cached, code, monkeypatch):
    new, folder = cached
    for path in folder.iterdir():
        path.write_bytes(b"")

    def refuse(self, path):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(machine_code.CacheFile, "_open_for_write", refuse)
    assert not loads(new())
    assert not loads(new())


@compiled_only
def test_code_that_another_process_wrote_under_the_same_name_is_not_taken(cached):
    """Two processes that compile for different arguments at once choose the same file."""
    new, folder = cached
    (whole,) = folder.glob("*.nbc")
    of_whole = whole.read_bytes()
    for path in list(folder.iterdir()):
        path.unlink()
    assert new()(1.5) == 2.5
    whole.write_bytes(of_whole)
    floats = new()
    assert floats(1.5) == 2.5
    assert not floats.dispatcher.stats.cache_hits
    assert new()(1.5) == 2.5


# ---------------------------------------------------------------------------- the cache folders


@pytest.fixture
def folder_of(monkeypatch):
    """`cache_directory`, with no variable set, and without its memory."""
    for name in ("GUBS_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return sources.cache_directory.__wrapped__


def without_home():
    raise RuntimeError("Could not determine home directory.")


def test_an_empty_variable_is_as_unset(folder_of, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("GUBS_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "")
    assert folder_of("a") == tmp_path / ".cache" / "gubs_env" / "a"


def test_without_a_home_the_folder_is_a_temporary_one(folder_of, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", without_home)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert folder_of("a").is_relative_to(tmp_path)


def test_a_relative_folder_stays_where_it_is(folder_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GUBS_ENV_CACHE", "here")
    assert folder_of("a") == tmp_path / "here" / "a"


def test_a_filled_folder_that_cannot_be_written_is_used(folder_of, tmp_path, monkeypatch):
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path / "read_only"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    filled = tmp_path / "read_only" / "filled"
    filled.mkdir(parents=True)
    (filled / "code.nbi").write_bytes(b"")
    writable = sources.is_writable
    monkeypatch.setattr(
        sources, "is_writable", lambda path: "read_only" not in path.parts and writable(path)
    )
    assert folder_of("filled") == filled
    assert folder_of("other") == tmp_path / "gubs_env" / "other"


@compiled_only
def test_without_any_folder_code_is_compiled_and_not_kept(folder_of, monkeypatch):
    def nowhere(prefix):
        raise FileNotFoundError("no usable temporary directory found")

    monkeypatch.setattr(Path, "home", without_home)
    monkeypatch.setattr(tempfile, "mkdtemp", nowhere)
    monkeypatch.setattr(machine_code, "cache_directory", folder_of)
    function = compilation.entry(sample)
    assert function(1) == 2
    assert not compilation.is_cached(function)


# -------------------------------------------------------------------------------- what is hashed


def modules_of(game) -> list[str]:
    """Return the modules from which the kernel of a game is specialised."""
    offered = game.mechanics._asdict()
    values = [offered[slot] for slot in kernel.templates.placeholders]
    return [kernel.__name__, *(module for value in values if (module := module_of(value)))]


@every_game
def test_compiled_code_depends_on_the_rules_and_on_no_words(game):
    files = sources.source_files(*modules_of(game))
    room = game.rules.__module__.rpartition(".")[0]
    rules = "cards rules state actions table effects legal turn observation view determinization"
    assert {f"{room}.{name}" for name in [*rules.split(), "score"]} <= set(files)
    shared = "kernel mechanics templates compilation rng seats choosing fields arrays effects"
    assert {f"gubs_env.engine.{name}" for name in shared.split()} <= set(files)
    rooms = ("gubs_env.engine", "gubs_env.games")
    for name in files:
        assert name.startswith(rooms) or name == "gubs_env", f"compiled code imports {name}"
        assert name.rpartition(".")[2] not in ("words", "game")
        assert not name.startswith("gubs_env.games.") or name.startswith(room), "another game"


@compiled_only
@every_game
def test_the_cache_folder_is_named_after_that_hash(game):
    name = sources.source_hash(*modules_of(game))
    for field in fields(kernel.Kernel):
        entry = compilation.ENTRIES["gubs_env.engine.kernel", f"{game.name}.{field.name}"]
        assert name in Path(entry.dispatcher.stats.cache_path).parts


def test_a_distribution_counts_as_installed_in_whatever_folder_it_lies(monkeypatch):
    """As with `pip install --target`; numba and numpy alone have hundreds of files."""
    file_of = sources.file_of

    def outside_the_standard_library(module):
        return None if module.partition(".")[0] in sys.stdlib_module_names else file_of(module)

    monkeypatch.setattr(sources, "INSTALLED", ())
    monkeypatch.setattr(sources, "file_of", outside_the_standard_library)
    names = sources.source_files("gubs_env.engine.kernel")
    assert {name.partition(".")[0] for name in names} == {"gubs_env"}


def test_a_module_beside_distributions_is_no_part_of_them(tmp_path):
    for name in ("theirs/__init__.py", "theirs/inner/deep.py", "alone.py", "ours/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "theirs-1.0.dist-info").mkdir()
    record = tmp_path / "theirs-1.0.dist-info" / "RECORD"
    record.write_text("theirs/__init__.py,,\ntheirs/inner/deep.py,,\nalone.py,,\n")
    (tmp_path / "ours.egg-info").mkdir()  # as setuptools leaves it in a checkout under development
    (tmp_path / "ours.egg-info" / "top_level.txt").write_text("ours\n")
    assert sources.is_installed("theirs", tmp_path / "theirs" / "__init__.py")
    assert sources.is_installed("theirs.inner.deep", tmp_path / "theirs" / "inner" / "deep.py")
    assert sources.is_installed("alone", tmp_path / "alone.py")
    assert not sources.is_installed("ours", tmp_path / "ours" / "__init__.py")


@every_game
def test_the_hash_changes_with_each_of_these_files_and_with_no_other(game, tmp_path, monkeypatch):
    copy = install(tmp_path)
    modules = modules_of(game)
    hashed = {path.relative_to(PACKAGE) for path in sources.source_files(*modules).values()}
    found = sources.file_of

    def file_in_copy(module):
        path = found(module)
        if path is None or not path.is_relative_to(PACKAGE):
            return path
        return copy / "gubs_env" / path.relative_to(PACKAGE)

    monkeypatch.setattr(sources, "file_of", file_in_copy)
    before = sources.source_hash(*modules)
    for path in sorted((copy / "gubs_env").rglob("*.py")):
        path.write_text(path.read_text() + "\n# edited\n")
        after = sources.source_hash(*modules)
        is_hashed = path.relative_to(copy / "gubs_env") in hashed
        assert (after != before) == is_hashed, path
        before = after


# ---------------------------------------------------------------------------------- announcements


def sample(number):
    return number + 1


@compiled_only
def test_compiling_is_announced_once_and_not_for_what_is_cached(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(machine_code, "cache_directory", lambda name: tmp_path / name)
    monkeypatch.setattr(machine_code, "PATIENCE", 0.0)
    monkeypatch.setattr(machine_code.PROGRESS, "_is_said", False)
    function = compilation.entry(sample)
    assert not compilation.is_cached(function)
    assert function(1) == 2
    said = capsys.readouterr().err
    assert said == "gubs_env: compiling, once for this version (may take a minute) …\n"
    assert compilation.is_cached(function)
    assert compilation.entry(sample)(1) == 2
    assert capsys.readouterr().err == "", "it came from the cache"


@compiled_only
def test_one_line_on_a_terminal_counts_functions_and_seconds(monkeypatch):
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(machine_code, "PATIENCE", 0.0)
    progress, ours, other = machine_code.Progress(), sample, max
    progress.entries.add(ours)
    started, ended = (
        {each: Event("numba:compile", status, {"dispatcher": each}) for each in (ours, other)}
        for status in EventStatus
    )
    progress.on_start(started[other])
    progress.on_end(ended[other])
    assert terminal.getvalue() == "", "somebody else's function"
    for functions in (2, 4):
        progress.on_start(started[ours])
        time.sleep(0.15)  # twice as long as tqdm waits between two updates
        progress.on_start(started[other])
        progress.on_end(ended[other])
        progress.on_end(ended[ours])
        assert f"once for this version: {functions} functions, 00:00" in terminal.getvalue()
    assert progress.seconds >= 0.3
    assert "\n" not in terminal.getvalue()


@compiled_only
def test_a_function_without_a_file_of_its_own_is_compiled_but_not_cached(tmp_path, monkeypatch):
    """Nothing would tell its machine code from that of another such function."""
    monkeypatch.setattr(machine_code, "cache_directory", lambda name: tmp_path / name)
    for number in (1, 2):
        module = {"__name__": "nowhere"}
        exec(f"def sample(value):\n    return value + {number}", module)
        function = compilation.entry(module["sample"])
        assert function(1) == 1 + number
        assert not function.dispatcher.stats.cache_path
    assert not list(tmp_path.iterdir())


@compiled_only
def test_what_compiles_in_no_time_is_not_announced(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(machine_code, "cache_directory", lambda name: tmp_path / name)
    monkeypatch.setattr(machine_code, "PATIENCE", 60.0)
    assert compilation.entry(sample)(1) == 2
    assert capsys.readouterr().err == ""


def test_without_the_compiler_all_is_cached(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert compilation.is_cached(compilation.entry(sample))
