"""Tasks of a Ray cluster: their order, their cores, and what happens when some are lost."""

from __future__ import annotations

import os
import signal
import time

import pytest

pytest.importorskip("ray", reason="needs the extra ray")
from gubs_env.support.cluster import RAY, in_order, own_core


def slow_square(shared, number):
    """Return a square after a while, and note in a file who was asked for it."""
    with open(shared / str(number), "a") as file:
        file.write(f"{os.getpid()}\n")
    time.sleep(0.3)
    return number**2


def fail_at_three(shared, number):
    if number == 3:
        raise ValueError("three is not allowed")
    return number


def core_of(shared, number):
    """Return the cores of this process, once another task runs beside it."""
    (shared / f"here {number}").touch()
    until = time.monotonic() + 60
    while len(list(shared.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.2)
    return os.sched_getaffinity(0)


def kill_the_process(shared, number):
    os._exit(1)


def calls(folder):
    return {path.name: len(path.read_text().splitlines()) for path in folder.iterdir()}


def test_results_come_in_order(cluster, tmp_path):
    found = in_order(RAY, slow_square, tmp_path, [(k,) for k in range(8)])
    assert list(found) == [k**2 for k in range(8)]
    assert set(calls(tmp_path).values()) == {1}


def test_an_error_is_raised_as_it_is(cluster):
    found = in_order(RAY, fail_at_three, None, [(k,) for k in range(6)])
    with pytest.raises(ValueError, match=r"^three is not allowed$"):
        list(found)


def test_errors_while_others_run_leave_this_process_alive(cluster):
    for _ in range(100):
        with pytest.raises(ValueError, match="three"):
            list(in_order(RAY, fail_at_three, None, [(k,) for k in range(8)]))


def test_a_task_that_kills_its_process_ends(cluster, monkeypatch):
    monkeypatch.setattr("gubs_env.support.cluster.RETRIES", 1)
    with pytest.raises(RuntimeError, match="the process of a task died 2 times"):
        list(in_order(RAY, kill_the_process, None, [(1,)]))


def test_a_cluster_that_shrinks_finishes_the_work(cluster, monkeypatch, tmp_path):
    import ray

    found = in_order(RAY, slow_square, tmp_path, [(k,) for k in range(40)])
    results = [next(found)]
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 1.0})
    assert results + list(found) == [k**2 for k in range(40)]


def test_what_cannot_be_sent_is_told(cluster, tmp_path):
    with (tmp_path / "open").open("w") as file, pytest.raises(ValueError, match="Ray cannot send"):
        list(in_order(RAY, slow_square, file, [(1,)]))


def test_a_killed_process_repeats_its_own_task_only(cluster, tmp_path):
    found = in_order(RAY, slow_square, tmp_path, [(k,) for k in range(12)])
    results = [next(found)]
    running = (tmp_path / "3").read_text() if (tmp_path / "3").exists() else ""
    while not running:
        time.sleep(0.05)
        running = (tmp_path / "3").read_text() if (tmp_path / "3").exists() else ""
    os.kill(int(running), signal.SIGKILL)
    assert results + list(found) == [k**2 for k in range(12)]
    assert sum(calls(tmp_path).values()) <= 13


def test_a_lost_node_repeats_its_own_tasks_only(lose_a_node, tmp_path):
    found = in_order(RAY, slow_square, tmp_path, [(k,) for k in range(16)])
    results = [next(found)]
    lose_a_node()
    assert results + list(found) == [k**2 for k in range(16)]
    assert sum(calls(tmp_path).values()) <= 18


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen here")
def test_tasks_side_by_side_have_cores_of_their_own(cluster, tmp_path):
    first, second = in_order(RAY, core_of, tmp_path, [(k,) for k in range(2)])
    if len(os.sched_getaffinity(0)) > 1:
        assert len(first) == len(second) == 1
        assert first != second


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen here")
def test_a_core_is_given_back():
    before = os.sched_getaffinity(0)
    with own_core():
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
