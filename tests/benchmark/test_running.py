"""The benchmark from end to end, with a tiny protocol: playing, resuming, bad agents, scores."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import gubs_agents
from gubs_agents import benchmark
from gubs_agents.arena.measures import mean_with_error
from gubs_agents.benchmark import running
from gubs_agents.benchmark.anchors import freeze
from gubs_agents.benchmark.protocol import FOLDER
from gubs_agents.benchmark.scoring import TaskResult, estimate, total
from gubs_agents.deals import PROTOCOL_DEALS
from gubs_env import read_records
from gubs_env.agents.registry import parse_agent
from tests.amounts import MORE
from tests.benchmark.agents import (
    Deaf,
    Drawing,
    Illegal,
    Last,
    LateFor,
    OfOneGame,
    Raising,
    Sleeper,
    Slow,
)
from tests.commands import ends_with, gubs
from tests.language.agents import Hopeless, Reader

pytestmark = pytest.mark.usefixtures("quick_processes")
TINY = benchmark.load("tiny")


def limited(seconds):
    """Return the tiny protocol with another limit of time."""
    tracks = tuple(replace(track, seconds=seconds) for track in TINY.tracks)
    return replace(TINY, tracks=tracks)


def test_random_has_the_score_0_and_the_heuristic_100():
    for agent, score in (("random", 0), ("heuristic", 100)):
        result = benchmark.run(agent, "tiny")
        assert result.score.value == pytest.approx(score, abs=1e-9)
        for each in result.tasks:
            assert each.score.value == pytest.approx(score, abs=1e-9)
            assert each.rate.value == pytest.approx(each.task.scale[score // 100])


def test_fresh_deals_are_others_each_time_and_can_be_resumed_and_verified(tmp_path, capsys):
    options = ["heuristic", "--protocol", "tiny", "--tables", "gubs-2", "--fresh"]
    for name in "ab":
        gubs("benchmark", *options, "--out", str(tmp_path / name))
    assert "24 games on fresh deals" in capsys.readouterr().out
    games = [list(read_records(tmp_path / name / "games.jsonl")) for name in "ab"]
    seeds = [{record.seed for record in each} for each in games]
    assert seeds[0].isdisjoint(seeds[1])
    assert min(seeds[0] | seeds[1]) >= PROTOCOL_DEALS.stop
    path = tmp_path / "a" / "games.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with ends_with(capsys, "^gubs benchmark: .* is of another run .*fresh: "):
        gubs("benchmark", *options[:-1], "--resume", "--out", str(tmp_path / "a"))
    gubs("benchmark", *options, "--resume", "--out", str(tmp_path / "a"))
    assert path.read_bytes() == whole
    assert benchmark.verify(tmp_path / "a" / "result.json", "heuristic").asked


def test_an_agent_of_a_class_plays_all_games_and_gets_a_table(tmp_path, capsys):
    result = benchmark.run(Last, "tiny", name="the last", out=tmp_path, tables="gubs-2")
    assert len(result.done.records) == 3 * 2 * 4
    found = benchmark.read_result(tmp_path / "result.json")
    assert found["agent"] == "the last"
    assert found["made_by"] == "tests.benchmark.agents.Last"
    assert "| gubs-2 | 24 |" in benchmark.markdown(found)
    games = list(read_records(tmp_path / "games.jsonl"))
    assert len(games) == found["games"]
    assert games[0].agents == ("agent", "random")


def test_processes_and_interruptions_change_no_byte(tmp_path):
    bot, options = "own=tests.benchmark.agents:Drawing", {"protocol": "tiny", "tables": "gubs-2"}
    once, killed = tmp_path / "once", tmp_path / "killed"
    result = benchmark.run(bot, out=once, **options)
    again = benchmark.run(bot, out=killed, processes=2, **options)
    assert again.games_text() == result.games_text()
    games = (once / "games.jsonl").read_bytes()
    (killed / "games.jsonl").write_bytes(games[: len(games) // 2])  # in the middle of a line
    benchmark.run(bot, out=killed, resume=True, **options)
    for name in ("games.jsonl", "result.jsonl.gz"):
        assert (killed / name).read_bytes() == (once / name).read_bytes(), name
    told, true = (benchmark.read_result(folder / "result.json") for folder in (killed, once))
    assert told["score"] == true["score"]
    assert [t["decisions"] for t in told["tables"]] == [t["decisions"] for t in true["tables"]]


def test_a_run_is_not_mixed_with_another_one(tmp_path, capsys):
    benchmark.run("greedy", "tiny", out=tmp_path, tables="bad_bad_turtle-4")
    options = ["--protocol", "tiny", "--out", str(tmp_path)]
    with ends_with(capsys, r"^gubs benchmark: .* exists already: resume it \(--resume\), delete"):
        gubs("benchmark", "greedy", "--tables", "bad_bad_turtle-4", *options)
    with ends_with(capsys, "^gubs benchmark: .* of another run .*agent: 'greedy' there, 'random'"):
        gubs("benchmark", "random", "--tables", "bad_bad_turtle-4", "--resume", *options)
    path = tmp_path / "games.jsonl"
    path.write_text(path.read_text().replace('"winners":[0]', '"winners":[1]', 1))
    with ends_with(capsys, r"^gubs benchmark: .*games.jsonl, line \d+: outcome .* contradict"):
        gubs("benchmark", "greedy", "--tables", "bad_bad_turtle-4", "--resume", *options)


@pytest.mark.parametrize(
    ("bot", "error", "message"),
    [
        (Illegal, ValueError, "agent 'tests.*Illegal' chose action 0, which is not .* gubs-2$"),
        (
            Raising,
            ValueError,
            r"agent 'tests.*Raising' failed: KeyError: 'no idea' \(.*agents.py, line \d+\); asked "
            "for decision 0 of deal 1000101000000 and 1 more at table gubs-2",
        ),
        (
            Slow,
            TimeoutError,
            "agent '.*Slow' took longer than 0.0002 seconds for one call; the limit is 0.0001 "
            "seconds a decision; asked for decision 0 of deal 1000101000000 and 1 more at table g",
        ),
    ],
)
def test_an_agent_that_fails_ends_the_run_and_the_games_are_kept(tmp_path, bot, error, message):
    protocol = limited(0.0001) if bot is Slow else TINY
    with pytest.raises(error, match=message):
        benchmark.run(bot, protocol, out=tmp_path, tables="gubs-2")
    assert (tmp_path / "games.jsonl").exists()
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize("bot", [LateFor, Sleeper, Deaf])
def test_an_agent_that_never_returns_is_ended_and_the_games_are_kept(tmp_path, bot):
    told = r"took longer than [12] seconds for one call; the limit is 0\.5 seconds a decision; "
    with pytest.raises(TimeoutError, match=f"agent 'late' {told}asked for .* at table gubs-2$"):
        benchmark.run(bot, limited(0.5), name="late", out=tmp_path, tables="gubs-2")
    assert len(list(read_records(tmp_path / "games.jsonl"))) == 6
    assert not multiprocessing.active_children()


def test_a_bot_that_knows_one_game_only_is_told_where_it_fails():
    line = OfOneGame.act.__code__.co_firstlineno + 1
    told = f"agent 'mine' failed: IndexError: .*agents.py, line {line}.; asked for decision "
    with pytest.raises(ValueError, match=rf"{told}\d+ of deal .* at table bad_bad_turtle-4$"):
        benchmark.run(OfOneGame, "tiny", name="mine", tables="bad_bad_turtle-4")


AGENTS = sorted(gubs_agents.names().keys() - {"llm"}) if MORE > 1 else ["ismcts", "policy"]


@pytest.mark.parametrize("agent", AGENTS)
def test_every_shipped_agent_plays_at_every_kind_of_table(agent, monkeypatch):
    """Play two deals at each, and at the table of protocol 1 whose rules are not the default."""
    monkeypatch.setattr(running, "check_anchors", lambda protocol, tasks: None)
    royal = replace(benchmark.load("1").track("standard").tasks[4], deals=2)
    assert royal.table.changed_options()
    track = TINY.track("standard")
    tasks = (*(replace(task, deals=2) for task in track.tasks), royal)
    protocol = replace(TINY, tracks=(replace(track, tasks=tasks, seconds=300),))
    searches = hasattr(parse_agent(agent).factory(royal.table.game), "search")
    result = benchmark.run(f"{agent}:playouts=1" if searches else agent, protocol)
    assert len(result.done.records) == 16 + 24 + 18


def test_an_agent_that_plays_at_some_tables_only_has_no_score_over_all(tmp_path):
    class ForTwo(Last):
        def __init__(self, table, seed):
            if table.num_players != 2:
                raise ValueError("I know two players only")

    with pytest.raises(ValueError, match=r"table bad_bad_turtle-4: I know two.* \(--tables\)"):
        benchmark.run(ForTwo, "tiny")
    result = benchmark.run(ForTwo, "tiny", tables="gubs-2", out=tmp_path)
    assert result.score is None
    assert [each.task.name for each in result.tasks] == ["gubs-2"]
    assert benchmark.verify(tmp_path / "result.json").games == 24


def test_a_text_agent_plays_the_language_track_and_forfeits_count_as_losses(tmp_path):
    reader = benchmark.run(Reader, "tiny")
    assert reader.plan.track.name == "language"
    assert reader.tasks[0].forfeits == 0
    result = benchmark.run(Hopeless, "tiny", out=tmp_path)
    asked = sum(
        record.decisions[record.agents.index("agent")] > 0 for record in result.done.records
    )
    assert result.tasks[0].forfeits == asked > 0
    assert result.time_of(result.tasks[0].task).usage["forfeited"] == asked
    assert result.tasks[0].rate.value < reader.tasks[0].rate.value
    assert benchmark.verify(tmp_path / "result.json").games == result.tasks[0].task.num_games


def test_what_is_not_allowed_is_named(capsys):
    for options, message in (
        ([], "^gubs benchmark: name an agent to play"),
        (["heuristc"], "^gubs benchmark: .*no agent is called 'heuristc'"),
        (["random", "--tables", "gubs-9"], "^gubs benchmark: table 'gubs-9': allowed are gubs-2"),
        (["random", "--track", "fast"], "^gubs benchmark: track 'fast': allowed are standard"),
        (["random", "--link", "javascript:alert(1)"], "^gubs benchmark: link is .*http"),
    ):
        with ends_with(capsys, message):
            gubs("benchmark", *options, "--protocol", "tiny")
    with pytest.raises(ValueError, match="protocol '0': allowed are 1, tiny"):
        benchmark.run("random", "0")
    with pytest.raises(TypeError, match="give its class"):
        benchmark.run(Drawing(None, 0), "tiny")


def test_an_anchor_that_plays_otherwise_is_named():
    track = TINY.track("standard")
    task = track.tasks[0]
    anchors = tuple(
        replace(each, moves="0" * 32) if each.name == "greedy" else each for each in task.anchors
    )
    changed = replace(track, tasks=(replace(task, anchors=anchors), *track.tasks[1:]))
    protocol = replace(TINY, tracks=(changed, *TINY.tracks[1:]))
    with pytest.raises(ValueError, match="anchor 'greedy' of table gubs-2 in protocol tiny plays"):
        benchmark.run("random", protocol)


def test_freezing_the_tiny_protocol_again_gives_its_file():
    assert freeze("tiny") == json.loads((FOLDER / "tiny.json").read_text())


def test_every_deal_belongs_to_one_table_of_one_protocol():
    ranges = [
        (task.first_deal, task.first_deal + task.deals)
        for name in benchmark.protocols()
        for track in benchmark.load(name).tracks
        for task in track.tasks
    ]
    assert all(
        PROTOCOL_DEALS.start + 1000 <= first < stop <= PROTOCOL_DEALS.stop for first, stop in ranges
    )
    for one, other in combinations(ranges, 2):
        assert one[1] <= other[0] or other[1] <= one[0]


def test_the_interval_of_the_score_holds_the_truth_95_times_in_100():
    rng, tasks = np.random.default_rng(0), benchmark.load("1").track("standard").tasks
    truth = [(task.scale[0] + 3 * task.scale[1]) / 4 for task in tasks]
    held = 0
    for _ in range(1000):
        results = []
        for task, mean in zip(tasks, truth, strict=True):
            wins = rng.random((task.deals, task.num_games // task.deals)) < mean
            rate, error = mean_with_error(wins.mean(axis=1))
            points = 100 / (task.scale[1] - task.scale[0])
            score = estimate((rate - task.scale[0]) * points, error * points, -np.inf, np.inf)
            results.append(TaskResult(task, {}, estimate(rate, error, 0, 1), score, error, 0))
        _, low, high = total(results)
        held += low <= 75 <= high
    assert 930 <= held <= 970
