"""Compiling beside a game is a convenience: whatever goes wrong with it, the game goes on."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from filelock import FileLock

from gubs_env._compiler import background
from gubs_env._compiler.background import Interpreted, python_program
from gubs_env._compiler.compilation import NEVER, Entry, compiling_mode
from gubs_env._compiler.fingerprint import fingerprint

if compiling_mode() == NEVER:
    pytest.skip("nothing is compiled", allow_module_level=True)

BESIDE = """
import numpy as np
from gubs_env._compiler.compilation import compiled, entry
STEP = 2
@compiled
def larger(number):
    return number * STEP
@entry
def doubled(numbers):
    for index in range(len(numbers)):
        numbers[index] = larger(numbers[index])
"""
LOAD = """
import sys, time
from importlib.util import module_from_spec, spec_from_file_location
import numpy as np
from gubs_env._compiler import background
background.LOOK_AFTER = background.ASK_AFTER = background.LOOK_EVERY = 0.05
spec = spec_from_file_location("beside", sys.argv[1])
beside = module_from_spec(spec)
spec.loader.exec_module(beside)
doubled, numbers = beside.doubled, np.ones(3, np.int64)
over = time.monotonic() + 100
def call_until(is_true):
    while not is_true() and time.monotonic() < over:
        doubled(numbers[:0])
        time.sleep(0.01)
    doubled(numbers)
"""
SWITCH = """
call_until(lambda: doubled._machine is not None)
print(numbers.tolist(), len(doubled.dispatcher.stats.cache_hits))
"""
ASK = """
call_until(lambda: doubled.attention and doubled.attention.is_asked_for)
print(numbers.tolist(), doubled._machine)
"""


def run(code: str, *arguments: object, **variables: str) -> str:
    """Run a program as developers do, with warnings; return what it prints."""
    variables = {"GUBS_ENV_COMPILE": "auto"} | variables
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", code]
    command += map(str, arguments)
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module in a folder whose name would be two in a list of folders."""
    folder = tmp_path / ("one" if os.name == "nt" else f"one{os.pathsep}two")
    folder.mkdir()
    (folder / "beside.py").write_text(BESIDE)
    return folder / "beside.py"


def test_another_process_compiles_what_is_interpreted_and_the_next_finds_it(module, tmp_path):
    """The game is loaded by its path: no other process could import it."""
    cache = str(tmp_path / "cache")
    assert run(LOAD + SWITCH, module, GUBS_ENV_CACHE=cache) == "[2, 2, 2] 1"
    assert run(LOAD + SWITCH, module, GUBS_ENV_CACHE=cache) == "[2, 2, 2] 1"
    assert len(list((tmp_path / "cache").glob("*/*.nbc"))) == 1


def test_the_process_that_compiles_outlives_the_one_that_asked(module, tmp_path):
    cache = str(tmp_path / "cache")
    assert run(LOAD + ASK, module, GUBS_ENV_CACHE=cache) == "[2, 2, 2] None"
    assert run(LOAD + SWITCH, module, GUBS_ENV_CACHE=cache, GUBS_ENV_COMPILE="beside")


DEAD = """
import signal
def started():
    compiler = background.Compiler(sys.argv[2], background.writable_folder())
    compiler.wait()
    return compiler
background.started = started
if hasattr(signal, "SIGPIPE"):
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
call_until(lambda: doubled.attention and doubled.attention.tried_at)
call_until(lambda: not background.is_looking())
print(numbers.tolist(), doubled.attention.is_asked_for)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs a program that does nothing")
def test_a_compiler_that_has_ended_is_no_end_of_the_game(module, tmp_path):
    folder = str(tmp_path)
    assert run(LOAD + DEAD, module, "/bin/true", GUBS_ENV_CACHE=folder) == "[4, 4, 4] False"


REFUSED = """
sys.stderr = sys.stdout
call_until(lambda: doubled.attention and doubled.attention.next_look > 1e9)
print(numbers.tolist())
try:
    doubled(np.ones(100, np.int64))
except TypeError as error:
    print(error)
"""


def test_what_cannot_be_compiled_is_told_once_and_the_game_goes_on(module, tmp_path):
    module.write_text(BESIDE.replace("number * STEP", "max([number], key=abs) * STEP"))
    told, refused = run(LOAD + REFUSED, module, GUBS_ENV_CACHE=str(tmp_path)).split("\n[2, 2, 2]\n")
    assert told.startswith("gubs_env: interpreted, and slow: doubled cannot be compiled")
    assert refused.splitlines()[:2] == [
        "larger cannot be compiled (beside.py, line 7):",
        "    return max([number], key=abs) * STEP",
    ]


# ----------------------------------------------------------------------- the process that compiles


def tripled(numbers):
    for index in range(len(numbers)):
        numbers[index] *= 3


def request_for(entry: Entry, name: str, numbers: np.ndarray) -> bytes:
    arguments = Interpreted(entry, (numbers,)).arguments
    return pickle.dumps(cloudpickle.dumps((entry, name, arguments)))


def compiling(cache: Path) -> subprocess.Popen[bytes]:
    code = "from gubs_env._compiler import compiler_process as c; c.IDLE = 0.5; c.main()"
    variables = {"GUBS_ENV_CACHE": str(cache), "GUBS_ENV_COMPILE": "wait"}
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, env=os.environ | variables
    )


def test_requests_that_cannot_be_read_keep_no_other_from_being_done(tmp_path):
    """The last one is cut short, as by a program that was killed while it asked."""
    entry, numbers = Entry(tripled, waits=False), np.ones(2)
    done = request_for(entry, fingerprint(tripled), numbers)
    of_edited_rules = request_for(entry, "0" * 16, numbers)
    not_importable = pickle.dumps(b"cgone\nGone\n.")
    process = compiling(tmp_path)
    process.communicate(of_edited_rules + not_importable + done + done[:100], timeout=300)
    assert process.returncode == 0
    assert [path.parent.name for path in tmp_path.glob("*/*.nbc")] == [fingerprint(tripled)]
    FileLock(tmp_path / "compiling.lock").acquire(timeout=0).lock.release()


def test_it_ends_when_it_has_nothing_to_do(tmp_path):
    with compiling(tmp_path) as process:
        assert process.wait(300) == 0


# ------------------------------------------------------------------------- what may be started


@pytest.mark.parametrize(
    "program", [None, "", "/opt/blender/blender", "C:\\host.exe", "/w/PythonService.exe"]
)
def test_only_a_python_is_started(program, monkeypatch):
    """`sys.executable` is the host program where Python is embedded, or unknown."""
    monkeypatch.setattr(sys, "executable", program)
    assert python_program() is None
    assert background.started() is None


def test_a_frozen_program_is_not_started(monkeypatch):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert background.started() is None


def test_nothing_compiles_beside_a_game_that_has_one_core(monkeypatch):
    monkeypatch.setattr(background, "usable_cores", lambda: 1)
    assert background.started() is None


def test_a_program_that_cannot_be_started_is_no_obstacle(monkeypatch, tmp_path):
    monkeypatch.setattr(background, "python_program", lambda: str(tmp_path / "python"))
    assert background.started() is None


# ----------------------------------------------------------------------------------- the thread


@pytest.fixture
def alone(monkeypatch, tmp_path):
    """An entry for which no other process can compile, and that looks at every call."""
    monkeypatch.setenv("GUBS_ENV_COMPILE", "auto")
    monkeypatch.setenv("GUBS_ENV_CACHE", str(tmp_path))
    monkeypatch.setattr(background, "started", lambda: None)
    for name in ("LOOK_AFTER", "ASK_AFTER", "LOOK_EVERY", "PATIENCE_ALONE"):
        monkeypatch.setattr(background, name, 0.0)
    return Entry(tripled, waits=False)


def test_calls_wait_in_the_end_where_nobody_compiles(alone):
    numbers = np.ones(2)
    for _ in range(4):
        alone(numbers)
        background.settle()
    assert numbers.tolist() == [81, 81]
    assert not alone.is_interpreted


def test_where_looking_fails_calls_wait(alone, monkeypatch):
    monkeypatch.setattr(background, "has_code", lambda name: 1 / 0)
    for _ in range(3):
        alone(np.ones(2))
        background.settle()
    assert not alone.is_interpreted


def test_where_no_thread_can_be_started_calls_wait(alone, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(background.Look, "start", refuse)
    for _ in range(3):
        alone(np.ones(2))
    assert not alone.is_interpreted
    background.settle()


@pytest.mark.skipif(os.name == "nt", reason="needs a program that waits")
def test_a_compiler_that_reads_nothing_is_ended(monkeypatch, tmp_path):
    monkeypatch.setattr(background, "LONGEST_LOOK", 0.2)
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexec sleep 100\n")
    program.chmod(0o755)
    compiler = background.Compiler(str(program), tmp_path)
    with pytest.raises(BlockingIOError):
        compiler.take(bytes(1 << 22))
    assert compiler.wait(60) < 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # of the threads of pytest-xdist
def test_a_program_that_forks_has_one_thread(alone, monkeypatch):
    """Python warns of a fork beside other threads, with reason: they may hold locks."""
    begun, numbers = threading.Event(), np.ones(2)
    monkeypatch.setattr(background, "has_code", lambda name: begun.set())
    before = threading.active_count()
    for _ in range(2):
        alone(numbers)
    assert begun.wait(60)
    if (child := os.fork()) == 0:
        os._exit(threading.active_count())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    assert threading.active_count() == before
