"""The numbered scenarios of the rules, docs/rules/fubnub.md, section 10."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env.fubnub_v0 import Rules, raw_env
from gubs_env.games.fubnub.cards import (
    NUMBER_TITLES,
    POINT_CARDS,
    POINT_TITLES,
    ActionCard,
    ranking,
)
from gubs_env.games.fubnub.score import Decided, outcome
from gubs_env.games.fubnub.state import Phase
from gubs_env.games.fubnub.words import outcome_words, strength_words
from tests.fubnub.table import Table, card, cards, short, words

HANDS = ("R1 R2 R3 R4 R5", "P1 P2 P3 P4 P5", "N1 N2 N3 N4 N5", "G1 G2 G3 G4 G5")
UNDEALT = {"R6", "P6", "N6", "G6"}
LAST = ("R1", "P1", "N1", "G1")  # one card each


def at_offer(**setting):
    return Table(HANDS, phase=Phase.SWAP_OFFER, **setting)


def full(reveals=None, winner=1, hands=HANDS, **setting):
    """Return a hand of Full Deck, before the winner of the last hand, by Ones, reveals a card."""
    piles = ["Ones" if seat == winner else "" for seat in range(4)]
    setting = {"mode": "full", "phase": Phase.SWAP_OFFER, "piles": piles} | setting
    table = Table(hands, winner=winner, reveals=reveals, **setting)
    return table


BEST = ("R6", "P6", "N6", "G6")


def best_of(won):
    """Return the cards that the winners of these tricks won with."""
    return [card if count else "" for card, count in zip(BEST, won, strict=True)]


def last_trick(won, **setting):
    """Return a table with one card each after four tricks; the winner of the last one leads."""
    return Table(LAST, tricks=won, best=best_of(won), **setting)


# ------------------------------------------------------------------------------ 1.-4. ranks, tricks


def test_01_ranking_of_twos():
    order = [short(c) for c in reversed(ranking(POINT_TITLES.index("Twos")))]
    assert order[:9] == ["G2", "N2", "P2", "R2", "G6", "N6", "P6", "R6", "G5"]
    assert order[-2:] == ["P1", "R1"]


def test_02_the_lowest_card_of_every_point_card():
    orders = [ranking(point) for point in range(15)]
    lowest = {POINT_TITLES[p]: short(order[0]) for p, order in enumerate(orders)}
    special = {"Ones": "R2", "Odds": "R2", "Red": "P1"}
    assert lowest == {title: special.get(title, "R1") for title in POINT_TITLES}
    assert len({tuple(order) for order in orders}) == len(POINT_CARDS)


def test_03_the_highest_favoured_card_wins_the_trick_and_leads():
    table = Table(["R2 R1", "G6 P1", "N2 N1", "G1 G3"], point="Twos", tricks=[3, 0, 0, 0])
    table.play("R2", "G6", "N2", "G1")
    assert table.tricks == [3, 0, 1, 0]
    assert table.asked == 2


def test_04_nobody_has_to_follow():
    table = Table(["G6 R1 R2", "G3 R3 R4", "N2 N1 N4", "P1 P3 P4"], tricks=[2, 0, 0, 0]).play("G6")
    assert table.legal == {"G3", "R3", "R4"}


TOP = {
    "Ones": "G1 N1 P1 R1 G6",
    "Twos": "G2 N2 P2 R2 G6",
    "Threes": "G3 N3 P3 R3 G6",
    "Fours": "G4 N4 P4 R4 G6",
    "Fives": "G5 N5 P5 R5 G6",
    "Sixes": "G6 N6 P6 R6 G5",
    "Odds": "G5 N5 P5 R5 G3 N3 P3 R3 G1 N1 P1 R1 G6",
    "Evens": "G6 N6 P6 R6 G4 N4 P4 R4 G2 N2 P2 R2 G5",
    "Red": "R6 R5 R4 R3 R2 R1 G6 N6 P6 G5",
    "Purple": "P6 P5 P4 P3 P2 P1 G6 N6 R6 G5",
    "Green": "N6 N5 N4 N3 N2 N1 G6 P6 R6 G5",
    "Gold": "G6 G5 G4 G3 G2 G1 N6 P6 R6 N5",
    "Gold and Green": "G6 N6 G5 N5 G4 N4 G3 N3 G2 N2 G1 N1 P6",
    "Gold and Purple": "G6 P6 G5 P5 G4 P4 G3 P3 G2 P2 G1 P1 N6",
    "Green and Purple": "N6 P6 N5 P5 N4 P4 N3 P3 N2 P2 N1 P1 G6",
}


@pytest.mark.parametrize("title", POINT_TITLES)
def test_02_the_favoured_cards_of_every_point_card(title):
    order = [short(c) for c in reversed(ranking(POINT_TITLES.index(title)))]
    assert " ".join(order).startswith(TOP[title])


# ------------------------------------------------------------------------ 5.-8. decisions and swaps


def test_05_the_first_to_play_is_the_caller():
    table = Table(HANDS, phase=Phase.DECIDE)
    assert (table.asked, table.legal) == (0, {"PLAY", "PASS"})
    table.play("PASS")
    assert table.asked == 1
    table.play("PLAY")
    assert table.game.caller == 1
    assert (table.asked, table.phase) == (3, Phase.SWAP_OFFER)
    table.play("DECLINE")
    assert (table.asked, table.phase) == (0, Phase.PLAY)


def test_06_two_rounds_of_passing_are_a_misdeal():
    table = Table(HANDS, phase=Phase.DECIDE).play("PASS", "PASS", "PASS", "PASS")
    assert table.game.point_deck.sum() == 14
    assert (table.game.cycle, table.asked, table.phase) == (1, 0, Phase.DECIDE)
    table.play("PASS", "PASS", "PASS", "PASS")
    assert (table.game.dealer, table.asked, table.game.cycle) == (0, 1, 0)
    assert table.game.owned.sum() == 0
    assert table.game.point_deck.sum() == 14
    assert table.game.hands == 2


def test_07_the_dealer_returns_one_of_the_cards_held_before():
    table = at_offer().play("ACCEPT")
    assert table.legal == set(HANDS[3].split())
    drawn = short(table.game.drawn)
    assert drawn in UNDEALT
    table.play("G3")
    assert set(table.hand(3).split()) == {"G1", "G2", "G4", "G5", drawn}
    assert set(table.undealt.split()) == UNDEALT - {drawn} | {"G3"}
    assert words(table.game.under) == "G3"


def test_07_to_decline_changes_nothing():
    table = at_offer().play("DECLINE")
    assert table.hand(3) == HANDS[3]
    assert table.phase is Phase.PLAY


@pytest.mark.parametrize("seed", range(8))
def test_08_two_swaps_never_draw_a_returned_card(seed):
    table = at_offer(entitled=2, seed=seed).play("ACCEPT")
    first = short(table.game.drawn)
    table.play("G3")
    assert (table.asked, table.phase) == (3, Phase.SWAP_OFFER)
    table.play("ACCEPT")
    second = short(table.game.drawn)
    assert second in UNDEALT - {first}
    assert first in table.legal
    assert second not in table.legal
    table.play(first)
    assert table.phase is Phase.PLAY


def test_08_declining_the_first_swap_gives_up_the_second():
    assert at_offer(entitled=2).play("DECLINE").phase is Phase.PLAY


# ---------------------------------------------------------------------------- 9.-16. the next deal


def test_09_a_plain_win_moves_the_deal_left():
    table = last_trick([1, 1, 1, 1], point="Gold", caller=1).play_out()
    assert table.pile(1) == table.pile(3) == {"Gold"}
    assert table.pile(0) == set()
    assert (table.game.dealer, table.game.entitled[0]) == (0, 1)


@pytest.mark.parametrize("caller", [0, 2])
def test_10_a_sweep_gives_the_caller_the_deal(caller):
    table = last_trick([3, 0, 1, 0], point="Red", caller=caller).play_out()
    assert (table.game.dealer, table.game.entitled[caller]) == (caller, 2)


def test_10_a_dealer_that_sweeps_deals_again():
    table = last_trick([0, 2, 0, 2], point="Gold", caller=3).play_out()
    assert (table.game.dealer, table.game.entitled[3]) == (3, 2)


@pytest.mark.parametrize(("dealer", "next_dealer"), [(3, 1), (1, 3)])
@pytest.mark.parametrize("won", [[1, 1, 1, 1], [0, 2, 0, 2]])
def test_11_a_fub_gives_the_winning_side_the_deal(dealer, next_dealer, won):
    table = last_trick(won, point="Gold", caller=0, dealer=dealer).play_out()
    assert table.pile(1) == {"Gold"}
    assert (table.game.dealer, table.game.entitled[next_dealer]) == (next_dealer, 2)


def test_12_a_double_advantage_lapses_with_a_misdeal():
    table = Table(HANDS, phase=Phase.DECIDE, entitled=2).play(*["PASS"] * 8)
    assert table.game.dealer == 0
    assert table.game.entitled.tolist() == [1, 0, 0, 0]


SEVEN = ["Ones, Twos, Threes, Fours, Fives, Sixes, Odds", "Red, Purple, Green, Gold, Evens,"
         "Gold and Green, Gold and Purple"]  # fmt: skip


def test_13_the_last_point_card_comes_back_until_it_is_played():
    point = "Green and Purple"
    table = Table(LAST, point, SEVEN, tricks=[1, 1, 1, 1], caller=0)
    table.play_out()
    assert table.phase is Phase.OVER
    assert table.game.won.tolist() == [1, 0, 1, 0]
    assert table.payoffs == [1, -1, 1, -1]
    assert outcome(table.game).scores == (8, 7, 8, 7)
    passing = Table(HANDS, point, SEVEN, phase=Phase.DECIDE).play(*["PASS"] * 4)
    assert POINT_TITLES[passing.game.point_card] == point


def test_14_a_short_game_is_won_with_the_majority():
    piles = ["Red, Purple", "Ones"]
    table = Table(LAST, "Green", piles, left="Twos", tricks=[1, 1, 1, 1], num_points=5, caller=0)
    table.play_out()
    assert table.phase is Phase.OVER
    assert table.payoffs == [1, -1, 1, -1]


@pytest.mark.parametrize("number", [4, 0, 17, -1, 2.0, True])
def test_14_an_even_number_of_point_cards_is_an_error(number):
    with pytest.raises(ValueError, match="odd numbers from 1 to 15"):
        Rules(num_points=number)


def ghosts(hands=LAST, players=1, **setting):
    return Table(hands, num_players=players, mode="ghost", **setting)


@pytest.mark.parametrize(("point", "won", "swaps"), [("Gold", [1, 1, 1, 1], 1),
                                                    ("Red", [4, 0, 0, 0], 2),
                                                    ("Red", [1, 0, 3, 0], 2),
                                                    ("Red", [1, 1, 1, 1], 1)])  # fmt: skip
def test_15_the_only_player_deals_always(point, won, swaps):
    table = ghosts(point=point, tricks=won, best=best_of(won), caller=0).play("R1")
    assert table.asked == 0
    assert (table.game.dealer, table.game.entitled[0]) == (0, swaps)


def test_15_only_the_player_is_asked():
    environment = raw_env(1, Rules(mode="ghost"))
    assert environment.possible_agents == ["player_0"]
    environment.reset(seed=3)
    rng = np.random.default_rng(0)
    while environment.agents:
        assert environment.state()["asked"] == 0
        seen, _, done, _, _ = environment.last()
        legal = np.flatnonzero(seen["action_mask"])
        environment.step(None if done else int(rng.choice(legal)))


def test_16_the_deal_passes_over_a_ghost():
    table = ghosts(players=3, point="Purple", tricks=[1, 1, 1, 1], caller=1, dealer=2)
    table.play("R1", "P1", "N1")
    assert table.pile(1) == {"Purple"}
    assert (table.game.dealer, table.game.entitled[0]) == (0, 1)


@pytest.mark.parametrize("dealer", [0, 1])
def test_16_a_fub_passes_over_a_ghost_of_the_winning_side(dealer):
    table = ghosts(players=3, point="Purple", tricks=[1, 1, 1, 1], caller=0, dealer=dealer)
    table.play_out()
    assert table.pile(1) == {"Purple"}
    assert (table.game.dealer, table.game.entitled[1]) == (1, 2)


def test_16_a_misdeal_passes_over_ghosts():
    table = ghosts(HANDS, players=3, phase=Phase.DECIDE, dealer=1)
    assert table.asked == 2
    table.play("PASS")
    assert table.asked == 0
    table.play(*["PASS"] * 5)
    assert (table.game.dealer, table.asked) == (2, 0)
    table.play(*["PASS"] * 6)
    assert (table.game.dealer, table.asked) == (0, 1)


def test_16_a_ghost_that_wins_leads_by_itself():
    hands = ["R1 R2", "P1 P2", "N1 N2", "G5 G6"]
    table = ghosts(hands, players=3, point="Gold", tricks=[3, 0, 0, 0]).play("R1", "P1", "N1")
    assert table.tricks == [3, 0, 0, 1]
    assert table.game.leader == 3
    assert table.asked == 0
    assert table.game.trick_card[3] in cards("G5 G6")


# --------------------------------------------------------------------------- 17.-18. Battle Royal


def test_17_tied_players_compare_the_cards_they_won_with():
    table = Table(
        ["R1", "R3", "R4", "G2"], "Twos", mode="royal",
        tricks=[2, 2, 0, 0], best=["N2", "G6", "", ""],
    ).play("R1", "R3", "R4", "G2")  # fmt: skip
    assert table.pile(0) == {"Twos"}


def test_17_two_players_leave_fourteen_cards_and_never_swap():
    environment = raw_env(2, Rules(mode="royal"))
    environment.reset(seed=1)
    assert environment.state()["undealt"].sum() == 14
    assert environment.state()["phase"] == Phase.PLAY


SPLIT = ["Ones, Twos, Threes, Fours", "Fives, Sixes, Odds, Evens, Red", "Purple, Green, Gold",
         "Gold and Green, Gold and Purple"]  # fmt: skip


def final(**rules):
    return Table(LAST, "Green and Purple", SPLIT, mode="royal", tricks=[3, 0, 1, 0],
                 **rules).play_out()  # fmt: skip


def test_18_a_final_tie_is_broken_by_drawing_cards():
    table = final()
    assert outcome(table.game).scores == (5, 5, 3, 2)
    drawn = table.game.showdown
    assert (drawn[:2] >= 0).all()
    assert (drawn[2:] == -1).all()
    key = [(c % 6, c // 6) for c in drawn[:2]]
    winner = key.index(max(key))
    assert table.payoffs[winner] == 1
    assert sum(table.payoffs) == pytest.approx(0, abs=1e-6)
    assert outcome(table.game) == ((5, 5, 3, 2), (winner,), Decided.DRAW)
    best, other = (NUMBER_TITLES[drawn[seat]] for seat in (winner, 1 - winner))
    how = f"player_{winner} wins the tie by drawing {best} against {other} (player_0 5, player_1 5,"
    assert how in outcome_words(table.game)
    assert strength_words(table.game, card("Gold 4")).startswith("Gold 4: value decides, then")


def test_18_a_final_tie_may_be_shared():
    table = final(final_tie="share")
    assert table.payoffs == [0.5, 0.5, -0.5, -0.5]
    assert outcome(table.game) == ((5, 5, 3, 2), (0, 1), Decided.SHARED)


# ------------------------------------------------------------------------------ 19.-32. Full Deck


def limbo_after(reveals, *answers):
    return full(reveals, 1, piles=["", "Evens"], award="Evens").play("DECLINE", *answers)


def test_19_skip_sends_what_was_won_to_limbo():
    table = limbo_after("Skip")
    assert table.limbo == {"Evens"}
    assert table.pile(1) == set()


def test_19_a_stolen_card_is_not_at_stake():
    table = full("Skip", 1, piles=["", "Evens, Odds"], award="Evens").play("DECLINE")
    assert (table.limbo, table.pile(1)) == ({"Evens"}, {"Odds"})


def test_19_and_20_limbo_grows_until_a_hand_is_kept():
    golden = (HANDS[0], HANDS[1], HANDS[3], HANDS[2])
    table = full("Skip", 1, golden, piles=["", "Evens"], award="Evens", point="Gold")
    table.play("DECLINE").play_out()
    assert table.pile(2) == {"Evens", "Gold"}
    assert (table.game.dealer, table.game.last_winner) == (0, 2)
    table.stack("Skip").play("DECLINE")
    assert (table.limbo, table.pile(2)) == ({"Evens", "Gold"}, set())
    point = POINT_TITLES[table.game.point_card]
    table.play_out()
    assert table.pile(int(table.game.last_winner)) == {"Evens", "Gold", point}
    assert table.limbo == set()


def test_20_nothing_is_revealed_after_the_last_hand():
    setting = {"piles": ["Odds", "Evens"], "point": "Gold", "left": "", "num_points": 3}
    golden = (HANDS[0], HANDS[1], HANDS[3], HANDS[2])
    table = full("Skip", 1, golden, **setting).play("DECLINE").stack("Turtle").play_out()
    assert table.phase is Phase.OVER
    assert table.pile(2) == {"Evens", "Gold"}
    assert not table.game.action_gone[ActionCard.TURTLE]


@pytest.mark.parametrize(
    "title", ["Dance", "Rhyme", "Talk Funny", "Tell a Joke", "Tell a Story", "Share an Opinion",
              "Sing Something"],
)  # fmt: skip
def test_21_to_decline_a_performance_is_a_skip(title):
    table = limbo_after(title)
    assert (table.asked, table.phase, table.legal) == (1, Phase.SOCIAL, {"ACCEPT", "DECLINE"})
    assert limbo_after(title, "ACCEPT").pile(1) == {"Evens"}
    table.play("DECLINE")
    assert (table.pile(1), table.limbo) == (set(), {"Evens"})
    assert table.phase is Phase.PLAY


@pytest.mark.parametrize("title", ["No Trash", "Partial Play"])
def test_22_a_dealer_that_swapped_undoes_it(title):
    table = full(title, 3).play("ACCEPT")
    drawn = short(table.game.drawn)
    table.play("G3")
    assert table.hand(3) == HANDS[3]
    assert set(table.undealt.split()) == UNDEALT
    assert words(table.game.under) == ""
    assert table.knows(3) == drawn
    assert table.seen(3, "swaps_made").tolist() == [0, 0, 0, 0]
    assert table.phase is Phase.PLAY


def test_22_others_than_the_dealer_lose_nothing():
    table = full("No Trash", 1).play("ACCEPT", "G3")
    assert "G3" not in table.hand(3)
    assert table.hand(1) == HANDS[1]


@pytest.mark.parametrize("title", ["Double Dip", "Recycle Bonus", "Refund"])
def test_23_a_dealer_gets_one_more_swap(title):
    table = full(title, 3).play("ACCEPT", "G3")
    assert (table.asked, table.phase) == (3, Phase.SWAP_OFFER)
    assert table.play("ACCEPT", "G2").phase is Phase.PLAY


def test_23_a_dealer_that_declined_gets_both():
    table = full("Double Dip", 3).play("DECLINE", "ACCEPT", "G3")
    assert (table.asked, table.phase) == (3, Phase.SWAP_OFFER)
    assert table.play("ACCEPT", "G2").phase is Phase.PLAY


def test_23_another_player_gets_two_swaps():
    table = full("Double Dip", 1).play("ACCEPT", "G3")
    assert table.asked == 1
    table.play("ACCEPT", "P1")
    assert (table.asked, table.phase) == (1, Phase.SWAP_OFFER)
    table.play("ACCEPT", "P2")
    assert table.phase is Phase.PLAY
    assert table.game.swapped.tolist() == [0, 2, 0, 1]
    assert set(words(table.game.under).split()) == {"G3", "P1", "P2"}
    assert "G3" not in table.hand(1)


def test_24_the_player_picked_gets_an_offer():
    table = full("Pick a Player", 1).play("DECLINE")
    assert table.legal == {"SEAT[1]", "SEAT[2]", "SEAT[3]"}
    table.play("SEAT[1]")
    assert (table.asked, table.phase) == (2, Phase.SWAP_OFFER)


def test_24_a_dealer_that_swapped_gets_no_other_offer():
    assert full("Pick a Player", 1).play("ACCEPT", "G3", "SEAT[2]").phase is Phase.PLAY


def test_24_a_dealer_that_declined_is_offered_again():
    table = full("Pick a Player", 1).play("DECLINE", "SEAT[2]")
    assert (table.asked, table.phase) == (3, Phase.SWAP_OFFER)


def test_25_do_over_exchanges_all_cards_but_one():
    table = full("Do Over", 1).play("ACCEPT", "G3")
    assert table.legal == set(HANDS[1].split())
    there = set(table.undealt.split())
    table.play("P2")
    assert set(table.hand(1).split()) == there | {"P2"}
    assert table.undealt == "P1 P3 P4 P5"
    assert table.knows(1) == "P1 P3 P4 P5"
    assert table.knows(3, 1) == "G3"
    assert table.phase is Phase.PLAY


@pytest.mark.parametrize("title", ["Second Chance", "Slow Down"])
def test_25_second_chance_deals_from_nine_cards(title):
    table = full(title, 3).play("ACCEPT", "G3")
    assert set((table.hand(3) + " " + table.undealt).split()) == set(HANDS[3].split()) | UNDEALT
    assert table.game.hand_size[3] == 5
    assert (table.asked, table.phase) == (3, Phase.SWAP_OFFER)
    other = full(title, 1).play("DECLINE")
    assert set((other.hand(1) + " " + other.undealt).split()) == set(HANDS[1].split()) | UNDEALT
    assert other.phase is Phase.PLAY


@pytest.mark.parametrize("title", ["Shield", "No Way", "Never Happened"])
def test_26_steal_an_earned_point_card(title):
    piles = ["Red", "Ones", "Odds, Gold"]
    table = full(title, 1, piles=piles, award="Ones").play("DECLINE")
    assert table.legal == {"STEAL[Red]", "STEAL[Odds]", "STEAL[Gold]", "DECLINE"}
    table.play("STEAL[Odds]")
    assert table.pile(1) == {"Ones", "Odds"}
    assert table.pile(2) == {"Gold"}
    assert table.phase is Phase.PLAY


def test_26_with_nothing_to_steal_nobody_is_asked():
    assert full("Shield", 1).play("DECLINE").phase is Phase.PLAY


def test_27_gecko_exchanges_cards_with_the_dealer():
    table = full("Eliminated", 1).play("DECLINE")
    assert (table.asked, table.phase) == (0, Phase.GECKO_OFFER)
    table.play("ACCEPT")
    taken = short(table.game.drawn)
    assert taken in HANDS[3]
    assert table.legal == set(HANDS[0].split())
    assert table.seen(0, "drawn")[card(taken)] == 1
    assert table.knows(3, 0) == taken
    assert table.knows(1, 0) == table.knows(2, 0) == ""
    table.play("R4")
    assert table.knows(0, 3) == "R4"
    assert (table.asked, table.phase) == (1, Phase.GECKO_OFFER)
    table.play("DECLINE")
    assert table.asked == 2
    table.play("ACCEPT", "N1")
    assert table.knows(0, 3) == ""  # seat 2 may have taken it
    assert table.phase is Phase.PLAY
    assert table.game.hand_size.tolist() == [5, 5, 5, 5]


def test_27_gecko_goes_round_in_the_direction_of_play():
    table = full("Eliminated", 1)
    table.game.direction = -1
    table.play("DECLINE")
    order = []
    while table.phase is Phase.GECKO_OFFER:
        order.append(table.asked)
        table.play("DECLINE")
    assert order == [2, 1, 0]
    assert (table.asked, table.phase) == (2, Phase.PLAY)


def test_28_no_reveal_plays_a_hand_by_itself():
    table = full("No Reveal", 1).play("DECLINE")
    assert table.seen(1, "hand").sum() == 0
    assert table.seen(1, "blind").tolist() == [1, 0, 0, 0]
    table.play("R5")
    assert table.asked == 2
    assert table.game.trick_card[1] >= 0
    asked = []
    while table.game.revealed and table.game.hands == 2:
        asked.append(table.asked)
        table.look(int(np.flatnonzero(table.mask)[0]))
    assert 1 not in asked


def test_28_rapid_fire_leads_every_trick():
    table = full("Rapid Fire", 2, point="Red").play("DECLINE")
    leaders = []
    hand = table.game.hands
    for trick in range(1, 6):
        leaders.append(table.asked)
        table.play(f"N{trick}", f"G{trick}", f"R{trick}", f"P{trick}")
    assert leaders == [2] * 5
    assert table.game.last_winner == 0
    assert table.pile(0) == {"Red"}
    assert table.game.hands == hand + 1


def test_29_reverse_direction():
    table = full("Reverse Direction", 1, point="Red", left="Evens, Odds, Twos", num_points=5)
    table.play("DECLINE")
    order = []
    for _ in range(4):
        order.append(table.asked)
        table.look(int(np.flatnonzero(table.mask)[0]))
    assert order == [2, 1, 0, 3]
    table.play_out()
    assert table.game.dealer == 0
    assert table.game.direction == -1
    table.stack("Restart Game").play("DECLINE")
    assert table.game.direction == 1


def test_30_shuffle_deals_the_hand_again():
    table = full("Shuffle", 1, piles=["", "Ones"], award="Ones").play("ACCEPT", "G3")
    assert (table.asked, table.phase) == (3, Phase.SWAP_OFFER)
    assert table.game.hand.sum() == 20
    assert table.game.undealt.sum() == 4
    assert POINT_TITLES[table.game.point_card] == "Twos"
    assert table.pile(1) == {"Ones"}
    assert table.stack("Turtle").play("DECLINE").phase is Phase.PLAY


def test_30_restart_returns_the_action_cards():
    table = full("Restart Game", 1, piles=["", "Ones"], award="Ones").play("DECLINE")
    assert table.game.action_gone.sum() == 0
    assert table.pile(1) == {"Ones"}
    assert (table.asked, table.phase) == (3, Phase.SWAP_OFFER)


def test_30_restart_may_return_the_point_cards():
    table = full("Restart Game", 1, piles=["", "Ones"], award="Ones", move_points=True)
    table.play("DECLINE")
    assert table.game.owned.sum() == 0
    assert table.game.point_deck.sum() == 14


def test_30_shuffle_may_deal_the_point_cards():
    piles = ["Ones, Twos, Threes", "Fours", "", "Fives"]
    table = full("Shuffle", 1, piles=piles, point="Red", award="Fours", move_points=True)
    table.play("DECLINE")
    assert table.game.owned.sum(1).tolist() == [2, 1, 1, 1]


@pytest.mark.parametrize(("title", "steps"), [("Stack Swap Left", 1), ("Stack Swap Right", 3)])
@pytest.mark.parametrize("move_points", [False, True])
def test_30_stack_swaps_pass_the_hands_on(title, steps, move_points):
    table = full(title, 1, piles=["", "Ones"], award="Ones", move_points=move_points)
    table.play("DECLINE")
    for seat in range(4):
        receiver = (seat + steps) % 4
        assert table.hand(receiver) == HANDS[seat]
        assert table.knows(seat, receiver) == HANDS[seat]
    owner = (1 + steps) % 4 if move_points else 1
    assert [table.pile(seat) for seat in range(4)] == [
        {"Ones"} if seat == owner else set() for seat in range(4)
    ]


def test_30_clean_up_takes_what_is_in_limbo():
    table = full("Clean Up", 1)
    table.game.limbo[:] = table._flags("Evens")
    table.play("DECLINE")
    assert (table.pile(1), table.limbo) == ({"Ones", "Evens"}, set())


def test_31_the_turtle_ends_the_game():
    table = full("Turtle", 1, piles=["Ones, Threes", "Fours", "", ""]).play("DECLINE")
    assert table.phase is Phase.OVER
    assert table.payoffs == pytest.approx([1, -1 / 3, -1 / 3, -1 / 3])
    assert all("Twos" not in table.pile(seat) for seat in range(4))


def test_31_the_turtle_takes_limbo_and_ties_are_drawn():
    table = full("Turtle", 1, piles=["Odds, Fives", "Ones"])
    table.game.limbo[:] = table._flags("Evens")
    table.play("DECLINE")
    assert table.pile(1) == {"Ones", "Evens"}
    assert (table.game.showdown[:2] >= 0).all()
    assert table.game.won.sum() == 1


def test_32_peek_shows_all_hands_to_one():
    table = full("Peek", 1).play("DECLINE")
    assert table.seen(1, "known").sum() == 15
    for seat in (0, 2, 3):
        assert table.seen(seat, "known").sum() == 0
    assert [words(flags) for flags in table.seen(1, "known")[:3]] == [HANDS[2], HANDS[3], HANDS[0]]
    everything = table.seen(1, "hand") + table.seen(1, "known").sum(0)
    assert set(words(everything == 0).split()) == UNDEALT


def test_32_endless_passing_is_cut_short():
    environment = raw_env(4, Rules(max_cycles=50))
    environment.reset(seed=0)
    for _ in range(50):
        assert not any(environment.truncations.values())
        environment.step(environment.action_index("PASS"))
    assert all(environment.truncations.values())
    assert not any(environment.terminations.values())
    assert set(environment.rewards.values()) == {0}
    for _ in range(4):
        environment.step(None)
    assert environment.agents == []
