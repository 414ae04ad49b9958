"""The scripted agents make the choices of a player who knows the rule sheet."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_agents.arena.playing import play
from gubs_agents.scripted.fubnub.greedy import Greedy
from gubs_agents.scripted.fubnub.heuristic import Heuristic
from gubs_agents.scripted.uniform import Uniform
from gubs_env import find_table
from gubs_env.fubnub_v0 import GAME, Rules
from gubs_env.games.fubnub.actions import NAMES
from gubs_env.games.fubnub.cards import NUM_CARDS
from gubs_env.games.fubnub.state import Phase
from tests.fubnub.table import Table, short
from tests.fubnub.test_scenarios import full

PLAYERS = (Greedy, Heuristic)
both = pytest.mark.parametrize("player", PLAYERS)


def choices(table, player=Heuristic, times=20):
    """Return the names of the actions that the agent chooses with different RNGs; cards as `G2`."""
    observation = np.zeros(find_table(GAME, 4).observation_size, np.int8)
    GAME.kernel.observe(table.games, 0, int(table.game.actor), observation)
    observations, masks = np.tile(observation, (times, 1)), np.tile(table.mask, (times, 1))
    actions = player(find_table(GAME, 4), seed=0).act(observations, masks)
    return {short(a) if a < NUM_CARDS else NAMES[a] for a in actions}


def last_of_four(played, hand, **setting):
    """Return a table at the last play of the fourth trick, by a seat of side 1 with two cards."""
    hands = [f"{card} {other}" for card, other in zip(played, ("R1", "P1", "N1"), strict=True)]
    setting = {"tricks": [1, 1, 1, 0]} | setting
    return Table([*hands, hand], point="Sixes", **setting).play(*played)


# ------------------------------------------------------------------------------------- the tricks


def test_takes_the_trick_with_the_cheapest_card_that_wins():
    assert choices(last_of_four(["N4", "R3", "P3"], "G5 G6")) == {"G5"}


@both
def test_throws_the_lowest_card_where_none_wins(player):
    assert choices(last_of_four(["G6", "R3", "P3"], "G2 G5"), player) == {"G2"}


def test_leaves_the_trick_to_a_partner_who_has_it():
    table = last_of_four(["R3", "N5", "P3"], "G2 G6")
    assert choices(table) == {"G2"}
    assert choices(table, Greedy) == {"G6"}


def test_takes_it_from_another_who_plays_alone():
    assert choices(last_of_four(["R3", "N5", "P3"], "G2 G6", mode="royal")) == {"G6"}


@both
def test_what_is_high_is_told_by_the_point_card(player):
    hands = ["R5 N1", "G5 R1", "R6 P1", "P2 G6"]
    setting = {"tricks": [1, 1, 1, 0], "mode": "royal"}
    twos = Table(hands, point="Twos", **setting).play("R5", "G5", "P1")
    assert choices(twos, player) <= {"P2", "G6"}
    red = Table(hands, point="Red", **setting).play("R5", "G5", "P1")
    assert choices(red, player) == {"P2"}


def test_reckons_with_the_hands_that_it_was_shown():
    hands = ["R3 P4", "N4 G6", "R1 P1", "R2 P2"]
    table = full("Peek", 1, hands, point="Sixes", tricks=[1, 1, 1, 0]).play("DECLINE", "R3")
    assert (table.asked, table.phase) == (1, Phase.PLAY)
    assert choices(table) == {"N4"}


def test_counts_the_cards_that_are_out():
    """With every higher card out, the lower card takes the trick just as surely."""
    table = Table(["R2 G1", "G5 G6"], point="Sixes", mode="royal", num_players=2, tricks=[1, 2])
    assert choices(table.play("R2")) == {"G5"}


# --------------------------------------------------------------------------------- other decisions


GOOD, BAD = "G2 N2 P2 G6 N6", "R1 P1 N1 R3 P3"


@both
def test_calls_on_a_good_hand_alone(player):
    rest = ["R4 P4 N4 G4 R5", "P5 N5 R2 G1 N3"]
    for hand, last, choice in ((GOOD, "G3 G5 R6 P6 R1", "PLAY"), (BAD, "G3 G5 R6 P6 G2", "PASS")):
        assert choices(Table([hand, *rest, last], phase=Phase.DECIDE), player) == {choice}


@both
def test_swaps_its_lowest_card(player):
    table = Table(["", "", "", "R1 G2 N2 P2 G6"], phase=Phase.SWAP_OFFER)
    assert choices(table, player) == {"ACCEPT"}
    assert choices(table.play("ACCEPT"), player) == {"R1"}


def test_swaps_nothing_that_is_high():
    table = Table(["", "", "", "R2 G2 N2 P2 G6"], phase=Phase.SWAP_OFFER)
    assert choices(table) == {"DECLINE"}


PILES = ["Ones", "Threes", "Fours, Fives", "Sixes, Odds, Evens"]


@both
def test_steals_from_the_leader(player):
    table = full("Shield", 1, piles=PILES, award="Threes").play("DECLINE")
    assert choices(table, player, 100) == {"STEAL[Sixes]", "STEAL[Odds]", "STEAL[Evens]"}


@both
def test_gives_the_advantage_to_the_last(player):
    table = full("Pick a Player", 1, piles=PILES, award="Threes").play("DECLINE")
    assert choices(table, player) == {"SEAT[3]"}


@both
def test_performs_rather_than_lose_what_it_won(player):
    table = full("Dance", 1, piles=PILES, award="Threes").play("DECLINE")
    assert choices(table, player) == {"ACCEPT"}


@both
def test_keeps_its_best_card(player):
    table = full("Do Over", 1, point="Twos").play("DECLINE")
    assert choices(table, player) == {"P2"}


@both
def test_gives_the_dealer_its_lowest_card(player):
    table = full("Eliminated", 1).play("DECLINE")
    assert choices(table, player) == {"ACCEPT"}
    assert choices(table.play("ACCEPT"), player) == {"R1"}


# ------------------------------------------------------------------------------------- in all games


@both
def test_what_it_does_depends_on_no_seat(player):
    """The same table, rotated to each seat, leads to the same choice."""
    hands = ["R3 R1", "N5 P1", "P3 N1", "G2 G6"]
    chosen = []
    for turns in range(4):
        turned = hands[-turns:] + hands[:-turns]
        won = [1, 1, 1, 0][-turns:] + [1, 1, 1, 0][:-turns]
        table = Table(turned, point="Sixes", tricks=won, dealer=(3 + turns) % 4)
        chosen.append(choices(table.play("R3", "N5", "P3"), player))
    assert all(each == chosen[0] for each in chosen)


def share_of_wins(player, opponent, deals=200):
    """Return the win rate in teams over both sides of each deal, and its lower 95 % bound."""
    table = find_table(GAME, 4)
    one, other = player(table, 0), opponent(table, 1)
    won = play([one, other, one, other], table, deals)[:, 0] > 0
    turned = play([other, one, other, one], table, deals)[:, 1] > 0
    by_deal = (won.astype(float) + turned) / 2
    return by_deal.mean(), by_deal.mean() - 1.96 * by_deal.std(ddof=1) / np.sqrt(deals)


@pytest.mark.parametrize(
    ("player", "opponent", "bar"),
    [(Greedy, Uniform, 0.7), (Heuristic, Uniform, 0.95), (Heuristic, Greedy, 0.95)],
)
def test_a_team_of_scripted_agents_wins(player, opponent, bar):
    assert share_of_wins(player, opponent)[1] > bar


@pytest.mark.parametrize("num_players", [2, 4])
@both
def test_alone_it_wins_more_than_its_share(player, num_players):
    table = find_table(GAME, num_players, Rules(mode="royal"))
    one, others = player(table, 0), Uniform(table, 1)
    seating = [one] + [others] * (num_players - 1)
    assert play(seating, table, 200)[:, 0].mean() > 0.1
