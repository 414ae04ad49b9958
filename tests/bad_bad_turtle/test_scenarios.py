"""The numbered scenarios of the rules (docs/rules/bad_bad_turtle.md, section 15)."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env.bad_bad_turtle_v0 import GAME, Card, Outcome, Phase, Rules, raw_env
from gubs_env.games.bad_bad_turtle.cards import IS_SOCIAL
from gubs_env.games.bad_bad_turtle.score import Decided, outcome
from tests.bad_bad_turtle.table import Table

TURN = Phase.TURN
BLANKS = "blank, blank"
"""What a turn discards before it reveals."""


def revealing(*kinds: str, by: int = 1, **setting: object) -> Table:
    """Return a table after a turn that revealed the first of these cards, the others beneath."""
    stack = ", ".join([BLANKS, *kinds, "blank ×3"])
    return Table({by: stack}, turn=by, **setting).play("TAKE_TURN")


# ------------------------------------------------------------------------------------- 1. set-up


def test_01_set_up():
    table = Table.dealt()
    assert table.stack_sizes == [13, 14, 14, 14]
    assert table.turn == (1, TURN)
    assert (table.game.dealer, table.game.direction) == (0, 1)
    assert table.living == [0, 1, 2, 3]
    assert [table.sizes(seat)[1:] for seat in range(4)] == [(0, 0)] * 4


def test_01_the_dealer_is_random():
    dealers = {int(Table.dealt(seed=seed, start=-1).game.dealer) for seed in range(40)}
    assert dealers == {0, 1, 2, 3}


# ---------------------------------------------------------------------------- 2.-5. kinds of turns


@pytest.mark.parametrize(("stack", "left"), [(14, 11), (4, 1)])
def test_02_a_turn_discards_two_and_reveals_one(stack, left):
    table = Table({1: f"blank ×{stack}"}).play("TAKE_TURN")
    assert table.sizes(1) == (left, 2, 1)
    assert table.turn == (2, TURN)


@pytest.mark.parametrize(("stack", "discards"), [("blank ×2", 1), ("blank", 0)])
def test_02_fewer_than_three_cards(stack, discards):
    table = Table({1: stack}).play("TAKE_TURN")
    assert table.sizes(1)[2] == 1
    assert sum(table.stack_sizes) == 12 + discards
    assert table.stack_sizes[2] == max(table.stack_sizes), "dealt from the next player on"


def test_03_no_reveal():
    table = Table({1: "blank, Turtle"}, modifier="No Reveal").play("TAKE_TURN")
    assert table.revealed(1) == ""
    assert table.turn == (2, TURN)
    assert sum(table.stack_sizes) == 14, "the stack was empty: all dealt anew"
    assert table.stack_sizes == [3, 3, 4, 4]


def test_03_partial_play():
    table = Table({1: "blank, Skip, blank ×3"}, modifier="Partial Play").play("TAKE_TURN")
    assert (table.stack(1), table.discard(1)) == ("blank, blank, blank", "blank")
    assert table.revealed(1) == "Skip"
    table = Table({1: "Skip"}, modifier="Partial Play").play("TAKE_TURN")
    assert table.revealed(1) == "Skip"


def test_03_rapid_fire():
    table = Table({1: "Skip, blank ×2"}, modifier="Rapid Fire").play("TAKE_TURN")
    assert (table.stack(1), table.discard(1), table.revealed(1)) == ("blank, blank", "", "Skip")


def test_04_the_last_card_is_followed_by_a_new_deal():
    table = Table({1: "blank"}, discards={0: "blank ×2"}, revealed={3: "Dance"}).play("TAKE_TURN")
    assert [table.sizes(seat)[1] for seat in range(4)] == [0] * 4
    assert (table.revealed(1), table.revealed(3)) == ("blank", "Dance")
    assert table.stack_sizes == [3, 3, 4, 4]
    assert table.turn == (2, TURN)


def test_04_fewer_cards_than_players():
    stacks = {0: "blank", 1: "blank", 2: "", 3: "Turtle"}
    table = Table(stacks).play("TAKE_TURN")
    assert table.stack_sizes == [0, 0, 1, 1]
    assert table.turn == (2, TURN)
    while table.phase is not Phase.OVER:
        table.play("TAKE_TURN")
    assert table.payoffs[table.winner] == 1


def test_05_no_trash():
    table = Table({1: "Turtle"}, modifier="No Trash")
    assert GAME.question(GAME.view(table.games, 0, 1)) == (
        "You: take your turn under No Trash: leave your stack alone and reveal the top card of "
        "your discard pile"
    )
    table.play("TAKE_TURN")
    assert (table.stack(1), table.turn) == ("Turtle", (2, TURN))


def test_05_no_trash_finds_the_turtle():
    table = Table(discards={1: "Turtle"}, aside={"No Way": 3}, modifier="No Trash")
    table.play("TAKE_TURN")
    assert (table.actor, table.phase) == (3, Phase.REACT)
    table.play("PASS")
    assert table.winner == 1


# ------------------------------------------------------------------------------- 6.-8. the turtle


@pytest.mark.parametrize("aside", [{}, {"Never Happened": 1, "Shield": 2}])
def test_06_the_turtle_wins(aside):
    table = revealing("Turtle", aside=aside)
    assert table.winner == 1
    assert table.payoffs == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])
    assert outcome(table.game) == Outcome((0, 1, 0, 0), (1,), Decided.TURTLE)


def turtle_answered(**setting):
    table = revealing("Turtle", **setting)
    assert table.actor == 2
    return table.play("NO_WAY")


def test_07_no_way_discards_the_turtle():
    table = turtle_answered(aside={"No Way": 2})
    assert table.discard(1) == "Turtle, blank, blank"
    assert table.revealed(1) == "No Way"
    assert table.turn == (2, TURN)
    assert table.seen(2, "discards_seen")[3, Card.TURTLE] == 1


def test_07_a_later_no_trash_finds_it_again():
    stacks = {1: "blank, blank, Turtle, blank ×3", 0: "blank, blank, No Trash, blank"}
    table = Table(stacks, aside={"No Way": 2}).play("TAKE_TURN", "NO_WAY")
    table.play("TAKE_TURN", "TAKE_TURN", "TAKE_TURN")
    assert table.turn == (1, TURN)
    assert table.play("TAKE_TURN").winner == 1


def test_08_never_happened_saves_the_turtle():
    table = turtle_answered(aside={"No Way": 2, "Never Happened": 1})
    assert table.actor == 1
    assert table.legal == {"PASS", "NEVER_HAPPENED"}
    table.play("NEVER_HAPPENED")
    assert table.winner == 1
    assert table.revealed(2) == "Never Happened"
    assert table.revealed(1) == "No Way, Turtle"


# ------------------------------------------------------------------------------ 9.-13. the gecko


def test_09_the_gecko():
    table = revealing("Eliminated", revealed={1: "Skip"}, discards={3: "blank"})
    assert table.living == [0, 2, 3]
    assert (table.sizes(1)[:2], table.revealed(1)) == ((0, 0), "Skip")
    assert table.stack_sizes == [6, 0, 7, 6], "gecko, stacks and discard piles, dealt from 2 on"
    assert table.turn == (2, TURN)


def test_09_the_last_player_wins():
    table = revealing("Eliminated", num_players=2)
    assert table.winner == 0
    assert outcome(table.game) == Outcome((1, 0), (0,), Decided.LAST_PLAYER)


def test_10_never_happened_saves_from_the_gecko():
    table = revealing("Eliminated", aside={"Never Happened": 1}).play("NEVER_HAPPENED")
    assert table.living == [0, 1, 2, 3]
    assert table.revealed(1) == "Eliminated, Never Happened"
    assert table.turn == (2, TURN)


def test_10_do_over_brings_the_gecko_back():
    table = revealing("Do Over", revealed={1: "Eliminated, Never Happened"})
    assert table.revealed(1) == "Do Over"
    assert "Eliminated" in table.stack(1)


def test_11_the_gecko_on_another():
    table = revealing("Eliminated", aside={"Shield": 1}).play("SHIELD[2]")
    assert table.living == [0, 1, 2]
    assert table.revealed(3) == "Shield"
    assert table.turn == (0, TURN)
    assert table.stack_sizes[0] == max(table.stack_sizes)


def test_11_the_gecko_on_the_only_other():
    table = revealing("Eliminated", aside={"Shield": 1}, num_players=2).play("SHIELD[1]")
    assert table.winner == 1


def gecko_shielded(**aside: int) -> Table:
    """Return a table on which 1 revealed the gecko and 2 forces it on 3."""
    holders = {title.replace("_", " "): seat for title, seat in aside.items()}
    table = revealing("Eliminated", aside={"Shield": 2} | holders)
    while table.actor != 2:
        table.play("PASS")
    return table.play("SHIELD[1]")


def test_12_the_victim_of_a_shield_answers_the_gecko():
    table = gecko_shielded(Never_Happened=3)
    assert table.actor == 3, "asked about the Shield"
    table.play("PASS")
    assert table.actor == 3, "asked about the gecko"
    table.play("NEVER_HAPPENED")
    assert table.living == [0, 1, 2, 3]
    assert table.revealed(3) == "Shield, Eliminated, Never Happened"
    assert table.turn == (3, TURN)


def test_12_the_victim_of_a_shield_answers_the_shield():
    table = gecko_shielded(Never_Happened=3).play("NEVER_HAPPENED")
    assert table.living == [0, 2, 3]
    assert table.revealed(2) == "Never Happened"
    assert table.revealed(3) == "Shield"
    assert table.turn == (2, TURN)


def test_13_no_way_on_the_shield():
    table = gecko_shielded(No_Way=0)
    assert table.actor == 0
    table.play("NO_WAY")
    assert table.living == [0, 2, 3]
    assert table.revealed(2) == "No Way"
    assert table.game.deals == 2, "the Shield was dealt from the discard pile of its owner"
    assert "Shield" in "".join(table.stack(seat) for seat in range(4))


def test_13_never_happened_on_that_no_way():
    table = gecko_shielded(No_Way=0, Never_Happened=2)
    assert table.actor == 2, "asked first about its own Shield"
    table.play("PASS", "NO_WAY")
    assert table.actor == 2
    table.play("NEVER_HAPPENED")
    assert table.living == [0, 1, 2]
    assert (table.revealed(0), table.revealed(2)) == ("Never Happened", "No Way")
    assert table.revealed(3) == "Shield"


# ------------------------------------------------------------------------- 14.-19. who is next


def test_14_skip():
    assert revealing("Skip").turn == (3, TURN)
    assert revealing("Skip", num_players=2).turn == (1, TURN)
    assert revealing("Skip", aside={"Shield": 1}).play("SHIELD[2]").turn == (0, TURN)


def test_15_a_social_card():
    table = revealing("Dance")
    assert (table.turn, table.legal) == ((2, TURN), {"PERFORM", "DECLINE"})
    table.play("DECLINE")
    assert (table.sizes(2), table.turn) == ((4, 0, 0), (3, TURN))
    assert table.legal == {"TAKE_TURN"}
    table = revealing("Dance").play("PERFORM")
    assert (table.sizes(2), table.turn) == ((1, 2, 1), (3, TURN))


def test_15_a_social_card_forced_on_another():
    table = revealing("Dance", aside={"Shield": 1}).play("SHIELD[3]")
    assert (table.turn, table.legal) == ((0, TURN), {"PERFORM", "DECLINE"})
    assert table.play("DECLINE").turn == (1, TURN)


def test_16_a_shield_takes_no_way():
    table = revealing("No Way", aside={"Shield": 2}).play("SHIELD[0]")
    assert table.aside("No Way") == 2
    assert table.turn == (2, TURN)


def test_16_never_happened_keeps_no_way_from_its_revealer():
    table = revealing("No Way", aside={"Never Happened": 2}).play("NEVER_HAPPENED")
    assert table.aside("No Way") == -1
    assert table.revealed(1) == "No Way, Never Happened"


def set_aside_attacked():
    table = revealing("Skip", aside={"No Way": 0, "Never Happened": 2})
    assert table.actor == 2
    table.play("PASS")
    assert "NO_WAY[Never Happened]" in table.legal
    table.play("NO_WAY[Never Happened]")
    assert (table.actor, table.legal) == (2, {"PASS", "NEVER_HAPPENED"})
    return table


def test_17_the_set_aside_card_answers_for_itself():
    table = set_aside_attacked().play("NEVER_HAPPENED")
    assert (table.revealed(2), table.revealed(0)) == ("No Way", "Never Happened")
    assert (table.aside("No Way"), table.aside("Never Happened")) == (-1, -1)
    assert table.turn == (3, TURN), "the Skip stands"


def test_17_the_set_aside_card_is_lost():
    table = set_aside_attacked().play("PASS")
    assert table.discard(2) == "Never Happened"
    assert table.revealed(2) == "No Way"
    assert table.turn == (3, TURN)


def test_18_double_dip_as_the_last_card():
    table = Table({1: "Double Dip"}).play("TAKE_TURN")
    assert table.revealed(1) == "Double Dip"
    assert table.stack_sizes == [3, 3, 3, 3]
    assert table.turn == (2, TURN)


def test_18_double_dip_and_recycle_bonus():
    stack = "blank, Skip, Double Dip, Recycle Bonus, blank"
    table = Table({1: stack}).play("TAKE_TURN")
    assert table.revealed(1) == "Double Dip, Recycle Bonus, Skip"
    assert table.discard(1) == "blank"
    assert table.turn == (3, TURN)


def test_18_recycle_bonus_without_discards():
    table = Table({1: "Recycle Bonus, blank"}, modifier="Rapid Fire").play("TAKE_TURN")
    assert (table.sizes(1), table.turn) == ((1, 0, 1), (2, TURN))


def test_19_double_dip_forced_on_another():
    stacks = {1: "blank, blank, Double Dip, blank", 3: "Dance, blank ×3"}
    table = Table(stacks, aside={"Shield": 1}).play("TAKE_TURN", "SHIELD[2]")
    assert table.revealed(3) == "Shield, Double Dip, Dance"
    assert (table.turn, table.legal) == ((3, TURN), {"PERFORM", "DECLINE"})


# ------------------------------------------------------------------- 20.-23. piles and directions


def test_20_refund():
    table = Table({1: "blank, Skip, Refund, blank ×3"}).play("TAKE_TURN")
    assert (table.stack(1), table.discard(1)) == ("Skip, blank, blank, blank", "blank")
    table.play("TAKE_TURN", "TAKE_TURN", "TAKE_TURN", "TAKE_TURN")
    assert table.discard(1) == "blank, Skip, blank"


def test_20_clean_up():
    table = revealing("Clean Up", revealed={1: "Skip, Peek"})
    assert table.discard(1) == "Peek, Skip, blank, blank"
    assert table.revealed(1) == "Clean Up"
    assert table.seen(3, "discards_seen")[2, [Card.PEEK, Card.SKIP]].tolist() == [1, 2]


def test_21_slow_down():
    table = Table(
        {2: "blank ×9"}, revealed={2: "blank ×4"}, aside={"No Way": 2}, turn=2, modifier="Slow Down"
    ).play("TAKE_TURN")
    assert table.sizes(2) == (10, 2, 1)
    assert table.aside("No Way") == 2


def test_22_reverse_direction():
    table = revealing("Reverse Direction")
    assert table.turn == (0, TURN)
    assert table.play("TAKE_TURN").turn == (3, TURN)
    assert revealing("Reverse Direction", num_players=2).turn == (0, TURN)
    table = revealing("Reverse Direction", aside={"Shield": 1}).play("SHIELD[2]")
    assert (table.turn, table.game.direction) == ((3, TURN), -1)
    assert table.play("TAKE_TURN").turn == (2, TURN)


def test_23_second_chance():
    table = Table({1: "Second Chance"}).play("TAKE_TURN")
    assert table.turn == (1, TURN)
    assert table.stack_sizes == [3, 3, 3, 3]
    assert table.play("TAKE_TURN").turn == (2, TURN)


# --------------------------------------------------------------------------------- 24. to peek


def test_24_peek():
    stacks = {1: "blank, blank, Peek, Skip, Turtle", 2: "blank, blank, Stack Swap Left, blank"}
    table = Table(stacks).play("TAKE_TURN")
    assert table.seen(1, "own_stack")[[Card.SKIP, Card.TURTLE]].tolist() == [1, 2]
    assert table.seen(2, "looking").tolist() == [0, 0, 0, 1]
    for seat in (0, 2, 3):
        assert not table.seen(seat, "own_stack").any()
    table.play("TAKE_TURN")
    assert table.stack(1) == "blank, blank, blank, blank"
    assert not table.seen(1, "own_stack").any()
    assert table.stack(2) == "Skip, Turtle"
    table.play("TAKE_TURN", "TAKE_TURN")
    assert table.seen(1, "looking")[0] == 1, "until the turn begins"
    table.play("TAKE_TURN")
    assert not table.seen(1, "looking").any()


def test_24_peek_forced_on_another_ends_with_its_turn():
    table = revealing("Peek", aside={"Shield": 1}).play("SHIELD[2]")
    assert table.game.peeking[3] == 1
    assert table.turn == (3, TURN)
    assert not table.play("TAKE_TURN").game.peeking.any()


# ------------------------------------------------------------------------ 25.-28. for the table


def test_25_stack_swap():
    stacks = {0: "Skip", 1: "blank, blank, Stack Swap Left, Peek", 3: "Turtle"}
    table = Table(stacks, out=[2]).play("TAKE_TURN")
    assert [table.stack(seat) for seat in range(4)] == ["Turtle", "Skip", "", "Peek"]
    stacks[1] = "blank, blank, Stack Swap Right, Peek"
    table = Table(stacks, out=[2]).play("TAKE_TURN")
    assert [table.stack(seat) for seat in range(4)] == ["Peek", "Turtle", "", "Skip"]


def test_25_stack_swap_as_the_last_card():
    table = Table({1: "Stack Swap Left"}).play("TAKE_TURN")
    assert table.stack_sizes == [3, 3, 3, 3], "an empty stack has gone left: all dealt anew"


def test_26_pick_a_player():
    table = revealing("Pick a Player", out=[2])
    assert (table.actor, table.phase) == (1, Phase.PICK)
    assert np.flatnonzero(table.mask).tolist() == [16, 18, 19]
    assert table.play("PICK[0]").turn == (1, TURN)


def test_26_pick_a_player_forced_on_another():
    table = revealing("Pick a Player", aside={"Shield": 1}).play("SHIELD[2]")
    assert (table.actor, table.phase) == (3, Phase.PICK)
    assert table.play("PICK[3]").turn == (2, TURN)


def test_27_restart_game():
    table = revealing(
        "Restart Game", out=[2], direction=-1, aside={"Shield": 3}, revealed={2: "Dance"}
    )
    assert table.actor == 3
    table.play("PASS")
    assert table.living == [0, 1, 2, 3]
    assert sum(table.stack_sizes) == table.game.composition.sum()
    assert (table.aside("Shield"), table.game.direction) == (-1, 1)
    assert table.turn == (1, TURN)


def test_27_eliminated_agents_stay_agents():
    table = Table({1: "blank ×2, Eliminated, Turtle"}).play("TAKE_TURN")
    environment = raw_env()
    environment.set_state(table.game)
    assert environment.agents == environment.possible_agents
    assert not any(environment.terminations.values())
    assert environment.agent_selection == "player_2"


def test_28_shuffle():
    table = revealing("Shuffle", revealed={2: "Skip"}, discards={3: "blank"})
    assert [table.sizes(seat)[1] for seat in range(4)] == [0] * 4
    assert (table.revealed(1), table.revealed(2)) == ("Shuffle", "Skip")
    assert table.stack_sizes == [4, 4, 5, 5]
    assert table.turn == (2, TURN)


@pytest.mark.parametrize("kind", ["Eliminated", "Restart Game", "No Way", "Dance"])
def test_28_with_younger_players_action_cards_are_blanks(kind):
    table = revealing(kind, younger=True)
    assert table.revealed(1) == kind
    assert (table.turn, table.legal) == ((2, TURN), {"TAKE_TURN"})
    assert table.living == [0, 1, 2, 3]


def test_28_with_younger_players_the_turtle_wins():
    assert revealing("Turtle", younger=True).winner == 1


# ------------------------------------------------------------------------------- 29. the options


def test_29_removed_cards():
    table = Table.dealt(removed=["Restart Game"])
    assert sum(table.stack_sizes) == 54
    assert table.seen(0, "removed").nonzero()[0].tolist() == [Card.RESTART_GAME]
    for card in ("Turtle", Card.BLANK):
        with pytest.raises(ValueError, match="cannot be left out"):
            Rules(removed=[card])


def test_29_a_game_that_is_too_long_is_cut_off():
    environment = raw_env(rules=Rules(max_cycles=3, younger=True, removed=["Dance"]))
    for seed in range(30):
        environment.reset(seed=seed)
        for _ in range(3):
            if environment.terminations[environment.agent_selection]:
                break
            environment.step(0)
        if all(environment.truncations.values()):
            break
    assert all(environment.truncations.values())
    assert not any(environment.terminations.values())
    assert set(environment.rewards.values()) == {0.0}
    assert environment.outcome() == Outcome((0,) * 4, (), Decided.CUT_OFF)
    assert environment.log()[-1] == "The game is cut off after 3 decisions"
    for _ in range(4):
        environment.step(None)
    assert environment.agents == []


def test_the_seven_social_cards():
    assert [Card(kind).title for kind in np.flatnonzero(IS_SOCIAL)] == [
        "Dance", "Rhyme", "Talk Funny", "Tell a Joke", "Tell a Story", "Share an Opinion",
        "Sing Something",
    ]  # fmt: skip
