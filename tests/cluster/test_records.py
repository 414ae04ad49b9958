"""Games recorded on a Ray cluster: the files are those of a local recording."""

from __future__ import annotations

import random
import threading

import pytest

pytest.importorskip("ray", reason="needs the extra ray")
pytest.importorskip("pyarrow", reason="needs the extra data")
import gubs_env
from gubs_env import find_table
from gubs_env.engine.fields import state_dtype
from gubs_env.records.parquet import metadata

FIELD = {"agents": "heuristic,ismcts:playouts=10", "games": 12, "batch": 2}


def files(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith(".")}


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local") / "data"
    gubs_env.record(folder, **FIELD)
    return files(folder)


def test_the_same_files_as_locally_though_a_node_is_lost(cluster, lose_a_node, local, tmp_path):
    loser = threading.Timer(random.Random(2).uniform(0.2, 2), lose_a_node)
    loser.start()
    gubs_env.record(tmp_path / "data", **FIELD, backend="ray")
    loser.join()
    assert files(tmp_path / "data") == local


def test_an_interrupted_recording_goes_on_on_the_cluster(cluster, local, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    lines = local["_games.jsonl"].splitlines(keepends=True)
    (folder / "_games.jsonl").write_bytes(b"".join(lines[:5]))
    gubs_env.record(folder, **FIELD, backend="ray", resume=True)
    assert files(folder) == local


def test_each_part_of_the_records_is_a_shard_of_its_own(cluster, tmp_path):
    path = gubs_env.record(tmp_path / "games.jsonl", "random", games=10)
    shards = gubs_env.to_parquet(path, tmp_path / "shards", games_in_file=4, backend="ray")
    assert [metadata(shard)["games"] for shard in shards] == [4, 4, 2]
    alone = gubs_env.to_parquet(path, tmp_path / "alone", games_in_file=4)
    assert [s.read_bytes() for s in shards] == [s.read_bytes() for s in alone]


def test_ray_data_reads_the_shards(cluster, tmp_path):
    import ray.data

    gubs_env.record(tmp_path / "data", "heuristic", games=6, backend="ray")
    rows = ray.data.read_parquet(str(tmp_path / "data"))
    game = gubs_env.find_game("gubs")
    fields = [name for name in rows.columns() if name.startswith("state.")]
    assert len(fields) == len(state_dtype(game.state_fields).names)
    batch = next(iter(rows.iter_batches(batch_size=32)))
    assert len(batch["observation"][0]) == find_table(game, 2).observation_size
    chosen = [
        mask[action] for mask, action in zip(batch["action_mask"], batch["action"], strict=True)
    ]
    assert all(chosen)


def test_an_unknown_backend_is_refused_before_any_game(tmp_path):
    with pytest.raises(ValueError, match="backend='cloud': allowed are local, ray"):
        gubs_env.record(tmp_path / "games.jsonl", "random", backend="cloud")
    assert not list(tmp_path.iterdir())
