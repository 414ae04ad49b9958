"""What each seat remembers, and what stays secret (section 8 of the rules)."""

import numpy as np
import pytest

from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.observation import observation_slices
from gubs_env.games.gubs.state import Phase
from gubs_env.gubs_v0 import GAME
from tests.gubs.table import Table, cards


def sight(table, viewer):
    """Return all that a seat sees: its observation, its view, and the table in words."""
    names = observation_slices(table.num_players)
    numbers = [table.seen(viewer, name).tolist() for name in names]
    row = GAME.view(table.games, 0, viewer).state
    return numbers, row.tobytes(), table.words(viewer)


def deck_seen(table, viewer):
    """Return the cards on top of the deck that a seat knows, top first."""
    return [Card(kind) for place in table.seen(viewer, "deck_top") for kind in place.nonzero()[0]]


def scouted(holder, hands, **setting):
    """Return the table after the first seat played Scout to look at a hand."""
    return Table(hands, **setting).play("Scout", f"SEAT[{holder}]")


# ---------------------------------------------------------------------------- cards enter a hand


def test_the_gub_that_a_thief_takes_is_known_to_all():
    table = Table(["Smahl Thief, Lure", "", ""], ["", "Gub"]).play("Smahl Thief")
    assert (table.knows(1, 0), table.knows(2, 0)) == ("Gub", "Gub")


def test_the_barricade_that_a_thief_takes_is_known_to_all():
    table = Table(["Smahl Thief", "", ""], ["", "Gub + Velvet Moth"])
    table.play("Smahl Thief", "Velvet Moth")
    assert (table.knows(1, 0), table.knows(2, 0)) == ("Velvet Moth", "Velvet Moth")


def test_barricades_that_go_back_to_the_victim_are_known_to_all():
    table = Table(["Smahl Thief", "Lure", ""], ["", "Gub + Mushroom + Mushroom"])
    table.play("Smahl Thief", "Gub")
    assert (table.knows(0, 1), table.knows(2, 1)) == ("Mushroom ×2", "Mushroom ×2")


def test_barricades_that_a_super_lure_sends_back_are_known_to_all():
    table = Table(["Super Lure", "", ""], ["", "Gub + Mushroom; Gub + Toad Rider"])
    table.play("Super Lure")
    assert (table.knows(0, 1), table.knows(2, 1)) == ("Mushroom, Toad Rider",) * 2


@pytest.mark.parametrize("card", ["Age-Old Cure", "Cricket Song"])
def test_the_gub_fetched_by_a_cure_is_known_to_all(card):
    table = Table([card, "", ""], discard="Gub").play(card)
    if card == "Cricket Song":
        table.play("Age-Old Cure")
    assert (table.knows(1, 0), table.knows(2, 0)) == ("Gub", "Gub")


def test_what_retreats_is_known_to_all():
    side = "Esteemed Elder; Gub + Mushroom; Gub + Double Ring; Gub + Double Ring"
    table = Table(["Retreat, Lure", "", ""], [side]).play("Retreat")
    assert (table.knows(1, 0), table.knows(2, 0)) == ("Gub ×3, Mushroom, Double Ring",) * 2


def test_a_drawn_card_is_known_to_nobody_else():
    table = Table(["", "", ""], deck="Lure", phase=Phase.DRAW).play("DECK")
    assert (table.knows(1, 0), table.knows(2, 0)) == ("nothing", "nothing")


def test_a_dealt_hand_is_known_to_nobody_else():
    table = Table.dealt(3)
    assert not table.game.known.any()
    assert not table.game.known_top.any()


# ---------------------------------------------------------------------------- cards leave a hand


def test_a_card_played_is_no_longer_known():
    table = Table(["Age-Old Cure ×2", ""], discard="Gub ×2").play("Age-Old Cure", "Age-Old Cure")
    assert table.knows(1, 0) == "Gub ×2"
    assert table.play("Gub").knows(1, 0) == "Gub"
    assert table.play("Gub").knows(1, 0) == "nothing"


def test_an_announced_card_is_no_longer_known_in_the_hand():
    table = scouted(1, ["Scout, Feather", "Lure"], colonies=["Gub", ""]).play("PASS", "PASS")
    table.play("Lure")
    assert table.actor == 0
    assert table.knows(0, 1) == "nothing"


def test_a_card_answered_with_is_no_longer_known():
    table = scouted(1, ["Scout, Lure", "Feather, Spear"], colonies=["", "Gub"])
    assert table.play("Lure").knows(0, 1) == "Spear, Feather"
    assert table.play("Feather").knows(0, 1) == "Spear"


def test_a_discarded_card_is_no_longer_known():
    table = Table(["Age-Old Cure, Lure ×6, Spear ×2", ""], discard="Gub").play("Age-Old Cure")
    table.play("PASS")
    assert table.knows(1, 0) == "Gub"
    assert table.play("Gub").knows(1, 0) == "nothing"


def test_a_card_never_seen_may_leave():
    table = Table(["Lure ×6, Spear ×3", "", ""]).play("PASS", "Lure")
    assert (table.knows(1, 0), table.knows(2, 0)) == ("nothing", "nothing")


def test_a_card_of_another_kind_leaves_what_is_known():
    table = Table(["Age-Old Cure, Mushroom", ""], ["Gub", ""], discard="Gub")
    assert table.play("Age-Old Cure", "Mushroom").knows(1, 0) == "Gub"


def test_cricket_song_leaves_the_hand_as_cricket_song():
    table = scouted(1, ["Scout", "Cricket Song, Lure"], colonies=["Gub", ""])
    table.play("PASS", "PASS", "Cricket Song", "Lure")
    assert table.knows(0, 1) == "Lure"


def test_who_saves_the_hand_from_the_plague_is_remembered_without_the_cure():
    table = scouted(1, ["Scout", "Age-Old Cure, Lure"], deck="Gargok Plague")
    table.play("PASS", "DECK", "Age-Old Cure")
    assert table.knows(0, 1) == "Lure"


# --------------------------------------------------------------------------------- hands are lost


def test_of_a_hand_that_lightning_struck_nothing_is_known():
    table = scouted(1, ["Scout, Lightning", "Lure ×2, Spear"]).play("Lightning")
    assert table.knows(0, 1) == "nothing"


@pytest.mark.parametrize("redraw", [True, False])
def test_of_a_hand_that_the_plague_struck_nothing_is_known(redraw):
    table = scouted(1, ["Scout", "Lure, Spear"], deck="Gargok Plague", plague_redraw=redraw)
    assert table.play("PASS", "DECK").knows(0, 1) == "nothing"


def test_what_the_others_hold_is_remembered_when_one_hand_is_lost():
    hands = ["Scout, Cricket Song, Lightning", "Lure", "Spear"]
    table = scouted(1, hands).play("Cricket Song", "Scout", "SEAT[2]", "Lightning", "SEAT[2]")
    assert (table.knows(0, 1), table.knows(0, 2)) == ("Lure", "nothing")


# ------------------------------------------------------------------------------- a hand is scouted


def test_who_scouts_a_hand_knows_all_of_it_and_nobody_else_does():
    table = scouted(1, ["Scout", "Lure ×2, Gub", "Spear"])
    assert [table.knows(viewer, 1) for viewer in (0, 2)] == ["Gub, Lure ×2", "nothing"]
    assert table.knows(1, 0) == "nothing"


def test_a_scouted_hand_replaces_what_was_known_before():
    hands = ["Scout", "Age-Old Cure, Gub, Lure"]
    table = Table(hands, turn=1, discard="Gub").play("Age-Old Cure")
    assert table.knows(0, 1) == "Gub"
    table.play("PASS", "PASS", "Scout", "SEAT[1]")
    assert table.knows(0, 1) == "Gub ×2, Lure"


def test_what_is_known_shows_in_the_observation():
    table = scouted(2, ["Scout", "", "Lure ×2, Gub"])
    known = table.seen(0, "known_hands")
    assert (known[1, Card.LURE], known[1, Card.GUB]) == (2, 1)
    assert known.sum() == 3


# ---------------------------------------------------------------------------- places of the deck


def deck_scouted(hands, deck, order, **setting):
    table = Table(hands, deck=deck, **setting).play("Scout")
    if table.phase is Phase.TARGET:
        table.play("DECK")
    return table.play(*order)


ORDER = ("Spear", "Lure")


def test_who_scouts_the_deck_knows_its_top_in_the_order_put_back():
    table = deck_scouted(["Scout", ""], "Lure, Mushroom, Spear", ORDER)
    assert deck_seen(table, 0) == cards("Spear, Lure, Mushroom")
    assert deck_seen(table, 1) == []


def test_a_known_place_that_is_drawn_is_known_in_the_hand():
    table = deck_scouted(["Scout", "", ""], "Lure, Mushroom, Spear", ORDER)
    table.play("PASS", "DECK")
    assert [table.knows(viewer, 1) for viewer in (0, 2)] == ["Spear", "nothing"]
    assert deck_seen(table, 0) == cards("Lure, Mushroom")
    table.play("PASS", "DECK")
    assert (table.knows(0, 1), table.knows(0, 2)) == ("Spear", "Lure")
    assert deck_seen(table, 0) == cards("Mushroom")


def test_known_places_move_up_with_ones_own_draw():
    table = deck_scouted(["Scout", ""], "Lure, Mushroom, Spear", ORDER)
    table.play("PASS", "PASS", "PASS", "DECK")
    assert deck_seen(table, 0) == cards("Lure, Mushroom")
    assert table.hand(0) == "Spear"


def test_the_fourth_card_is_not_known():
    table = deck_scouted(["Scout", "", ""], "Lure, Mushroom, Spear, Feather", ORDER)
    for _ in range(4):
        table.play("PASS", "DECK")
    assert deck_seen(table, 0) == []
    assert table.knows(0, 1) == "Spear"
    assert table.knows(0, 2) == "Lure"


def test_known_places_move_up_when_an_event_is_drawn():
    table = deck_scouted(["Scout", ""], "Lure, Mushroom, Flash Flood", ("Flash Flood", "Lure"))
    table.play("PASS", "DECK")
    assert deck_seen(table, 0) == cards("Lure, Mushroom")
    assert table.knows(0, 1) == "nothing"


@pytest.mark.parametrize(
    ("event", "setting"),
    [("Flash Flood", {"flood_to": "deck"}), ("Gargok Plague", {}), ("Rumor of Wasps", {})],
)
def test_a_card_shuffled_in_erases_all_known_places(event, setting):
    sides = ["Gub", "Gub + Toad Rider"]
    table = deck_scouted(
        ["Scout", "Lure"], f"Lure, Mushroom, {event}", (event, "Lure"), colonies=sides, **setting
    )
    assert deck_seen(table, 0) == cards(f"{event}, Lure, Mushroom")
    table.play("PASS", "DECK")
    assert deck_seen(table, 0) == []


def test_a_cancelled_event_erases_all_known_places():
    table = deck_scouted(
        ["Scout", "Flop Boat"], "Lure, Mushroom, Flash Flood", ("Flash Flood", "Lure")
    )
    table.play("PASS", "DECK", "Flop Boat")
    assert deck_seen(table, 0) == []


def test_what_was_drawn_before_the_shuffle_stays_known():
    table = deck_scouted(
        ["Scout, Flop Boat", "", ""], "Lure, Mushroom, Flash Flood", ("Lure", "Flash Flood")
    )
    table.play("PASS", "DECK", "PASS", "DECK", "Flop Boat")
    assert table.knows(0, 1) == "Lure"
    assert deck_seen(table, 0) == []


def test_a_second_seats_scout_erases_what_the_first_knows_of_the_deck():
    table = deck_scouted(["Scout", "Cricket Song", ""], "Lure, Mushroom, Spear", ORDER)
    table.play("PASS", "PASS", "Cricket Song", "Mushroom", "Spear")
    assert deck_seen(table, 0) == []
    assert deck_seen(table, 1) == cards("Mushroom, Spear, Lure")


def test_looking_at_a_hand_erases_nothing_of_the_deck():
    table = deck_scouted(["Scout", "Cricket Song", "Lure"], "Lure, Mushroom, Spear", ORDER)
    table.play("PASS", "PASS", "Cricket Song", "Scout", "SEAT[1]")
    assert deck_seen(table, 0) == cards("Spear, Lure, Mushroom")


# -------------------------------------------------------------------------- Traveling Merchant


def merchant_comes(hands, looks, keeps):
    """Return a table: the first seat scouts hands, the second draws the Merchant, all pick."""
    scouts = [["Scout"], ["Cricket Song", "Scout"]][: len(looks)]
    hands = [", ".join([*(scout[0] for scout in scouts), hands[0]]), *hands[1:]]
    table = Table(hands, deck="Traveling Merchant", rest=False)
    for scout, seat in zip(scouts, looks, strict=True):
        table.play(*scout, f"SEAT[{seat}]")
    return table.play("PASS", "DECK", *keeps)


def test_a_hand_of_one_kind_keeps_one_and_passes_the_rest():
    hands = ["Gub", "Spear", "Lure ×3", "Spear"]
    table = merchant_comes(hands, [2], ["Spear", "Lure", "Spear", "Gub"])
    assert [table.hand(seat) for seat in (1, 2, 3)] == ["Lure ×2, Spear", "Lure", "Spear"]
    assert (table.knows(0, 1), table.knows(0, 2)) == ("Lure ×2", "Lure")


def test_of_a_mixed_hand_all_but_one_of_each_kind_are_known_to_pass():
    hands = ["Gub", "Spear", "Lure ×3, Mushroom ×2, Feather", "Spear"]
    table = merchant_comes(hands, [2], ["Spear", "Feather", "Spear", "Gub"])
    assert table.hand(1) == "Mushroom ×2, Lure ×3, Spear"
    assert (table.knows(0, 1), table.knows(0, 2)) == ("Mushroom, Lure ×2", "nothing")


def test_a_giver_known_in_part_is_not_known_to_keep_anything():
    table = Table(
        ["", "", "Age-Old Cure ×2, Lure", ""], turn=2, discard="Gub ×2", deck="Traveling Merchant"
    )
    table.play("Age-Old Cure", "Age-Old Cure")
    assert table.knows(0, 2) == "Gub ×2"
    table.play("PASS", "DECK", "Lure")
    assert (table.knows(0, 1), table.knows(0, 2)) == ("Gub", "nothing")


def test_who_gives_knows_what_it_passed():
    table = merchant_comes(["Gub ×2", "Lure ×2", "Spear"], [1], ["Lure", "Spear", "Gub"])
    assert table.hand(2) == "Gub, Spear"
    assert table.knows(0, 2) == "Gub"


def test_who_receives_knows_what_the_giver_kept_of_what_was_known():
    table = merchant_comes(
        ["Gub", "Lure ×2, Mushroom, Feather", "Spear"], [1], ["Lure", "Spear", "Gub"]
    )
    assert table.hand(0) == "Gub, Mushroom, Lure, Feather"
    assert table.knows(0, 1) == "Lure"


def test_who_receives_from_an_unknown_hand_does_not_learn_what_was_kept():
    table = Table(["Gub", "Lure, Feather", ""], deck="Traveling Merchant", phase=Phase.DRAW)
    table.play("DECK", "Gub", "Lure")
    assert table.hand(0) == "Gub, Feather"
    assert table.knows(0, 1) == "nothing"


def test_who_receives_more_than_was_known_knows_nothing_of_what_was_kept():
    hands = ["", "Age-Old Cure, Gub ×2, Lure", ""]
    table = Table(hands, turn=1, discard="Gub", deck="Traveling Merchant").play("Age-Old Cure")
    assert table.knows(0, 1) == "Gub"
    table.play("PASS", "DECK", "Lure")
    assert table.hand(0) == "Gub ×3"
    assert table.knows(0, 1) == "nothing"


def test_two_players_give_to_each_other():
    table = merchant_comes(["Gub, Mushroom", "Lure, Spear ×2"], [1], ["Spear", "Gub"])
    assert table.hand(0) == "Gub, Lure, Spear"
    assert table.hand(1) == "Mushroom, Spear"
    assert table.knows(0, 1) == "Mushroom, Spear"
    assert table.knows(1, 0) == "Lure, Spear"


def test_all_bounds_move_at_once():
    hands = ["Gub", "Feather", "Lure ×3", "Spear ×3"]
    table = merchant_comes(hands, [2, 3], ["Feather", "Lure", "Spear", "Gub"])
    assert table.knows(0, 1) == "Lure ×2"
    assert table.knows(0, 2) == "Lure, Spear ×2"
    assert table.knows(0, 3) == "Spear"


def test_an_empty_hand_passes_nothing_on():
    hands = ["Gub", "", "Lure ×2", ""]
    table = merchant_comes(hands, [2], ["Lure", "Gub"])
    assert [table.knows(0, seat) for seat in (1, 2, 3)] == ["Lure", "Lure", "nothing"]


def test_what_a_giver_keeps_is_secret_to_who_does_not_receive_from_it():
    hands = ["Gub", "Feather", "Lure ×2, Mushroom, Spear", "Blindfold"]
    seen = [
        merchant_comes(hands, [2], ["Feather", kept, "Blindfold", "Gub"]).game.known[0].tolist()
        for kept in ("Lure", "Mushroom", "Spear")
    ]
    assert seen[0] == seen[1] == seen[2]


# --------------------------------------------------------------------------------------- bounds


def assert_memory_is_true(table):
    n, game = table.num_players, table.game
    bounds = game.known[:n, :n]
    assert (bounds >= 0).all()
    assert (bounds <= game.hand[:n]).all()
    assert (bounds.sum(2) <= game.hand_size[:n]).all()


@pytest.mark.parametrize("num_players", range(2, 7))
@pytest.mark.parametrize("seed", range(3))
def test_nobody_remembers_more_than_is_true(num_players, seed):
    rng = np.random.default_rng(seed)
    table = Table.dealt(num_players, 100 + seed)
    while table.phase is not Phase.OVER:
        table.play_at_random(rng)
        assert_memory_is_true(table)


KNOWING = {
    **{"Gub": 12, "Mushroom": 6, "Toad Rider": 3, "Lure": 4, "Scout": 8, "Cricket Song": 4},
    **{"Smahl Thief": 4, "Super Lure": 3, "Retreat": 3, "Age-Old Cure": 3, "Lightning": 2},
    **{"Traveling Merchant": 8, "Gargok Plague": 2, "Flop Boat": 2, "Feather": 2},
    **{"Letter G": 1, "Letter U": 1, "Letter B": 1},
}


@pytest.mark.parametrize("num_players", range(2, 7))
def test_nobody_remembers_more_than_is_true_where_much_is_seen(num_players):
    rng = np.random.default_rng(num_players)
    table = Table.dealt(num_players, num_players, deck=KNOWING, letters="anywhere")
    most = 0
    while table.phase is not Phase.OVER:
        table.play_at_random(rng)
        assert_memory_is_true(table)
        most = max(most, table.game.known.sum())
    assert most > 0


# -------------------------------------------------------------------------------------- secrets


def test_hands_and_the_deck_are_secret():
    one = Table(["Lure", "Feather ×2", "Gub"], deck="Mushroom, Spear")
    other = Table(["Lure", "Spear ×2", "Scout"], deck="Flash Flood, Toad Rider")
    assert sight(one, 0) == sight(other, 0)


def test_what_is_drawn_is_secret():
    one, other = (Table(["", ""], deck=top, phase=Phase.DRAW) for top in ("Lure", "Spear"))
    assert sight(one.play("DECK"), 1) == sight(other.play("DECK"), 1)
    assert sight(one, 0) != sight(other, 0)


def test_what_others_remember_is_secret():
    one, other = (scouted(1, ["Scout", held, ""]) for held in ("Lure", "Spear"))
    assert sight(one, 2) == sight(other, 2)
    assert sight(one, 0) != sight(other, 0)


def test_chance_is_secret():
    one, other = (Table(["Lure", "Gub"], seed=seed) for seed in (1, 2))
    assert [sight(one, seat) for seat in (0, 1)] == [sight(other, seat) for seat in (0, 1)]


def test_unfinished_picks_are_secret():
    """Check ruling [G14]."""
    table = Table(["Cricket Song", "", ""], ["Gub", "Gub; Gub + Mushroom", "Gub"])
    before = [sight(table, viewer) for viewer in range(3)]
    for pick in ("Cricket Song", "Smahl Thief", "PLACE[1, 1]"):
        table.play(pick)
        assert [sight(table, viewer) for viewer in (1, 2)] == before[1:]
        assert sight(table, 0) != before[0]
    assert table.seen(0, "played")[Card.CRICKET_SONG] == 1
    assert table.seen(0, "played_as")[Card.SMAHL_THIEF] == 1


def test_the_order_in_which_a_scout_puts_cards_back_is_secret():
    table = Table(["Scout", ""], deck="Lure, Mushroom, Spear").play("Scout")
    before = sight(table, 1)
    assert sight(table.play("Spear"), 1) == before


def test_what_a_scout_sees_of_the_deck_is_secret():
    tables = [Table(["Scout", ""], deck=deck) for deck in ("Lure ×3", "Spear, Mushroom, Feather")]
    for table in tables:
        table.play("Scout")
    assert sight(tables[0], 1) == sight(tables[1], 1)
    assert sight(tables[0], 0) != sight(tables[1], 0)


def test_passes_and_whose_answer_is_awaited_are_secret():
    """Check ruling [G6]."""
    hands = ["Lure", "Feather", "Blindfold", "Cricket Song", ""]
    table = Table(hands, ["", "Gub"]).play("Lure")
    before = [sight(table, viewer) for viewer in range(5)]
    table.play("PASS")
    assert table.actor == 2
    assert [sight(table, viewer) for viewer in (0, 3, 4)] == [before[0], before[3], before[4]]
    table.play("PASS")
    assert table.actor == 3
    assert [sight(table, viewer) for viewer in (0, 4)] == [before[0], before[4]]


def test_who_declined_a_cure_is_secret():
    hands = ["", "Age-Old Cure", "Age-Old Cure", "Lure"]
    table = Table(hands, deck="Gargok Plague", phase=Phase.DRAW).play("DECK")
    before = [sight(table, viewer) for viewer in range(4)]
    table.play("PASS")
    assert table.actor == 2
    assert [sight(table, viewer) for viewer in (0, 3)] == [before[0], before[3]]


def test_merchant_picks_are_secret_until_all_have_picked():
    hands = ["Lure, Gub", "Spear, Gub", "Mushroom, Gub"]
    table = Table(hands, deck="Traveling Merchant", phase=Phase.DRAW).play("DECK")
    before = sight(table, 2)
    table.play("Lure")
    assert sight(table, 2) == before
    twin = table.copy()
    assert sight(table.play("Spear"), 0) == sight(twin.play("Gub"), 0)


def test_whose_decision_it_is_shows_only_to_who_decides():
    table = Table(["Lure", "Feather", ""], ["", "Gub"]).play("Lure")
    deciding = [table.seen(viewer, "decision").any() for viewer in range(3)]
    assert deciding == [False, True, False]


def test_what_is_public_shows_to_all():
    table = Table(
        ["Lure ×2", "Spear", ""], ["Gub", "Gub + Mushroom"], discard="Scout", letters="G", turn=1
    )
    assert table.seen(2, "hand_sizes").tolist() == [0, 2, 1]
    assert table.seen(2, "points").tolist() == [0, 1, 1]
    assert table.seen(2, "colonies")[2, 0].nonzero()[0].tolist() == [Card.GUB, Card.MUSHROOM]
    assert table.seen(2, "discard_pile").nonzero()[0].tolist() == [Card.SCOUT]
    assert table.seen(2, "letters").tolist() == [1, 0, 0]
    assert table.seen(2, "deck_size").tolist() == [len(table.deck)]
    assert table.seen(2, "turn").tolist() == [0, 0, 1]


def test_who_skipped_last_turn_is_public():
    table = Table(["", ""], deck="Lure, Spear, Gub", phase=Phase.DRAW).play("PASS", "PASS")
    assert table.seen(1, "skipped").tolist() == [0, 1]
    table.play("DECK", "PASS")
    assert table.seen(0, "skipped").tolist() == [1, 0]
    table.play("DECK")
    assert table.seen(0, "skipped").tolist() == [0, 0]
