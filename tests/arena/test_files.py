"""The files of a tournament: what is not ours, edited or incomplete is refused and left alone."""

from __future__ import annotations

import errno
import gzip
import json
import multiprocessing
import os
import sys
import threading
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")


from gubs_agents import arena
from gubs_env.support.files import lock_folder, replace_file
from tests.commands import ends_with, gubs

FIELD = "greedy,random"
MUTATIONS = int(os.environ.get("GUBS_ENV_MUTATIONS", "40"))
ODD = [None, True, -1, 1.5, 2**40, 10**30, "", "x", [], {}, [1], [[1]], {"a": 1}, [-1], ["x"]]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Play a tournament of 24 games."""
    folder = tmp_path_factory.mktemp("played")
    arena.tournament(FIELD, deals=12, out=folder, batch=8, resamples=2)
    return folder


@pytest.fixture
def lines(played):
    return (played / "games.jsonl").read_bytes().splitlines(keepends=True)


def resume(folder, lines):
    (folder / "games.jsonl").write_bytes(b"".join(lines))
    return arena.tournament(FIELD, deals=12, out=folder, resume=True, batch=8, resamples=2)


def edited(line, **changes):
    record = json.loads(line)
    record |= {name: change(record[name]) for name, change in changes.items()}
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def ended(line, **changes):
    def change(outcome):
        return outcome | {name: change(outcome[name]) for name, change in changes.items()}

    return edited(line, outcome=change)


EDITS = {
    "a lost line": (lambda e: e[:4] + e[5:], "line 5: seed .* is not the next game of the run"),
    "a doubled line": (
        lambda e: e[:5] + e[4:-1],
        "line 6: seed .* is not the next game of the run",
    ),
    "exchanged lines": (lambda e: [*e[:3], e[4], e[3]], "line 4: seed .* is not the next game"),
    "too many lines": (lambda e: e + e[-1:], "holds 25 games, but the run has only 24"),
    "another payoff": (
        lambda e: [*e[:3], ended(e[3], payoffs=lambda old: [0.25, -0.25])],
        r"line 4: outcome {.*\[0.25, -0.25\], .*} contradict the replay of the actions, which",
    ),
    "another score": (
        lambda e: [*e[:2], ended(e[2], scores=lambda old: [old[0] + 1, *old[1:]])],
        "line 3: outcome .* contradict the replay",
    ),
    "other winners": (
        lambda e: [*e[:2], ended(e[2], winners=lambda old: [0, 1])],
        "line 3: outcome .* contradict the replay",
    ),
    "other decisions": (
        lambda e: [*e[:2], edited(e[2], decisions=lambda old: [old[0] + 1, *old[1:]])],
        "line 3: decisions .* contradict the replay",
    ),
    "an action that is not legal": (
        lambda e: [*e[:2], edited(e[2], actions=lambda old: [63, *old[1:]])],
        "line 3: action 63, number 0 of the game, is not legal; the legal actions are",
    ),
    "an action outside the action space": (
        lambda e: [*e[:2], edited(e[2], actions=lambda old: [old[0], 10**15, *old[2:]])],
        "line 3: action 1000000000000000, number 1 of the game, is not legal",
    ),
    "an action that leaves the game as it is": (
        lambda e: [*e[:2], edited(e[2], actions=lambda old: [-1, *old])],
        r"line 3: actions\[0\] is -1: allowed are 0 to",
    ),
    "too few actions": (
        lambda e: [*e[:2], edited(e[2], actions=lambda old: old[:-1])],
        "line 3: the actions end before the game does",
    ),
    "too many actions": (
        lambda e: [*e[:2], edited(e[2], actions=lambda old: [*old, 0])],
        "line 3: the actions go on after the end of the game",
    ),
    "other spaces": (
        lambda e: [*e[:2], e[2].replace(b",", b", ", 1)],
        "line 3 is not written as it was recorded",
    ),
    "no JSON": (lambda e: [*e[:2], b"{\n"], "line 3: this is not the record of a game"),
    "not UTF-8": (lambda e: [*e[:2], b"\xff\xfe\n"], "line 3: this is not the record of a game"),
    "a line that is no record": (
        lambda e: [*e[:2], b'{"deal":1}\n'],
        "line 3: this is not the record of a game: its format is None, not 'gubs_env game 1'",
    ),
    "a game of other rules": (
        lambda e: [*e[:2], edited(e[2], rules=lambda old: old | {"reward": "margin"})],
        "line 3: the game has other rules than the run",
    ),
    "a game of another version": (
        lambda e: [*e[:2], edited(e[2], version=lambda old: "0.1.9")],
        "line 3 was recorded by version 0.1.9: go on with that version",
    ),
    "a missing field": (
        lambda e: [*e[:2], b'{"format":"gubs_env game 1"}\n'],
        "line 3: the record lacks 'version'",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_file_is_not_resumed_and_stays_as_it_is(lines, tmp_path, edit):
    change, message = EDITS[edit]
    content = change(lines)
    with pytest.raises(ValueError, match=message) as raised:
        resume(tmp_path, content)
    assert "\n" not in str(raised.value)
    assert (tmp_path / "games.jsonl").read_bytes() == b"".join(content)


@pytest.mark.parametrize("resumes", [False, True])
@pytest.mark.parametrize("name", ["games.jsonl", "times.jsonl"])
@pytest.mark.parametrize("content", [b"my diary", b"\xff\x00", b'{"format":"another'])
def test_a_foreign_file_without_a_line_end_is_left_alone(tmp_path, name, content, resumes):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} is not a"):
        arena.tournament(FIELD, deals=2, out=tmp_path, resume=resumes)
    assert (tmp_path / name).read_bytes() == content


def test_half_a_header_of_our_own_is_begun_anew(lines, tmp_path):
    resume(tmp_path, [lines[0][:30]])
    assert (tmp_path / "games.jsonl").read_bytes() == b"".join(lines)


def test_edited_times_are_refused_by_the_number_of_the_line(played, lines, tmp_path):
    times = (played / "times.jsonl").read_text().splitlines(keepends=True)
    for text, message in (
        ('{"first":0}\n', "line 2 lacks 'agents'"),
        ('{"first":"x","agents":{}}\n', "line 2: first must be a whole number"),
        ('{"first":8,"agents":{"greedy":[1]}}\n', "line 2: agents must be an object of"),
        ('{"first":8,"agents":{"me":[1,2]}}\n', "line 2: these are not the agents of the run"),
        (times[0], "line 2: first must be larger than in the line before"),
    ):
        (tmp_path / "times.jsonl").write_text(times[0] + text)
        with pytest.raises(ValueError, match=message):
            resume(tmp_path, lines)


def test_results_are_read_and_resumed_however_they_are_kept(played, lines, tmp_path):
    path, times = tmp_path / "games.jsonl", (played / "times.jsonl").read_bytes()
    path.write_bytes(gzip.compress(b"\n" + b"\r\n\n".join(line.strip() for line in lines)))
    header, records = arena.load(path)
    assert [header, *(json.loads(record.line()) for record in records)] == [*map(json.loads, lines)]
    foreign = lines[1].replace(b'"greedy"', b'"stranger"')
    path.write_bytes(gzip.compress(b"\n".join([*lines, foreign])))
    with pytest.raises(ValueError, match=f"line {2 * len(lines) + 1}: 'stranger' is not an agent"):
        arena.load(path)
    (tmp_path / "times.jsonl").write_bytes(times.replace(b"\n", b"\r\n\r\n"))
    resume(tmp_path, [line + b"\n" for line in lines[:17]])
    assert path.read_bytes() == b"".join(lines)
    kept = (tmp_path / "times.jsonl").read_bytes()
    assert kept.startswith(b"".join(times.splitlines(keepends=True)[:2]))


def test_a_header_is_read_with_care(lines, tmp_path):
    path, header = tmp_path / "games.jsonl", json.loads(lines[0])
    for change, message in (
        ({"players": "two"}, "players must be a whole number"),
        ({"games": None}, "games must be a whole number"),
        ({"agents": ["random"]}, "agents must be an object of texts"),
        ({"more": 1}, "has an unknown key, 'more'"),
        (
            {"format": "gubs_env arena 1"},
            "its format is 'gubs_env arena 1', not 'gubs_env arena 2'",
        ),
        ({"format": "a diary"}, "it has no header"),
    ):
        path.write_bytes(json.dumps(header | change).encode() + b"\n" + b"".join(lines[1:]))
        with pytest.raises(ValueError, match=message):
            arena.load(path)
        with pytest.raises(ValueError, match=message):
            arena.tournament(FIELD, deals=12, out=tmp_path)
    path.write_bytes(b"[" * 100_000 + b"\n")
    with pytest.raises(ValueError, match="nested too deeply"):
        arena.load(path)
    with pytest.raises(FileNotFoundError, match="No such file"):
        arena.load(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rules": {}}, "line 2: rules {.*} contradict the header, which has {}"),
        ({"players": 3}, "line 2: players 2 contradict the header, which has 3"),
        ({"agents": {"greedy": "greedy"}}, "line 2: 'random' is not an agent of the header"),
    ],
)
def test_games_of_another_table_than_that_of_the_header_are_refused(
    lines, tmp_path, change, message
):
    header = json.dumps(json.loads(lines[0]) | change).encode()
    (tmp_path / "games.jsonl").write_bytes(header + b"\n" + lines[1])
    with pytest.raises(ValueError, match=message):
        arena.load(tmp_path / "games.jsonl")


@pytest.mark.parametrize("seed", range(MUTATIONS))
def test_a_mutated_file_is_read_or_refused(lines, tmp_path, seed):
    """Nothing but a ValueError comes from a bad file; what passes is what was played."""
    rng = np.random.default_rng(seed)
    at = int(rng.integers(len(lines)))
    if seed % 2:
        record = json.loads(lines[at])
        name = list(record)[rng.integers(len(record))]
        record[name] = ODD[rng.integers(len(ODD))]
        changed = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    else:
        data = bytearray(lines[at])
        data[rng.integers(len(data))] = rng.integers(256)
        changed = bytes(data)
    content = [*lines[:at], changed, *lines[at + 1 :]]
    (tmp_path / "games.jsonl").write_bytes(b"".join(content))
    with suppress(ValueError):
        arena.load(tmp_path / "games.jsonl")
    expected = [lines]
    try:
        resume(tmp_path, content)
    except ValueError:
        expected = [content]
    else:  # agents are not asked again: another legal action may lead to the same end
        arena.load(tmp_path / "games.jsonl")
        expected.append(content)
    assert (tmp_path / "games.jsonl").read_bytes() in [b"".join(each) for each in expected]


# ------------------------------------------------------------------------- full disks, two at once


def full(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "report.md"
    replace_file(path, "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*report.md'"):
        replace_file(path, "new")
    assert [file.name for file in tmp_path.iterdir()] == ["report.md"]
    assert path.read_text() == "old"


def test_the_arena_on_a_full_disk_ends_with_one_line(tmp_path, monkeypatch, capsys):
    options = ["--deals", "4", "--out", str(tmp_path)]
    gubs("arena", *options)
    names = ("games.jsonl", "report.md", "times.md", "arena.png")
    before = [(tmp_path / name).read_bytes() for name in names]
    with monkeypatch.context() as context:
        context.setattr(os, "fsync", full)
        context.setattr(sys, "unraisablehook", sys.unraisablehook)  # the command replaces it
        context.setattr(threading, "excepthook", threading.excepthook)
        for more in ([], ["--resume"]):
            with ends_with(capsys, "^gubs arena: .*No space left on device: '.*'$"):
                gubs("arena", *options, *more)
    assert [(tmp_path / name).read_bytes() for name in names] == before
    assert not list(tmp_path.glob("*.unfinished"))
    gubs("arena", *options, "--resume")


def hold(folder, held, done):
    lock = lock_folder(folder)
    held.set()
    done.wait()
    lock.release()


def test_a_second_run_in_a_folder_is_refused_until_the_first_is_killed(tmp_path, capsys):
    context = multiprocessing.get_context("spawn")
    held, done = context.Event(), context.Event()
    other = context.Process(target=hold, args=(tmp_path, held, done))
    other.start()
    assert held.wait(60)
    options = ["--deals", "2", "--out", str(tmp_path)]
    with ends_with(capsys, "^gubs arena: .* is in use by another run: wait until it has ended"):
        gubs("arena", *options)
    assert not (tmp_path / "games.jsonl").exists()
    other.kill()
    other.join()
    gubs("arena", *options)
    assert (tmp_path / "games.jsonl").exists()
