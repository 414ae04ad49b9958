"""The cost of a move: in known positions, with its interval, from what a player may know."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gubs_env import find_table, gubs_v0
from gubs_env.agents.registry import build
from gubs_env.api.aec import environment_of
from gubs_env.replays.judging import Decision, Judgement, judge_at
from gubs_env.replays.weighing import LEAST_COST, chance_of, estimated, weigh


@pytest.fixture(scope="module")
def judge():
    return build("policy", find_table("gubs"))


def position(hands=("Lightning, Spear", "Gub"), colonies=("Gub", "Esteemed Elder; Gub"), **rest):
    env = gubs_v0.raw_env(2)
    env.set_state(gubs_v0.position([*hands], [*colonies], turn=0, seed=1, **rest))
    return env


def cost(judge, env, played, other):
    moves = {move.text: move.picks for move in env.legal_moves()}
    view = env.view(env.agent_selection)
    return weigh(env.table, judge, view, moves[played], moves[other])


ELDER = "Lightning: discard player_1's Esteemed Elder"
HAND = "Lightning: discard the hand of player_1"


def test_a_card_spent_on_little_costs_more_than_its_uncertainty(judge):
    weighed = cost(judge, position(), HAND, ELDER)
    assert weighed.cost > weighed.margin > 0
    assert weighed.better.startswith("better: it wins ")
    assert weighed.better.endswith(" points from player_1 on average within eight turns")
    back = cost(judge, position(), ELDER, HAND)
    assert back.cost == -weighed.cost
    assert not back.better, "it is worse"


@pytest.mark.parametrize(("text", "chosen"), [(ELDER, HAND), (HAND, ELDER)])
def test_a_move_may_be_better_than_the_networks(judge, text, chosen):
    env = position()
    legal = env.legal_moves()
    played, other = (next(x for x in legal if x.text == each) for each in (text, chosen))
    probabilities = {move.picks: float(move is other) for move in legal}
    view = env.view(env.agent_selection)
    move = SimpleNamespace(view=view, move=played, legal=legal, index=legal.index(played))
    decision = Decision(env.table, judge, move, Judgement(probabilities, 0.0), is_point=False)
    told = f"Compared with “{chosen}”, the move is {cost(judge, env, chosen, text).better}"
    assert decision.comparison == (told if text == ELDER else "")
    assert bool(decision.mistake) == (text == HAND)


def test_moves_that_lead_to_the_same_game_cost_nothing(judge):
    env = position(hands=("Spear, Lure", "Gub"), colonies=("", "Gub + Mushroom"))
    move = next(move for move in env.legal_moves() if move.text.startswith("Spear"))
    weighed = weigh(env.table, judge, env.view("player_0"), move.picks, move.picks)
    assert (weighed.cost, weighed.margin, weighed.better) == (0, 0, "")


def test_what_is_hidden_changes_nothing(judge):
    one = cost(judge, position(), HAND, ELDER)
    other = cost(judge, position(hands=("Lightning, Spear", "Feather")), HAND, ELDER)
    assert one == other


def test_a_network_without_a_value_plays_to_the_end(judge):
    without = SimpleNamespace(judge=lambda *asked: (judge.judge(*asked)[0], None))
    weighed = cost(without, position(), HAND, ELDER)
    assert 0 < weighed.cost < 2
    assert weighed.better.endswith(" on average by the end of the game")


def test_a_cost_by_the_luck_of_some_games_is_not_told():
    table = find_table("fubnub")
    env = environment_of(table)
    env.reset(seed=2)
    first, *_, last = env.legal_moves()
    asked = table, judge_at(table), env.view(env.agent_selection), last.picks, first.picks
    first = estimated(*asked, seed=0)
    assert first.cost - first.margin > LEAST_COST * table.max_payoff
    assert not weigh(*asked).better


@pytest.mark.parametrize(
    ("players", "rules", "payoff", "chance"),
    [
        (2, None, 0.5, 0.75),
        (4, None, -1 / 3, 0),
        (4, None, 1, 1),
        (2, {"reward": "margin"}, 0.5, None),
    ],
)
def test_a_payoff_is_a_chance_of_winning_where_only_the_win_is_paid(players, rules, payoff, chance):
    found = chance_of(find_table("gubs", players, rules), payoff)
    assert found == (chance if chance is None else pytest.approx(chance))


@pytest.mark.parametrize(("name", "expected"), [("gubs", True), ("bad_bad_turtle", False)])
def test_who_won_is_told_as_no_points(name, expected):
    env = environment_of(find_table(name))
    env.reset(seed=1)
    while not env.is_done(env.agent_selection):
        assert env.game.has_points(env.outcome()) == expected
        env.step(env.legal_moves()[-1].picks[0])
    assert env.game.has_points(env.outcome()) == expected
