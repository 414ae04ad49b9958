"""Cached machine code always belongs to the current source files, in every process.

GUBS_ENV_MUTATIONS=200 pytest tests/_compiler/test_compilation.py -k damaged damages 200 caches.
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
from pathlib import Path

import numpy as np
import pytest
from numba.core.event import Event, EventStatus

import gubs_env
from gubs_env._compiler import cache, compilation, machine_code

PACKAGE = Path(gubs_env.__file__).parent
compiled_only = pytest.mark.skipif(
    compilation.compiling_mode() == compilation.NEVER, reason="nothing is compiled"
)
DAMAGES = int(os.environ.get("GUBS_ENV_MUTATIONS", "20"))
DRAW = """
import numpy as np
from gubs_env.engine import rng
from gubs_env._compiler.compilation import entry
@entry
def draw(state):
    return rng.random_below(state, 1000)
print(draw(rng.seed_rng(1)), len(draw.dispatcher.stats.cache_hits))
"""
TEMPLATE = """
from gubs_env._compiler.templates import Placeholder, Templates
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
from gubs_env._compiler.compilation import compiled
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
from gubs_env._compiler.arrays import copy_counts
from gubs_env._compiler.compilation import entry
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
    """Return a copy of the package, with its bytecode, that can be edited."""
    shutil.copytree(PACKAGE, folder / "gubs_env")
    (folder / "draw.py").write_text(DRAW)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy of the package that stays as it is, with files beside it."""
    return install(tmp_path_factory.mktemp("installed"))


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


def edited(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_machine_code_belongs_to_rules_wherever_they_lie(tmp_path):
    """Numba's own cache would keep the old rule, since the edited file is not that of `draw`.

    A second virtual environment with equal rules does not compile again. Nothing is written into
    the installation, also where two processes compile at once.
    """
    one, two = (install(tmp_path / name) for name in ("one", "two"))
    variables = {"GUBS_ENV_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    processes = [start(one, "draw.py", **variables) for _ in range(2)]
    (number,) = {output_of(process).split()[0] for process in processes}
    assert list(tmp_path.rglob("*.nb?"))
    assert all(path.is_relative_to(tmp_path / "cache") for path in tmp_path.rglob("*.nb?"))
    rng = "gubs_env/engine/rng.py"
    edited(two / rng, "import numpy as np", "import numpy as np  # edited")
    assert output_of(start(two, "draw.py", **variables)) == f"{number} 1", "not from the cache"
    for level in "01":  # code of level 0 cannot be cached
        optimised = output_of(start(two, "draw.py", NUMBA_OPT=level, **variables))
        assert optimised == f"{number} 0", "the code of another optimisation"
    edited(one / rng, "return word % bound", "return bound + 7")
    assert output_of(start(one, "draw.py", **variables)) == "1007 0"


def test_a_template_is_compiled_and_cached_for_each_game_by_itself(folder):
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
    assert output_of(start(folder, "decide.py")) == "22 32 1 0", "a stale rule of the package"


CHANGING = """
import sys
from gubs_env._compiler.compilation import compiled, entry
PRICE = 7
@compiled
def cost(number):
    return number * PRICE
def made():
    return entry(lambda number: cost(number))
found = []
for PRICE in map(int, sys.argv[1:]):
    found.append(made()(1))
print(found)
"""


def test_rules_that_change_in_a_living_process_leave_no_old_code_behind(folder):
    """As by `%autoreload`: what was compiled stays, and is not taken for the new rules."""
    (folder / "changing.py").write_text(CHANGING)
    for prices, expected in ((("7", "3"), "[7, 7]"), (("3",), "[3]"), (("7",), "[7]")):
        found = output_of(start(folder, "changing.py", *prices, GUBS_ENV_COMPILE="wait"))
        assert found == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_forks_number_their_functions_each_from_elsewhere():
    """Code of two games with the same names would be linked with parts of one another."""
    reader, writer = os.pipe()
    for _ in range(2):
        if os.fork() == 0:
            os.write(writer, b"%20d" % next(machine_code.FunctionIdentity._unique_ids))
            os._exit(0)
        os.wait()
    assert os.read(reader, 20) != os.read(reader, 20)
    os.close(reader)
    os.close(writer)


def test_a_cache_that_cannot_be_written_is_no_obstacle(folder):
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


def test_checked_code_is_compiled_apart_and_catches_an_overrun(folder):
    """Code that was cached without checks does not hide it, and is found again afterwards."""
    (folder / "overrun.py").write_text(OVERRUN)
    plain = output_of(start(folder, "overrun.py")).splitlines()
    assert plain == ["0 4 0", "0 0"], "an overrun inside another array goes unnoticed"
    checked = output_of(start(folder, "overrun.py", "copy", NUMBA_BOUNDSCHECK="1")).splitlines()
    assert checked == ["0 4 IndexError", "ValueError", "0 0"]
    again = output_of(start(folder, "overrun.py", "copy", NUMBA_BOUNDSCHECK="1")).splitlines()
    assert again == ["0 4 IndexError", "ValueError", "1 2"], "from the cache, both signatures"
    assert output_of(start(folder, "overrun.py")).splitlines() == ["0 4 0", "1 1"]


# ---------------------------------------------------------------------------------- damaged files


@pytest.fixture
def cached(tmp_path, monkeypatch):
    """A function that returns a new entry, as another process would, and the folder of its code."""
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path))
    assert compilation.entry(sample)(1) == 2
    (folder,) = tmp_path.iterdir()
    return lambda: compilation.entry(sample), folder


def loads(entry) -> bool:
    """Return whether an entry, called for the first time, comes from the cache."""
    assert entry(41) == 42
    return bool(entry.dispatcher.stats.cache_hits)


def damage(path: Path, rng: np.random.Generator, other: bytes) -> None:
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
        lambda: path.write_bytes(other),
        path.unlink,
    )
    ways[rng.integers(len(ways))]()


@compiled_only
@pytest.mark.parametrize("seed", range(DAMAGES))
def test_a_damaged_cache_heals_itself(cached, seed):
    new, folder = cached
    (file,) = folder.iterdir()
    assert new()(1.5) == 2.5
    (other,) = {*folder.iterdir()} - {file}
    before, code_of_floats = file.read_bytes(), other.read_bytes()
    other.unlink()
    damage(file, np.random.default_rng(seed), code_of_floats)
    if not file.exists() or file.read_bytes() != before:
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

    def refuse(*paths):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(machine_code.os, "replace", refuse)
    assert not loads(new())
    assert not loads(new())


# ---------------------------------------------------------------------------- the cache folders


@pytest.fixture
def no_variables(monkeypatch):
    for name in ("GUBS_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    cache.temporary_folder.cache_clear()
    yield
    cache.temporary_folder.cache_clear()


def without_home():
    raise RuntimeError("Could not determine home directory.")


def test_an_empty_variable_is_as_unset(no_variables, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("GUBS_ENV_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, "")
    assert cache.writable_folder() == tmp_path / ".cache" / "gubs_env"


def test_without_a_home_the_folder_is_a_temporary_one(no_variables, tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", without_home)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cache.writable_folder().parent == tmp_path
    assert cache.folders_of("a") == [cache.writable_folder() / "a"]


def test_a_relative_folder_stays_where_it_is(no_variables, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GUBS_ENV_CACHE", "here")
    assert cache.folders_of("a")[0] == tmp_path / "here" / "a"


@compiled_only
def test_a_filled_folder_that_cannot_be_written_is_used(no_variables, tmp_path, monkeypatch):
    """As in an image: what is not in it is written elsewhere."""
    filled, own = tmp_path / "filled", tmp_path / "own"
    monkeypatch.setenv("XDG_CACHE_HOME", str(own))
    monkeypatch.setenv("GUBS_ENV_CACHE", str(filled))
    assert not loads(compilation.entry(sample))
    writable = cache.is_writable
    monkeypatch.setattr(cache, "is_writable", lambda path: path != filled and writable(path))
    assert loads(compilation.entry(sample))
    assert not list(own.rglob("*.nbc"))
    assert compilation.entry(sample)(1.5) == 2.5
    assert list(own.rglob("*.nbc"))


@compiled_only
def test_code_for_another_processor_is_not_taken_for_code_for_this_one(
    no_variables, tmp_path, monkeypatch
):
    """A cache folder of several machines, or of an image that another machine has built."""
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path))
    foreign = compilation.entry(sample)
    codegen = type(foreign.dispatcher.targetctx.codegen())
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(codegen, "magic_tuple", lambda self: ("another processor",))
        assert foreign(1) == 2
        assert compilation.is_cached(foreign)
    assert not compilation.is_cached(compilation.entry(sample))
    assert not loads(compilation.entry(sample))
    assert loads(compilation.entry(sample))


@compiled_only
def test_without_any_folder_code_is_compiled_and_not_kept(no_variables, monkeypatch):
    def nowhere(prefix):
        raise FileNotFoundError("no usable temporary directory found")

    monkeypatch.setattr(Path, "home", without_home)
    monkeypatch.setattr(tempfile, "mkdtemp", nowhere)
    function = compilation.entry(sample)
    assert function(1) == 2
    assert not compilation.is_cached(function)


# ---------------------------------------------------------------------------------- announcements


def sample(number):
    return number + 1


@compiled_only
def test_compiling_is_announced_once_and_not_for_what_is_cached(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path))
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
def test_a_function_without_a_file_is_kept_by_what_it_does(tmp_path, monkeypatch):
    """As typed in a notebook or a shell."""
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path))
    for number, is_kept in ((1, False), (2, False), (1, True)):
        module = {"__name__": "nowhere"}
        exec(f"def sample(value):\n    return value + {number}", module)
        function = compilation.entry(module["sample"])
        assert function(1) == 1 + number
        assert bool(function.dispatcher.stats.cache_hits) == is_kept


@compiled_only
def test_what_compiles_in_no_time_is_not_announced(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path))
    monkeypatch.setattr(machine_code, "PATIENCE", 60.0)
    assert compilation.entry(sample)(1) == 2
    assert capsys.readouterr().err == ""


def test_without_the_compiler_all_is_cached(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert compilation.is_cached(compilation.entry(sample))
