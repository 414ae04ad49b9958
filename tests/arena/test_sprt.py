"""Sequential tests: their error rates, the same verdict however they are played, their files."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")


import gubs_agents
from gubs_agents import arena
from gubs_agents.arena.likelihood import H0, H1, Hypotheses, State, elo_of, ratios, share_of, units
from gubs_env import find_table
from gubs_env.commands.main import main
from tests.commands import ends_with, gubs

pytestmark = pytest.mark.usefixtures("quick_processes")
ROOT = Path(__file__).parents[2]
TEST = {"elo": (0, 150), "alpha": 0.1, "beta": 0.1, "deals": 150}
STRONG = "greedy,random"


@pytest.fixture(scope="module")
def simulator():
    """Return the module experiments/sprt.py."""
    spec = importlib.util.spec_from_file_location("sprt", ROOT / "experiments" / "sprt.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["sprt"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["sprt"]


# Statistics


def test_the_ratio_is_that_of_fishtest():
    """Test 69d3c8dc7c5b3724e29d2712 of Monty: "Logistic (exact)" −0.53772 at 2.716 Elo points."""
    counts = np.array([13, 37, 50, 25, 3])
    hypotheses = Hypotheses(0, 2.716)
    assert ratios(counts, hypotheses, 2) == pytest.approx(-0.53772, abs=1e-4)
    elo, low, high = State(hypotheses, 2, counts).elo
    assert elo == pytest.approx(-43.6578, abs=1e-3)
    assert (low, high) == (pytest.approx(-75.5, abs=4), pytest.approx(-15.4, abs=4))
    assert hypotheses.boundaries == pytest.approx((-2.9444, 2.9444), abs=1e-4)


@pytest.mark.parametrize("num_sides", [2, 3, 4, 6])
def test_elo_points_are_those_of_the_ratings(num_sides):
    """At 0 points the share is fair; the odds against each opponent grow tenfold in 400 points."""
    assert share_of(0, num_sides) == pytest.approx(1 / num_sides)
    share = share_of(400, num_sides)
    assert share / ((1 - share) / (num_sides - 1)) == pytest.approx(10)
    assert elo_of(share, num_sides) == pytest.approx(400)


@pytest.mark.parametrize("num_sides", [2, 4])
def test_the_ratio_is_the_largest_likelihood_under_each_hypothesis(num_sides):
    """No distribution with the mean of a hypothesis is likelier than the one that is used."""
    from scipy.optimize import minimize

    hypotheses, rng = Hypotheses(-20, 60), np.random.default_rng(0)
    size = num_sides * units(num_sides) + 1
    scores = np.linspace(0, 1, size)
    counts = rng.integers(1, 20, size) if num_sides == 2 else np.zeros(size, int)
    if num_sides == 4:
        counts[[0, 12, 24, 48]] = 30, 40, 20, 5
    used = counts > 0

    def best(elo):
        share = share_of(elo, num_sides)
        found = minimize(
            lambda p: -(counts[used] * np.log(p)).sum(),
            np.full(used.sum(), 1 / used.sum()),
            bounds=[(1e-9, 1)] * used.sum(),
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: p @ scores[used] - share},
            ],
        )
        return -found.fun

    expected = best(hypotheses.elo1) - best(hypotheses.elo0)
    assert ratios(counts, hypotheses, num_sides) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("name", range(5))
def test_wrong_decisions_are_as_rare_as_asked_for(simulator, name):
    """2,000 tests at each bound; 5 % may be wrong, and 6.5 % is three standard errors more."""
    name = list(simulator.DISTRIBUTIONS)[name]
    hypotheses = Hypotheses(0, 80)
    equal = simulator.simulate(name, 0, hypotheses, 2000, seed=1)
    stronger = simulator.simulate(name, 80, hypotheses, 2000, seed=2)
    assert equal.accepted.mean() < 0.065
    assert (~stronger.accepted).mean() < 0.065
    between = simulator.simulate(name, 40, hypotheses, 500, seed=3)
    assert between.deals.mean() > 1.1 * min(equal.deals.mean(), stronger.deals.mean())


def test_smaller_errors_take_more_deals(simulator):
    name = "2 sides, independent games"
    loose, strict = (
        simulator.simulate(name, 0, Hypotheses(0, 80, error, error), 500) for error in (0.1, 0.01)
    )
    assert strict.accepted.mean() < 0.025 < 0.05 < loose.accepted.mean() < 0.15
    assert strict.deals.mean() > 1.8 * loose.deals.mean()


def test_a_state_stops_at_the_first_deal_that_decides():
    start = State.at_start(Hypotheses(0, 100), 2, 2)
    scores = np.tile([4, 2], 50)
    whole = start.after(scores)
    assert whole.decision == H1
    assert whole.deals < 100
    state = start
    for score in scores[: whole.deals - 1]:
        state = state.after(np.array([score]))
        assert state.decision is None
    assert (state.after(scores[whole.deals - 1 : whole.deals]).counts == whole.counts).all()


# Playing


def files_of(folder):
    return [(folder / name).read_bytes() for name in ("games.jsonl", "sprt.json")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, arena.sprt(STRONG, **TEST, out=folder)


def test_the_first_agent_is_the_challenger(whole):
    _, verdict = whole
    assert verdict.accepted == H1
    assert (verdict.plan.challenger, verdict.plan.champion) == ("greedy", "random")
    assert "greedy is at least 150 Elo points stronger than random" in str(verdict)
    assert "fair share 50.0%" in str(verdict)
    weaker = arena.sprt("random,greedy", **TEST)
    assert weaker.accepted == H0
    assert weaker.plan.challenger == "random"


@pytest.mark.parametrize("options", [{"batch": 1}, {"batch": 7}, {"processes": 2, "batch": 9}])
def test_batches_and_processes_change_nothing(whole, tmp_path, options):
    folder, verdict = whole
    other = arena.sprt(STRONG, **TEST, out=tmp_path, **options)
    assert files_of(tmp_path) == files_of(folder)
    assert str(other) == str(verdict)


@pytest.mark.parametrize("kept", [0, 0.4, 0.8, 1.0])
@pytest.mark.parametrize("batch", [3, 1024])
def test_a_killed_test_is_resumed_to_the_same_verdict(whole, tmp_path, kept, batch):
    folder, verdict = whole
    games, state = files_of(folder)
    (tmp_path / "games.jsonl").write_bytes(games[: int(kept * len(games))])
    again = arena.sprt(STRONG, **TEST, out=tmp_path, resume=True, batch=batch)
    assert files_of(tmp_path) == [games, state]
    assert str(again) == str(verdict)


def test_games_after_the_deciding_deal_are_refused(whole, tmp_path):
    folder, verdict = whole
    longer = arena.sprt(STRONG, **TEST | {"alpha": 0.01, "beta": 0.01}, out=tmp_path)
    assert longer.state.deals > verdict.state.deals
    header = (folder / "games.jsonl").read_bytes().split(b"\n")[0]
    games = (tmp_path / "games.jsonl").read_bytes().split(b"\n")[1:]
    (tmp_path / "games.jsonl").write_bytes(b"\n".join([header, *games]))
    with pytest.raises(ValueError, match="but the test ended before the last"):
        arena.sprt(STRONG, **TEST, out=tmp_path, resume=True)


def test_an_unfinished_test_is_not_overwritten_and_a_finished_one_is(whole, tmp_path):
    games, _ = files_of(whole[0])
    (tmp_path / "games.jsonl").write_bytes(games[: len(games) // 2])
    with pytest.raises(ValueError, match="holds an unfinished run"):
        arena.sprt(STRONG, **TEST, out=tmp_path)
    arena.sprt(STRONG, **TEST, out=tmp_path, resume=True)
    arena.sprt("random,greedy", **TEST, out=tmp_path)
    assert json.loads((tmp_path / "sprt.json").read_text())["accepted"] == H0


def test_the_files_hold_the_state_and_every_game(whole):
    folder, verdict = whole
    header, records = arena.load(folder / "games.jsonl")
    told = json.loads((folder / "sprt.json").read_text())
    assert header["sprt"] == {
        "challenger": "greedy", "elo0": 0.0, "elo1": 150.0, "alpha": 0.1, "beta": 0.1,
    }  # fmt: skip
    assert len(records) == told["games"] == 2 * told["deals"]
    assert sum(told["deals_by_score"].values()) == told["deals"] == verdict.state.deals
    assert list(told["deals_by_score"]) == ["0", "0.5", "1", "1.5", "2"]
    assert (told["accepted"], told["finished"], told["fair_share"]) == (H1, True, 0.5)
    assert told["llr"] >= told["upper"]
    wins = sum(
        sum(record.agents[seat] == "greedy" for seat in record.outcome.winners)
        / len(record.outcome.winners)
        for record in records
    )
    assert told["share"][0] == pytest.approx(wins / len(records))


def test_an_agent_is_not_stronger_than_itself():
    """Every deal gives each copy one win, so that little evidence is enough."""
    verdict = arena.sprt("heuristic,heuristic", (0, 50), deals=100)
    assert (verdict.accepted, verdict.plan.champion) == (H0, "heuristic#2")
    assert verdict.state.share[0] == 0.5


def test_a_test_without_a_decision_in_the_largest_number_of_deals_is_undecided(tmp_path):
    verdict = arena.sprt(STRONG, (0, 1), deals=20, out=tmp_path)
    assert verdict.accepted is None
    assert (verdict.state.deals, len(verdict.plan.labels)) == (20, 2)
    assert str(verdict).startswith("Undecided")
    assert json.loads((tmp_path / "sprt.json").read_text())["finished"]


@pytest.mark.parametrize(
    ("game", "players", "games"), [("gubs", 3, 3), ("fubnub", 4, 2), ("bad_bad_turtle", 4, 4)]
)
def test_other_tables_play_each_deal_once_from_every_side(tmp_path, game, players, games):
    options = {"alpha": 0.2, "beta": 0.2, "deals": 60, "out": tmp_path}
    verdict = arena.sprt(STRONG, (0, 400), find_table(game, players), **options)
    _, records = arena.load(tmp_path / "games.jsonl")
    assert len(records) == games * verdict.state.deals
    alone = [tuple(name == "greedy" for name in record.agents) for record in records[:games]]
    assert len(set(alone)) == games
    assert {sum(seats) for seats in alone} == {2 if game == "fubnub" else 1}
    assert np.isfinite(verdict.state.ratio)


# The command


def test_a_table_with_one_side_is_played_by_each_agent_alone():
    table = find_table("fubnub", 1, {"mode": "ghost", "num_points": 5})
    verdict = arena.sprt("heuristic,random", "0,400", table, deals=40)
    heuristic, random = (
        arena.win_rate(agent, agent, table, verdict.state.deals, verdict.plan.seed)
        for agent in (gubs_agents.make(name, table, seed=0) for name in ("heuristic", "random"))
    )
    assert verdict.state.share[0] == pytest.approx((1 + heuristic.rate - random.rate) / 2, abs=0.1)
    same = arena.sprt("heuristic,random", "0,400", table, deals=40)
    assert same.state.counts.tolist() == verdict.state.counts.tolist()
    alone = arena.sprt("heuristic,greedy", (0, 400), table, deals=10).plan
    assert alone.seatings(alone.seed).tolist() == [[1], [0]]


def test_the_command_ends_with_the_status_of_its_verdict(tmp_path, capsys):
    options = ["--sprt", "0,300", "--alpha", "0.2", "--beta", "0.2", "--deals", "60"]
    options += ["--out", str(tmp_path)]
    for agents, more, status in (
        (STRONG, [], 0), ("random,greedy", [], 1), (STRONG, ["--deals", "2"], 3)
    ):  # fmt: skip
        assert main(["arena", *options, "--agents", agents, *more]) == status
    assert "H0 is accepted: random is at most 0 Elo points stronger" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sprt", "5"], r"sprt='5': write two bounds in Elo points, such as 0,10"),
        (["--sprt", "10,0"], "sprt=10,0: the second bound must be larger than the first"),
        (["--sprt", "0,nan"], "the second bound must be larger than the first"),
        (["--sprt", "0,10", "--alpha", "0.5"], "alpha=0.5: must be at least 1e-06 and below 0.5"),
        (["--sprt", "0,10", "--matches", "1"], "leave out --matches"),
        (["--sprt", "0,10", "--agents", "greedy,random,policy"], "3 agents: a test is between 2"),
        (["--sprt", "0,10", "--agents", ""], "--sprt needs --agents CHALLENGER,CHAMPION"),
    ],
)
def test_options_that_make_no_test_are_refused(tmp_path, capsys, options, message):
    with ends_with(capsys, message):
        gubs("arena", "--agents", STRONG, "--out", str(tmp_path / "none"), *options)
    assert not (tmp_path / "none").exists()
