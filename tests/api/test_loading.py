"""Data sets are read back as they were written, split by deal, streamed, and refused if damaged."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gubs_env
from gubs_env import find_table, gubs_v0
from gubs_env.records import row_groups
from gubs_env.support import cluster

pytest.importorskip("pyarrow", reason="the data extra is not installed")

import pyarrow as pa
import pyarrow.parquet as pq

from gubs_env.records.dataset import is_held_out, load_dataset
from gubs_env.records.parquet import KEY


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Thirty games in three files, with moves."""
    folder = tmp_path_factory.mktemp("data")
    records = gubs_env.record(folder / "games.jsonl", "greedy,random", games=30)
    gubs_env.to_parquet(records, folder, moves=True, games_in_file=10)
    return folder


@pytest.fixture
def copied(folder, tmp_path):
    for path in folder.glob("games-*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def test_arrays_are_the_columns_in_order(folder):
    data = gubs_env.load_dataset(folder)
    table = pq.read_table(sorted(folder.glob("games-*.parquet")))
    arrays = data.arrays(["game", "decision", "observation", "action", "agent", "legal_moves"])
    assert len(data) == len(table) == len(arrays["game"])
    assert (data.num_games, data.table) == (30, gubs_env.find_table("gubs", 2))
    assert arrays["observation"].dtype == np.int8
    assert arrays["observation"].shape == (len(table), find_table("gubs").observation_size)
    for name in ("game", "decision", "action", "agent", "legal_moves"):
        assert arrays[name].tolist() == table[name].to_pylist(), name


def test_states_are_loaded_by_an_environment(folder):
    states = load_dataset(folder).arrays(["states"], "validation")["states"]
    games = gubs_v0.vector_env(len(states), 2, autoreset=False)
    games.set_states(states)
    assert (games.states == states).all()


def test_nulls_become_minus_one_and_nan(tmp_path):
    records = gubs_env.record(tmp_path / "games.jsonl", "random", games=1)
    found = json.loads(records.read_text())
    found["actions"], found["outcome"] = found["actions"][:20], None
    found["decisions"] = gubs_v0_decisions(found["actions"])
    records.write_text(json.dumps(found) + "\n")
    gubs_env.to_parquet(records, tmp_path / "data", moves=True)
    arrays = load_dataset(tmp_path / "data").arrays(["returns", "move", "legal_moves"])
    assert np.isnan(arrays["returns"]).all()
    inside = [moves is None for moves in arrays["legal_moves"]]
    assert (arrays["move"][inside] == -1).all()


def gubs_v0_decisions(actions):
    """Return the decisions with several legal actions, by seat, of the game with seed 0."""
    env, counts = gubs_v0.env(), [0, 0]
    env.reset(seed=0)
    for action in actions:
        is_open = env.last()[0]["action_mask"].sum() > 1
        counts[env.possible_agents.index(env.agent_selection)] += int(is_open)
        env.step(action)
    return counts


# --------------------------------------------------------------------------------------- splits


def test_splits_divide_the_deals(folder):
    data = load_dataset(folder, validation=0.3)
    train, held_out = (set(data.arrays(["game"], s)["game"]) for s in ("train", "validation"))
    assert not train & held_out
    assert train | held_out == set(range(30))
    assert 3 <= len(held_out) <= 15


def test_more_games_change_no_split():
    keys = np.arange(100_000)
    held_out = is_held_out(keys, 0.1)
    assert abs(held_out.mean() - 0.1) < 0.005
    assert (is_held_out(keys[:50], 0.1) == held_out[:50]).all()
    assert not is_held_out(keys, 0).any()
    assert is_held_out(keys, 1).all()


def test_both_games_of_a_deal_are_in_one_split(tmp_path):
    arena = pytest.importorskip("gubs_agents.arena", reason="the arena extra is not installed")
    arena.tournament("greedy,random", deals=20, out=tmp_path, resamples=2)
    gubs_env.to_parquet(tmp_path / "games.jsonl", tmp_path / "data")
    data = load_dataset(tmp_path / "data", validation=0.4)
    seeds = [set(data.arrays(["seed"], split)["seed"]) for split in ("train", "validation")]
    assert not seeds[0] & seeds[1]
    assert sum(map(len, seeds)) == 20


# ---------------------------------------------------------------------------------------- torch


def read_all(batches, name="game"):
    return np.concatenate([batch[name].numpy() for batch in batches])


def test_batches_hold_every_decision_once(folder):
    pytest.importorskip("torch", reason="the train extra is not installed")
    data = load_dataset(folder)
    columns = ["game", "decision", "observation"]
    arrays = data.arrays(columns, "train")
    batches = list(data.torch(columns, "train", batch_size=100))
    assert [len(batch["game"]) for batch in batches[:-1]] == [100] * (len(batches) - 1)
    found = {name: read_all(batches, name) for name in columns}
    order = np.lexsort((found["decision"], found["game"]))
    for name in columns:
        assert (found[name][order] == arrays[name]).all()
    assert (order != np.arange(len(order))).any()


def test_the_order_follows_from_seed_and_epoch(folder):
    pytest.importorskip("torch", reason="the train extra is not installed")
    data = load_dataset(folder)

    def order(seed, epoch=0, shuffle=True):
        batches = data.torch(["game", "decision"], seed=seed, shuffle=shuffle)
        batches.set_epoch(epoch)
        return read_all(batches).tolist()

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert order(1) != order(1, epoch=1)
    assert order(1, shuffle=False) == data.arrays(["game"])["game"].tolist()


def test_workers_share_the_decisions(folder, quick_processes):
    torch = pytest.importorskip("torch", reason="the train extra is not installed")
    data = load_dataset(folder)
    loader = torch.utils.data.DataLoader(
        data.torch(["game"]), batch_size=None, num_workers=2,
        multiprocessing_context=cluster.CONTEXT,
    )  # fmt: skip
    assert sorted(read_all(loader)) == data.arrays(["game"])["game"].tolist()


# --------------------------------------------------------------------------------------- errors


def test_a_damaged_page_is_noticed(copied):
    path = copied / "games-00001.parquet"
    data = load_dataset(copied)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"games-00001\.parquet is damaged"):
        data.arrays(list(data.column_names))


def test_a_file_that_was_cut_off_is_named(copied):
    path = copied / "games-00001.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"games-00001\.parquet is not a data set of gubs_env"):
        load_dataset(copied)


def test_a_missing_file_is_noticed(copied):
    (copied / "games-00001.parquet").unlink()
    with pytest.raises(ValueError, match=r"games-00002\.parquet does not follow: game 10 is exp"):
        load_dataset(copied)


def test_files_of_two_data_sets_are_refused(copied, tmp_path):
    gubs_env.record(tmp_path / "other", "random", gubs_env.find_table("gubs", 3), games=10)
    (tmp_path / "other" / "games-00000.parquet").replace(copied / "games-00003.parquet")
    with pytest.raises(ValueError, match=r"games-00003\.parquet is of another data set than"):
        load_dataset(copied)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_players": 40}, "its metadata name no table"),
        ({"num_players": None}, "no table .num_players must be a whole number, not None"),
        ({"rules": None}, "no table .rules must be an object, not None"),
        ({"game": "chess_v0"}, "its metadata name no table"),
        ({"moves": []}, "has other columns than its metadata say"),
        ({"num_players": 3}, "has other columns than its metadata say"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(copied, change, message):
    for path in copied.glob("games-*.parquet"):
        table = pq.read_table(path)
        told = json.loads(table.schema.metadata[KEY]) | change
        pq.write_table(table.replace_schema_metadata({KEY: json.dumps(told)}), path)
    with pytest.raises(ValueError, match=message):
        load_dataset(copied)


def rewritten(path, change, **told):
    """Write a file again as another program does that keeps all metadata."""
    table, footer = change(pq.read_table(path)), pq.read_metadata(path).metadata
    groups = json.loads(footer[row_groups.KEY])
    groups[0].update(told)
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({row_groups.KEY: json.dumps(groups)})


def with_column(table, name, change):
    index = table.column_names.index(name)
    values = pa.array(change(table[name].to_numpy().copy()), table.schema.field(name).type)
    return table.set_column(index, name, values)


def with_first(value):
    def change(values):
        values[0] = value
        return values

    return change


REWRITINGS = {
    "halved": lambda table: table.slice(0, len(table) // 2),
    "doubled": lambda table: pa.concat_tables([table, table]),
    "emptied": lambda table: table.slice(0, 0),
    "reversed": lambda table: table.take(list(range(len(table) - 1, -1, -1))),
    "actions −1": lambda table: with_column(table, "action", lambda values: values * 0 - 1),
    "one action": lambda table: with_column(table, "action", with_first(5)),
    "one seat": lambda table: with_column(table, "seat", lambda values: 1 - values),
    "other agents": lambda table: table.set_column(
        table.column_names.index("agent"), "agent", pa.array(["policy"] * len(table))
    ),
}


@pytest.mark.parametrize("keeps_footer", [False, True])
@pytest.mark.parametrize("name", REWRITINGS)
def test_rewritten_rows_are_refused(copied, folder, name, keeps_footer):
    path = copied / "games-00001.parquet"
    if keeps_footer:
        rewritten(path, REWRITINGS[name])
    else:
        table = pq.read_table(path)
        kept = REWRITINGS[name](table).replace_schema_metadata(table.schema.metadata)
        pq.write_table(kept, path)
    refused = pytest.raises(ValueError, match=r"games-00001\.parquet: .*write .* from its records")
    with refused:
        gubs_env.load_dataset(copied).arrays(["action", "seat", "agent"])
    before = path.read_bytes()
    with refused:
        gubs_env.to_parquet(folder / "games.jsonl", copied, moves=True, games_in_file=10)
    assert path.read_bytes() == before


def test_values_out_of_range_are_refused_whatever_the_checksum(copied):
    path = copied / "games-00001.parquet"
    minus = np.full(len(pq.read_table(path)), -1, np.int16)
    crc32 = json.loads(pq.read_metadata(path).metadata[row_groups.KEY])[0]["crc32"]
    crc32["action"] = row_groups.checksum(minus)
    rewritten(path, REWRITINGS["actions −1"], crc32=crc32)
    data = load_dataset(copied)
    with pytest.raises(ValueError, match=r"column action, games from 10 on: values out of their"):
        data.arrays(["action"])
    assert len(data.arrays(["decision"])["decision"]) == len(data)


def test_mistakes_are_explained(folder, tmp_path):
    data = load_dataset(folder)
    with pytest.raises(ValueError, match=r"'speed': give a list of names; this data set has game,"):
        data.arrays(["speed"])
    with pytest.raises(ValueError, match="'game': give a list of names"):
        data.arrays("game")
    with pytest.raises(ValueError, match="split='test': allowed are None, 'train' and"):
        data.arrays(["game"], "test")
    with pytest.raises(ValueError, match=r"holds no games-….parquet: write them with"):
        load_dataset(tmp_path)
    with pytest.raises(ValueError, match=r"validation=2: must be 0 to 1"):
        load_dataset(folder, validation=2)
    pytest.importorskip("torch", reason="the train extra is not installed")
    with pytest.raises(ValueError, match="a tensor holds numbers; give at least one column, and"):
        data.torch(["agent"])


def test_a_data_set_without_states_has_none_to_read(tmp_path):
    gubs_env.record(tmp_path / "data", "random", games=2, hidden_state=False)
    with pytest.raises(ValueError, match="'states': give a list of names"):
        load_dataset(tmp_path / "data").arrays(["states"])


def test_another_schema_is_refused(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "games-00000.parquet")
    with pytest.raises(ValueError, match=r"games-00000\.parquet is not a data set of gubs_env"):
        load_dataset(tmp_path)
