"""Training on a Ray cluster: the bytes are those of processes, whatever is lost."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("ray", reason="needs the extra ray")
pytest.importorskip("sb3_contrib", reason="needs the extra train")
from gubs_agents.training import launch
from tests.training.test_training import contents, rows_written, tiny

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray Train warns of options of its own


def test_a_lost_node_is_replaced_and_not_missed(cluster, lose_a_node, tmp_path):
    local, spread = tmp_path / "local", tmp_path / "cluster"
    launch.train(tiny(local, workers=4, steps=8192))

    with ThreadPoolExecutor(1) as thread:
        training = thread.submit(launch.train, tiny(spread, workers=4, steps=8192, backend="ray"))
        while rows_written(spread) < 6 and not training.done():
            time.sleep(0.01)
        time.sleep(random.Random(0).uniform(0, 0.5))
        lose_a_node()
        cluster.add_node(num_cpus=2)
        training.result()
    one, other = contents(spread), contents(local)
    assert [name for name in one | other if one.get(name) != other.get(name)] == []


class Fails:
    """An agent that cannot play."""

    def __init__(self, num_players, seed):
        self.num_players = num_players

    def act(self, observations, masks, rngs):
        raise ArithmeticError("this opponent cannot count")


def test_an_opponent_that_fails_is_named(cluster, tmp_path):
    opponents = {"baselines": f"random,{__name__}:Fails", "baseline_share": 1, "newest_share": 0}
    with pytest.raises(ArithmeticError, match="this opponent cannot count"):
        launch.train(tiny(tmp_path, workers=2, backend="ray", imitate=0, **opponents))
