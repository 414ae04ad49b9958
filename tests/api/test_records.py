"""Records of games: they are played again exactly, and a file from anywhere is checked."""

from __future__ import annotations

import codecs
import doctest
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gubs_env
from gubs_agents.scripted.uniform import Uniform
from gubs_env import find_game, find_table, gubs_v0
from gubs_env.agents.registry import build
from gubs_env.engine.table import sample_table
from gubs_env.records.playing import Games, play_games
from gubs_env.records.record import (
    BEGINNING,
    TOGETHER,
    Record,
    batches,
    read_line,
    read_lines,
    read_records,
    records_of,
    replayed,
)
from gubs_env.support.files import lock_file
from tests.api.edits import edited
from tests.api.tables import (
    TABLES,
    at,
    every_module,
    play,
    play_to_the_end,
    random_action,
    started,
    tables,
)
from tests.commands import check_one_line, ends_with, gubs

ONE_OF_EACH = at(
    {name: TABLES[name] for name in ("gubs, 3 players", "fubnub, royal for 4", "turtle, 4 players")}
)
EDITS = int(os.environ.get("GUBS_ENV_MUTATIONS", "100"))


def names(environment):
    return [f"agent {seat}" for seat in range(environment.num_players)]


def again(record):
    """Return a record after it has been written, read and verified."""
    found = read_line(record.line(), "line 1")
    replayed([found], ["line 1"])
    assert found.line() == record.line()
    return found


def payoffs_of(environment):
    return tuple(environment.rewards[agent] for agent in environment.possible_agents)


def same(environment, other):
    """Assert that two environments show the same."""
    assert other.state().tobytes() == environment.state().tobytes()
    assert other.log() == environment.log()
    assert other.rewards == environment.rewards


# --------------------------------------------------------------------------------- one record


@tables
def test_a_record_is_played_again_to_its_end(module, num_players, options):
    environment = play_to_the_end(started(module, num_players, options))
    record = again(Record.of(environment, names(environment), seed=7))
    assert record.seed == 7
    assert record.table == environment.table
    assert record.agents == tuple(names(environment))
    assert record.outcome.payoffs == payoffs_of(environment)
    assert record.outcome.scores == environment.outcome().scores
    assert record.outcome.winners == environment.outcome().winners
    same(environment, record.env())


@ONE_OF_EACH
@pytest.mark.parametrize("decisions", [0, 11])
def test_a_game_under_way_is_recorded_and_played_on(decisions, module, num_players, options):
    environment = started(module, num_players, options, decisions=decisions)
    record = again(Record.of(environment, names(environment)))
    assert record.outcome is None
    assert record.seed is None
    other = record.env()
    same(environment, other)
    play(environment, 10, seed=3)
    play(other, 10, seed=3)
    same(environment, other)


@ONE_OF_EACH
def test_a_replay_shows_every_decision(module, num_players, options):
    environment = started(module, num_players, options)
    record = Record.of(play_to_the_end(started(module, num_players, options)), ["a"] * num_players)
    for shown, action in record.replay():
        for seen, expected in zip(shown.last()[0].values(), environment.last()[0].values(),
                                  strict=True):  # fmt: skip
            assert (seen == expected).all()
        environment.step(action)
    same(environment, shown)


def test_decisions_count_those_with_a_choice():
    environment, counts = started(gubs_v0, 3, {}), [0, 0, 0]
    while not environment.is_done(environment.agent_selection):
        seat = environment.possible_agents.index(environment.agent_selection)
        counts[seat] += environment.last()[0]["action_mask"].sum() > 1
        environment.step(random_action(environment, np.random.default_rng(0)))
    assert Record.of(environment, "abc").decisions == tuple(counts)


@every_module
def test_a_game_may_begin_otherwise_than_from_a_seed(module):
    players = module.GAME.players
    environment = module.env(players)
    environment.reset(seed=4, options={"starting_player": 1})
    record = again(Record.of(play(environment, 20), names(environment)))
    assert json.loads(record.line())["start"]["starting_player"] == 1
    same(environment, record.env())
    environment.reset()  # the RNG goes on
    same(environment, again(Record.of(environment, names(environment))).env())
    middle = module.env(players)
    middle.set_state(play(environment, 6).state())
    record = again(Record.of(play(middle, 5, seed=2), names(middle)))
    assert list(json.loads(record.line())["start"]) == ["state"]
    same(middle, record.env())
    with pytest.raises(ValueError, match=r"seed=4: this game does not begin as reset\(seed=4\)"):
        Record.of(middle, names(middle), seed=4)


def test_what_is_no_legal_game_has_no_record():
    environment = gubs_v0.env()
    environment.reset(seed=1)
    for wrong, said in (
        (["a"], "1 agents: give one name for each of the 2 players"),
        (["a", ""], "agent 1 is ''"),
        (["a", "\x1b[2J"], "printable"),
        (["a", 3], "agent 1 is 3: it must be a text"),
        (["a", "b" * 201], "1 to 200 printable characters"),
    ):
        with pytest.raises(ValueError, match=said):
            Record.of(environment, wrong)
    environment.step(int(environment.last()[0]["action_mask"].argmin()))
    with pytest.raises(ValueError, match="which is not legal, ended this game"):
        Record.of(environment, "ab")


# ------------------------------------------------------------------------------ what is refused


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    """The lines of a file of four games."""
    path = tmp_path_factory.mktemp("four") / "games.jsonl"
    gubs_env.record(path, "greedy,random", games=4)
    return path.read_bytes().splitlines(keepends=True)


def refused(tmp_path, content, message):
    (tmp_path / "games.jsonl").write_bytes(content)
    with pytest.raises(ValueError, match=message) as raised:
        list(read_records(tmp_path / "games.jsonl"))
    assert "\n" not in str(raised.value)


BAD_KEYS = {
    "format": ("gubs_env game 2", "its format is 'gubs_env game 2', not 'gubs_env game 1'"),
    "version": (0.2, "version is 0.2: it must be a text"),
    "game": ("chess", "no game is called 'chess'"),
    "rules": ({}, "rules lacks 'letters'"),
    "seed": (-1, "seed is -1: allowed are 0 to"),
    "agents": (["a"] * 7, "7 players|for 2 to 6 players"),
    "actions": ([0, True], r"actions\[1\] must be a whole number, not True"),
    "decisions": ([0, 0], r"decisions \[0, 0\] contradict the replay"),
    "outcome": (None, "outcome null contradict the replay of the actions, which gives {"),
}


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_line_with_a_wrong_value_is_refused_by_its_number(lines, tmp_path, key):
    value, message = BAD_KEYS[key]
    record = json.loads(lines[2])
    assert set(record) == set(BAD_KEYS)
    changed = json.dumps(record | {key: value}).encode() + b"\n"
    refused(
        tmp_path, b"".join([*lines[:2], changed, lines[3]]), f"games.jsonl, line 3: .*{message}"
    )
    del record[key]
    refused(tmp_path, lines[0] + json.dumps(record).encode(), "games.jsonl, line 2: .*")
    refused(tmp_path, json.dumps(record | {key: value, "x": 1}).encode(), "line 1: .*")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "fubnub_v0"}, "rules has an unknown key"),
        ({"game": "gubs"}, "game is 'gubs', not 'gubs_v0'"),
        ({"game": ["gubs_v0"]}, "game must be the name of a game"),
        ({"seed": 2**63}, "seed is 9223372036854775808: allowed are"),
        ({"seed": None}, "the record lacks 'start'"),
        (
            {"seed": None, "start": {"rng": [1, 2, 3, 4], "starting_player": 2}},
            "allowed are 0 to 1",
        ),
        ({"seed": None, "start": {"state": {}}}, "state lacks 'num_players'"),
        ({"start": {"state": {}}}, "the record has an unknown key, 'start'"),
        ({"actions": [0] * 20_000}, "20,000 actions: a game at this table has at most 12,070"),
        ({"actions": []}, "the actions end before the game does"),
        ({"actions": [63]}, "action 63, number 0 of the game, is not legal; the legal actions"),
        ({"actions": [2**62]}, "action 4611686018427387904, number 0 of the game, is not legal"),
        ({"decisions": [1]}, r"decisions must be a list of 2, not \[1\]"),
        ({"decisions": [1.0, 2]}, r"decisions\[0\] must be a whole number, not 1.0"),
        ({"outcome": {"payoffs": [1, -1]}}, "outcome lacks 'scores'"),
        ({"outcome": {"payoffs": [True, 1], "scores": [0, 0], "winners": []}}, "must be numbers"),
        ({"outcome": {"payoffs": [1], "scores": [0, 0], "winners": []}}, "must be a list of 2"),
        (
            {"outcome": {"payoffs": [9.0, -9.0], "scores": [9, 0], "winners": [0]}},
            r"outcome {.*9\.0.*} contradict the replay of the actions, which gives {",
        ),
    ],
)
def test_a_record_that_cannot_be_is_refused(lines, tmp_path, change, message):
    changed = json.loads(lines[0]) | change
    refused(tmp_path, json.dumps(changed).encode() + b"\n", f"games.jsonl, line 1: .*{message}")


def test_one_game_is_read_without_the_others(lines, tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_bytes(lines[0] + b"my diary\n" + lines[2])
    assert gubs_env.read_record(path, 2).line().encode() == lines[2]
    with pytest.raises(ValueError, match="line 2: this is not the record of a game"):
        gubs_env.read_record(path, 1)
    with pytest.raises(ValueError, match=r"has no game 3: it has 3 games, counted from 0"):
        gubs_env.read_record(path, 3)
    with pytest.raises(ValueError, match="number=-1: must be at least 0"):
        gubs_env.read_record(path, -1)


def test_actions_after_the_end_are_refused(lines, tmp_path):
    record = json.loads(lines[1])
    record["actions"] += [0]
    refused(tmp_path, lines[0] + json.dumps(record).encode(), "line 2: the actions go on after")


@pytest.mark.parametrize(
    "content", [b"{", b"[]\n", b"3\n", b"null\n", b"\xff\n", b"\n", b"[" * 10**5 + b"\n", b"{}\n",
                b'{"seed":1e999}\n', b'{"a":' + b"9" * 99 + b"}\n"]
)  # fmt: skip
def test_what_is_no_file_of_records_is_refused(tmp_path, content):
    if content == b"{":  # a line that was being written
        (tmp_path / "games.jsonl").write_bytes(content)
        assert list(read_records(tmp_path / "games.jsonl")) == []
    elif content == b"\n":
        refused(tmp_path, content, "games.jsonl is no file of records: it is empty")
    else:
        refused(tmp_path, content, "games.jsonl, line 1: this is not the record of a game")


def test_a_folder_is_no_file_of_records(tmp_path):
    with pytest.raises(ValueError, match="is a folder: name a file in it"):
        next(read_records(tmp_path))


def test_older_results_of_the_arena_are_refused(tmp_path):
    refused(tmp_path, b'{"format":"gubs_env arena 1"}\n', "its format is 'gubs_env arena 1'")


def damage(lines, count, tmp_path, seed):
    """Return how many of `count` damaged lines are still records."""
    rng, path, valid = np.random.default_rng(seed), tmp_path / "games.jsonl", 0
    messages = []
    for number in range(count):
        line = lines[rng.integers(len(lines))]
        path.write_text(edited(line.strip(), rng, 1 + number % 2) + "\n")
        try:
            found = list(read_records(path))
        except ValueError as error:
            messages.append(str(error))
            continue
        for record in found:
            environment = record.env()
            if record.outcome is not None:
                assert record.outcome.payoffs == payoffs_of(environment)
            assert again(record).line() == record.line()
            valid += 1
    assert all("games.jsonl, line " in message and "\n" not in message for message in messages)
    return valid


@every_module
def test_damaged_lines_are_refused_or_still_records(module, tmp_path):
    players = module.GAME.players
    environment = play_to_the_end(started(module, players, {}))
    middle = module.env(players)
    middle.set_state(started(module, players, {}, decisions=9).state())
    under_way = (started(module, players, {}, decisions=12), play(middle, 4))
    found = [Record.of(environment, names(environment), seed=7).line()]
    found += [Record.of(game, names(game)).line() for game in under_way]
    assert 0 < damage(found, EDITS, tmp_path, seed=1) < EDITS / 2


# ----------------------------------------------------------------------------- a thousand games


def games_of_random_agents(count):
    """Yield records of random agents at random tables of all games."""
    rng = np.random.default_rng(5)
    games = [find_game(name) for name in gubs_env.GAMES]
    for chunk in range(25):
        game = games[chunk % 3]
        table = sample_table(game, rng)
        seeds = rng.integers(2**62, size=count // 25)
        seatings = np.zeros((len(seeds), table.num_players), np.int64)
        played, _ = play_games(Games(table, seeds, seatings), [Uniform(table)])
        agents = [("random",) * table.num_players] * len(seeds)
        yield from records_of(table, seeds.tolist(), agents, played)


def test_a_thousand_games_are_played_again_to_their_outcomes(tmp_path):
    records = list(games_of_random_agents(1000))
    path = tmp_path / "games.jsonl"
    path.write_text("".join(record.line() for record in records))
    found = list(read_records(path))
    assert [record.line() for record in found] == [record.line() for record in records]
    assert all(record.outcome is not None for record in found)
    for record in found[::100]:  # alone, through the public environment
        assert payoffs_of(record.env()) == record.outcome.payoffs


def test_records_are_replayed_in_batches_of_one_table(lines, tmp_path):
    path = tmp_path / "games.jsonl"
    gubs_env.record(path, "random", find_table("gubs", 3), games=3)
    path.write_bytes(lines[0] * (TOGETHER + 5) + path.read_bytes() + lines[1])
    sizes = [len(part) for part, _ in batches(read_lines(path))]
    assert sizes == [TOGETHER, 5, 3, 1]


# --------------------------------------------------------- files that other programs have kept


KEPT = {
    "blank lines": lambda text: b"\n" + text.replace(b"\n", b"\n \n\n"),
    "a byte order mark": lambda text: codecs.BOM_UTF8 + text,
    "line ends of Windows": lambda text: text.replace(b"\n", b"\r\n"),
    "gzip": gzip.compress,
    "two files of gzip": lambda text: gzip.compress(text[:999]) + gzip.compress(text[999:]),
}
kept_otherwise = pytest.mark.parametrize("keep", KEPT.values(), ids=KEPT)


@kept_otherwise
@pytest.mark.parametrize("ending", [b"\n", b""])
def test_lines_are_read_however_they_are_kept(lines, tmp_path, keep, ending):
    (tmp_path / "games.jsonl").write_bytes(keep(b"".join(lines).removesuffix(b"\n") + ending))
    found = [record.line().encode() for record in read_records(tmp_path / "games.jsonl")]
    assert found == lines
    assert gubs_env.read_record(tmp_path / "games.jsonl", 3).line().encode() == lines[3]


@kept_otherwise
def test_a_run_goes_on_however_its_lines_are_kept(lines, tmp_path, keep):
    path = tmp_path / "games.jsonl"
    path.write_bytes(keep(b"".join(lines[:2])))
    gubs_env.record(path, "greedy,random", games=4, resume=True)
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_number_of_a_line_counts_all_lines(lines, tmp_path, pack):
    content = pack(b"\n".join([b"", lines[0], b"", b"{}", b""]))
    refused(tmp_path, content, "games.jsonl, line 5: this is not the record of a game")
    with pytest.raises(ValueError, match=r"line 5: this is not the record"):
        gubs_env.record(tmp_path / "games.jsonl", "greedy,random", games=4, resume=True)
    assert (tmp_path / "games.jsonl").read_bytes() == content


def test_half_a_file_of_gzip_is_refused(lines, tmp_path):
    content = gzip.compress(b"".join(lines))
    for damaged in (content[:-9], content[:99], content[:200] + b"x" + content[201:]):
        refused(tmp_path, damaged, "games.jsonl is not a whole gzip file")


# ---------------------------------------------------------------------------------- recording


def test_records_are_compressed_after_the_last_game(lines, tmp_path):
    path, plain = tmp_path / "games.jsonl.gz", tmp_path / "games.jsonl"
    assert gubs_env.record(path, "greedy,random", games=2) == path
    plain.write_bytes(b"".join(lines[:3])[:-9])  # an interrupted run that was to have more games
    for _ in range(2):
        gubs_env.record(path, "greedy,random", games=4, resume=True)
        assert gzip.decompress(path.read_bytes()) == b"".join(lines)
        assert not plain.exists()
    once = path.read_bytes()
    with pytest.raises(ValueError, match=r"jsonl\.gz exists already: resume it"):
        gubs_env.record(path, "greedy,random", games=4)
    path.rename(tmp_path / "elsewhere.jsonl.gz")
    gubs_env.record(path, "greedy,random", games=4)
    assert path.read_bytes() == once


def test_agents_take_turns_in_the_seats(tmp_path):
    path, three = tmp_path / "a.jsonl", find_table("gubs", 3)
    gubs_env.record(path, "greedy,random,random", three, games=4, seed=50)
    found = list(gubs_env.read_records(path))
    assert [record.seed for record in found] == [50, 51, 52, 53]
    assert [record.agents.index("greedy") for record in found] == [0, 1, 2, 0]
    path = gubs_env.record(tmp_path / "b.jsonl", ["greedy", "random"], games=3, rotate=False)
    assert {record.agents for record in read_records(path)} == {("greedy", "random")}
    path = gubs_env.record(tmp_path / "c.jsonl", "random", find_table("bad_bad_turtle", 5), games=2)
    assert {record.agents for record in read_records(path)} == {("random",) * 5}


class First:
    """Plays the first legal action."""

    def act(self, observations, masks, rngs):
        return masks.argmax(axis=1)


def test_objects_play_under_their_names(tmp_path):
    table = find_table("fubnub", 2, {"mode": "royal", "num_points": 3})
    path = gubs_env.record(tmp_path / "a.jsonl", [First(), "random"], table, games=2)
    assert [record.agents for record in read_records(path)] == [
        ("First", "random"),
        ("random", "First"),
    ]
    path = gubs_env.record(tmp_path / "b.jsonl", {"me": First(), "you": First()}, games=2)
    assert [record.agents for record in read_records(path)] == [("me", "you"), ("you", "me")]
    record = next(read_records(path))
    env, legal = record.replay(), []
    for shown, action in env:
        legal.append(action == shown.last()[0]["action_mask"].argmax())
    assert all(legal)


def test_the_arena_plays_the_same_games(tmp_path):
    arena = pytest.importorskip("gubs_agents.arena", reason="the arena extra is not installed")
    arena.tournament("greedy,random", deals=2, seed=8, out=tmp_path, resamples=2)
    _, theirs = arena.load(tmp_path / "games.jsonl")
    ours = read_records(gubs_env.record(tmp_path / "ours.jsonl", "greedy,random", games=2, seed=8))
    lines = [record.line() for record in theirs]
    assert all(record.line() in lines for record in ours)
    assert [record.line() for record in read_records(tmp_path / "games.jsonl")] == lines


@pytest.mark.parametrize("options", [{}, {"batch": 3}])
@pytest.mark.parametrize("kept", [0, 5, 0.3, 0.62, 1.0])
def test_a_file_that_was_cut_is_resumed(lines, tmp_path, kept, options):
    content, path = b"".join(lines), tmp_path / "games.jsonl"
    cut = int(kept * len(content)) if isinstance(kept, float) else kept
    path.write_bytes(content[:cut])
    gubs_env.record(path, "greedy,random", games=4, resume=True, **options)
    assert path.read_bytes() == content


def test_a_finished_file_grows_by_more_games(lines, tmp_path):
    path = tmp_path / "games.jsonl"
    for games in (1, 3, 3, 4):
        gubs_env.record(path, "greedy,random", games=games, resume=True)
        assert path.read_bytes() == b"".join(lines[:games])
    with pytest.raises(ValueError, match="holds 4 games, but the run has only 2"):
        gubs_env.record(path, "greedy,random", games=2, resume=True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e[1:], "line 1: seed 1 with .* is not the next game of the run"),
        (lambda e: e[:1] + e[:3], "line 2: seed 0 with .*: a line is lost, doubled or of"),
        (lambda e: [e[0].replace(b":", b": ", 1)], "line 1 is not written as it was recorded"),
        (lambda e: [e[0].replace(b'"thirds"', b'"anywhere"')], "line 1: .*"),
        (lambda e: [e[0].replace(b'"0.', b'"9.')], "was recorded by version 9.* go on with that"),
        (lambda e: [b"my diary\n"], "line 1: this is not the record of a game"),
        (lambda e: [b"my diary"], "is not a file of records, or of another run: .* or write"),
    ],
)
def test_a_file_of_other_games_is_not_resumed_and_stays(lines, tmp_path, change, message):
    path, content = tmp_path / "games.jsonl", b"".join(change(lines))
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        gubs_env.record(path, "greedy,random", games=4, resume=True)
    with pytest.raises(ValueError, match=r"exists already: resume it \(--resume\), delete it"):
        gubs_env.record(path, "greedy,random", games=4)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": "chess"}, "no game is called 'chess'"),
        ({"agents": "genius"}, "no agent is called 'genius' in gubs_v0: there are"),
        ({"agents": "random,random,random"}, "3 agents: give one for all seats, or one for each"),
        ({"agents": ""}, "0 agents: give one"),
        ({"agents": [3]}, "agent 'int' is 3, which is no agent"),
        ({"agents": [First(), First()]}, "two agents have the same name: give a mapping"),
        ({"agents": {"a\n": "random"}}, "the name of an agent is 'a.*printable"),
        ({"games": 0}, "games=0: must be at least 1"),
        ({"seed": -1}, "seed=-1: must be 0 to"),
        ({"seed": 2**63}, "seed=9223372036854775808: must be 0 to"),
        ({"batch": -1}, "batch=-1: must be at least 0"),
        ({"games": "2"}, "games='2': must be a whole number"),
        ({"resume": 1}, "resume=1: must be True or False"),
        ({"processes": 0}, "processes=0: must be at least 1"),
        ({"path": "games.csv"}, r"games\.csv: give a file that ends in \.jsonl or \.jsonl\.gz for"),
    ],
)
def test_bad_options_are_a_clear_error(tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    given = {"path": "games.jsonl", "agents": "random", "games": 2} | options
    with pytest.raises(ValueError, match=message) as raised:
        gubs_env.record(**given)
    assert "\n" not in str(raised.value)
    assert not list(tmp_path.glob("*.*"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"agents": 3}, "agents=3: give a text with commas, a list or a mapping"),
        ({"num_players": 3}, "unexpected keyword argument 'num_players'"),
    ],
)
def test_options_of_a_wrong_type_are_a_clear_error(tmp_path, options, message):
    with pytest.raises(TypeError, match=message):
        gubs_env.record(**{"path": tmp_path / "a.jsonl", "agents": "random"} | options)


# --------------------------------------------------------------------------------- the commands


def test_the_command_writes_the_same_bytes_again(lines, tmp_path, capsys):
    for name in ("one.jsonl", "two.jsonl"):
        path = tmp_path / name
        gubs("record", "--agents", "greedy,random", "--games", 4, "--out", path)
        assert path.read_bytes() == b"".join(lines)
    assert f"4 games: {path}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "genius"], "^gubs record: no agent is called 'genius'"),
        (["--agents", "random", "--game", "chess"], "^gubs record: no game is called 'chess'"),
        (["--agents", "random", "--rules", "royal"], "^gubs record: 'royal' is not an option"),
        (["--agents", "random", "--games", "0"], "^gubs record: games=0: must be at least 1"),
        (["--agents", "random", "--players", "7"], "^gubs record: num_players=7: Gubs is for"),
    ],
)
def test_a_mistake_ends_the_command_with_one_line(tmp_path, capsys, arguments, message):
    with ends_with(capsys, message):
        gubs("record", "--out", tmp_path / "games.jsonl", *arguments)
    assert not (tmp_path / "games.jsonl").exists()


class Interrupted(First):
    """Somebody presses Ctrl-C in the second chunk of games."""

    presses = True

    def __init__(self, table, seed):
        self.seed = seed

    def act(self, observations, masks, rngs):
        if self.presses and self.seed:
            raise KeyboardInterrupt
        return super().act(observations, masks, rngs)


def test_ctrl_c_loses_no_game_and_doubles_none(tmp_path, monkeypatch, capsys):
    once, path = tmp_path / "once.jsonl", tmp_path / "games.jsonl"
    options = ["--agents", f"{__name__}:Interrupted", "--games", "12", "--batch", "5"]
    with pytest.raises(SystemExit) as raised:
        gubs("record", *options, "--out", path)
    assert raised.value.code == 130
    assert "the same command with --resume continues" in capsys.readouterr().err
    assert len(list(read_records(path))) == 5
    monkeypatch.setattr(Interrupted, "presses", False)
    gubs("record", *options, "--out", path, "--resume")
    gubs("record", *options, "--out", once)
    assert path.read_bytes() == once.read_bytes()
    assert [record.seed for record in read_records(path)] == list(range(12))


def test_a_second_process_may_not_write_to_the_file(tmp_path):
    lock = lock_file(tmp_path / "games.jsonl")
    options = ["record", "--agents", "random", "--games", "2", "--out", tmp_path / "games.jsonl"]
    done = subprocess.run(
        [sys.executable, "-m", "gubs_env", *options], capture_output=True, text=True, check=False
    )
    lock.release()
    check_one_line(done.returncode, done.stderr, "^gubs record: .* is in use by another run: wait")


def test_the_page_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[2] / "docs" / "records.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert result.attempted > 10
    assert not result.failed


def test_every_line_begins_with_the_format(lines):
    assert all(line.startswith(BEGINNING) for line in lines)


def test_a_searching_agent_is_recorded(tmp_path):
    table = find_table("fubnub", 2, {"mode": "royal", "num_points": 1})
    agent = build("montecarlo:playouts=2", table, seed=0)
    path = gubs_env.record(tmp_path / "a.jsonl", [agent], table, games=2)
    assert [record.agents for record in read_records(path)] == [("MonteCarlo",) * 2] * 2


if __name__ == "__main__":
    # For measurements: tries many more edits than the test does.
    from tempfile import TemporaryDirectory

    for name in gubs_env.GAMES:
        made = list(games_of_random_agents(100))
        own = [record.line() for record in made if record.table.game is find_game(name)]
        with TemporaryDirectory() as folder:
            print(name, damage(own, int(sys.argv[1]), Path(folder), seed=1))
