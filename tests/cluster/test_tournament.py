"""The arena on a Ray cluster: the bytes are those of a local tournament, whatever is lost."""

from __future__ import annotations

import random
import threading

import pytest

pytest.importorskip("ray", reason="needs the extra ray")
pytest.importorskip("choix", reason="needs the extra arena")
from gubs_agents.arena import tournament

FIELD = {"agents": "random,heuristic,ismcts:playouts=10", "deals": 4, "batch": 2, "resamples": 2}


def games(folder):
    return (folder / "games.jsonl").read_bytes()


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local")
    tournament(**FIELD, out=folder)
    return games(folder)


def test_the_same_bytes_as_locally(cluster, local, tmp_path):
    tournament(**FIELD, out=tmp_path, backend="ray")
    assert games(tmp_path) == local


@pytest.mark.parametrize("seed", range(2))
def test_the_same_bytes_when_a_node_is_lost(cluster, lose_a_node, local, tmp_path, seed):
    loser = threading.Timer(random.Random(seed).uniform(0.2, 3), lose_a_node)
    loser.start()
    tournament(**FIELD, out=tmp_path, backend="ray")
    loser.join()
    assert games(tmp_path) == local


def test_an_interrupted_run_goes_on_in_processes(cluster, local, tmp_path):
    first, second, *_ = local.splitlines(keepends=True)
    (tmp_path / "games.jsonl").write_bytes(first + second)
    tournament(**FIELD, out=tmp_path, backend="ray", resume=True)
    assert games(tmp_path) == local


def test_agents_that_fail_are_named(cluster, tmp_path):
    with pytest.raises(ValueError, match="broken"):
        tournament({"random": "random", "broken": "tests.arena.broken_agent:Broken"}, backend="ray")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"backend": "cloud"}, "backend='cloud': allowed are local, ray"),
     ({"backend": "ray", "processes": 2}, "processes=2: with backend=ray, Ray plays on every")],
)  # fmt: skip
def test_what_is_not_allowed_is_told(wrong, told):
    with pytest.raises(ValueError, match=told):
        tournament("random,heuristic", deals=2, **wrong)


def test_an_agent_that_never_returns_is_ended_on_its_node(cluster, tmp_path):
    field = {"random": "random", "held": "tests.arena.test_bad_agents:HoldsTheLock"}
    with pytest.raises(TimeoutError, match="agent 'held' took longer than 2 seconds for one call"):
        tournament(field, deals=2, timeout=2, backend="ray", out=tmp_path)
