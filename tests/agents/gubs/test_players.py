"""The scripted agents make the choices that a sensible card player would make."""

from __future__ import annotations

import numpy as np
import pytest

import gubs_agents
from gubs_agents.arena import win_rate
from gubs_agents.scripted.gubs.greedy import Greedy
from gubs_agents.scripted.gubs.heuristic import Heuristic
from gubs_env import find_table
from gubs_env.games.gubs.state import Phase
from gubs_env.gubs_v0 import GAME
from tests.gubs.table import Table

PLAYERS = (Greedy, Heuristic)
both = pytest.mark.parametrize("player", PLAYERS)


def choices(table, player=Heuristic, times=20):
    """Return the names of the actions that the agent chooses here with different RNGs."""
    played = find_table(GAME, table.num_players)
    observation = np.zeros((times, played.observation_size), np.int8)
    GAME.kernel.observe(table.games, 0, table.actor, observation[0])
    observation[:] = observation[0]
    masks = np.tile(table.mask, (times, 1))
    actions = player(played, seed=0).act(observation, masks)
    return {played.action_name(int(action)) for action in actions}


def play_out_turn(table, player=Heuristic):
    """Play the rest of the turn, with the agent deciding for all seats."""
    seat = table.game.turn
    while table.game.turn == seat and table.phase != Phase.OVER:
        table.play(choices(table, player, 1).pop())
    return table


@both
def test_draws(player):
    table = Table(["Lure", "Feather"], ["Gub", "Gub"], phase=Phase.DRAW)
    assert choices(table, player) == {"DECK"}


@both
def test_protects_a_free_gub(player):
    table = Table(["Mushroom", ""], ["Gub", "Gub + Mushroom"])
    play_out_turn(table, player)
    assert table.colony(0) == "Gub + Mushroom"


def test_protects_the_free_gub_and_not_the_protected_one():
    table = Table(["Velvet Moth", ""], ["Gub + Mushroom; Gub", "Gub"])
    play_out_turn(table)
    assert table.colony(0) == "Gub + Mushroom; Gub + Velvet Moth"


def test_keeps_a_bare_gub_in_the_hand_until_it_can_be_protected():
    assert choices(Table(["Gub", ""], ["", "Gub"])) == {"PASS"}
    assert choices(Table(["Gub, Velvet Moth", ""], ["", "Gub"])) == {"CARD[Gub]"}


def test_lays_its_gubs_when_any_draw_may_end_the_game():
    table = Table(["Gub", ""], ["", "Gub"], letters="GU", deck="Lure, Letter B", rest=False)
    assert choices(table) == {"CARD[Gub]"}


def test_keeps_super_lure_for_many_gubs():
    assert choices(Table(["Super Lure", ""], ["", "Gub; Gub"])) == {"PASS"}
    assert choices(Table(["Super Lure", ""], ["", "Gub; Gub; Gub; Gub"])) == {"CARD[Super Lure]"}


@both
def test_answers_a_super_lure_on_itself(player):
    table = Table(["Super Lure", "Feather"], ["", "Gub; Gub"]).play("Super Lure")
    assert choices(table, player) == {"CARD[Feather]"}


@both
def test_leaves_attacks_on_others_alone(player):
    table = Table(["Lure", "Feather", ""], ["", "Gub", "Gub"]).play("Lure", "PLACE[2, 0]")
    assert table.actor == 1
    assert choices(table, player) == {"PASS"}


def test_spends_blindfold_before_feather():
    table = Table(["Super Lure", "Feather, Blindfold"], ["", "Gub; Gub"]).play("Super Lure")
    assert choices(table) == {"CARD[Blindfold]"}


@pytest.mark.parametrize(("colonies", "choice"), [("Gub;", "PASS"), (";Gub", "CARD[Flop Boat]")])
def test_sends_the_last_letter_back_only_when_behind(colonies, choice):
    table = Table(
        ["Flop Boat", ""], colonies.split(";"), letters="GU", deck="Letter B, Lure", rest=False,
        phase=Phase.DRAW,
    )  # fmt: skip
    assert choices(table.play("DECK")) == {choice}


def test_plays_before_it_draws_the_last_letter():
    table = Table(
        ["Lure", ""], ["", "Gub"], letters="GU", deck="Letter B", rest=False, phase=Phase.DRAW
    )
    assert choices(table) == {"PASS"}
    play_out_turn(table)
    assert table.colony(0) == "Gub"


@both
@pytest.mark.parametrize("card", ["Sud Spout", "Single Ring", "Spear"])
def test_never_hits_itself(player, card):
    table = Table([card, "", ""], ["Gub; Gub", "Gub", "Gub"]).play(card)
    assert choices(table, player, 100) <= {"PLACE[1, 0]", "PLACE[2, 0]"}


def test_rather_keeps_a_ring_than_trap_its_own():
    assert choices(Table(["Double Ring", ""], ["Gub", "Gub"])) == {"PASS"}


@both
def test_frees_its_own_gub_with_the_spear(player):
    table = Table(["Spear", ""], ["Gub + Sud Spout", "Gub"]).play("Spear")
    assert choices(table, player) == {"PLACE[0, 0]"}


def test_lays_a_gub_bare_and_lures_it():
    table = Table(["Toad Rider, Lure", ""], ["", "Gub + Velvet Moth"])
    play_out_turn(table)
    assert table.colony(0) == "Gub"


@both
def test_aims_at_the_leader_and_by_lot_between_equals(player):
    table = Table(["Lure", "", ""], ["", "Gub", "Gub; Gub"]).play("Lure")
    assert choices(table, player) == {"PLACE[2, 0]"}
    table = Table(["Lure", "", ""], ["", "Gub", "Gub"]).play("Lure")
    assert choices(table, player) == {"PLACE[1, 0]", "PLACE[2, 0]"}


@both
def test_discards_no_gub_while_it_has_less(player):
    table = Table(["Retreat, Gub ×5, Feather ×2, Scout", ""])
    table.play("PASS")
    assert table.phase == Phase.DISCARD
    assert choices(table, player) <= {"CARD[Retreat]", "CARD[Scout]"}


def test_what_it_does_depends_on_no_seat():
    """The same table, rotated to each seat, leads to the same choice."""
    hands, colonies = ["Lure, Gub", "Feather", "Scout"], ["Gub", "Gub; Gub", "Gub"]
    for steps in range(3):
        table = Table(
            hands[-steps:] + hands[:-steps], colonies[-steps:] + colonies[:-steps], turn=steps
        )
        assert choices(table) == {"CARD[Lure]"}
        assert choices(table.play("Lure")) == {"PLACE[1, 0]"}


def test_the_heuristic_beats_random_and_greedy():
    """The project's lower bounds, less a margin for the few deals played here."""
    heuristic = gubs_agents.make("heuristic", seed=0)
    assert win_rate(heuristic, gubs_agents.make("random", seed=1), deals=1000).low > 0.84
    assert win_rate(heuristic, gubs_agents.make("greedy", seed=1), deals=1000).low > 0.64
