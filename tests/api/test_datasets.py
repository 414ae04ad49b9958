"""Parquet made of records: it holds what the environment showed, and files are kept or refused."""

from __future__ import annotations

import hashlib
import json
import shlex
import sys

import numpy as np
import pytest

import gubs_env
from gubs_env import bad_bad_turtle_v0, fubnub_v0, gubs_v0
from gubs_env.records.record import Record, read_records
from tests.api.tables import play, started
from tests.commands import ends_with, gubs

pytest.importorskip("pyarrow", reason="the data extra is not installed")

import pyarrow as pa
import pyarrow.parquet as pq

from gubs_env.records.data_card import size_category
from gubs_env.records.parquet import metadata, read_states, to_parquet

TABLES = {
    "gubs": (gubs_v0, 3, {}),
    "fubnub": (fubnub_v0, 4, {"mode": "royal"}),
    "turtle": (bad_bad_turtle_v0, 2, {"max_cycles": 60}),
}
tables = pytest.mark.parametrize("table", TABLES)
pytestmark = pytest.mark.usefixtures("quick_processes")


def recorded(folder, table, games=3, **options):
    module, players, rules = TABLES[table]
    at = gubs_env.find_table(module.GAME, players, rules)
    return gubs_env.record(folder, "random", at, games=games, **options)


def array_of(column):
    """Return a column as an array, as a reader of the documentation does."""
    values = column.combine_chunks()
    if not hasattr(values, "flatten") or values.type.num_fields == 0:
        return values.to_numpy(zero_copy_only=False)
    return values.flatten().to_numpy().reshape(len(values), -1)


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.glob("games*")}


@tables
def test_a_row_holds_what_the_environment_showed(tmp_path, table):
    path = recorded(tmp_path / "data", table, seed=20)
    read_back = pq.read_table(tmp_path / "data")
    columns = {name: array_of(read_back[name]) for name in read_back.column_names}
    states, row = read_states(read_back), 0
    for number, record in enumerate(read_records(path)):
        for decision, (env, action) in enumerate(record.replay()):
            seat = env.possible_agents.index(env.agent_selection)
            shown = env.last()[0]
            found = {name: values[row] for name, values in columns.items()}
            assert (found["game"], found["seed"]) == (number, 20 + number)
            assert (found["decision"], found["action"]) == (decision, action)
            assert (found["seat"], found["agent"]) == (seat, "random")
            assert found["phase"] == env.state()["phase"]
            assert (found["observation"] == shown["observation"]).all()
            assert (found["action_mask"] == shown["action_mask"]).all()
            assert found["returns"] == np.float32(record.outcome.payoffs[seat])
            assert states[row].tobytes() == env.state().tobytes()
            row += 1
    assert row == len(read_back)


@tables
def test_the_metadata_describe_the_columns(tmp_path, table):
    module, players, rules = TABLES[table]
    recorded(tmp_path / "data", table)
    told = metadata(tmp_path / "data" / "games-00000.parquet")
    assert told["schema"] == "gubs_env decisions 1"
    assert (told["game"], told["num_players"]) == (module.GAME.name, players)
    assert module.Rules(**told["rules"]) == module.Rules(**rules)
    assert (told["first_game"], told["games"], told["version"]) == (0, 3, gubs_env.__version__)
    environment = module.env(players)
    names = [environment.action_name(action) for action in range(len(told["actions"]))]
    assert told["actions"] == names
    slices = environment.observation_slices()
    assert {s["name"]: (s["start"], tuple(s["shape"])) for s in told["observation"]} == {
        name: (piece.start, piece.shape) for name, piece in slices.items()
    }
    assert told["phases"] == {phase.name: int(phase) for phase in module.Phase}
    columns = pq.read_schema(tmp_path / "data" / "games-00000.parquet").names
    assert columns[:10] == [
        "game", "seed", "decision", "seat", "agent", "phase", "observation", "action_mask",
        "action", "returns",
    ]  # fmt: skip
    assert columns[10:] == [f"state.{field['name']}" for field in told["state"]]


def test_hidden_states_can_be_left_out(tmp_path):
    recorded(tmp_path / "data", "gubs", hidden_state=False)
    read_back = pq.read_table(tmp_path / "data")
    assert not [name for name in read_back.column_names if name.startswith("state.")]
    assert metadata(tmp_path / "data" / "games-00000.parquet")["state"] == []
    with pytest.raises(ValueError, match="this data set has no states"):
        read_states(read_back)


def test_states_are_played_on_from(tmp_path):
    recorded(tmp_path / "data", "gubs")
    states = read_states(pq.read_table(tmp_path / "data"))
    games = gubs_v0.vector_env(len(states), 3, autoreset=False)
    games.set_states(states)
    assert (games.play_out(seed=0).sum(1) < 1e-3).all()


def test_a_game_under_way_has_no_returns(tmp_path):
    environment, path = started(gubs_v0, 2, {}, decisions=9), tmp_path / "games.jsonl"
    begun = Record.of(started(gubs_v0, 2, {}), "ab", seed=7)
    path.write_text(Record.of(environment, "ab", seed=7).line() + begun.line())
    read_back = pq.read_table(to_parquet(path, tmp_path / "data")[0])
    assert len(read_back) == 9
    assert read_back["returns"].null_count == 9
    path.write_text(begun.line())
    assert len(pq.read_table(to_parquet(path, tmp_path / "none")[0])) == 0


def test_a_game_from_a_state_has_no_seed(tmp_path):
    environment, path = gubs_v0.env(), tmp_path / "games.jsonl"
    environment.set_state(gubs_v0.position(["Lure", "Mushroom"], seed=1))
    path.write_text(Record.of(play(environment), "ab").line())
    read_back = pq.read_table(to_parquet(path, tmp_path / "data")[0])
    assert read_back["seed"].null_count == len(read_back) > 0
    assert set(read_back["agent"].to_pylist()) == {"a", "b"}


# ---------------------------------------------------------------------------- moves in words


@tables
def test_moves_are_those_that_the_environment_lists(tmp_path, table):
    path = recorded(tmp_path / "data", table, games=2, moves=True, hidden_state=False)
    rows = iter(pq.read_table(tmp_path / "data").to_pylist())
    begun = 0
    for record in read_records(path):
        played = list(record.actions)
        left = []
        for env, action in record.replay():
            row = next(rows)
            if left:
                assert row["legal_moves"] is row["move"] is None
                assert left.pop(0) == action
            else:
                moves = env.legal_moves()
                assert row["legal_moves"] == [move.text for move in moves]
                picks = moves[row["move"]].picks
                assert tuple(played[row["decision"] :][: len(picks)]) == picks
                left = list(picks[1:])
                begun += 1
    assert begun > 10


@tables
def test_events_are_those_that_the_seat_has_seen(tmp_path, table):
    path = recorded(tmp_path / "data", table, games=1, history=5, hidden_state=False)
    data = gubs_env.load_dataset(tmp_path / "data")
    told = iter(data.arrays(["history"])["history"])
    assert data.metadata["history"]["events"] == 5
    for record in read_records(path):
        for decision, (env, _) in enumerate(record.replay()):
            kept = next(told)
            if decision % 4:
                continue
            rows = env.history(env.agent_selection)[-5:]
            assert kept[5 - len(rows) :].tobytes() == rows.tobytes()
            assert (kept[: 5 - len(rows)] == -1).all()
    batch = next(iter(data.torch(["history", "action"], batch_size=4)))
    assert batch["history"].shape == (4, 5, rows.shape[1])


def test_events_change_no_other_column(tmp_path):
    with_events = recorded(tmp_path / "one", "gubs", games=2, history=3)
    plain = recorded(tmp_path / "other", "gubs", games=2)
    assert with_events.read_bytes() == plain.read_bytes()
    one, other = (gubs_env.load_dataset(tmp_path / name) for name in ("one", "other"))
    assert set(one.column_names) - set(other.column_names) == {"history"}
    assert "history" in (tmp_path / "one" / "_README.md").read_text()
    for name in ("observation", "action", "states"):
        assert one.arrays([name])[name].tobytes() == other.arrays([name])[name].tobytes()
    with pytest.raises(ValueError, match="history=-1"):
        to_parquet(plain, tmp_path / "third", history=-1)


def test_a_move_that_was_not_completed_has_no_index(tmp_path):
    environment, path = gubs_v0.env(num_players=3), tmp_path / "games.jsonl"
    environment.reset(seed=44)
    for name in ("DECK", "CARD[Lure]"):
        environment.step(environment.action_index(name))
    path.write_text(Record.of(environment, "abc", seed=44).line())
    *_, last = pq.read_table(to_parquet(path, tmp_path / "data", moves=True)[0]).to_pylist()
    assert "Lure player_1's Gub" in last["legal_moves"]
    assert last["move"] is None


def test_moves_are_columns_of_their_own(tmp_path):
    path = recorded(tmp_path / "games.jsonl", "turtle", games=2)
    without = metadata(to_parquet(path, tmp_path / "without")[0])
    with_moves = metadata(to_parquet(path, tmp_path / "with", moves=True)[0])
    assert "moves" not in without
    assert with_moves == without | {"moves": ["legal_moves", "move"]}
    with pytest.raises(ValueError, match="holds other games or columns"):
        to_parquet(path, tmp_path / "without", moves=True)


# ------------------------------------------------------------------------------ several processes


def test_any_number_of_processes_writes_the_same_bytes(tmp_path):
    options = {"games": 12, "batch": 2, "moves": True}
    gubs_env.record(tmp_path / "one", "greedy,random", **options)
    gubs_env.record(tmp_path / "two", "greedy,random", **options, processes=2)
    names = sorted(path.name for path in (tmp_path / "one").iterdir() if path.suffix)
    assert "_README.md" in names
    for name in names:
        if not name.endswith(".lock"):
            one, two = ((tmp_path / f / name).read_bytes() for f in ("one", "two"))
            assert one == two, name


def test_files_are_written_by_several_processes(tmp_path):
    path, told = recorded(tmp_path / "games.jsonl", "turtle", games=7), []
    to_parquet(path, tmp_path / "one", games_in_file=2)
    to_parquet(
        path, tmp_path / "two", games_in_file=2, processes=2, progress=lambda *t: told.append(t)
    )
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")
    assert told == [(2, 7), (4, 7), (6, 7), (7, 7), (7, 7)]


# ------------------------------------------------------------------------------------- the card


def test_the_card_describes_the_data(tmp_path):
    data = tmp_path / "data"
    recorded(data, "fubnub", games=3, seed=40, moves=True)
    card = (data / "_README.md").read_text()
    assert card.startswith('---\npretty_name: "FUBNUB, 4 players: games of random"\nlicense: mit\n')
    assert f"{pq.read_metadata(data / 'games-00000.parquet').num_rows:,} decisions" in card
    assert "`random` (12 seats)" in card
    assert "| seeds of the deals | 40 to 42 |" in card
    assert '| rules | `{"mode": "royal"}` |' in card
    assert "state.hand" in card
    command = card.split("```bash\n")[1].split("\n")[0]
    assert command == (
        "gubs record --agents random --game fubnub --players 4 --rules mode=royal "
        "--games 3 --seed 40 --moves --out FOLDER"
    )
    for name in pq.read_schema(data / "games-00000.parquet").names:
        assert f"| `{name}` |" in card


def test_the_metadata_have_a_version_checksums_and_all_columns(tmp_path):
    data = tmp_path / "data"
    path = recorded(tmp_path / "games.jsonl", "turtle", games=3)
    to_parquet(path, data, games_in_file=2, moves=True)
    found = json.loads((data / "_croissant.json").read_text())
    paths = sorted(data.glob("games-*.parquet"))
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
    assert {f["name"]: f["sha256"] for f in found["distribution"] if "sha256" in f} == sums
    assert len(sums) == 2
    fields = {field["name"]: field for field in found["recordSet"][0]["field"]}
    assert list(fields) == pq.read_schema(paths[0]).names
    size = gubs_env.find_table("bad_bad_turtle", 2).observation_size
    assert fields["observation"]["cr:arrayShape"] == str(size)
    assert fields["returns"]["dataType"] == "sc:Float"
    cited = f"`{found['name']} {found['version']}`"
    assert f"| name and version | {cited} |" in (data / "_README.md").read_text()
    to_parquet(recorded(path, "turtle", games=4, resume=True), data, games_in_file=2, moves=True)
    assert json.loads((data / "_croissant.json").read_text())["version"] != found["version"]


def test_the_header_of_the_card_is_yaml(tmp_path):
    yaml = pytest.importorskip("ruamel.yaml", reason="the dev extra is not installed")
    gubs_env.record(tmp_path / "data", {'a: "b" |': "random"}, games=1)
    header = (tmp_path / "data" / "_README.md").read_text().split("---\n")[1]
    found = yaml.YAML(typ="safe").load(header)
    assert found["pretty_name"] == 'Gubs, 2 players: games of a: "b" |'
    assert found["size_categories"] == ["n<1K"]
    assert found["configs"][0]["data_files"] == [{"split": "train", "path": "games-*.parquet"}]


def test_the_command_on_the_card_writes_the_data_again(tmp_path, monkeypatch):
    recorded(tmp_path / "once", "fubnub", seed=3, hidden_state=False, rotate=False)
    card = (tmp_path / "once" / "_README.md").read_text()
    words = shlex.split(card.split("```bash\n")[1].split("\n")[0])
    gubs(*words[1:-1], tmp_path / "again")
    assert (tmp_path / "again" / "_README.md").read_text() == card
    assert files_of(tmp_path / "again") == files_of(tmp_path / "once")


def test_a_card_of_ones_own_is_kept(tmp_path):
    recorded(tmp_path / "data", "turtle", games=2)
    card = tmp_path / "data" / "_README.md"
    recorded(tmp_path / "data", "turtle", games=3, resume=True)
    assert "\n3 games of" in card.read_text()
    card.write_text("my words")
    recorded(tmp_path / "data", "turtle", games=4, resume=True)
    assert card.read_text() == "my words"


@pytest.mark.parametrize(
    ("rows", "category"),
    [(7, "n<1K"), (1000, "1K<n<10K"), (123_456, "100K<n<1M"), (10**9, "n>100M")],
)
def test_sizes_have_the_names_of_hugging_face(rows, category):
    assert size_category(rows) == category


# ---------------------------------------------------------------------------------- the files


def test_games_are_divided_among_files(tmp_path):
    path = recorded(tmp_path / "games.jsonl", "turtle", games=7)
    files = to_parquet(path, tmp_path / "data", games_in_file=3)
    assert [file.name for file in files] == [f"games-0000{k}.parquet" for k in range(3)]
    assert [metadata(file)["first_game"] for file in files] == [0, 3, 6]
    games = [sorted(set(pq.read_table(file)["game"].to_pylist())) for file in files]
    assert games == [[0, 1, 2], [3, 4, 5], [6]]
    before = files_of(tmp_path / "data")
    files[1].unlink()
    kept = files[0].stat().st_mtime_ns
    assert to_parquet(path, tmp_path / "data", games_in_file=3) == files
    assert files_of(tmp_path / "data") == before
    assert files[0].stat().st_mtime_ns == kept


def test_a_recording_is_resumed_with_its_files(tmp_path):
    recorded(tmp_path / "once", "turtle", games=7)
    recorded(tmp_path / "data", "turtle", games=4)
    with pytest.raises(
        ValueError, match=r"games\.jsonl exists already: resume it \(--resume\), delete it"
    ):
        recorded(tmp_path / "data", "turtle", games=4)
    recorded(tmp_path / "data", "turtle", games=7, resume=True)
    assert files_of(tmp_path / "data") == files_of(tmp_path / "once")


def test_files_of_other_games_are_refused_and_left_alone(tmp_path):
    one = recorded(tmp_path / "one.jsonl", "turtle", games=4)
    two = recorded(tmp_path / "two.jsonl", "turtle", games=2, seed=1)
    to_parquet(one, tmp_path / "data", games_in_file=2)
    before = files_of(tmp_path / "data")
    with pytest.raises(ValueError, match="holds other games or columns: delete it or write"):
        to_parquet(two, tmp_path / "data", games_in_file=2)
    with pytest.raises(ValueError, match="holds other games or columns"):
        to_parquet(one, tmp_path / "data", games_in_file=2, hidden_state=False)
    one.write_bytes(b"".join(one.read_bytes().splitlines(keepends=True)[:2]))
    with pytest.raises(ValueError, match=r"games-00001\.parquet was not made from .*one\.jsonl"):
        to_parquet(one, tmp_path / "data", games_in_file=2)
    assert files_of(tmp_path / "data") == before


@pytest.mark.parametrize("content", [b"", b"my diary", b"PAR1" + b"\0" * 40 + b"PAR1"])
def test_a_foreign_file_is_refused_and_left_alone(tmp_path, content):
    path = recorded(tmp_path / "games.jsonl", "turtle", games=1)
    (tmp_path / "games-00000.parquet").write_bytes(content)
    with pytest.raises(ValueError, match=r"games-00000\.parquet is not a data set of gubs_env"):
        to_parquet(path, tmp_path)
    assert (tmp_path / "games-00000.parquet").read_bytes() == content


def test_another_data_set_of_parquet_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    plain = pa.table({"a": [1]})
    told = ({"gubs_env": json.dumps(t)} for t in ({}, {"schema": "gubs_env decisions 0"}, [1]))
    for table in (*map(plain.replace_schema_metadata, told), plain):
        pq.write_table(table, path)
        with pytest.raises(ValueError, match=r"a\.parquet is not a data set of gubs_env"):
            metadata(path)
    with pytest.raises(ValueError, match="is not a data set of gubs_env"):
        read_states(pq.read_table(path))


def test_edited_states_are_refused_by_the_environment(tmp_path):
    recorded(tmp_path / "data", "gubs", games=1)
    table = pq.read_table(tmp_path / "data")
    phases = pa.array(np.full(len(table), 99))
    index = table.schema.get_field_index("state.phase")
    edited = table.set_column(index, table.schema.field(index), [phases])
    with pytest.raises(ValueError, match="its phase is out of range"):
        gubs_v0.vector_env(len(table), 3, autoreset=False).set_states(read_states(edited))
    for wrong in (pa.array(["x"] * len(table)), pa.array(np.full(len(table), 1.5))):
        edited = table.set_column(index, "state.phase", [wrong])
        with pytest.raises(ValueError, match=r"column state\.phase must be of the type int64"):
            read_states(edited)
    with pytest.raises(ValueError, match=r"the data set lacks the column state\.phase"):
        read_states(table.drop_columns(["state.phase"]))


def test_games_of_several_tables_are_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    made = [recorded(tmp_path / f"{table}.jsonl", table, games=1) for table in TABLES]
    path.write_bytes(b"".join(file.read_bytes() for file in made))
    with pytest.raises(ValueError, match="line 2: this game is of another table than the first"):
        to_parquet(path, tmp_path / "data")


def test_an_untrue_record_becomes_no_row(tmp_path):
    path = recorded(tmp_path / "games.jsonl", "turtle", games=1)
    found = json.loads(path.read_bytes())
    found["outcome"]["scores"][0] += 1
    path.write_text(json.dumps(found))
    with pytest.raises(ValueError, match=r"games\.jsonl, line 1: outcome .* contradict the replay"):
        to_parquet(path, tmp_path / "data")
    assert not list((tmp_path / "data").glob("games*"))


def test_games_of_the_arena_become_a_data_set(tmp_path, monkeypatch, capsys):
    arena = pytest.importorskip("gubs_agents.arena", reason="the arena extra is not installed")
    arena.tournament("greedy,random", deals=2, out=tmp_path, resamples=2)
    gubs("parquet", tmp_path / "games.jsonl", "--out", tmp_path / "data")
    assert "games-00000.parquet" in capsys.readouterr().out
    read_back = pq.read_table(tmp_path / "data")
    assert sorted(set(read_back["agent"].to_pylist())) == ["greedy", "random"]
    assert sorted(set(read_back["seed"].to_pylist())) == [10**9, 10**9 + 1]


def test_a_missing_file_is_named_in_one_line(tmp_path, monkeypatch, capsys):
    with ends_with(capsys, r"^gubs parquet: no such file: .*games\.jsonl$"):
        gubs("parquet", tmp_path / "games.jsonl", "--out", tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_the_extra_is_named_before_any_game(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = r'^gubs record: pyarrow is not installed: pip install "gubs_env\[data\]"'
    with ends_with(capsys, message):
        gubs("record", "--agents", "random", "--out", tmp_path / "data")
    assert not (tmp_path / "data").exists()
