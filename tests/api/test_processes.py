"""Work in several processes: its order, its errors, and what cannot be sent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import gubs_env
from gubs_env.support import system
from gubs_env.support.cluster import LOCAL, RAY, TASKS_A_CORE, check_backend, in_order


class OddError(ValueError):
    """An exception that pickle writes but cannot read."""

    def __init__(self, what, why):
        super().__init__(f"{what}: {why}")


def fail_at_three(shared, number):
    if number == 3:
        raise ValueError("three is not allowed")
    return number


def fail_oddly(shared, number):
    raise OddError("odd", number)


def lose_a_connection(shared, number):
    raise ConnectionResetError("the server went away")


def square(shared, number):
    return shared, number**2, os.getpid()


def kill_oneself(shared, number):
    os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)


class Highest:
    """An agent that takes the highest legal action."""

    def act(self, observations, masks, rngs):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_results_come_in_order_from_several_processes():
    found = list(in_order(LOCAL, square, "kept", [(k,) for k in range(20)], processes=2))
    assert [each[:2] for each in found] == [("kept", k**2) for k in range(20)]
    assert os.getpid() not in {process for *_, process in found}


def test_arguments_are_taken_when_they_are_needed():
    taken = []

    def arguments():
        for number in range(100):
            taken.append(number)
            yield (number,)

    found = in_order(LOCAL, square, None, arguments(), processes=2)
    next(found)
    assert len(taken) <= 2 * TASKS_A_CORE
    found.close()


def test_an_error_is_raised_as_it_is():
    found = in_order(LOCAL, fail_at_three, None, [(k,) for k in range(6)], processes=2)
    with pytest.raises(ValueError, match=r"^three is not allowed$"):
        list(found)


def test_an_error_that_cannot_be_sent_is_told_in_words():
    with pytest.raises(RuntimeError, match=r"^OddError: odd: 1 \(.*test_processes.py, line \d+\)$"):
        list(in_order(LOCAL, fail_oddly, None, [(1,)], processes=2))


def test_an_error_of_a_connection_is_that_of_the_work():
    with pytest.raises(ConnectionResetError, match="the server went away"):
        list(in_order(LOCAL, lose_a_connection, None, [(1,)], apart=True))


def test_a_process_that_dies_is_told():
    with pytest.raises(
        RuntimeError, match=r"a process was ended by signal \d+: it ran out of memory, or"
    ):
        list(in_order(LOCAL, kill_oneself, None, [(1,)], processes=2))


DIES = """
import ctypes, sys, time

def work(how, number):
    if how == "computes":
        while True:
            number += 1
    ctypes.PyDLL(None).sleep(600)  # it lets no other thread run

if __name__ == "__mp_main__" and sys.argv[1] == "starts":
    print("begun", flush=True)
    time.sleep(600)

if __name__ == "__main__":
    from gubs_env.support.cluster import Worker, as_bytes
    worker = Worker(as_bytes((work, sys.argv[1])))
    worker.connection.send((0,))
    print("begun", flush=True)
    worker.result()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends processes that do not listen")
@pytest.mark.parametrize("state", ["starts", "computes", "keeps the lock of Python"])
def test_a_process_ends_with_the_one_that_started_it(tmp_path, state):
    """Its end of the pipe is then closed, into which it wrote nothing."""
    script = tmp_path / "script.py"
    script.write_text(DIES)
    main = subprocess.Popen(
        [sys.executable, script, state], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    for _ in range(1 + (state == "starts")):
        assert main.stdout.readline() == b"begun\n"
    main.kill()
    assert main.communicate(timeout=60)[0] == b""


def test_a_program_from_standard_input_is_told_to_be_a_file():
    program = "from gubs_env.support.cluster import *; [*in_order('local', print, 0, [()], 2)]"
    ended = subprocess.run([sys.executable, "-"], input=program, text=True, capture_output=True)
    last = ended.stderr.splitlines()[-1]
    assert last.startswith(
        "RuntimeError: a program from standard input cannot start processes: write it"
    )


def test_a_system_without_groups_of_processes_leaves_ctrl_c_alone(monkeypatch):
    monkeypatch.delattr(os, "setpgid", raising=False)
    system.leave_terminal()
    system.pass_interrupt_on(os.getpid())


def test_signals_are_handled_in_the_main_thread_and_left_alone_in_others():
    def handler():
        with system.handling(SIGTERM=print, SIGNONE=print):
            return signal.getsignal(signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    assert handler() is print
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(handler).result() == before
    assert signal.getsignal(signal.SIGTERM) == before


def test_what_cannot_be_sent_is_told_before_any_game(tmp_path):
    path = tmp_path / "games.jsonl"
    agent = Highest()
    agent.lock = threading.Lock()
    with pytest.raises(ValueError, match="must be picklable: give agents as texts, or as classes"):
        gubs_env.record(path, [agent], games=4, processes=2)
    assert not path.exists()
    gubs_env.record(path, [agent], games=4)


def test_agents_that_are_objects_play_in_several_processes(tmp_path):
    one = gubs_env.record(tmp_path / "one.jsonl", [Highest(), "random"], games=6, batch=2)
    two = gubs_env.record(
        tmp_path / "two.jsonl", [Highest(), "random"], games=6, batch=2, processes=2
    )
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize(
    ("backend", "processes", "error", "message"),
    [
        ("dask", 1, ValueError, "backend='dask': allowed are local, ray"),
        (LOCAL, 0, ValueError, "processes=0: must be at least 1"),
        (LOCAL, 1.5, TypeError, r"processes=1\.5: must be a whole number"),
        (LOCAL, np.array([2]), TypeError, "must be a whole number"),
    ],
)
def test_mistakes_are_explained(backend, processes, error, message):
    with pytest.raises(error, match=message):
        check_backend(backend, processes)


def test_ray_has_processes_of_its_own():
    pytest.importorskip("ray", reason="needs the extra ray")
    with pytest.raises(ValueError, match=r"processes=2: with backend=ray, Ray plays on every core"):
        check_backend(RAY, 2)
