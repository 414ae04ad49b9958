"""A Ray cluster of two nodes on this machine, of which one can be lost."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def started():
    import ray
    from ray.cluster_utils import Cluster

    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture
def cluster(started):
    """A head with two cores and a second node with two, started anew if a test has lost it."""
    if not started.worker_nodes:
        started.add_node(num_cpus=2)
    started.wait_for_nodes()
    return started


@pytest.fixture
def lose_a_node(cluster):
    """Return a function that kills the second node with everything on it."""

    def lose():
        cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)

    return lose
