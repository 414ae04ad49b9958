"""The arena with partners and with ghosts, and rule options on the command line."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("choix", reason="the arena extra is not installed")


import gubs_agents
from gubs_agents import arena
from gubs_agents.arena import report, win_rate
from gubs_agents.arena.measures import Outcomes
from gubs_agents.arena.seatings import seatings_of_deal
from gubs_env import bad_bad_turtle_v0, find_table, fubnub_v0
from gubs_env.agents.parsing import parse_rules
from gubs_env.games.fubnub.rules import MODES
from tests.commands import ends_with, gubs

FUBNUB, TURTLE = fubnub_v0.GAME, bad_bad_turtle_v0.GAME


class Steady:
    """Plays the first legal action."""

    def __init__(self, num_players=0, seed=0):
        pass

    def act(self, observations, masks, rngs=None):
        return masks.argmax(axis=1)


@pytest.mark.parametrize("mode", MODES)
def test_sides_are_said_alike_before_the_game_and_in_it(mode):
    rules = fubnub_v0.Rules(mode=mode)
    for num_players in MODES[mode].players:
        table = find_table(FUBNUB, num_players, rules)
        row = table.new_states(1)[0]
        in_game = [int(FUBNUB.mechanics.side_of(row, p)) for p in range(num_players)]
        sides = table.sides
        assert (np.equal.outer(in_game, in_game) == np.equal.outer(sides, sides)).all()
        assert set(sides) == set(range(sides.max() + 1))
        assert len(set(in_game)) <= FUBNUB.mechanics.num_sides(row) >= 2


def test_an_entrant_plays_a_whole_team():
    seatings = seatings_of_deal(3, find_table(FUBNUB).sides, 0)
    assert sorted(seatings.tolist()) == [
        [0, 1, 0, 1], [0, 2, 0, 2], [1, 0, 1, 0], [1, 2, 1, 2], [2, 0, 2, 0], [2, 1, 2, 1],
    ]  # fmt: skip


def win_shares(winners, forfeits, sides):
    return Outcomes(np.zeros((len(winners), len(sides))), winners, forfeits).win_shares(sides)


def test_a_win_is_shared_by_sides_and_not_by_partners():
    teams, alone = np.array([0, 1, 0, 1]), np.arange(4)
    nobody = [(), ()]
    assert win_shares([(0, 2), ()], nobody, teams).tolist() == [[1, 0], [0, 0]]
    assert win_shares([(0, 2), (3,)], nobody, alone).tolist() == [[0.5, 0, 0.5, 0], [0, 0, 0, 1]]


def test_a_side_that_forfeits_loses_whoever_won():
    teams, alone = np.array([0, 1, 0, 1]), np.arange(3)
    assert win_shares([(0, 2), (0, 2)], [(2,), (1,)], teams).tolist() == [[0, 1], [1, 0]]
    assert win_shares([(0,), (2,)], [(0,), (0, 1)], alone).tolist() == [[0, 0.5, 0.5], [0, 0, 1]]


@pytest.fixture(scope="module")
def team_tournament():
    return arena.tournament({"steady": Steady, "random": "random"}, "fubnub", deals=40)


def test_a_tournament_of_teams_counts_a_team_as_one_player(team_tournament):
    games, numbers = team_tournament.games, team_tournament.numbers
    assert games.seatings.shape == (80, 2)
    assert np.isin(games.shares.sum(1), (0, 1)).all()
    assert (games.payoffs.sum(1) == 0).all()
    decided = games.shares.sum(1) == 1
    assert ((games.shares == 1) == (games.payoffs == 1))[decided].all()
    assert (numbers.win.value == numbers.share.value).all()
    assert (numbers.margin.value == -numbers.margin.value[::-1]).all()


def test_the_report_of_a_tournament_of_teams_names_them(team_tournament):
    text = report.markdown(team_tournament)
    assert "fubnub_v0, 4 players in 2 teams" in text
    assert "each played in 1 match, every two agents in both seatings" in text
    assert "| payoff of | seat 0 + 2 | seat 1 + 3 |" in text


def test_win_rates_of_teams_are_over_both_sides_of_each_deal():
    result = win_rate(Steady(), Steady(), FUBNUB, deals=30)
    assert result.games == 60
    assert result.rate == 0.5
    assert result.high - result.low == pytest.approx(1 - 0.025 ** (1 / 30))  # none differed


def test_alone_against_ghosts_there_is_a_win_rate_but_no_tournament():
    table = find_table("fubnub", 1, {"mode": "ghost", "num_points": 5})
    uniform = gubs_agents.make("random", table, seed=0)
    assert 0 < win_rate(uniform, uniform, table, deals=50).rate < 1
    with pytest.raises(ValueError, match="all are on one side, but a match needs two"):
        arena.tournament("random,policy", table, deals=2)


def test_rules_are_named_on_the_command_line(tmp_path, capsys):
    command = ["--game", "fubnub", "--agents", "random,montecarlo:playouts=2", "--deals", "2"]
    gubs("arena", *command, "--rules", "mode=royal+num_points=1", "--out", str(tmp_path))
    header, records = arena.load(tmp_path / "games.jsonl")
    assert (header["players"], header["rules"]["mode"]) == (4, "royal")
    assert len(records) == header["games"]
    for rules, message in (
        ("mood=royal", "the rules of fubnub_v0 have no option mood: there are mode, "),
        ("mode=chess", "rules option mode='chess': allowed are"),
        ("royal", "'royal' is not an option: write option=value"),
    ):
        with ends_with(capsys, message):
            gubs("arena", *command, "--rules", rules, "--out", str(tmp_path / "none"))


def test_rules_from_text_have_the_types_they_need():
    rules = parse_rules("younger=True+removed=Skip,Peek+max_cycles=50", TURTLE)
    assert (rules.younger, sorted(rules.removed), rules.max_cycles) == (True, ["Peek", "Skip"], 50)
