"""The scripted agents make the choices that a sensible card player would make."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_agents.scripted.bad_bad_turtle.greedy import Greedy
from gubs_agents.scripted.bad_bad_turtle.heuristic import Heuristic
from gubs_env import find_table
from gubs_env.bad_bad_turtle_v0 import GAME, Card
from tests.bad_bad_turtle.table import Table
from tests.bad_bad_turtle.test_scenarios import gecko_shielded, revealing, turtle_answered

players = pytest.mark.parametrize("player", [Greedy, Heuristic])
ALL_SET_ASIDE = ("Never Happened", "No Way", "Shield")


def choices(table, player=Heuristic, times=20):
    """Return the names of the actions that the agent chooses here with different RNGs."""
    played = find_table(GAME, table.num_players)
    observation = np.zeros((times, played.observation_size), np.int8)
    GAME.kernel.observe(table.games, 0, table.actor, observation[0])
    observation[:] = observation[0]
    masks = np.tile(table.mask, (times, 1))
    actions = player(played, seed=0).act(observation, masks)
    return {played.action_name(int(action)) for action in actions}


# ----------------------------------------------------------------------------- set-aside cards


@players
@pytest.mark.parametrize(
    ("card", "choice"), [("Never Happened", "NEVER_HAPPENED"), ("No Way", "NO_WAY")]
)
def test_saves_itself_from_the_gecko(player, card, choice):
    assert choices(revealing("Eliminated", aside={card: 1}), player) == {choice}


@players
@pytest.mark.parametrize("num_players", [2, 4])
def test_forces_its_gecko_on_an_opponent(player, num_players):
    aside = dict.fromkeys(ALL_SET_ASIDE, 1)
    table = revealing("Eliminated", aside=aside, num_players=num_players)
    assert choices(table, player) <= {f"SHIELD[{k}]" for k in range(1, num_players)}


@players
def test_stops_the_turtle_of_another(player):
    assert choices(revealing("Turtle", aside={"No Way": 3}), player) == {"NO_WAY"}


@players
def test_lets_its_own_turtle_win(player):
    assert choices(revealing("Turtle", aside={"No Way": 1}), player) == {"PASS"}


@players
@pytest.mark.parametrize("kind", ["Eliminated", "Skip", "Dance", "Slow Down"])
def test_saves_its_cards_from_what_happens_to_others(player, kind):
    table = revealing(kind, aside=dict.fromkeys(ALL_SET_ASIDE, 3))
    assert choices(table, player) == {"PASS"}


def test_saves_its_turtle_from_no_way():
    table = turtle_answered(aside={"No Way": 2, "Never Happened": 1})
    assert choices(table) == {"NEVER_HAPPENED"}


def test_does_not_save_the_turtle_of_another():
    table = turtle_answered(aside={"No Way": 2, "Never Happened": 3})
    assert choices(table) == {"PASS"}


@pytest.mark.parametrize(
    ("card", "choice"), [("Never Happened", "NEVER_HAPPENED"), ("No Way", "NO_WAY")]
)
def test_sends_a_shielded_gecko_back(card, choice):
    table = gecko_shielded(**{card.replace(" ", "_"): 3})
    assert table.actor == 3
    assert choices(table) == {choice}


def test_does_not_let_the_gecko_of_its_only_opponent_be_overruled():
    aside = {"Never Happened": 1, "No Way": 0}
    table = revealing("Eliminated", aside=aside, num_players=2).play("NEVER_HAPPENED")
    assert table.actor == 0
    assert choices(table) == {"NO_WAY"}


def test_takes_no_way_from_an_opponent():
    table = revealing("No Way", aside={"Shield": 0}, num_players=2)
    assert choices(table) == {"SHIELD[0]"}


def test_a_new_game_is_not_wanted_by_who_would_lose_its_cards():
    table = revealing("Restart Game", aside=dict.fromkeys(ALL_SET_ASIDE, 2))
    assert choices(table) == {"NEVER_HAPPENED"}
    table = revealing("Restart Game", aside={"Never Happened": 2, "No Way": 1, "Shield": 1})
    assert choices(table.play("PASS")) == {"PASS"}


def test_a_new_game_is_not_wanted_by_the_last_two():
    table = revealing("Restart Game", aside={"Never Happened": 1}, out=[2, 3])
    assert choices(table) == {"NEVER_HAPPENED"}


# --------------------------------------------------------------------------------------- turns


@players
@pytest.mark.parametrize("num_players", [2, 4, 8])
def test_takes_every_turn(player, num_players):
    table = Table.dealt(num_players)
    table.game.modifier = Card.DANCE
    table.look()
    assert choices(table, player) == {"PERFORM"}
    table = revealing("Pick a Player", "blank ×3", "Turtle", num_players=num_players)
    assert choices(table, player) == {"PICK[0]"}


@pytest.mark.parametrize(("third", "choice"), [("Turtle", "PERFORM"), ("Eliminated", "DECLINE")])
def test_acts_on_what_it_sees_by_peek(third, choice):
    table = Table({1: f"blank, blank, {third}, blank"}, modifier="Rhyme")
    table.game.peeking[1] = 1
    assert choices(table) == {choice}


@pytest.mark.parametrize(("third", "picks_itself"), [("Turtle", True), ("Eliminated", False)])
def test_picks_by_what_it_sees_by_peek(third, picks_itself):
    table = revealing("Pick a Player", "blank", "blank", third)
    table.game.peeking[1] = 1
    assert ("PICK[0]" in choices(table)) == picks_itself
