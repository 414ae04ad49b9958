"""Agents that hang, fail or answer something strange are named in one line."""

from __future__ import annotations

import multiprocessing
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")


import gubs_agents
from gubs_agents import arena
from gubs_env import find_table
from tests.commands import ends_with, gubs

pytestmark = pytest.mark.usefixtures("quick_processes")
ROOT = Path(__file__).parents[2]


class Bad:
    """Plays its first calls well, and then as the subclass says."""

    good = 3

    def __init__(self, table, seed):
        self.calls = 0

    def act(self, observations, masks, rngs):
        self.calls += 1
        return masks.argmax(1) if self.calls <= self.good else self.answer(masks)


class Sleeps(Bad):
    def answer(self, masks):
        time.sleep(3600)


class Spins(Bad):
    def answer(self, masks):
        while True:
            pass


class HoldsTheLock(Bad):
    """Calls a function of C that never returns, and lets no other thread run."""

    def answer(self, masks):
        return sum(iter(int, 1))


class Deaf(HoldsTheLock):
    """Does not end when it is asked to."""

    def answer(self, masks):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("deaf", flush=True)
        return super().answer(masks)


class Interrupted(Bad):
    def answer(self, masks):
        raise KeyboardInterrupt


class RaisesItself(Exception):
    def __str__(self):
        raise self


class Evil(Bad):
    def answer(self, masks):
        raise RaisesItself


class SleepsInItsSecondLife(Bad):
    """It plays the games from number 16 on badly."""

    def __init__(self, table, seed):
        super().__init__(table, seed)
        self.good = 0 if 16 <= seed < 10**9 else 10**9

    def answer(self, masks):
        time.sleep(3600)


class Fails(Bad):
    def answer(self, masks):
        raise KeyError("no idea\nat all")


class Leaves(Bad):
    def answer(self, masks):
        sys.exit(0)


class Waits(Bad):
    """An agent that is built wrongly."""

    def __init__(self, table):
        pass


def answering(value):
    class Answering(Bad):
        def answer(self, masks):
            return value(masks)

    return Answering


STRANGE = {
    "nothing": (lambda masks: None, "decisions with object of shape"),
    "floats": (lambda masks: masks.argmax(1) * 1.0, "with float64 of shape"),
    "not a number": (lambda masks: np.full(len(masks), np.nan), "with float64 of shape"),
    "bools": (lambda masks: masks[:, 0] > 0, "with bool of shape"),
    "too many": (lambda masks: np.zeros(len(masks) + 1, int), "with int64 of shape"),
    "one for all": (lambda masks: 0, r"with int64 of shape \(\)"),
    "a matrix": (lambda masks: masks.astype(int), "with int64 of shape"),
    "a ragged list": (lambda masks: [[1], [2, 3]], "failed: ValueError|of shape"),
    "texts": (lambda masks: ["PASS"] * len(masks), "with <U4 of shape"),
    "huge numbers": (lambda masks: [10**30] * len(masks), "with object of shape"),
    "−1": (lambda masks: np.full(len(masks), -1), "chose action -1, which is not legal"),
    "outside": (
        lambda masks: np.full(len(masks), 2**63, np.uint64),
        "chose action 9223372036854775808, which is not legal",
    ),
}


@pytest.mark.parametrize("answer", STRANGE)
def test_a_strange_answer_is_an_error_that_names_the_agent(answer):
    value, message = STRANGE[answer]
    with pytest.raises(ValueError, match=f"agent 'odd' .*{message}"):
        arena.tournament({"odd": answering(value), "random": "random"}, deals=2)


RAISES = Evil.answer.__code__.co_firstlineno + 1
FAILURES = {
    "Fails": "KeyError: .no idea.*at all",
    "Leaves": "SystemExit: 0",
    "Evil": f"RaisesItself: <its message .*RaisesItself> .*test_bad_agents.py, line {RAISES}.; "
    r"asked for decision 3 of deal 100000000\d .*gubs_v0 with 2",
}


@pytest.mark.parametrize("timeout", ["0", "60"])
@pytest.mark.parametrize("agent", FAILURES)
def test_what_an_agent_raises_is_told_with_its_line(tmp_path, capsys, agent, timeout):
    bot = f"{__name__}:{agent}"
    options = ["--agents", f"{bot},random", "--out", str(tmp_path), "--timeout", timeout]
    with ends_with(capsys, f"^gubs arena: agent '{bot}' failed: {FAILURES[agent]}"):
        gubs("arena", *options)


@pytest.mark.parametrize("timeout", ["0", "60"])
def test_ctrl_c_in_an_agent_is_ctrl_c(tmp_path, capsys, timeout):
    options = ["--agents", f"{__name__}:Interrupted,random", "--out", str(tmp_path)]
    with pytest.raises(SystemExit) as raised:
        gubs("arena", *options, "--timeout", timeout)
    assert raised.value.code == 130
    assert "the same command with --resume continues" in capsys.readouterr().err


def start(tmp_path, *options):
    """Start a tournament of an agent that is about to hang; return once it hangs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gubs_env", "arena", "--agents", f"{__name__}:Deaf,random",
         "--deals", "8", "--out", str(tmp_path), *options],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout.readline() == "deaf\n"
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="there, no process is interrupted alone")
def test_ctrl_c_ends_a_process_that_hears_nothing(tmp_path):
    process = start(tmp_path, "--timeout", "600")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=240)  # no process holds the other ends of the pipes
    last = said.splitlines()[-1]
    assert (process.returncode, last.split(";")[0]) == (130, "interrupted")


@pytest.mark.skipif(sys.platform != "linux", reason="only there the kernel ends the processes")
def test_no_process_is_left_when_the_command_is_killed(tmp_path):
    process = start(tmp_path, "--processes", "2")
    process.kill()
    process.communicate(timeout=240)


def test_an_agent_that_cannot_be_built_is_named(tmp_path, capsys):
    for agent, message in (
        (f"{__name__}:Waits", "cannot be built: TypeError"),
        ("tests.arena.broken_agent:Bot", "cannot be imported: ZeroDivisionError"),
    ):
        with ends_with(capsys, f"^gubs arena: agent '{agent}' {message}"):
            gubs("arena", "--agents", f"{agent},random", "--out", str(tmp_path))


def test_an_agent_of_another_table_size_is_named():
    for name in ("heuristic", "policy", "ismcts"):

        def two(table, seed, name=name):
            return gubs_agents.make(name, seed=seed)

        with pytest.raises(ValueError, match=r"agent 'two' (is made for 2 players|failed)"):
            arena.tournament({"two": two, "random": "random"}, find_table("gubs", 3), deals=2)
    with pytest.raises(ValueError, match="agent 'none' is 7, which is no agent"):
        arena.tournament({"none": lambda table, seed: 7, "random": "random"}, deals=2)


@pytest.mark.parametrize(
    ("agent", "processes"),
    [("Spins", "1"), ("Sleeps", "2"), ("HoldsTheLock", "1"), ("HoldsTheLock", "2"), ("Deaf", "1")],
)
def test_an_agent_that_hangs_is_named_and_its_process_ends(tmp_path, capfd, agent, processes):
    bot = f"{__name__}:{agent}"
    message = (
        f"^gubs arena: agent '{bot}' took longer than 1 seconds for one call; the limit is 1 "
        r"seconds a call .*; asked for decision \d+ of deal 100000000\d .*at gubs_v0 with 2 pl"
    )
    with ends_with(capfd, message):
        gubs("arena", "--agents", f"{bot},random", "--deals", 8, "--batch", 4, "--timeout", 1,
             "--processes", processes, "--out", tmp_path)  # fmt: skip
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("processes", [1, 2])
def test_the_games_before_an_agent_hangs_are_kept(tmp_path, processes):
    field = {"late": SleepsInItsSecondLife, "random": "random"}
    options = {"deals": 12, "batch": 8, "out": tmp_path, "processes": processes, "resamples": 2}
    with pytest.raises(TimeoutError, match=r"agent 'late' took longer than 0\.5 seconds"):
        arena.tournament(field, timeout=0.5, **options)
    _, records = arena.load(tmp_path / "games.jsonl")
    assert len(records) == 16
    SleepsInItsSecondLife.answer, before = (
        (lambda self, masks: masks.argmax(1)),
        (SleepsInItsSecondLife.answer),
    )
    try:
        again = arena.tournament(field, resume=True, **options | {"processes": 1})
    finally:
        SleepsInItsSecondLife.answer = before
    assert len(again.games.deals) == 24


@pytest.mark.parametrize("timeout", [-1, float("nan"), float("inf"), 1e300])
def test_a_limit_is_a_number_of_seconds(timeout):
    with pytest.raises(ValueError, match=r"timeout=.*: must be (0 to 1000000|a finite number)"):
        arena.tournament("random,greedy", deals=2, timeout=timeout)


def test_lambdas_and_local_classes_play_under_a_limit():
    class Local(Bad):
        def answer(self, masks):
            return masks.argmax(1)

    field = {"local": lambda table, seed: Local(table, seed), "random": "random"}
    assert arena.tournament(field, deals=2, timeout=60, resamples=2).games.labels


def test_a_daemonic_process_is_told_that_it_cannot_start_others(monkeypatch):
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    with pytest.raises(RuntimeError, match="a daemonic process cannot start processes"):
        arena.tournament("random,greedy", deals=2, timeout=60)


def test_a_limit_changes_no_game(tmp_path):
    for name, timeout in (("with", 600), ("without", 0)):
        out = tmp_path / name
        arena.tournament("random,greedy", deals=4, out=out, timeout=timeout, resamples=2)
    games = [(tmp_path / name / "games.jsonl").read_bytes() for name in ("with", "without")]
    assert games[0] == games[1]
