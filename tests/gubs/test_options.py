"""Every rule option both ways, and the errors for values that are not allowed."""

import re
from itertools import permutations

import numpy as np
import pytest

from gubs_env import find_table
from gubs_env.games.gubs.cards import LETTERS, PRINTED_DECK, Card
from gubs_env.games.gubs.rules import Rules, check_players
from gubs_env.games.gubs.state import Phase
from tests.gubs.table import Table

PRINTED = {card: int(copies) for card, copies in zip(Card, PRINTED_DECK, strict=True)}


def drawn(event, hands, colonies=(), **setting):
    return Table(hands, colonies, deck=event, phase=Phase.DRAW, **setting).play("DECK")


# ---------------------------------------------------------------------------------------- letters


LURES = {"Gub": 2, "Lure": 60, "Letter G": 1, "Letter U": 1, "Letter B": 1}


def letter_depths(seed, **rules):
    """Return how many Lures lie above each Letter: 54 of 60 are in the deck, six were on top."""
    deck = Table.dealt(2, seed, deck=LURES, **rules).deck
    return [deck[: deck.index(letter)].count(Card.LURE) for letter in LETTERS]


def lie_in_their_thirds(depths):
    top, middle, bottom = sorted(depths)
    return top <= 14 <= middle <= 34 <= bottom


def test_letters_lie_one_in_each_third_unless_they_were_dealt():
    """Check ruling [G1]."""
    deals = [letter_depths(seed) for seed in range(60)]
    assert sum(lie_in_their_thirds(depths) for depths in deals) > 30
    for depths in deals:  # only the top Letter can be dealt, and then goes anywhere
        assert any(14 <= a <= 34 <= b for a, b in permutations(depths, 2))


def test_letters_anywhere_lie_seldom_so():
    deals = [letter_depths(seed, letters="anywhere") for seed in range(60)]
    assert sum(lie_in_their_thirds(depths) for depths in deals) < 30
    assert not all(any(14 <= a <= 34 <= b for a, b in permutations(d, 2)) for d in deals)


def test_any_letter_may_be_the_first():
    firsts = set()
    for seed in range(30):
        firsts.add(next(card for card in Table.dealt(2, seed).deck if card in LETTERS))
    assert firsts == set(LETTERS)


# --------------------------------------------------------------------------------------- flood_to


def test_the_flood_takes_free_gubs_to_the_discard_pile():
    table = drawn("Flash Flood", ["", ""], ["Gub", "Gub; Gub + Mushroom"], rest=False)
    assert table.discarded == "Gub ×2, Flash Flood"
    assert table.deck == []


def test_the_flood_takes_free_gubs_to_the_deck():
    sides = ["Gub; Esteemed Elder", "Gub; Gub + Mushroom; Gub + Sud Spout"]
    table = drawn("Flash Flood", ["", ""], sides, rest=False, flood_to="deck")
    assert table.colony(0) == "Esteemed Elder"
    assert table.colony(1) == "Gub + Mushroom; Gub + Sud Spout"
    assert table.discarded == "Flash Flood"
    assert table.deck == [Card.GUB, Card.GUB]


# ---------------------------------------------------------------------------------- plague_redraw


@pytest.mark.parametrize(("redraw", "sizes"), [(True, [2, 1]), (False, [0, 0])])
def test_after_the_plague_hands_are_drawn_anew_or_not(redraw, sizes):
    table = drawn("Gargok Plague", ["Lure, Spear", "Mushroom"], plague_redraw=redraw)
    assert table.game.hand_size[:2].tolist() == sizes


# ----------------------------------------------------------------------------- stacked_barricades


@pytest.mark.parametrize("card", ["Mushroom", "Toad Rider", "Velvet Moth"])
def test_only_a_free_gub_is_protected_where_barricades_are_not_stacked(card):
    sides = ["Gub + Velvet Moth; Gub; Gub + Sud Spout", ""]
    table = Table([card, ""], sides, stacked_barricades=False).play(card)
    if card == "Toad Rider":
        assert table.legal == {"PLACE[0, 0]", "PLACE[0, 1]"}
        table.play("PLACE[0, 1]")
    assert table.colony(0) == f"Gub + Velvet Moth; Gub + {card}; Gub + Sud Spout"


def test_where_barricades_are_not_stacked_a_protected_gub_alone_is_no_target():
    sides = ["Gub + Toad Rider", ""]
    assert not Table(["Mushroom", ""], sides, stacked_barricades=False).can_play("Mushroom")
    assert Table(["Mushroom", ""], sides).can_play("Mushroom")


def test_where_barricades_are_not_stacked_they_are_still_discarded():
    table = Table(["Mushroom", ""], ["Gub + Mushroom", ""], stacked_barricades=False)
    table.play("Mushroom")
    assert table.colony(0) == "Gub"
    assert table.discarded == "Mushroom ×2"


# ----------------------------------------------------------------------------------- ask_everyone


def passed(table, viewer):
    """Return the relative seats that the viewer saw pass."""
    return table.seen(viewer, "passed").nonzero()[0].tolist()


def test_everyone_is_asked_in_every_window():
    table = Table(["Lure", "", "Feather", ""], ["", "Gub"], ask_everyone=True).play("Lure")
    for seat in (1, 2, 3):
        assert (table.actor, table.phase) == (seat, Phase.ANSWER)
        assert table.legal == ({"PASS", "CARD[Feather]"} if seat == 2 else {"PASS"})
        table.play("PASS")
    assert (table.actor, table.phase) == (0, Phase.PLAY)
    assert table.colony(0) == "Gub"


def test_everyone_is_asked_about_an_event_the_drawer_first():
    table = drawn("Flash Flood", ["", "", ""], ["Gub"], ask_everyone=True)
    for seat in (0, 1, 2):
        assert (table.actor, table.legal) == (seat, {"PASS"})
        table.play("PASS")
    assert table.colony(0) == ""


def test_everyone_is_asked_for_a_cure():
    table = drawn("Gargok Plague", ["Lure", "Age-Old Cure"], ask_everyone=True)
    table.play("PASS", "PASS")
    assert (table.actor, table.phase, table.legal) == (0, Phase.CURE, {"PASS"})
    table.play("PASS")
    assert table.legal == {"PASS", "CARD[Age-Old Cure]"}


def test_the_first_answer_still_closes_the_window():
    table = Table(["Lure", "Feather", ""], ["", "Gub"], ask_everyone=True)
    table.play("Lure", "Feather")
    assert (table.actor, table.phase) == (0, Phase.PLAY)


def test_where_everyone_is_asked_passes_are_public():
    table = Table(["Lure", "", "", ""], ["", "Gub"], ask_everyone=True).play("Lure", "PASS")
    assert table.actor == 2
    assert [passed(table, viewer) for viewer in range(4)] == [[1], [0], [3], [2]]
    table.play("PASS")
    assert passed(table, 0) == [1, 2]
    table.play("PASS")
    assert passed(table, 0) == []


def test_where_everyone_is_asked_a_cure_is_no_pass():
    table = drawn("Gargok Plague", ["Lure", "Age-Old Cure, Lure", "Lure"], ask_everyone=True)
    table.play("PASS", "PASS", "PASS")
    table.play("PASS", "Age-Old Cure")
    assert passed(table, 0) == [0]
    assert table.seen(0, "cured").tolist() == [0, 1, 0]


def test_passes_show_to_nobody_where_only_holders_are_asked():
    table = Table(["Lure", "Feather", "Feather"], ["", "Gub"]).play("Lure", "PASS")
    assert table.actor == 2
    assert [passed(table, viewer) for viewer in range(3)] == [[], [], []]


# ----------------------------------------------------------------------------------------- reward


@pytest.mark.parametrize(("reward", "payoffs"), [("win", [-1, 1]), ("margin", [-2, 2])])
def test_the_reward_is_the_win_or_the_margin(reward, payoffs):
    sides = ["Gub", "Gub; Gub; Esteemed Elder; Gub + Sud Spout"]
    table = drawn("Letter B", ["", ""], sides, letters="GU", reward=reward)
    assert table.phase is Phase.OVER
    assert table.payoffs == payoffs


# ------------------------------------------------------------------------------------------- deck


def test_the_printed_deck_has_70_cards_of_32_kinds():
    assert PRINTED_DECK.sum() == 70
    assert len(PRINTED_DECK) == 32
    assert (PRINTED_DECK > 0).all()
    assert (Rules().composition() == PRINTED_DECK).all()


SMALL = {"Gub": 4, "Lure": 6, "Letter G": 1, "Letter U": 1, "Letter B": 1}


def test_another_deck_is_dealt_and_played():
    table = Table.dealt(2, deck=SMALL)
    counts = np.zeros(32, int)
    counts[[Card.GUB, Card.LURE, *LETTERS]] = 4, 6, 1, 1, 1
    assert (table.everything() == counts).all()
    rng = np.random.default_rng(0)
    while table.phase is not Phase.OVER:
        table.play_at_random(rng)


def test_the_smallest_deck_leaves_only_letters_in_the_deck():
    table = Table.dealt(2, deck={**SMALL, "Gub": 2})
    assert set(table.deck) == set(LETTERS)


def test_kinds_of_a_deck_are_named_by_card_or_by_title():
    by_card = {Card.GUB: 4, Card.LURE: 6, **dict.fromkeys(LETTERS, 1)}
    by_title = {"gub": 4, "LURE": 6, "Letter G": 1, "Letter U": 1, "letter b": 1, "Spear": 0}
    assert Rules(deck=by_card) == Rules(deck=by_title) == Rules(deck=SMALL)


def test_the_printed_deck_may_be_given_as_a_deck():
    assert (Rules(deck=PRINTED).composition() == PRINTED_DECK).all()


def test_options_as_a_dictionary_give_the_same_rules():
    rules = Rules(letters="anywhere", plague_redraw=False, deck=SMALL)
    assert Rules(**rules.as_dict()) == rules


# ------------------------------------------------------------------------------- what cannot be


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("letters", "top", ["thirds", "anywhere"]),
        ("letters", None, ["thirds", "anywhere"]),
        ("flood_to", "hand", ["discard", "deck"]),
        ("reward", "points", ["win", "margin"]),
        ("plague_redraw", "yes", ["True", "False"]),
        ("stacked_barricades", 1, ["True", "False"]),
        ("ask_everyone", None, ["True", "False"]),
    ],
)
def test_an_option_that_is_not_offered_is_named_with_what_is_allowed(option, value, allowed):
    with pytest.raises(ValueError, match=option) as error:
        Rules(**{option: value})
    for word in [repr(value), *allowed]:
        assert word in str(error.value)


def test_an_option_that_does_not_exist_is_named():
    with pytest.raises(TypeError, match="stacking"):
        Rules(stacking=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Letter G": 0}, "each Letter exactly once.*Letter G"),
        ({"Letter B": 2}, "each Letter exactly once.*Letter B"),
        ({"Esteemed Elder": 2}, "at most one Esteemed Elder"),
        ({"Gub": 15}, "at most 14 Gubs"),
        ({"Gub": 14, "Esteemed Elder": 1}, "at most 14 Gubs"),
        ({"Lure": -1}, "must not be negative"),
        ({"Lure": 6.5}, "Lure ×6.5"),
        ({"Lure": "six"}, "Lure ×'six'"),
        ({Card.LURE: 2}, "Lure is given twice"),
        ({"Lure": 71}, "at most 70"),
        ({"Dragon": 1}, "no card is called 'Dragon'.*Toad Rider"),
    ],
)
def test_a_deck_that_cannot_be_is_named(change, words):
    with pytest.raises(ValueError, match=words):
        Rules(deck={**SMALL, **change})


def test_a_deck_may_have_fourteen_gubs_or_thirteen_and_the_elder():
    Rules(deck={**SMALL, "Gub": 14})
    Rules(deck={**SMALL, "Gub": 13, "Esteemed Elder": 1})


@pytest.mark.parametrize("num_players", [0, 1, 7, -2, 2.0, "2", True, None])
def test_a_number_of_players_that_cannot_be_is_named(num_players):
    with pytest.raises(ValueError, match="2 to 6") as error:
        check_players(num_players, Rules())
    assert f"num_players={num_players!r}" in str(error.value)


@pytest.mark.parametrize("num_players", range(2, 7))
def test_two_to_six_players_play(num_players):
    check_players(num_players, Rules())
    check_players(np.int64(num_players), Rules())


def test_a_deck_needs_a_gub_for_every_player():
    rules = Rules(deck={**SMALL, "Gub": 3, "Lure": 30})
    check_players(3, rules)
    with pytest.raises(ValueError, match=re.escape("4 players need 4 Gubs; the deck has 3")):
        check_players(4, rules)


def test_a_deck_needs_enough_cards_that_are_no_events():
    check_players(2, Rules(deck={**SMALL, "Gub": 2, "Lure": 6}))
    few = Rules(deck={**SMALL, "Gub": 2, "Lure": 5, "Flash Flood": 9})
    with pytest.raises(ValueError, match=r"2 players .* 6 cards.* no Events.* 5 "):
        check_players(2, few)


# ------------------------------------------------------------------------- the length of a game

CROWD = {
    **SMALL,
    **{"Gub": 10, "Flop Boat": 3, "Gargok Plague": 4, "Rumor of Wasps": 3, "Toad Rider": 6},
    **{"Flash Flood": 3, "Retreat": 4, "Age-Old Cure": 4, "Smahl Thief": 4, "Cricket Song": 3},
}


@pytest.mark.parametrize(
    "rules", [{}, {"ask_everyone": True, "flood_to": "deck"}, {"deck": CROWD}, {"deck": SMALL}]
)
def test_a_game_ends_within_its_bound(rules):
    num_players = 2 if rules.get("deck") is SMALL else 3
    bound = find_table("gubs", num_players, rules).max_decisions
    rng = np.random.default_rng(1)
    table = Table.dealt(num_players, 1, **rules)
    decisions = 0
    while table.phase is not Phase.OVER:
        table.play_at_random(rng)
        decisions += 1
    assert decisions <= bound


def test_skipping_whenever_one_may_ends_too():
    table = Table.dealt(2)
    bound = find_table("gubs").max_decisions
    decisions = 0
    while table.phase is not Phase.OVER:
        table.play("PASS" if "PASS" in table.legal else min(table.legal))
        decisions += 1
    assert decisions <= bound
