"""The arena: correct statistics, independent of order, batches, processes and interruptions."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")

from gubs_agents import arena
from gubs_agents.arena import report
from gubs_agents.arena.commands import LEADERBOARDS
from gubs_agents.arena.field import by_label
from gubs_agents.arena.options import PlayOptions
from gubs_agents.arena.plan import make_plan
from gubs_agents.arena.ratings import FinishedGames, Interval, rate, summarise
from gubs_agents.arena.seatings import matches_of_deal, seatings_of_deal
from gubs_agents.networks.network import SHIPPED, Weights, save
from gubs_agents.scripted.uniform import Uniform
from gubs_env import bad_bad_turtle_v0, find_game, find_table, fubnub_v0
from gubs_env.agents import registry
from gubs_env.agents.registry import Named, parse_agent
from gubs_env.engine.choosing import LOOK, choose_all
from gubs_env.gubs_v0 import GAME
from gubs_env.support.markdown import frame, replace_section
from gubs_env.support.plugins import Plugin
from tests.agents.test_network import random_layers
from tests.commands import ends_with, gubs

pytestmark = pytest.mark.usefixtures("quick_processes")


class Locked:
    """A factory that cannot be sent to another process."""

    def __init__(self):
        self.lock = threading.Lock()

    def __call__(self, table, seed):
        return Uniform(table)


class Eager:
    """Takes the last legal action, and one time in four any legal action at random."""

    def __init__(self, table, seed):
        self.uniform = Uniform(table, seed)

    def act(self, observations, masks, rngs):
        anything = self.uniform.act(observations, masks, rngs)
        last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        return np.where(rngs[:, 0] % 4 == 0, anything, last)


class SearchingUniform:
    """A searching agent that plays uniformly at random among the legal actions of its views."""

    def __init__(self, table, seed):
        self.num_players = table.num_players

    def search(self, views, rngs):
        batch, actions = GAME.new_batch(views), np.zeros(len(views), np.int64)
        GAME.kernel.advance(*batch, np.full(len(views), LOOK), 1, False, False)
        choose_all(rngs, batch.masks, actions)
        return actions


class Cheat:
    def __init__(self, table, seed):
        pass

    def act(self, observations, masks, rngs):
        return masks.argmin(axis=1)


FIELD = {"eager": Eager, "random": "random"}
THREE = find_table("gubs", 3)


def register(monkeypatch, name, build):
    """Register an agent as an entry point of an installed package would."""
    plugin = Plugin(name, "theirs 1.0", SimpleNamespace(load=lambda: build))
    monkeypatch.setitem(registry.registered(), name, plugin)


def fabricated(strengths, num_players, deals, seed=0):
    """Return the games of a tournament won with probabilities in proportion to strengths."""
    strengths = np.asarray(strengths, float)
    rng = np.random.default_rng(seed)
    tables = [
        seatings_of_deal(len(strengths), np.arange(num_players), deal) for deal in range(deals)
    ]
    seatings = np.concatenate(tables)
    chances = strengths[seatings] / strengths[seatings].sum(axis=1, keepdims=True)
    winners = (rng.random((len(seatings), 1)) > chances.cumsum(axis=1)).sum(axis=1)
    shares = np.eye(num_players)[winners]
    return FinishedGames(
        labels=tuple(f"agent {k}" for k in range(len(strengths))),
        deals=np.repeat(np.arange(deals), len(tables[0])),
        seatings=seatings,
        payoffs=(num_players * shares - 1) / (num_players - 1),
        shares=shares,
        scores=3 * shares,
        decisions=np.ones(seatings.shape, np.int64),
        payoff_ends=(-1 / (num_players - 1), 1.0),
    )


def holds(numbers, expected):
    return (numbers.low <= expected) & (expected <= numbers.high)


# Statistics


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_ratings_recover_known_strengths(num_players):
    strengths = np.array([8.0, 4, 2, 1, 1][: max(4, num_players)])
    rating = summarise(fabricated(strengths, num_players, 300), 200).rating
    elo = 400 * np.log10(strengths)
    elo -= elo.mean()
    assert np.abs(rating.value - elo).max() < 40
    assert holds(rating, elo).sum() >= len(elo) - 1
    assert rating.value.sum() == pytest.approx(0)


def test_ratings_are_the_maximum_of_the_likelihood():
    """At the maximum, each agent has as many wins as its rating predicts."""
    rng = np.random.default_rng(0)
    wins = rng.integers(1, 50, (5, 5)) * (1 - np.eye(5))
    strength = 10 ** (rate(wins) / 400)
    wins += 0.5 * (1 - np.eye(5))
    expected = (wins + wins.T) * strength[:, None] / (strength[:, None] + strength)
    np.testing.assert_allclose(expected.sum(axis=1), wins.sum(axis=1), rtol=1e-6)


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_one_who_always_wins_has_every_win_and_a_finite_rating(num_players):
    numbers = summarise(fabricated([1e12, 1, 1], num_players, 20), 50)
    assert (numbers.matrix.value[0, 1:] == 1).all()
    assert numbers.share.value[0] == numbers.win.value[0] == 1
    assert numbers.payoff.high[0] == 1
    assert numbers.margin.value[0] == 3
    assert np.isfinite(numbers.rating.value).all()
    assert numbers.rating.low[0] > numbers.rating.high[1:].max() + 200


def test_a_shared_win_counts_by_its_share():
    games = fabricated([1, 1], 2, 10)
    tied = replace(
        games, shares=np.full_like(games.shares, 0.5), payoffs=np.zeros_like(games.payoffs)
    )
    numbers = summarise(tied, 10)
    assert (numbers.share.value == 0.5).all()
    assert (numbers.win.value == 0).all()
    assert numbers.rating.value == pytest.approx(0)


def test_intervals_shrink_with_the_root_of_the_number_of_deals():
    few, many = (summarise(fabricated([2, 1, 1], 2, deals), 300) for deals in (100, 1600))
    for name in ("rating", "share", "payoff", "matrix"):
        widths = [getattr(n, name).high - getattr(n, name).low for n in (few, many)]
        assert np.nanmean(widths[0]) / np.nanmean(widths[1]) == pytest.approx(4, rel=0.25)


def test_an_interval_takes_the_games_of_a_deal_together():
    """Games repeated within their deals, with the same results, do not narrow the interval."""
    games = fabricated([2, 1], 2, 100)
    doubled = replace(
        games,
        **{
            name: np.concatenate([getattr(games, name)] * 2)
            for name in ("deals", "seatings", "payoffs", "shares", "scores", "decisions")
        },
    )
    one, two = summarise(games, 100).share, summarise(doubled, 100).share
    np.testing.assert_allclose(one, two)


def test_seats_are_told_apart():
    games = fabricated([1, 1, 1], 3, 50)
    first = np.tile([1.0, -0.5, -0.5], (len(games.deals), 1))
    numbers = summarise(replace(games, payoffs=first), 20)
    assert numbers.seat.value.tolist() == [1, -0.5, -0.5]
    assert (numbers.agent_seat.value == [1, -0.5, -0.5]).all()
    np.testing.assert_allclose(numbers.payoff.value, 0, atol=1e-12)


def test_who_benefits_from_whom():
    """Agent 2 gets a payoff of 1 at tables with agent 0, and 0 elsewhere."""
    games = fabricated([1, 1, 1, 1], 3, 20)
    present = (games.seatings == 0).any(axis=1, keepdims=True)
    numbers = summarise(replace(games, payoffs=(games.seatings == 2) * present * 1.0), 20)
    assert numbers.presence.value[2, 0] == 1
    assert numbers.presence.value[2, 1] == numbers.presence.value[2, 3] == -0.5
    assert (numbers.presence.value[1, [0, 2, 3]] == 0).all()
    assert np.isnan(summarise(fabricated([1, 1, 1], 3, 5), 5).presence.value).all()


def test_copies_of_one_agent_come_out_even():
    result = arena.tournament({"one": "random", "two": "random"}, deals=400, resamples=300)
    numbers = result.numbers
    assert holds(numbers.share, 0.5).all()
    assert holds(numbers.rating, 0).all()
    assert numbers.share.value.sum() == pytest.approx(1)
    assert 0.05 < numbers.share.high[0] - numbers.share.low[0] < 0.12


# Seatings


@pytest.mark.parametrize("num_players", range(2, 7))
@pytest.mark.parametrize("num_agents", [2, 3, 6])
def test_all_agents_sit_in_all_seats_alike(num_players, num_agents):
    seatings = seatings_of_deal(num_agents, np.arange(num_players), deal_seed=3)
    for seat in range(num_players):
        counts = Counter(seatings[:, seat].tolist())
        assert len(counts) == num_agents
        assert len(set(counts.values())) == 1
    assert len({tuple(seating) for seating in seatings.tolist()}) == len(seatings)
    again = seatings_of_deal(num_agents, np.arange(num_players), deal_seed=4)
    assert again.shape == seatings.shape
    assert (again == seatings).all() or num_players > 4


def test_the_number_of_tables_is_as_documented():
    assert len(seatings_of_deal(4, np.arange(2), 0)) == 12
    assert len(seatings_of_deal(4, np.arange(3), 0)) == 36 + 24
    assert len(seatings_of_deal(4, np.arange(4), 0)) == 48 + 24
    assert len(seatings_of_deal(6, np.arange(6), 0)) == 180 + 6
    assert len(seatings_of_deal(3, np.arange(4), 0)) == 24


@pytest.mark.parametrize("num_sides", [2, 4])
def test_matches_are_dealt_out_so_that_all_come_equally_often(num_sides):
    everything = matches_of_deal(5, num_sides, 0)
    per_deal = len(everything) // 5
    by_deal = [matches_of_deal(5, num_sides, deal, per_deal) for deal in range(5 * 7)]
    assert all(len(matches) == per_deal for matches in by_deal)
    counts = Counter(str(match) for matches in by_deal for match in matches)
    assert counts == {str(match): 7 for match in everything}
    assert matches_of_deal(5, num_sides, 0, 1000) == everything


@pytest.mark.parametrize(("num_players", "field"), [(2, 4), (3, 3)])
def test_a_tournament_in_some_matches_comes_to_the_same(num_players, field):
    names = {f"agent {k}": "random" for k in range(field - 1)} | {"strong": "heuristic"}
    every, some = (
        arena.tournament(
            names, find_table("gubs", num_players), deals=deals, matches=matches, resamples=50
        )
        for deals, matches in ((40, 0), (200, 1))
    )
    assert len(some.games.deals) < len(every.games.deals)
    strong = some.labels.index("strong")
    assert holds(some.numbers.share, every.numbers.share.value)[strong]
    assert not np.isnan(some.numbers.matrix.value[~np.eye(field, dtype=bool)]).any()
    assert "each played in 1 of these matches, dealt out in turn: " in report.markdown(some)


# Independence of order, batches, processes and interruptions


def files_of(folder, names=("games.jsonl",)):
    return [(folder / name).read_bytes() for name in names]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Play an uninterrupted run of 36 games in batches of 16."""
    folder = tmp_path_factory.mktemp("whole")
    result = arena.tournament(FIELD, THREE, deals=6, out=folder, batch=16, resamples=20)
    return folder, result


@pytest.mark.parametrize("matches", [0, 2])
@pytest.mark.parametrize("batch", [1, 7])
def test_the_tables_of_a_plan_do_not_depend_on_where_it_is_cut(batch, matches):
    plan = make_plan(
        "random,greedy,heuristic", THREE, PlayOptions(deals=5, seed=9, matches=matches)
    )
    whole = plan.games_of(0, plan.num_games)
    cuts = range(0, plan.num_games, batch)
    parts = [plan.games_of(first, min(first + batch, plan.num_games)) for first in cuts]
    for name in ("deals", "seatings"):
        pieces = [getattr(part, name) for part in parts]
        assert (np.concatenate(pieces) == getattr(whole, name)).all()


@pytest.mark.parametrize(
    ("field", "options"),
    [
        *((FIELD, options) for options in ({"batch": 1}, {"batch": 500}, {"processes": 2})),
        (dict(reversed(FIELD.items())), {}),
    ],
)
def test_batches_processes_and_the_order_of_agents_change_nothing(whole, tmp_path, field, options):
    folder, result = whole
    other = arena.tournament(field, THREE, deals=6, out=tmp_path, resamples=20, **options)
    assert files_of(tmp_path) == files_of(folder)
    assert report.markdown(other) == report.markdown(result)


def test_a_search_agent_gets_the_views_of_its_decisions():
    """It plays like the batch agent that uses the same RNGs in the same way."""
    searching, batched = (
        arena.tournament({"a": factory, "b": "random"}, deals=10, resamples=10)
        for factory in (SearchingUniform, Uniform)
    )
    assert (searching.games.payoffs == batched.games.payoffs).all()
    assert (searching.games.decisions == batched.games.decisions).all()


def test_every_decision_has_chance_of_its_own():
    """No state of an RNG occurs twice, in any game, seat or decision."""
    states = []

    class Recording(Uniform):
        def act(self, observations, masks, rngs):
            states.extend(map(tuple, rngs))
            return super().act(observations, masks, rngs)

    result = arena.tournament({"a": Recording, "b": Recording}, deals=4, resamples=2)
    assert len(states) == len(set(states)) == result.games.decisions.sum()


@pytest.mark.parametrize("kept", [0, 20, 0.3, 0.62, -1])
def test_a_killed_run_is_resumed_without_loss(whole, tmp_path, kept):
    """The file is cut after `kept` bytes, or a fraction of them: in the header or in a line."""
    folder, result = whole
    (content,) = files_of(folder)
    cut = int(kept * len(content)) if isinstance(kept, float) else kept
    (tmp_path / "games.jsonl").write_bytes(content[:cut])
    (tmp_path / "times.jsonl").write_bytes((folder / "times.jsonl").read_bytes())
    resumed = arena.tournament(
        FIELD, THREE, deals=6, out=tmp_path, resume=True, batch=16, resamples=20
    )
    assert files_of(tmp_path) == [content]
    assert report.markdown(resumed) == report.markdown(result)
    asked = {label: time.decisions for label, time in result.times.items()}
    assert {label: time.decisions for label, time in resumed.times.items()} == asked


def test_a_killed_process_is_resumed(tmp_path, capsys):
    """The process is really killed while it plays."""
    once, killed = tmp_path / "once", tmp_path / "killed"
    options = ["--deals", "120", "--batch", "12", "--agents", "random,heuristic"]
    run = [sys.executable, "-m", "gubs_env", "arena", "--out", str(killed), *options]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (killed / "games.jsonl").exists() or (killed / "games.jsonl").stat().st_size < 50000:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.communicate()
    with ends_with(capsys, r"holds an unfinished run, \d+ of 240 games"):
        gubs("arena", "--out", str(killed), *options)
    gubs("arena", "--out", str(killed), "--resume", *options)
    gubs("arena", "--out", str(once), *options)
    names = ("games.jsonl", "report.md", "arena.png")
    assert files_of(killed, names) == files_of(once, names)


def test_a_finished_run_is_resumed_by_playing_nothing(whole):
    folder, result = whole
    before = (folder / "games.jsonl").stat().st_mtime_ns
    again = arena.tournament(FIELD, THREE, deals=6, out=folder, resume=True, resamples=20)
    assert (again.games.payoffs == result.games.payoffs).all()
    assert again.times == result.times
    assert (folder / "games.jsonl").stat().st_mtime_ns >= before


def test_another_run_is_not_resumed(whole):
    folder, _ = whole
    with pytest.raises(ValueError, match=r"is of another run.*deals: 6 there, 7 here"):
        arena.tournament(FIELD, THREE, deals=7, out=folder, resume=True)


def test_a_run_is_not_resumed_with_another_network_in_the_same_file(tmp_path):
    path = tmp_path / "net.safetensors"
    agents = f"net=policy:weights={path},random"
    path.write_bytes((SHIPPED / "gubs_v0_2.safetensors").read_bytes())
    result = arena.tournament(agents, deals=2, out=tmp_path, resamples=20)
    told = sha256(path.read_bytes()).hexdigest()
    assert f"- `net`: policy:weights={path} (weights: sha256 {told})" in report.markdown(result)
    save(path, Weights(random_layers()), find_table("gubs"))
    with pytest.raises(ValueError, match=f"is of another run.*sha256 {told}"):
        arena.tournament(agents, deals=2, out=tmp_path, resume=True)


def test_a_file_that_is_no_results_file_is_left_alone(tmp_path):
    (tmp_path / "games.jsonl").write_text("a diary\nof mine\n")
    for resume in (False, True):
        with pytest.raises(ValueError, match="is not a results file of the arena"):
            arena.tournament(FIELD, deals=2, out=tmp_path, resume=resume)
    assert (tmp_path / "games.jsonl").read_text() == "a diary\nof mine\n"


# The results file


def test_every_recorded_game_can_be_replayed(whole):
    folder, result = whole
    header, records = arena.load(folder / "games.jsonl")
    assert header["games"] == len(records) == len(result.games.deals)
    for record in records:
        env = record.env()
        assert tuple(env.rewards[agent] for agent in env.possible_agents) == record.outcome.payoffs
        assert env.outcome().scores == record.outcome.scores
        assert env.outcome().winners == record.outcome.winners
        assert sum(record.decisions) <= len(record.actions)


def test_rule_options_are_kept_for_the_replay(tmp_path):
    table = find_table("gubs", rules={"ask_everyone": True, "reward": "margin"})
    result = arena.tournament(FIELD, table, deals=3, out=tmp_path, resamples=5)
    header, records = arena.load(tmp_path / "games.jsonl")
    assert len(records) == header["games"]
    assert "Rule options: ask_everyone=True, reward=margin." in report.markdown(result)


def test_deals_are_public_and_shared(whole):
    folder, _ = whole
    _, records = arena.load(folder / "games.jsonl")
    assert Counter(record.seed for record in records) == dict.fromkeys(range(10**9, 10**9 + 6), 6)
    assert len({record.actions for record in records}) == len(records)


# Input and output


def test_an_agent_is_named_with_options():
    assert parse_agent("random") == Named("random", {})
    with pytest.raises(ValueError, match="agent 'random' has no option c, playouts: it has no opt"):
        parse_agent("random:playouts=200+c=0.7").factory(find_game("gubs"))


def test_values_of_options_are_numbers_where_they_can_be(monkeypatch):
    def build(table, seed, playouts=1, c=1.0, path=""):
        return playouts, c, path

    register(monkeypatch, "searcher", build)
    for sign in "+;":
        named = parse_agent(f"searcher:playouts=200{sign}c=1e-2{sign}path=a+b.zip")
        assert named(find_table("gubs"), seed=0) == (200, 0.01, "a+b.zip")
    with pytest.raises(ValueError, match="its options are playouts, c, path"):
        parse_agent("searcher:seed=3").factory(find_game("gubs"))
    with pytest.raises(ValueError, match=r"write package\.module:Class, or name:option=value"):
        parse_agent("searcher:fast").factory(find_game("gubs"))


def test_a_budget_in_time_is_said_to_be_not_repeatable(monkeypatch):
    register(monkeypatch, "hasty", lambda table, seed, ms=1: Uniform(table))
    result = arena.tournament("random,hasty:ms=5", deals=2, resamples=2)
    assert "**Not repeatable:**" in report.markdown(result)
    assert "hasty:ms=5" in result.labels


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"table": "chess"}, r"no game is called 'chess': there are bad_bad_turtle, fubnub, gubs"),
        ({"agents": "random,genius"}, "no agent is called 'genius' in gubs_v0: there are"),
        ({"agents": "random"}, "at least 2 agents, not 1"),
        ({"agents": "a=random,a=heuristic"}, "two agents are labelled 'a': write label=agent"),
        ({"agents": "a=random,b=random,a"}, "two agents are labelled 'a'"),
        ({"deals": 1}, "deals=1: must be at least 2"),
        ({"seed": -1}, "seed=-1: must be at least 0"),
        ({"matches": -1}, "matches=-1: must be at least 0"),
        ({"processes": 0}, "processes=0: must be at least 1"),
        ({"batch": -1}, "batch=-1: must be at least 0"),
        ({"agents": {"a": Locked(), "b": Uniform}, "processes": 2}, "must be picklable.*lock"),
        ({"agents": {"a": Locked(), "b": Uniform}, "timeout": 9}, "must be picklable.*lock"),
        ({"agents": {"cheat": Cheat, "random": "random"}}, "'cheat' chose action .* not legal"),
    ],
)
def test_what_cannot_be_is_a_clear_error(options, message):
    with pytest.raises(ValueError, match=message):
        arena.tournament(**{"agents": "random,heuristic", "deals": 2} | options)


def test_the_command_writes_its_files_and_repeats_itself(tmp_path, capsys):
    names = ("games.jsonl", "report.md", "arena.png")
    for name in ("one", "two"):
        gubs("arena", "--deals", "6", "--out", str(tmp_path / name))
    assert files_of(tmp_path / "one", names) == files_of(tmp_path / "two", names)
    assert "milliseconds a decision" in (tmp_path / "one" / "times.md").read_text()
    assert "win rate" in capsys.readouterr().out
    with ends_with(capsys, "gubs arena: no game is called 'chess'"):
        gubs("arena", "--game", "chess", "--out", str(tmp_path))
    with ends_with(capsys, "gubs arena: deals=1: must be at least 2"):
        gubs("arena", "--deals", "1", "--out", str(tmp_path))


def test_the_command_takes_a_deck_and_a_switch_of_the_rules(tmp_path, capsys):
    deck = "Gub:6+Lure:2+Letter G:1+Letter U:1+Letter B:1"
    rules = f"ask_everyone=true+deck={deck}"
    options = ["--agents", "random,greedy", "--deals", "3", "--out", str(tmp_path)]
    gubs("arena", "--rules", rules, *options)
    header, records = arena.load(tmp_path / "games.jsonl")
    assert header["rules"]["ask_everyone"] is True
    assert header["rules"]["deck"]["Gub"] == 6
    assert len(records) == header["games"]
    with ends_with(capsys, "gubs arena: no card is called 'Gob'"):
        gubs("arena", "--rules", "deck=Gob:6", "--out", str(tmp_path))


class Bot(Eager):
    """An agent as `package.module:Class` names it."""

    def __init__(self, table, seed, often=4):
        super().__init__(table, seed)
        self.often = often


def test_an_agent_is_named_by_its_class_also_in_other_processes(tmp_path, capsys):
    bot = f"{__name__}:Bot:often=3"
    options = ["--agents", f"{bot},random", "--deals", "6", "--batch", "4"]
    for processes in ("1", "2"):
        out = str(tmp_path / processes)
        gubs("arena", *options, "--processes", processes, "--out", out)
    assert files_of(tmp_path / "1") == files_of(tmp_path / "2")
    header, _ = arena.load(tmp_path / "1" / "games.jsonl")
    assert header["agents"] == {bot: bot, "random": "random"}
    with ends_with(capsys, r"gubs arena: agent 'no\.such:Bot': No module named 'no'"):
        gubs("arena", "--agents", "random,no.such:Bot", "--out", str(tmp_path))


@pytest.mark.parametrize("module", ["choix", "matplotlib", "tqdm"])
def test_a_missing_package_is_named_before_any_game(tmp_path, capsys, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    message = rf'gubs arena: {module} is not installed: pip install "gubs_env\[arena\]"'
    with ends_with(capsys, message):
        gubs("arena", "--deals", "2", "--out", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()
    if module != "matplotlib":
        with pytest.raises(ModuleNotFoundError, match=f"{module} is not installed"):
            arena.tournament("random,heuristic", deals=2, out=tmp_path / "run")
        assert not (tmp_path / "run").exists()


def test_the_report_tells_of_mixed_tables_and_of_those_who_profit():
    result = arena.tournament({name: "random" for name in "abcd"}, THREE, deals=3, resamples=10)
    text = report.markdown(result)
    assert "each played in 12 matches with one agent alone in each seat against 2 copies" in text
    assert "4 mixed ones of 3 different agents in all orders" in text
    assert "payoff at mixed tables" in text
    assert "at mixed tables with the column's agent, less its mean payoff at mixed" in text


def test_numbers_are_written_plainly():
    assert report.signed(-0.001) == "0.00"
    assert report.signed(-1.5) == "−1.50"
    assert report.cell(Interval(np.array([np.nan]), *np.zeros((2, 1))), 0) == "–"
    estimate = Interval(*np.array([[0.5], [0.25], [0.75]]))
    assert report.cell(estimate, 0, write=arena.WinRate.write) == "50.0% (25.0% … 75.0%)"


def test_the_leaderboard_is_put_between_its_marks(tmp_path):
    page = tmp_path / "leaderboards.md"
    marks = "<!-- leaderboard: {0} -->\n{1}\n<!-- end of leaderboard: {0} -->\n"
    page.write_text(f"above\n{marks.format('chess', 'old')}{marks.format('go', 'old')}below\n")
    replace_section(page, "leaderboard: go", "new")
    expected = "above\n" + marks.format("chess", "old") + marks.format("go", "\nnew\n") + "below\n"
    assert page.read_text() == expected
    with pytest.raises(ValueError, match="must hold each of the lines <!-- leaderboard: ludo -->"):
        replace_section(page, "leaderboard: ludo", "new")


@pytest.mark.parametrize("num_players", [2, 4])
def test_the_leaderboards_of_the_page_are_found(num_players):
    before, after = frame(LEADERBOARDS, report.board_of(find_table("gubs", num_players)))
    assert "# Leaderboards" in before
    assert f"{num_players} players" in after


def test_a_field_is_in_alphabetical_order():
    plan = make_plan("random, heuristic", "gubs", PlayOptions())
    assert plan.labels == ["heuristic", "random"]


def test_an_agent_twice_in_a_field_has_two_names(tmp_path):
    result = arena.tournament("random,random,greedy,random", deals=30, resamples=20, out=tmp_path)
    assert result.labels == ("greedy", "random", "random#2", "random#3")
    assert result.plan.header()["agents"]["random#2"] == "random"
    assert "- `random#2`: random" in report.markdown(result)
    arena.draw(result, tmp_path / "arena.png")
    _, records = arena.load(tmp_path / "games.jsonl")
    assert {name for record in records for name in record.agents} == set(result.labels)
    assert by_label(["a", "a", "b=a"]) == {"a": "a", "a#2": "a", "b": "a"}


def test_a_list_of_objects_is_refused_with_what_to_write():
    with pytest.raises(TypeError, match="give texts, or a mapping of labels to factories"):
        arena.tournament([Uniform, "random"], deals=2)


# The seats


def test_the_shares_of_the_seats_sum_to_one_and_hold_the_fair_share_for_random():
    found = arena.seats("random", deals=1500)
    assert found.share.value.sum() == pytest.approx(1)
    assert found.fair == 0.5
    assert (found.games, found.nobody) == (1500, pytest.approx(0))
    advantage, low, high = found.first
    assert low < advantage < high
    assert 0.04 < high - low < 0.06  # 2 × 1.96 × 0.5 / √1500
    again = arena.seats(Uniform(find_table("gubs")), deals=1500)
    assert (again.share.value == found.share.value).all()


class Steady:
    """Plays the first legal action."""

    def act(self, observations, masks, rngs=None):
        return masks.argmax(axis=1)


@pytest.mark.parametrize(("module", "num_players"), [(bad_bad_turtle_v0, 3), (fubnub_v0, 4)])
def test_the_shares_are_in_turn_order_from_the_player_who_decides_first(module, num_players):
    """Counted again, game by game, with the AEC environment."""
    table = find_table(module.GAME, num_players)
    sides = table.sides
    won = np.zeros(sides.max() + 1)
    for seed in range(40):
        env = module.raw_env(num_players=num_players)
        env.reset(seed=seed)
        first = sides[env.possible_agents.index(env.agent_selection)]
        while not any(env.terminations.values()):
            env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
        winning = np.unique(sides[list(env.outcome().winners)])
        won[(winning - first) % len(won)] += 1 / max(1, len(winning))
    found = arena.seats(Steady(), table, deals=40, seed=0)
    np.testing.assert_allclose(found.share.value, won / 40)


def test_the_command_prints_the_seats_beside_the_fair_share(tmp_path, capsys):
    options = ["--seats", "--agents", "random,greedy", "--players", "4", "--deals", "20"]
    gubs("arena", *options, "--out", str(tmp_path / "none"))
    said = capsys.readouterr().out
    assert "| win rate of (fair share 25 %) | first to decide | place 2 in turn order |" in said
    assert "| greedy |" in said
    assert not (tmp_path / "none").exists()
    with ends_with(capsys, "gubs arena: --sprt and --seats were given: choose one of them"):
        gubs("arena", *options, "--sprt", "0,10")
    with ends_with(capsys, "gubs arena: deals: 1 is not allowed|arena: deals=1"):
        gubs("arena", *options, "--deals", "1")
