"""The numbered scenarios of the rules, section 10."""

import numpy as np
import pytest

from gubs_env.games.gubs.cards import IS_EVENT, NUM_COLONY_KINDS, PLACES, PRINTED_DECK, Card
from gubs_env.games.gubs.score import Decided, outcome
from gubs_env.games.gubs.state import Phase
from tests.gubs.table import Table

# ------------------------------------------------------- 1. the last Letter and the Flop Boat


def third_letter_drawn(*hands, **setting):
    table = Table(hands, deck="Letter B", letters="GU", phase=Phase.DRAW, **setting)
    return table.play("DECK")


def assert_letter_went_back(table):
    assert table.letters == "GU"
    assert Card.LETTER_B in table.deck
    assert (table.actor, table.phase) == (0, Phase.PLAY)


@pytest.mark.parametrize("answer", ["Flop Boat", "Cricket Song"])
def test_01_flop_boat_answers_the_last_letter(answer):
    table = third_letter_drawn(answer, "Lure")
    assert table.actor == 0
    assert table.legal == {"PASS", f"CARD[{answer}]"}
    table.play(answer)
    assert_letter_went_back(table)
    assert table.discarded == answer


@pytest.mark.parametrize("answer", ["Flop Boat", "Cricket Song"])
def test_01_an_opponent_answers_the_last_letter(answer):
    table = third_letter_drawn("Lure", "Lure", answer)
    assert table.actor == 2
    table.play(answer)
    assert_letter_went_back(table)


@pytest.mark.parametrize("answer", ["Flop Boat", "Cricket Song"])
@pytest.mark.parametrize("holder", [0, 1])
def test_01_the_last_letter_goes_back_to_an_empty_deck(answer, holder):
    hands = ["", ""]
    hands[holder] = answer
    table = third_letter_drawn(*hands, rest=False)
    assert table.deck == []
    table.play(answer)
    assert_letter_went_back(table)
    assert table.deck == [Card.LETTER_B]
    table.play("PASS", "DECK")
    assert table.phase is Phase.OVER


def test_01_the_draw_of_a_cancelled_letter_counts_as_made():
    table = third_letter_drawn("Flop Boat", "").play("Flop Boat")
    size = len(table.deck)
    table.play("PASS")
    assert (table.actor, table.phase) == (1, Phase.DRAW)
    assert len(table.deck) == size


@pytest.mark.parametrize("holder", [0, 1])
def test_01_who_passes_lets_the_game_end(holder):
    hands = ["", ""]
    hands[holder] = "Flop Boat"
    table = third_letter_drawn(*hands).play("PASS")
    assert table.letters == "GUB"
    assert table.phase is Phase.OVER
    assert table.legal == set()


def test_01_without_an_answer_the_last_letter_ends_the_game_at_once():
    table = third_letter_drawn("Feather", "Blindfold")
    assert table.letters == "GUB"
    assert table.phase is Phase.OVER


# ------------------------------------------------------------------ 2.-3. hazards are answered


def test_02_feather_cancels_a_lure():
    table = Table(["Lure", "Feather"], ["Gub", "Gub"]).play("Lure")
    assert table.actor == 1
    table.play("Feather")
    assert (table.colony(0), table.colony(1)) == ("Gub", "Gub")
    assert table.discarded == "Lure, Feather"
    assert (table.actor, table.phase) == (0, Phase.PLAY)


def test_03_blindfold_cancels_cricket_song_as_super_lure():
    table = Table(["Cricket Song", "Blindfold"], ["Gub", "Gub; Gub + Mushroom"])
    table.play("Cricket Song", "Super Lure", "Blindfold")
    assert table.discarded == "Blindfold, Cricket Song"
    assert (table.colony(0), table.colony(1)) == ("Gub", "Gub; Gub + Mushroom")


# --------------------------------------------------------------------- 4.-8. spears and thieves


def test_04_spear_frees_a_gub_on_an_opponents_side_without_a_window():
    table = Table(["Spear", "Feather"], ["Gub", "Gub + Sud Spout"]).play("Spear")
    assert table.colony(1) == "Gub"
    assert table.discarded == "Sud Spout, Spear"
    assert (table.actor, table.phase) == (0, Phase.PLAY)


def test_05_haki_flute_brings_over_all_three_gubs_of_an_opponents_triple_ring():
    table = Table(["Haki Flute", "Triple Ring"], ["Gub; Gub", "Gub"], turn=1)
    table.play("Triple Ring", "PASS")
    assert (table.colony(0), table.colony(1)) == ("", "; ".join(["Gub + Triple Ring"] * 3))
    table.play("PASS", "Haki Flute")
    assert (table.colony(0), table.colony(1)) == ("Gub; Gub; Gub", "")
    assert table.discarded == "Triple Ring, Haki Flute"


def test_06_retreat_takes_all_but_the_elder_and_the_hand_may_exceed_eight():
    side = "Gub + Sud Spout; Esteemed Elder; Gub + Double Ring; Gub + Double Ring"
    table = Table(["Retreat, Lure ×5", ""], [side, "Gub"]).play("Retreat")
    assert table.colony(0) == "Esteemed Elder"
    assert table.hand(0) == "Gub ×3, Sud Spout, Double Ring, Lure ×5"
    assert table.phase is Phase.PLAY
    table.play("PASS")
    assert (table.actor, table.phase) == (0, Phase.DISCARD)
    table.play("Lure", "Lure")
    assert (table.actor, table.phase) == (1, Phase.DRAW)


def test_07_smahl_thief_takes_a_gub_beneath_a_sud_spout():
    table = Table(["Smahl Thief", ""], ["", "Gub + Sud Spout"]).play("Smahl Thief")
    assert table.hand(0) == "Gub"
    assert table.colony(1) == ""
    assert table.discarded == "Sud Spout, Smahl Thief"


def test_07_smahl_thief_takes_no_gub_beneath_a_ring():
    assert not Table(["Smahl Thief", ""], ["", "Gub + Single Ring"]).can_play("Smahl Thief")
    table = Table(["Smahl Thief", ""], ["", "Gub + Single Ring; Gub; Gub + Sud Spout"])
    assert table.play("Smahl Thief").legal == {"PLACE[1, 1]", "PLACE[1, 2]"}


def test_07_smahl_thief_leaves_the_barricades_of_a_stolen_gub_to_the_victim():
    table = Table(["Smahl Thief", ""], ["", "Gub + Mushroom + Velvet Moth"])
    table.play("Smahl Thief", "Gub")
    assert (table.hand(0), table.hand(1)) == ("Gub", "Mushroom, Velvet Moth")
    assert table.colony(1) == ""


def test_08_omen_beetle_discards_gub_mushroom_and_toad_rider_on_every_side():
    side = "Gub + Mushroom + Toad Rider"
    table = Table(["Omen Beetle", "", ""], [side, f"Gub; {side}", side]).play("Omen Beetle")
    assert [table.colony(seat) for seat in range(3)] == ["", "Gub", ""]
    assert table.discarded == "Gub ×3, Mushroom ×3, Toad Rider ×3, Omen Beetle"


# ------------------------------------------------------------------------------ 9. the Elder


def places_offered(table):
    """Return every target offered until the move is complete, whatever is picked."""
    if table.phase is not Phase.TARGET:
        return set()
    return table.legal.union(*(places_offered(table.copy().play(pick)) for pick in table.legal))


SIDES = [
    "Gub; Gub; Gub + Mushroom; Gub + Sud Spout; Gub + Single Ring",
    "Gub; Gub; Gub + Toad Rider; Gub + Sud Spout; Gub + Double Ring; Gub + Double Ring",
]
AIMED = [
    *("Mushroom", "Toad Rider", "Velvet Moth", "Sud Spout", "Triple Ring", "Lure"),
    *("Smahl Thief", "Haki Flute", "Spear"),
]


@pytest.mark.parametrize("card", AIMED)
@pytest.mark.parametrize("owner", [0, 1])
def test_09_no_card_is_aimed_at_the_elder(card, owner):
    sides = [*SIDES, "Gub"]
    sides[owner] = "Esteemed Elder; " + sides[owner]
    offered = places_offered(Table([card, "", ""], sides).play(card))
    assert offered
    assert f"PLACE[{owner}, 0]" not in offered


def test_09_only_lightning_is_aimed_at_the_elder():
    table = Table(["Lightning", "Lure"], ["Gub", "Gub; Esteemed Elder"]).play("Lightning")
    assert table.legal == {"PLACE[1, 1]", "SEAT[1]"}
    table.play("PLACE[1, 1]")
    assert table.colony(1) == "Gub"
    assert table.discarded == "Esteemed Elder, Lightning"


@pytest.mark.parametrize("event", ["Flash Flood", "Dangerous Alchemy"])
def test_09_events_leave_the_elder(event):
    table = Table(["", ""], ["Gub; Esteemed Elder", ""], deck=event, phase=Phase.DRAW)
    assert table.play("DECK").colony(0) == "Esteemed Elder"


@pytest.mark.parametrize("card", ["Super Lure", "Omen Beetle"])
def test_09_hazards_leave_the_elder(card):
    table = Table([card, ""], ["", "Gub + Mushroom; Esteemed Elder"]).play(card)
    assert table.colony(1) == "Esteemed Elder"


def test_09_retreat_leaves_the_elder():
    table = Table(["Retreat", ""], ["Gub; Esteemed Elder", ""]).play("Retreat")
    assert (table.colony(0), table.hand(0)) == ("Esteemed Elder", "Gub")


def test_09_age_old_cure_does_not_fetch_the_elder():
    assert not Table(["Age-Old Cure", ""], discard="Esteemed Elder").can_play("Age-Old Cure")
    table = Table(["Age-Old Cure", ""], discard="Esteemed Elder, Gub").play("Age-Old Cure")
    assert table.hand(0) == "Gub"
    assert table.discarded == "Esteemed Elder, Age-Old Cure"


def test_09_lightning_discards_the_elder_in_a_hand():
    table = Table(["Lightning", "Esteemed Elder, Lure"]).play("Lightning")
    assert table.hand(1) == "nothing"
    assert table.discarded == "Esteemed Elder, Lure, Lightning"


# ------------------------------------------------------------------------- 10. the Double Ring


def test_10_double_ring_needs_two_free_gubs():
    sides = ["Gub; Gub + Mushroom; Gub + Sud Spout", "Esteemed Elder"]
    assert not Table(["Double Ring", ""], sides).can_play("Double Ring")


def test_10_double_ring_takes_one_free_gub_of_each_side():
    table = Table(["Double Ring", ""], ["Gub", "Gub"]).play("Double Ring")
    assert (table.colony(0), table.colony(1)) == ("Gub + Double Ring; Gub + Double Ring", "")


def test_10_the_free_gub_beside_a_bare_elder_is_offered():
    table = Table(["Double Ring", ""], ["Esteemed Elder; Gub", "Gub; Gub"])
    assert table.play("Double Ring").legal == {"PLACE[0, 1]", "PLACE[1, 0]"}


# ------------------------------------------------------------------------- 11.-12. the turn


def test_11_nobody_skips_twice_running():
    table = Table(["", ""], deck="Mushroom", phase=Phase.DRAW)
    table.play("PASS", "PASS")
    table.play("PASS", "PASS")
    assert table.actor == 0
    assert table.legal == {"DECK"}
    table.play("DECK", "PASS")
    assert table.legal == {"DECK"}


def test_11_after_a_draw_one_may_skip_again():
    table = Table(["", ""], deck="Feather, Blindfold, Feather", phase=Phase.DRAW)
    for _ in range(2):
        table.play("DECK", "PASS")
    assert table.actor == 0
    assert table.legal == {"DECK", "PASS"}


def test_12_with_nine_cards_exactly_one_discard_is_asked():
    table = Table(["Lure ×7, Super Lure ×2", ""]).play("PASS")
    assert (table.actor, table.phase) == (0, Phase.DISCARD)
    assert table.legal == {"CARD[Lure]", "CARD[Super Lure]"}
    table.play("Lure")
    assert table.discarded == "Lure"
    assert (table.actor, table.phase) == (1, Phase.DRAW)


def test_12_with_eight_cards_no_discard_is_asked():
    table = Table(["Lure ×6, Super Lure ×2", ""]).play("PASS")
    assert (table.actor, table.phase) == (1, Phase.DRAW)


# ------------------------------------------------------------------------- 13. Gargok Plague


def plague_drawn(*hands, **setting):
    table = Table(hands, deck="Gargok Plague", phase=Phase.DRAW, **setting)
    return table.play("DECK")


TWO_CURES = ("Age-Old Cure, Lure", "Spear, Lure ×2", "Age-Old Cure, Mushroom")


def test_13_two_cures_are_asked_in_turn_and_hands_move_when_all_have_answered():
    table = plague_drawn(*TWO_CURES)
    assert (table.actor, table.phase) == (0, Phase.CURE)
    assert table.legal == {"CARD[Age-Old Cure]", "PASS"}
    table.play("Age-Old Cure")
    assert (table.actor, table.phase) == (2, Phase.CURE)
    assert table.hand(1) == "Lure ×2, Spear"
    table.play("Age-Old Cure")
    assert (table.actor, table.phase) == (0, Phase.PLAY)
    assert (table.hand(0), table.hand(2)) == ("Lure", "Mushroom")
    assert table.discarded == "Age-Old Cure ×2, Gargok Plague"


def test_13_the_third_hand_is_shuffled_in_and_drawn_anew():
    table = plague_drawn(*TWO_CURES)
    before = len(table.deck)
    table.play("Age-Old Cure", "Age-Old Cure")
    assert len(table.deck) == before
    assert table.game.hand_size[1] == 3
    assert table.hand(1) != "Lure ×2, Spear"


def test_13_without_redraw_the_deck_grows_by_the_third_hand():
    table = plague_drawn(*TWO_CURES, plague_redraw=False)
    before = len(table.deck)
    table.play("Age-Old Cure", "Age-Old Cure")
    assert table.hand(1) == "nothing"
    assert len(table.deck) == before + 3


def test_13_a_flop_boat_before_saves_all():
    table = plague_drawn("Lure", "Spear, Flop Boat", "Mushroom").play("Flop Boat")
    assert [table.hand(seat) for seat in range(3)] == ["Lure", "Spear", "Mushroom"]
    assert Card.GARGOK_PLAGUE in table.deck
    assert (table.actor, table.phase) == (0, Phase.PLAY)


def test_13_a_cure_saves_only_its_owner():
    table = plague_drawn("Lure", "Spear, Age-Old Cure", "Mushroom", plague_redraw=False)
    table.play("Age-Old Cure")
    assert [table.hand(seat) for seat in range(3)] == ["nothing", "Spear", "nothing"]


# -------------------------------------------------------------------- 14. Traveling Merchant


def test_14_who_has_no_cards_picks_nothing_and_still_receives():
    hands = ["Lure, Spear", "", "Feather, Mushroom, Scout"]
    table = Table(hands, deck="Traveling Merchant", phase=Phase.DRAW).play("DECK")
    assert (table.actor, table.phase) == (0, Phase.MERCHANT)
    table.play("Lure")
    assert (table.actor, table.phase) == (2, Phase.MERCHANT)
    table.play("Scout")
    assert [table.hand(seat) for seat in range(3)] == ["Lure", "Mushroom, Feather", "Spear, Scout"]


def test_14_who_scouted_the_whole_hand_does_not_learn_which_card_was_kept():
    hands = ["Scout, Omen Beetle", "", "Lure, Mushroom, Spear"]
    table = Table(hands, deck="Traveling Merchant").play("Scout", "SEAT[2]")
    assert table.knows(0, 2) == "Mushroom, Lure, Spear"
    table.play("PASS", "DECK", "Lure", "Omen Beetle")
    assert (table.hand(1), table.hand(2)) == ("Mushroom, Spear", "Lure")
    assert (table.knows(0, 1), table.knows(0, 2)) == ("nothing", "nothing")


# -------------------------------------------------------------------------------- 15. the tie


def last_letter_laid(hands, colonies):
    table = Table(hands, colonies, deck="Letter B", letters="GU", phase=Phase.DRAW)
    return table.play("DECK")


def test_15_of_the_tied_the_one_with_fewer_cards_wins():
    table = last_letter_laid(["Lure ×2", "Lure", ""], ["Gub; Gub", "Gub; Gub", "Gub"])
    assert outcome(table.game) == ((2, 2, 1), (1,), Decided.HAND_SIZE)
    assert table.payoffs == [-0.5, 1, -0.5]


def test_15_all_equal_share_the_win():
    table = last_letter_laid(["Lure", "Lure", "Spear"], ["Gub", "Gub + Mushroom", "Gub"])
    assert outcome(table.game) == ((1, 1, 1), (0, 1, 2), Decided.SHARED)
    assert sum(table.payoffs) == pytest.approx(0, abs=1e-6)


# ------------------------------------------------------------------- 16. every card is somewhere


def assert_every_card_lies_somewhere_once(table):
    game = table.game
    assert (table.everything() == PRINTED_DECK).all()
    assert (game.hand.sum(1) == game.hand_size).all()
    for seat in range(table.num_players):
        for place in game.colony[seat, : game.colony_size[seat]]:
            assert place[Card.GUB] + place[Card.ESTEEMED_ELDER] == 1
    assert (game.colony.sum((0, 1)) % PLACES[:NUM_COLONY_KINDS] == 0).all()


@pytest.mark.parametrize("num_players", range(2, 7))
@pytest.mark.parametrize("seed", range(4))
def test_16_after_any_moves_every_card_is_somewhere_once(num_players, seed):
    rng = np.random.default_rng(seed)
    table = Table.dealt(num_players, seed)
    assert_every_card_lies_somewhere_once(table)
    while table.phase is not Phase.OVER:
        table.play_at_random(rng)
        assert_every_card_lies_somewhere_once(table)
    assert table.letters == "GUB"


def test_16_an_announced_card_is_somewhere():
    table = Table(["Lure", "Feather"], ["Gub", "Gub"]).play("Lure")
    assert (table.hand(0), table.discarded) == ("nothing", "nothing")
    assert_every_card_lies_somewhere_once(table)


# ------------------------------------------------------------------- 17. what a Scout remembers


def test_17_a_scouted_card_is_known_in_the_hand_that_draws_it_until_it_is_played():
    table = Table(["Scout", ""], ["Gub", ""], deck="Lure, Mushroom, Spear")
    table.play("Scout", "Lure", "Mushroom", "PASS", "DECK")
    known = table.seen(0, "known_hands")[0]
    assert known[Card.LURE] == 1
    assert known.sum() == 1
    table.play("Lure")
    assert not table.seen(0, "known_hands").any()


def test_17_a_second_seats_scout_erases_it():
    table = Table(["Scout", "Cricket Song", ""], deck="Lure, Mushroom, Spear")
    table.play("Scout", "DECK", "Lure", "Mushroom", "PASS")
    table.play("PASS", "Cricket Song", "Lure", "Mushroom", "PASS")
    table.play("DECK")
    assert table.hand(2) == "Lure"
    assert (table.knows(0, 2), table.knows(1, 2)) == ("nothing", "Lure")


# --------------------------------------------------------------------------------- 18. dealing


@pytest.mark.parametrize("num_players", range(2, 7))
def test_18_no_event_is_in_a_starting_hand(num_players):
    events = [card for card in Card if IS_EVENT[card]]
    for seed in range(20):
        table = Table.dealt(num_players, seed, start=seed % num_players)
        assert sorted(card for card in table.deck if IS_EVENT[card]) == events
        assert (table.game.hand_size[:num_players] == 3).all()
        assert [table.colony(seat) for seat in range(num_players)] == ["Gub"] * num_players
        assert (table.actor, table.phase) == (seed % num_players, Phase.DRAW)
