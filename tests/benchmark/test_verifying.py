"""Results from anywhere: an honest one is verified, and everything that was edited is found."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gubs_agents import benchmark
from gubs_agents.benchmark import report, running, verifying
from gubs_agents.benchmark.results import games_file
from gubs_agents.networks.network import Network
from gubs_env.records.record import Record, read_line
from gubs_env.records.running import play_planned
from gubs_env.support import cluster
from tests.commands import ends_with, gubs

pytestmark = pytest.mark.usefixtures("quick_processes")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest")
    benchmark.run("mine=greedy", "tiny", author="A. Uthor", out=folder)
    return folder


@pytest.fixture
def copy(honest, tmp_path, monkeypatch):
    """A copy of an honest result. Another test checks the anchors."""
    monkeypatch.setattr(verifying, "check_anchors", lambda protocol, tasks: None)
    for name in ("result.json", "result.jsonl.gz"):
        shutil.copy(honest / name, tmp_path)
    return tmp_path / "result.json"


def edit_result(path: Path, edit: Callable[[dict], object]) -> None:
    found = json.loads(path.read_text())
    edit(found)
    path.write_text(json.dumps(found))


def edit_games(path: Path, edit: Callable[[list[dict]], object]) -> None:
    """Edit the lines of the games, and set the hash of them anew."""
    text = gzip.decompress(games_file(path).read_bytes())
    lines = [json.loads(line) for line in text.splitlines()]
    edit(lines)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    games_file(path).write_bytes(gzip.compress(text))
    edit_result(path, lambda found: found.update(games_sha256=hashlib.sha256(text).hexdigest()))


def test_an_honest_result_is_verified_with_and_without_its_agent(honest, capsys):
    path = str(honest / "result.json")
    gubs("benchmark", "--verify", path)
    said = capsys.readouterr().out
    assert "all is right: 96 games replayed" in said
    assert "the agent was not asked" in said
    assert benchmark.verify(path, "greedy").asked
    assert not benchmark.verify(path).asked
    with ends_with(capsys, "'mine' does not play .* in seat 0, but "):
        gubs("benchmark", "heuristic", "--verify", path)


def other_move(lines: list[dict]) -> None:
    """Let the anchor play another move at its first choice in a game, and play that to its end."""
    line = next(line for line in lines[1:] if line["agents"] == ["agent", "heuristic"])
    record = read_line(json.dumps(line), "here")
    number, other = next(
        (number, other)
        for number, (env, action) in enumerate(record.replay())
        if env.agent_selection == "player_1"
        for other in legal_actions(env)
        if other != action
    )
    played = replace(record, actions=(*record.actions[:number], other), outcome=None)
    env = played.env().unwrapped
    while not env.is_done(env.agent_selection):
        env.step(legal_actions(env)[0])
    line.update(json.loads(Record.of(env, record.agents, record.seed).line()))


def legal_actions(env) -> list[int]:
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()


GAMES = {
    "an outcome": (
        lambda lines: lines[1]["outcome"].update(winners=[0, 1]), "line 2: outcome .* contradict"
    ),
    "an action that is not legal": (
        lambda lines: lines[1]["actions"].__setitem__(5, 63), "line 2: action 63, number 5"
    ),
    "a move of an anchor": (other_move, "'heuristic' does not play .* in seat 1, but "),
    "a lost game": (lambda lines: lines.pop(), "ends after 95 games: others are lost"),
    "a game twice": (
        lambda lines: lines.insert(2, lines[1]), "line 3: seed .* is not the next game"
    ),
    "a game more": (lambda lines: lines.append(lines[-1]), "holds more games than the protocol"),
    "another deal": (lambda lines: lines[1].update(seed=7), "line 2: seed 7 with"),
    "an anchor's forfeit": (
        lambda lines: lines[1].update(forfeits=[1]), "seat 1 cannot have forfeited"
    ),
    "a loss hidden as a game under way": (
        lambda lines: lines[1].update(outcome=None), "line 2: the game is not over"
    ),
    "other rules": (
        lambda lines: lines[1]["rules"].update(letters="anywhere"), "line 2: the game has other"
    ),
    "an agent's name in the games": (
        lambda lines: lines[0].update(agent="yours"), "agent is 'yours', but 'mine' in the JSON"
    ),
    "a key more": (lambda lines: lines[0].update(more=1), "has other keys"),
}  # fmt: skip


RESULTS = {
    "the agent": (lambda r: r.update(agent="yours"), "agent is 'mine', but 'yours' in the JSON"),
    "the score": (lambda r: r["score"].__setitem__(0, 150.0), "score is .150.0, .* but its games"),
    "no score": (lambda r: r.update(score=None), "score is None, but its games give"),
    "a win rate": (
        lambda r: r["tables"][0]["against"]["random"].__setitem__(0, 0.99),
        "against of table gubs-2 is",
    ),
    "the interval": (
        lambda r: r["tables"][1]["score"].__setitem__(1, 0.0), "score of table bad_bad_turtle-4"
    ),
    "the forfeits": (lambda r: r["tables"][0].update(forfeits=1), "forfeits of table gubs-2"),
    "a table less": (lambda r: r["tables"].pop(), "games is 96, but the protocol has 24"),
    "the protocol's hash": (
        lambda r: r.update(protocol_sha256="0" * 64), "another version of the protocol"
    ),
    "the protocol": (lambda r: r.update(protocol="1"), "played with another version"),
    "no such protocol": (
        lambda r: r.update(protocol="../../x"), "protocol '../../x': allowed are 1, tiny"
    ),
    "the games' hash": (lambda r: r.update(games_sha256="0" * 64), "games_sha256 is not that of"),
    "the order of tables": (lambda r: r["tables"].reverse(), "not in the order of the protocol"),
    "a link that runs code": (lambda r: r.update(link="javascript:alert(1)"), "link is"),
    "a name with a line end": (lambda r: r.update(agent="a\nb"), "printable characters"),
    "a key of the result more": (lambda r: r.update(more=1), "has an unknown key, 'more'"),
    "fresh deals": (lambda r: r.update(fresh=10**13), "fresh is None, but 10000000000000 in the"),
    "a number of fresh deals": (lambda r: r.update(fresh=7), "fresh must be a whole number from"),
    "a text for a number": (lambda r: r.update(games="96"), "games must be a whole number"),
}  # fmt: skip


@pytest.mark.parametrize("name", [*GAMES, *RESULTS])
def test_an_edit_of_the_games_or_of_the_result_is_found(copy, name):
    edit, message = (GAMES | RESULTS)[name]
    (edit_games if name in GAMES else edit_result)(copy, edit)
    with pytest.raises(ValueError, match=message):
        benchmark.verify(copy)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b" " * 50_000_000, "line 1 has more than 1,000,000 bytes"),
        (b"\n" * 50_000_000, "has more than 1,000,000 blank lines"),
        (b"[" * 100_000, "is nested too deeply|not valid JSON"),
        (b"[]\n", "its first line does not describe a run"),
        (b"{}\n", "version is None"),
    ],
    ids=["an endless line", "endless lines", "deep nesting", "a list", "an empty object"],
)
def test_games_that_are_none_are_refused(copy, data, message):
    games_file(copy).write_bytes(gzip.compress(data))
    with pytest.raises(ValueError, match=message):
        benchmark.verify(copy)


def test_plain_text_and_half_a_file_in_place_of_games_are_refused(copy):
    whole = games_file(copy).read_bytes()
    for data, message in (
        (b"plain text", "is not valid JSON"),
        (whole[: len(whole) // 2], "is not a whole gzip file"),
    ):
        games_file(copy).write_bytes(data)
        with pytest.raises(ValueError, match=message):
            benchmark.verify(copy)


def test_a_result_that_is_none_is_refused(copy, capsys):
    copy.write_text(" " * 1_000_001)
    with ends_with(capsys, "has more than 1,000,000 bytes"):
        gubs("benchmark", "--verify", str(copy))
    copy.write_text('{"format": "gubs_env arena 2"}')
    with ends_with(capsys, "is not the result of a benchmark: its format is"):
        gubs("benchmark", "--verify", str(copy))
    games_file(copy).unlink()
    with ends_with(capsys, "No such file"):
        gubs("benchmark", "--verify", str(copy.with_name("none.json")))


def test_games_that_are_cut_off_are_refused(copy):
    games_file(copy).write_bytes(games_file(copy).read_bytes()[:-6])
    with pytest.raises(ValueError, match="is not a whole gzip file"):
        benchmark.verify(copy)


def test_rounding_may_decide_between_moves_that_a_network_likes_equally(tmp_path, monkeypatch):
    """The policy takes the second best move, which here may differ from the best by nothing."""
    judge, act = Network.judge, Network.act

    def second(self, observations, masks, rngs=None):
        judged, best = judge(self, observations, masks)[0], act(self, observations, masks, rngs)
        judged[np.arange(len(best)), best] = 0
        return np.where(judged.max(axis=1) > 0, judged.argmax(axis=1), best)

    def here(work, shared, arguments, processes):
        return (work(shared, *each) for each in arguments)

    for module in (running, verifying):
        monkeypatch.setattr(module, "check_anchors", lambda protocol, tasks: None)
    with monkeypatch.context() as patched:
        patched.setattr(Network, "act", second)
        patched.setattr(cluster, "in_processes", here)
        benchmark.run("greedy", "tiny", tables="gubs-2", out=tmp_path)
    with pytest.raises(ValueError, match=r"'policy' does not play .*; their probabilities are "):
        benchmark.verify(tmp_path / "result.json")
    monkeypatch.setattr(verifying, "NEARLY", 0.0)
    assert benchmark.verify(tmp_path / "result.json").games == 24


# ------------------------------------------------------------------------------ the results page


def test_the_tables_of_the_pages_are_made_from_the_results_and_the_protocol(tmp_path):
    for name in ("results.md", "benchmark.md"):
        shutil.copy(ROOT / "docs" / name, tmp_path)
    report.write_pages(ROOT / "results", tmp_path)
    for name in ("results.md", "benchmark.md"):
        assert (tmp_path / name).read_text("utf-8") == (ROOT / "docs" / name).read_text("utf-8")


def test_every_result_of_the_page_was_played_with_a_frozen_protocol():
    results = report.results_in(ROOT / "results")
    assert {"random", "heuristic"} <= {found["agent"] for found in results}
    for found in results:
        assert found["protocol"] != "tiny"
        assert found["protocol_sha256"] == benchmark.load(found["protocol"]).sha256
        verifying.Verification(ROOT / "results" / found["file"], None, None).lines()


def test_the_result_of_policy_was_played_by_the_networks_of_today():
    """Another network plays another move in the first games of a table already."""
    path = ROOT / "results" / "policy.json"
    plan = verifying.Verification(path, "policy", None).plan
    lines = gzip.decompress(games_file(path).read_bytes()).splitlines()[1:]
    for task in plan.tasks:
        first = plan.series_of(task)[0].first
        played = play_planned(plan.games_of(first, first + 8)).records
        for line, record in zip(lines[first:], played, strict=False):
            assert read_line(line, task.name, task.table.game).actions == record.actions, task.name


def test_only_results_whose_agents_are_asked_again_are_ranked(honest, tmp_path):
    for name in ("known", "best-of-twelve"):
        shutil.copy(honest / "result.json", tmp_path / f"{name}.json")
        shutil.copy(honest / "result.jsonl.gz", tmp_path / f"{name}.jsonl.gz")
    picked = tmp_path / "best-of-twelve.json"
    edit_result(picked, lambda found: found.update(agent="lucky", score=[194.0] * 3))
    (tmp_path / report.RANKED).write_text('{"known": "greedy"}')
    board = report.board(report.results_in(tmp_path), ["gubs-2"]).splitlines()
    assert re.match(r"\| 1 \| mine \|.*\| yes \|", board[2])
    assert re.match(r"\| – \| lucky \|.*\| no \|", board[3])
    edit_result(tmp_path / "known.json", lambda r: r.update(fresh=10**13))
    with pytest.raises(ValueError, match=r"known\.json was played on fresh deals"):
        report.results_in(tmp_path)
    (tmp_path / report.RANKED).write_text("[]")
    with pytest.raises(ValueError, match=r"ranked\.json must be an object of texts"):
        report.results_in(tmp_path)


def test_the_agents_of_ranked_results_are_asked_again(honest, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(verifying, "check_anchors", lambda protocol, tasks: None)
    monkeypatch.chdir(tmp_path)
    for folder in ("results", "elsewhere"):
        shutil.copytree(honest, tmp_path / folder)
        (tmp_path / folder / report.RANKED).write_text('{"result": "heuristic"}')
    with ends_with(capsys, "'mine' does not play .* in seat 0, but "):
        gubs("benchmark", "--verify", "results")
    gubs("benchmark", "--verify", "elsewhere")  # its list came with the result
    assert "the agent was not asked" in capsys.readouterr().out


def test_names_on_the_page_cannot_be_markup(honest):
    found = benchmark.read_result(honest / "result.json")
    name = "<img src=x onerror=alert(1)> | [x](http://a.b) `y`"
    more = {"agent": name, "author": name, "file": "x.json", "ranked": False}
    table = report.board([found | more], ["gubs-2"])
    assert "<img" not in table
    assert table.splitlines()[2].count(" | ") == table.splitlines()[0].count(" | ")
