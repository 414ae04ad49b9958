"""A Ray cluster of two nodes on this machine, whose nodes can be lost."""

from __future__ import annotations

import os

import pytest

ray = pytest.importorskip("ray", reason="needs the extra ray")


@pytest.fixture(scope="session")
def _cluster():
    from ray.cluster_utils import Cluster

    os.environ["RAY_TQDM_PATCH_PRINT"] = "0"
    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture
def cluster(_cluster):
    """A head with two cores and a second node with two, started anew if a test has lost it."""
    if len(_cluster.worker_nodes) < 1:
        _cluster.add_node(num_cpus=2)
    _cluster.wait_for_nodes()
    return _cluster


@pytest.fixture
def lose_a_node(cluster):
    """Return a function that kills the second node with everything on it."""

    def lose():
        cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)

    return lose
