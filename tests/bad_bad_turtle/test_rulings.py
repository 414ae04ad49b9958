"""The rulings (docs/rules/bad_bad_turtle.md, section 13) that no scenario covers."""

from __future__ import annotations

import pytest

from gubs_env.bad_bad_turtle_v0 import Card, Phase
from tests.bad_bad_turtle.table import Table
from tests.bad_bad_turtle.test_scenarios import TURN, revealing

EVERYTHING = {"Never Happened": 2, "No Way": 2, "Shield": 2}


def test_t8_what_no_trash_finds_may_reveal_another():
    table = Table({1: "Skip, blank"}, discards={1: "Double Dip"}, modifier="No Trash")
    table.play("TAKE_TURN")
    assert table.revealed(1) == "Double Dip, Skip"
    assert (table.sizes(1), table.turn) == ((1, 0, 2), (3, TURN))


def test_t9_a_modifier_follows_whoever_is_next():
    table = revealing("Rapid Fire", aside={"Shield": 2}).play("SHIELD[1]")
    assert table.turn == (3, TURN)
    table.play("TAKE_TURN")
    assert table.sizes(3) == (3, 0, 3)
    assert table.revealed(3) == "Shield, Rapid Fire, blank"


def test_t11_an_emptied_stack_that_was_refilled_is_not_dealt_anew():
    table = Table({1: "Do Over"}, revealed={1: "Skip, Peek"}).play("TAKE_TURN")
    assert table.game.deals == 1
    assert table.sizes(1) == (2, 0, 1)


def test_t12_cards_are_dealt_clockwise_whatever_the_direction():
    stacks = {0: "blank ×2", 1: "blank", 2: "blank", 3: "blank ×2"}
    table = Table(stacks, direction=-1).play("TAKE_TURN")
    assert table.turn == (0, TURN)
    assert table.stack_sizes == [2, 1, 1, 1]
    stacks[0] += ", blank"
    assert Table(stacks, direction=-1).play("TAKE_TURN").stack_sizes == [2, 2, 1, 1]


def test_t13_nobody_is_asked_about_a_blank():
    assert revealing("blank", aside=EVERYTHING).turn == (2, TURN)


@pytest.mark.parametrize(("direction", "order"), [(1, [1, 3, 0]), (-1, [1, 0, 3])])
def test_t14_questions_go_in_the_direction_of_play(direction, order):
    aside = {"Never Happened": 1, "No Way": 3, "Shield": 0}
    table = revealing("Skip", aside=aside, direction=direction, out=[2])
    asked = []
    while table.phase is Phase.REACT:
        asked.append(table.actor)
        table.play("PASS")
    assert asked == order


def test_t14_about_an_answer_its_player_is_asked_first():
    table = revealing("Skip", aside={"Never Happened": 0, "No Way": 2, "Shield": 3})
    asked = [table.actor]
    table.play("PASS", "SHIELD[1]")
    for _ in range(4):
        asked.append(table.actor)
        table.play("PASS")
    assert asked == [2, 0, 2, 0, 2], "on from 3 about its Shield, then from the victim, 0"
    assert table.turn == (1, TURN)


def test_t14_each_card_of_a_chain_has_its_window():
    table = revealing("Double Dip", "Skip", aside={"Never Happened": 3}).play("PASS")
    assert (table.actor, table.phase) == (3, Phase.REACT)
    assert table.seen(3, "pending").nonzero()[0].tolist() == [Card.SKIP]
    assert table.play("NEVER_HAPPENED").turn == (2, TURN)


def test_t14_a_second_answer_has_a_window_of_its_own():
    table = revealing("Skip", aside={"Shield": 2, "No Way": 3, "Never Happened": 0})
    table.play("SHIELD[2]", "PASS", "PASS", "PASS", "NO_WAY")
    assert (table.actor, table.phase) == (0, Phase.REACT)
    table.play("NEVER_HAPPENED")
    assert table.turn == (1, TURN), "the Skip stands, forced on 0"


def test_t14_who_was_cancelled_is_asked_again():
    table = revealing("Skip", aside={"No Way": 2, "Shield": 2, "Never Happened": 3})
    table.play("NO_WAY")
    assert table.actor == 3
    table.play("NEVER_HAPPENED")
    assert (table.actor, table.phase) == (2, Phase.REACT)
    assert table.legal == {"PASS", *(f"SHIELD[{k}]" for k in range(4))}
    table.play("PASS")
    assert table.turn == (3, TURN), "the Skip stands"


def test_t15_what_a_holder_of_all_three_can_do():
    table = revealing("Skip", aside=EVERYTHING, out=[0])
    assert table.legal == {
        "PASS", "NEVER_HAPPENED", "NO_WAY", "SHIELD[0]", "SHIELD[1]", "SHIELD[3]",
    }  # fmt: skip
    table = revealing("Turtle", aside=EVERYTHING)
    assert table.legal == {"PASS", "NO_WAY"}


def test_t15_a_shield_does_not_answer_a_reaction():
    table = revealing("Skip", aside={"No Way": 2, "Shield": 3})
    table.play("NO_WAY")
    assert table.turn == (2, TURN), "3 was asked neither about No Way nor about the gone Skip"
    assert table.discard(1) == "Skip, blank, blank"


def test_t15_a_set_aside_shield_is_hit():
    table = revealing("Skip", aside={"No Way": 2, "Shield": 3}).play("NO_WAY[Shield]")
    assert (table.discard(3), table.revealed(3)) == ("Shield", "No Way")
    assert table.seen(0, "discards_seen")[3, Card.SHIELD] == 1
    assert table.turn == (3, TURN)
    assert table.seen(3, "set_aside").sum() == 0


def test_t18_a_cancelled_reveal_is_not_repeated():
    table = revealing("Double Dip", "Turtle", aside={"Never Happened": 2}).play("NEVER_HAPPENED")
    assert table.revealed(1) == "Double Dip, Never Happened"
    assert table.stack(1).startswith("Turtle")


def test_t20_no_way_on_the_shield_undoes_it():
    table = revealing("Skip", aside={"Shield": 2, "No Way": 3}).play("SHIELD[2]")
    assert table.actor == 3
    table.play("NO_WAY")
    assert (table.revealed(2), table.discard(2)) == ("No Way", "Shield")
    assert table.seen(0, "discards_seen")[2, Card.SHIELD] == 1
    assert table.turn == (3, TURN), "the Shield was hit, so the Skip by 1 stands"


def test_t20_no_way_on_the_shielded_card_leaves_the_turn_with_the_victim():
    table = revealing("Skip", aside={"Shield": 2, "No Way": 3})
    assert [int(table.seen(seat, "shielded")[0]) for seat in range(4)] == [0, 0, 0, 0]
    table.play("SHIELD[2]", "PASS")
    assert [int(table.seen(seat, "shielded")[0]) for seat in range(4)] == [1, 1, 1, 1]
    table.play("NO_WAY")
    assert table.seen(0, "owner").sum() == table.seen(0, "shielded").sum() == 0
    assert table.discard(0) == "Skip"
    assert table.revealed(0) == "Shield, No Way"
    assert table.turn == (0, TURN)


def test_t20_a_second_chance_forced_on_another_is_its_turn():
    assert revealing("Second Chance", aside={"Shield": 1}).play("SHIELD[2]").turn == (3, TURN)


def test_t20_a_shield_on_an_earlier_card_does_not_hold_a_reverse():
    stacks = {1: "blank, blank, Double Dip, blank", 3: "Reverse Direction, blank ×3"}
    table = Table(stacks, aside={"Shield": 1}).play("TAKE_TURN", "SHIELD[2]")
    assert (table.turn, table.game.direction) == ((2, TURN), -1)


def test_t21_who_is_out_looks_at_nothing():
    table = revealing("Eliminated", aside={"Shield": 1})
    table.game.peeking[3] = 1
    table.play("SHIELD[2]")
    assert not table.seen(0, "looking").any()


def test_t21_set_aside_cards_of_the_eliminated_are_out_of_play():
    table = revealing("Eliminated", aside={"No Way": 1}).play("PASS")
    assert table.revealed(1) == "No Way"
    assert table.aside("No Way") == -1


@pytest.mark.parametrize("kind", ["Refund", "Recycle Bonus"])
def test_t23_nothing_to_take_back(kind):
    table = Table({1: f"{kind}, blank"}, modifier="Rapid Fire").play("TAKE_TURN")
    assert (table.stack(1), table.revealed(1)) == ("blank", kind)


def test_t24_refund_of_a_card_that_all_saw():
    table = Table({1: "Refund, blank"}, discards={1: "Dance"}, modifier="Rapid Fire")
    table.game.discard_seen[1] = 1
    assert table.seen(0, "discards_seen")[1, Card.DANCE] == 1
    table.play("TAKE_TURN")
    assert table.stack(1) == "Dance, blank"
    assert not table.seen(0, "discards_seen").any()
    assert table.game.discard_seen[1] == 0, "nor will the next card there be seen"


def test_t25_to_decline_ends_the_right_to_peek():
    table = Table(turn=2, modifier="Dance")
    table.game.peeking[2] = 1
    assert table.seen(2, "looking")[0] == 1, "while it decides"
    assert not table.play("DECLINE").seen(2, "looking").any()


def test_t25_a_turn_lost_to_skip_does_not():
    table = revealing("Skip")
    table.game.peeking[2] = 1
    assert table.turn == (3, TURN)
    assert table.play("TAKE_TURN").seen(2, "looking")[0] == 1


def test_t27_left_is_left_whatever_the_direction():
    stacks = {0: "Skip", 1: "blank, blank, Stack Swap Left, Peek", 2: "Dance", 3: "Turtle"}
    table = Table(stacks, direction=-1).play("TAKE_TURN")
    assert [table.stack(seat) for seat in range(4)] == ["Turtle", "Skip", "Peek", "Dance"]


def test_t28_restart_begins_left_of_the_dealer_even_after_a_shield():
    table = revealing("Restart Game", dealer=2, aside={"Shield": 1}).play("SHIELD[0]")
    assert table.turn == (3, TURN)
    assert table.stack_sizes == [5, 5, 4, 5]


def test_t28_restart_ends_the_right_to_peek():
    table = revealing("Peek", aside={"Shield": 1}).play("PASS")
    assert table.seen(0, "looking").tolist() == [0, 1, 0, 0]
    table = revealing("Restart Game", by=2, aside={"No Way": 1})
    table.game.peeking[1] = 1
    assert not table.play("PASS").seen(1, "looking").any()


def test_t29_the_next_player_may_be_the_one_who_is_out():
    stacks = {1: "blank, blank, Double Dip, Eliminated", 2: "blank ×4"}
    table = Table(stacks, aside={"Shield": 1}).play("TAKE_TURN", "SHIELD[0]")
    assert table.living == [0, 2, 3]
    assert table.turn == (2, TURN)


def test_t30_a_gecko_hit_by_no_way_can_come_back():
    table = revealing("Eliminated", aside={"No Way": 3}).play("NO_WAY")
    assert table.discard(1) == "Eliminated, blank, blank"
    assert table.living == [0, 1, 2, 3]


def test_t33_the_last_decision_may_still_win():
    table = revealing("Turtle", max_cycles=1)
    assert table.winner == 1
    assert table.payoffs == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])


@pytest.mark.parametrize("kind", ["Shuffle", "Eliminated", "Restart Game"])
def test_t36_a_new_deal_ends_what_all_saw_go_face_down(kind):
    table = Table({1: f"blank, blank, {kind}, blank"}, discards={3: "Skip"})
    table.game.discard_seen[3] = 1
    assert table.seen(2, "discards_seen").any()
    assert not table.play("TAKE_TURN").seen(2, "discards_seen").any()
