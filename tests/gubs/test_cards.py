"""The effect of each of the 32 kinds, and when it cannot be played (sections 4, 5, 6 and 9)."""

import pytest

from gubs_env.games.gubs.cards import LETTERS, Card
from gubs_env.games.gubs.state import Phase
from tests.gubs.table import Table, cards

TRIPLE = "Gub + Triple Ring; Gub + Triple Ring; Gub + Triple Ring"
DOUBLE = "Gub + Double Ring; Gub + Double Ring"
EVERY_ANSWER = "Feather, Blindfold, Flop Boat, Cricket Song"


def hands(table):
    return [table.hand(seat) for seat in range(table.num_players)]


def colonies(table):
    return [table.colony(seat) for seat in range(table.num_players)]


def goes_on(table, seat=0):
    """Return whether the turn of a seat goes on with playing cards."""
    return (table.actor, table.phase) == (seat, Phase.PLAY)


def drawn(event, hands, colonies=(), **setting):
    """Return the table after the first seat drew this Event."""
    return Table(hands, colonies, deck=event, phase=Phase.DRAW, **setting).play("DECK")


def playable(card, *colonies, **setting):
    return Table([card, *[""] * (len(colonies) - 1)], colonies, **setting).can_play(card)


# ------------------------------------------------------------------------------------------- Gubs


@pytest.mark.parametrize("card", ["Gub", "Esteemed Elder"])
def test_a_gub_is_laid_in_ones_own_colony_and_nobody_can_answer(card):
    table = Table([card, EVERY_ANSWER], ["Gub", "Gub"]).play(card)
    assert colonies(table) == [f"Gub; {card}", "Gub"]
    assert hands(table)[0] == "nothing"
    assert table.discarded == "nothing"
    assert goes_on(table)


@pytest.mark.parametrize("card", ["Gub", "Esteemed Elder"])
def test_a_gub_needs_no_target(card):
    assert playable(card, "", "")


def test_the_elder_in_a_hand_is_a_card_like_any_other():
    table = Table(["Scout", "Esteemed Elder"]).play("Scout", "SEAT[1]")
    assert table.knows(0, 1) == "Esteemed Elder"


# ------------------------------------------------------------------------------------- Barricades

BARRICADES = ["Mushroom", "Toad Rider", "Velvet Moth"]


@pytest.mark.parametrize("card", BARRICADES)
def test_a_barricade_protects_ones_own_gub_and_nobody_can_answer(card):
    table = Table([card, EVERY_ANSWER], ["Gub", "Gub"]).play(card)
    assert colonies(table) == [f"Gub + {card}", "Gub"]
    assert table.discarded == "nothing"
    assert goes_on(table)


@pytest.mark.parametrize(
    ("card", "beneath", "stacked"),
    [
        ("Mushroom", "Gub + Toad Rider", "Gub + Mushroom + Toad Rider"),
        ("Velvet Moth", "Gub + Mushroom", "Gub + Mushroom + Velvet Moth"),
        ("Velvet Moth", "Gub + Velvet Moth", "Gub + Velvet Moth + Velvet Moth"),
    ],
)
def test_barricades_may_be_stacked_on_one_gub(card, beneath, stacked):
    """Check ruling [G10]."""
    table = Table([card, ""], [beneath, "Gub"]).play(card)
    assert colonies(table) == [stacked, "Gub"]
    assert table.discarded == "nothing"


@pytest.mark.parametrize(("card", "other"), [("Toad Rider", "Velvet Moth"), ("Mushroom",) * 2])
def test_a_barricade_that_may_discard_another_protects_if_the_gub_is_meant(card, other):
    table = Table([card, ""], [f"Gub + {other}", "Gub"]).play(card, "Gub")
    assert table.colony(0) == f"Gub + {card} + {other}"
    assert table.discarded == "nothing"


@pytest.mark.parametrize("card", BARRICADES)
@pytest.mark.parametrize(
    ("own", "others"),
    [
        ("", "Gub"),
        ("Gub + Sud Spout", "Gub"),
        (DOUBLE, "Gub; Gub + Single Ring"),
        ("Esteemed Elder", "Gub + Sud Spout"),
        ("", ""),
    ],
)
def test_a_barricade_protects_no_trapped_gub_no_elder_and_nobody_elses(card, own, others):
    assert not playable(card, own, others)


def test_a_mushroom_discards_one_of_two_and_nothing_else():
    sides = ["", "Gub + Mushroom + Mushroom + Toad Rider"]
    table = Table(["Mushroom", ""], sides).play("Mushroom")
    assert table.colony(1) == "Gub + Mushroom + Toad Rider"


@pytest.mark.parametrize("other", ["Toad Rider", "Velvet Moth"])
def test_a_mushroom_discards_no_other_barricade(other):
    assert not playable("Mushroom", "", f"Gub + {other}")


@pytest.mark.parametrize(
    ("card", "barricade"), [("Mushroom", "Mushroom"), *(("Toad Rider", b) for b in BARRICADES)]
)
@pytest.mark.parametrize("own", [0, 1])
def test_a_mushroom_may_discard_a_mushroom_and_a_toad_rider_any_barricade(card, barricade, own):
    sides = ["", ""]
    sides[own] = f"Gub + {barricade}"
    table = Table([card, "Feather"], sides).play(card)
    if own == 0:
        assert table.legal == {"CARD[Gub]", f"CARD[{barricade}]"}
        table.play(barricade)
    sides[own] = "Gub"
    assert colonies(table) == sides
    assert sorted(cards(table.discarded)) == sorted(cards(f"{card}, {barricade}"))
    assert goes_on(table)


def test_a_toad_rider_chooses_among_stacked_barricades():
    sides = ["Gub + Sud Spout", "Gub + Mushroom + Toad Rider + Velvet Moth"]
    table = Table(["Toad Rider", ""], sides).play("Toad Rider")
    assert table.legal == {"CARD[Mushroom]", "CARD[Toad Rider]", "CARD[Velvet Moth]"}
    table.play("Velvet Moth")
    assert table.colony(1) == "Gub + Mushroom + Toad Rider"


@pytest.mark.parametrize("barricade", ["Mushroom", "Toad Rider"])
def test_a_velvet_moth_discards_no_barricade(barricade):
    assert not playable("Velvet Moth", "", f"Gub + {barricade}")
    table = Table(["Velvet Moth", ""], [f"Gub + {barricade}", f"Gub + {barricade}"])
    table.play("Velvet Moth")
    assert colonies(table) == [f"Gub + {barricade} + Velvet Moth", f"Gub + {barricade}"]


# ------------------------------------------------------------------------------------------ Traps


@pytest.mark.parametrize("own", [0, 1])
def test_a_sud_spout_traps_a_free_gub_of_any_side_where_it_lies(own):
    sides = ["", ""]
    sides[own] = "Gub"
    table = Table(["Sud Spout", ""], sides).play("Sud Spout")
    sides[own] = "Gub + Sud Spout"
    assert colonies(table) == sides
    assert table.discarded == "nothing"
    assert table.seen(0, "points").sum() == 0


def test_a_sud_spout_chooses_among_the_free_gubs_of_all_sides():
    sides = ["Gub + Mushroom; Gub", "Gub", "Esteemed Elder; Gub + Sud Spout; Gub"]
    table = Table(["Sud Spout", "", ""], sides).play("Sud Spout")
    assert table.legal == {"PLACE[0, 1]", "PLACE[1, 0]", "PLACE[2, 2]"}


@pytest.mark.parametrize("gub", [*(f"Gub + {b}" for b in BARRICADES), "Gub + Sud Spout", DOUBLE])
@pytest.mark.parametrize("trap", ["Sud Spout", "Single Ring"])
def test_a_trap_needs_a_free_gub(trap, gub):
    assert not playable(trap, "Esteemed Elder", gub)
    assert not playable(trap, gub, "Esteemed Elder")


RINGS = {"Single Ring": 1, "Double Ring": 2, "Triple Ring": 3}


@pytest.mark.parametrize(("ring", "needed"), RINGS.items())
def test_a_ring_moves_exactly_so_many_free_gubs_beneath_it_to_ones_own_side(ring, needed):
    gubs = "; ".join(["Gub"] * needed)
    table = Table([ring, ""], ["Gub + Mushroom", gubs]).play(ring)
    assert colonies(table) == ["; ".join(["Gub + Mushroom", *[f"Gub + {ring}"] * needed]), ""]
    assert table.discarded == "nothing"
    assert table.seen(0, "points").tolist() == [1, 0]


@pytest.mark.parametrize(("ring", "needed"), RINGS.items())
def test_a_ring_is_not_playable_with_fewer_free_gubs(ring, needed):
    others = ["Gub + Sud Spout", "Gub + Toad Rider", "Esteemed Elder"]
    assert not playable(ring, "; ".join(["Gub"] * (needed - 1)), "; ".join(others))
    assert playable(ring, "; ".join(["Gub"] * (needed - 1)), "; ".join([*others, "Gub"]))


def test_a_ring_leaves_the_other_free_gubs():
    table = Table(["Single Ring", ""], ["Gub", "Gub; Gub"]).play("Single Ring", "PLACE[1, 0]")
    assert colonies(table) == ["Gub; Gub + Single Ring", "Gub"]


def test_ones_own_gubs_may_go_beneath_ones_own_ring():
    """Check ruling [G15]."""
    table = Table(["Double Ring", ""], ["Gub; Gub + Velvet Moth; Gub", ""]).play("Double Ring")
    assert table.colony(0) == f"Gub + Velvet Moth; {DOUBLE}"


def test_a_ring_takes_its_places_in_rising_order():
    sides = ["Gub; Gub + Mushroom; Gub", "Gub", "Gub"]
    table = Table(["Double Ring", "", ""], sides).play("Double Ring", "PLACE[1, 0]")
    assert colonies(table) == [
        "Gub; Gub + Mushroom; Gub; Gub + Double Ring; Gub + Double Ring",
        "",
        "",
    ]


def test_a_ring_offers_only_places_that_leave_enough_for_the_rest():
    table = Table(["Double Ring", "", ""], ["Gub", "Gub", "Gub"]).play("Double Ring")
    assert table.legal == {"PLACE[0, 0]", "PLACE[1, 0]"}
    assert table.play("PLACE[0, 0]").legal == {"PLACE[1, 0]", "PLACE[2, 0]"}


def test_a_ring_offers_no_place_twice():
    table = Table(["Double Ring", ""], ["Gub; Gub; Gub", "Gub; Gub"])
    table.play("Double Ring", "PLACE[0, 0]")
    assert table.legal == {"PLACE[0, 1]", "PLACE[1, 0]"}


def test_a_rings_places_rise_clockwise_from_who_plays_it():
    table = Table(["", "Triple Ring", ""], ["Gub", "Gub", "Gub; Gub"], turn=1)
    table.play("Triple Ring")
    assert table.legal == {"PLACE[0, 0]", "PLACE[1, 0]"}
    table.play("PLACE[1, 0]")
    assert colonies(table) == ["", f"Gub; {TRIPLE}", ""]


# ---------------------------------------------------------------------------------------- Hazards


def test_lure_takes_a_free_gub_of_an_opponent():
    table = Table(["Lure", ""], ["Gub + Mushroom", "Gub; Gub + Mushroom"]).play("Lure")
    assert colonies(table) == ["Gub + Mushroom; Gub", "Gub + Mushroom"]
    assert table.discarded == "Lure"


def test_lure_chooses_among_the_free_gubs_of_all_opponents():
    table = Table(["Lure", "", ""], ["Gub", "Gub; Gub + Sud Spout", "Esteemed Elder; Gub"])
    assert table.play("Lure").legal == {"PLACE[1, 0]", "PLACE[2, 1]"}


NOT_FREE = ["", "Esteemed Elder", "Gub + Mushroom", "Gub + Sud Spout", "Gub + Single Ring"]


@pytest.mark.parametrize("others", NOT_FREE)
def test_lure_needs_an_opponents_free_gub(others):
    assert not playable("Lure", "Gub", others)


def test_super_lure_takes_all_free_and_protected_gubs_of_one_opponent():
    side = "Gub; Gub + Mushroom + Toad Rider; Gub + Velvet Moth"
    table = Table(["Super Lure", "", ""], ["Gub", side, "Gub"]).play("Super Lure", "SEAT[1]")
    assert colonies(table) == ["Gub; Gub; Gub; Gub", "", "Gub"]
    assert hands(table) == ["nothing", "Mushroom, Toad Rider, Velvet Moth", "nothing"]
    assert table.discarded == "Super Lure"


def test_super_lure_leaves_trapped_gubs_and_the_elder():
    side = "Gub + Sud Spout; Gub; Esteemed Elder; Gub + Single Ring"
    table = Table(["Super Lure", ""], ["", side]).play("Super Lure")
    assert colonies(table) == ["Gub", "Gub + Sud Spout; Esteemed Elder; Gub + Single Ring"]


def test_super_lure_is_aimed_only_at_who_has_a_free_or_protected_gub():
    sides = ["Gub", "Gub", "Gub + Mushroom", "Esteemed Elder; Gub + Sud Spout"]
    table = Table(["Super Lure", *[""] * 3], sides).play("Super Lure")
    assert table.legal == {"SEAT[1]", "SEAT[2]"}


@pytest.mark.parametrize("others", ["", "Esteemed Elder", "Gub + Sud Spout", DOUBLE])
def test_super_lure_needs_a_free_or_protected_gub_of_an_opponent(others):
    assert not playable("Super Lure", "Gub; Gub + Mushroom", others)


def test_cyclone_discards_all_barricades_of_one_opponent():
    side = "Gub + Mushroom + Mushroom; Gub + Toad Rider; Gub + Velvet Moth; Gub + Sud Spout"
    sides = ["Gub + Mushroom", side, "Gub + Mushroom"]
    table = Table(["Cyclone", "", ""], sides).play("Cyclone", "SEAT[1]")
    assert colonies(table) == ["Gub + Mushroom", "Gub; Gub; Gub; Gub + Sud Spout", "Gub + Mushroom"]
    assert table.discarded == "Mushroom ×2, Toad Rider, Velvet Moth, Cyclone"


@pytest.mark.parametrize("others", ["", "Gub; Esteemed Elder", "Gub + Sud Spout", DOUBLE])
def test_cyclone_needs_a_barricade_of_an_opponent(others):
    assert not playable("Cyclone", "Gub + Mushroom", others)


def test_omen_beetle_discards_every_gub_beneath_a_mushroom_on_all_sides():
    sides = ["Gub + Mushroom; Gub", "Gub + Toad Rider; Gub + Mushroom + Mushroom + Velvet Moth"]
    table = Table(["Omen Beetle", ""], sides).play("Omen Beetle")
    assert colonies(table) == ["Gub", "Gub + Toad Rider"]
    assert table.discarded == "Gub ×2, Mushroom ×3, Velvet Moth, Omen Beetle"


@pytest.mark.parametrize("sides", [("Gub + Mushroom", ""), ("", "Gub + Mushroom")])
def test_omen_beetle_is_playable_with_a_mushroom_on_any_side(sides):
    assert playable("Omen Beetle", *sides)


def test_omen_beetle_needs_a_mushroom_in_play():
    """Check ruling [G2]."""
    assert not playable(
        "Omen Beetle", "Gub + Toad Rider; Gub", "Gub + Velvet Moth; Gub + Sud Spout"
    )
    assert not Table(["Omen Beetle, Mushroom", "Mushroom"], ["Gub"]).can_play("Omen Beetle")


def test_lightning_discards_the_whole_hand_of_an_opponent():
    table = Table(["Lightning, Lure", "Spear, Lure ×2", "Lure"]).play("Lightning")
    assert table.legal == {"SEAT[1]", "SEAT[2]"}
    table.play("SEAT[1]")
    assert hands(table) == ["Lure", "nothing", "Lure"]
    assert table.discarded == "Lure ×2, Lightning, Spear"


def test_lightning_discards_an_opponents_elder_and_no_card_of_its_hand():
    table = Table(["Lightning", "Lure"], ["", "Gub; Esteemed Elder; Gub"])
    table.play("Lightning", "PLACE[1, 1]")
    assert (table.colony(1), table.hand(1)) == ("Gub; Gub", "Lure")
    assert table.discarded == "Esteemed Elder, Lightning"


def test_lightning_on_a_hand_leaves_the_elder_in_play():
    table = Table(["Lightning", "Lure"], ["", "Esteemed Elder"]).play("Lightning", "SEAT[1]")
    assert (table.colony(1), table.hand(1)) == ("Esteemed Elder", "nothing")


def test_lightning_needs_an_opponents_elder_or_cards():
    assert not Table(["Lightning, Lure", ""], ["Esteemed Elder", "Gub"]).can_play("Lightning")


def test_lightning_strikes_no_empty_hand_and_not_ones_own_elder():
    table = Table(["Lightning, Gub", "", "Lure", "Lure"], ["Esteemed Elder"]).play("Lightning")
    assert table.legal == {"SEAT[2]", "SEAT[3]"}


@pytest.mark.parametrize(
    ("gub", "victim", "gone"),
    [
        ("Gub", "nothing", "Smahl Thief"),
        ("Gub + Mushroom", "Mushroom", "Smahl Thief"),
        ("Gub + Mushroom + Mushroom + Toad Rider", "Mushroom ×2, Toad Rider", "Smahl Thief"),
        ("Gub + Sud Spout", "nothing", "Sud Spout, Smahl Thief"),
    ],
)
def test_smahl_thief_takes_a_gub_into_the_hand(gub, victim, gone):
    table = Table(["Smahl Thief", ""], ["Gub", gub]).play("Smahl Thief")
    if table.phase is Phase.MEANT:
        table.play("Gub")
    assert hands(table) == ["Gub", victim]
    assert colonies(table) == ["Gub", ""]
    assert table.discarded == gone


@pytest.mark.parametrize("barricade", BARRICADES)
def test_smahl_thief_may_take_a_barricade_into_the_hand(barricade):
    table = Table(["Smahl Thief", ""], ["Gub", f"Gub + {barricade}"]).play("Smahl Thief")
    assert table.legal == {"CARD[Gub]", f"CARD[{barricade}]"}
    table.play(barricade)
    assert hands(table) == [barricade, "nothing"]
    assert colonies(table) == ["Gub", "Gub"]


def test_smahl_thief_takes_one_of_two_barricades():
    table = Table(["Smahl Thief", ""], ["", "Gub + Mushroom + Toad Rider"])
    table.play("Smahl Thief", "Toad Rider")
    assert hands(table) == ["Toad Rider", "nothing"]
    assert table.colony(1) == "Gub + Mushroom"


def test_smahl_thief_takes_the_gub_not_the_sud_spout():
    table = Table(["Smahl Thief", ""], ["", "Gub; Gub + Sud Spout"])
    table.play("Smahl Thief", "PLACE[1, 1]")
    assert goes_on(table)
    assert hands(table) == ["Gub", "nothing"]


@pytest.mark.parametrize("others", ["", "Esteemed Elder", "Gub + Single Ring", DOUBLE, TRIPLE])
def test_smahl_thief_takes_nothing_of_ones_own_no_elder_and_nothing_beneath_a_ring(others):
    assert not playable("Smahl Thief", "Gub; Gub + Mushroom; Gub + Sud Spout", others)


# ------------------------------------------------------------------------------------------ Tools


@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.parametrize(("ring", "beneath"), RINGS.items())
def test_haki_flute_shatters_a_ring_on_any_side(ring, beneath, own):
    sides = ["Gub + Mushroom", "Gub + Mushroom"]
    sides[own] += f"; Gub + {ring}" * beneath
    table = Table(["Haki Flute", EVERY_ANSWER], sides).play("Haki Flute")
    assert colonies(table) == ["Gub + Mushroom" + "; Gub" * beneath, "Gub + Mushroom"]
    assert table.discarded == f"{ring}, Haki Flute"
    assert goes_on(table)


def test_a_ring_is_picked_by_any_gub_beneath_it():
    table = Table(["Haki Flute", ""], [f"{DOUBLE}; Gub", f"Gub; {TRIPLE}"]).play("Haki Flute")
    assert table.legal == {"PLACE[0, 0]", "PLACE[1, 1]"}
    table.play("PLACE[0, 0]")
    assert colonies(table) == ["Gub; Gub; Gub", f"Gub; {TRIPLE}"]


def test_haki_flute_shatters_only_one_of_two_rings_on_a_side():
    sides = ["", f"{DOUBLE}; Gub + Single Ring; Esteemed Elder"]
    table = Table(["Haki Flute", ""], sides).play("Haki Flute", "PLACE[1, 2]")
    assert colonies(table) == ["Gub", f"{DOUBLE}; Esteemed Elder"]


def test_haki_flute_needs_a_ring_in_play():
    assert not playable("Haki Flute", "Gub; Gub + Sud Spout", "Gub + Mushroom; Gub + Sud Spout")


@pytest.mark.parametrize("own", [0, 1])
def test_spear_on_a_sud_spout_is_a_tool(own):
    """Check ruling [G7]."""
    sides = ["", ""]
    sides[own] = "Gub + Sud Spout"
    table = Table(["Spear", EVERY_ANSWER], sides).play("Spear")
    sides[own] = "Gub"
    assert colonies(table) == sides
    assert table.discarded == "Sud Spout, Spear"
    assert goes_on(table)


@pytest.mark.parametrize(
    ("other", "left", "lost"), [("Gub", "", "Gub"), ("Gub + Mushroom", "Gub", "Mushroom")]
)
def test_spear_on_an_opponents_free_gub_or_barricade_is_a_hazard(other, left, lost):
    """Check ruling [G7]."""
    table = Table(["Spear", "Feather"], ["Gub", other]).play("Spear")
    assert (table.actor, table.phase) == (1, Phase.ANSWER)
    table.play("PASS")
    assert colonies(table) == ["Gub", left]
    assert table.discarded == f"{lost}, Spear"


def test_spear_chooses_one_barricade_and_never_the_gub_beneath():
    table = Table(["Spear", ""], ["", "Gub + Mushroom + Toad Rider"]).play("Spear")
    assert table.legal == {"CARD[Mushroom]", "CARD[Toad Rider]"}
    assert table.play("Mushroom").colony(1) == "Gub + Toad Rider"


def test_spear_chooses_among_all_it_may_be_aimed_at():
    sides = ["Gub; Gub + Sud Spout", "Gub; Gub + Toad Rider; Gub + Sud Spout; Gub + Single Ring"]
    table = Table(["Spear", ""], sides).play("Spear")
    assert table.legal == {"PLACE[0, 1]", "PLACE[1, 0]", "PLACE[1, 1]", "PLACE[1, 2]"}


@pytest.mark.parametrize("others", ["", "Esteemed Elder", "Gub + Single Ring"])
def test_spear_harms_nothing_of_ones_own_no_elder_and_no_ring(others):
    assert not playable("Spear", f"Gub; Gub + Mushroom; {DOUBLE}", others)


def test_scout_looks_at_the_top_three_cards_and_puts_them_back_in_any_order():
    table = Table(["Scout", EVERY_ANSWER], deck="Lure, Mushroom, Lure, Spear")
    table.play("Scout", "DECK")
    assert (table.actor, table.phase) == (0, Phase.ORDER)
    assert table.legal == {"CARD[Lure]", "CARD[Mushroom]"}
    assert table.play("Mushroom").legal == {"CARD[Lure]"}
    table.play("Lure")
    assert goes_on(table)
    assert table.deck[:4] == cards("Mushroom, Lure, Lure, Spear")
    assert table.discarded == "Scout"


@pytest.mark.parametrize(
    ("deck", "picks", "then"),
    [
        ("Lure", [], "Lure"),
        ("Lure, Spear", ["Spear"], "Spear, Lure"),
        ("Lure ×4", ["Lure", "Lure"], "Lure ×4"),
        ("Letter G, Lure, Flash Flood", ["Lure", "Flash Flood"], "Lure, Flash Flood, Letter G"),
        ("Letter G, Lure ×2, Spear", ["Lure", "Lure"], "Lure ×2, Letter G, Spear"),
    ],
)
def test_scout_is_asked_for_one_card_less_than_it_sees(deck, picks, then):
    """Check ruling [G13]."""
    table = Table(["Scout", ""], deck=deck, rest=False).play("Scout", *picks)
    assert goes_on(table)
    assert table.deck == cards(then)


def test_scouts_own_view_shows_the_cards_still_to_be_placed():
    table = Table(["Scout", ""], deck="Lure, Mushroom, Spear").play("Scout")
    assert table.seen(0, "deck_top").argmax(1).tolist() == cards("Lure, Mushroom, Spear")
    assert not table.seen(1, "deck_top").any()


def test_scout_looks_at_the_hand_of_an_opponent():
    table = Table(["Scout", "Spear, Lure ×2", ""], rest=False).play("Scout")
    assert table.knows(0, 1) == "Lure ×2, Spear"
    assert table.knows(2, 1) == "nothing"
    assert hands(table) == ["nothing", "Lure ×2, Spear", "nothing"]
    assert goes_on(table)


def test_scout_looks_at_no_empty_hand():
    table = Table(["Scout", "", "Lure"]).play("Scout")
    assert table.legal == {"DECK", "SEAT[2]"}


def test_scout_needs_a_card_in_the_deck_or_in_an_opponents_hand():
    assert not Table(["Scout, Lure", ""], rest=False).can_play("Scout")


def test_retreat_takes_all_cards_on_ones_own_side_but_the_elder():
    """Check ruling [G8]."""
    side = "Gub; Esteemed Elder; Gub + Mushroom + Velvet Moth; Gub + Sud Spout"
    table = Table(["Retreat", EVERY_ANSWER], [f"{side}; {TRIPLE}", "Gub + Mushroom"])
    table.play("Retreat")
    assert colonies(table) == ["Esteemed Elder", "Gub + Mushroom"]
    assert table.hand(0) == "Gub ×6, Mushroom, Velvet Moth, Sud Spout, Triple Ring"
    assert table.discarded == "Retreat"
    assert goes_on(table)


@pytest.mark.parametrize("own", ["", "Esteemed Elder"])
def test_retreat_needs_a_card_on_ones_own_side_other_than_the_elder(own):
    assert not playable("Retreat", own, "Gub + Mushroom")


def test_age_old_cure_takes_one_gub_from_the_discard_pile():
    """Check ruling [G9]."""
    table = Table(["Age-Old Cure", EVERY_ANSWER], discard="Gub ×2, Lure").play("Age-Old Cure")
    assert table.hand(0) == "Gub"
    assert table.discarded == "Gub, Lure, Age-Old Cure"
    assert goes_on(table)


def test_age_old_cure_needs_a_gub_in_the_discard_pile():
    assert not playable("Age-Old Cure", "Gub", "Gub", discard="Esteemed Elder, Mushroom, Lure")


# ------------------------------------------------------------------------------ Interrupts and wild


@pytest.mark.parametrize("card", ["Feather", "Blindfold", "Flop Boat"])
def test_an_interrupt_is_not_played_on_ones_own_turn(card):
    sides = ["Gub; Gub + Mushroom; Gub + Sud Spout", f"Gub; Gub + Toad Rider; {DOUBLE}"]
    table = Table([card, "Lure"], sides, discard="Gub")
    assert table.legal == {"PASS"}


HAZARDS = ["Lure", "Super Lure", "Cyclone", "Lightning", "Smahl Thief", "Omen Beetle"]
TOOLS = ["Haki Flute", "Spear", "Scout", "Retreat", "Age-Old Cure"]
TRAPS = ["Sud Spout", "Single Ring", "Double Ring", "Triple Ring"]
EVENTS = [
    *("Flash Flood", "Gargok Plague", "Traveling Merchant", "Rumor of Wasps"),
    *("Dangerous Alchemy", "Letter G", "Letter U", "Letter B"),
]


def full_table(*held, **setting):
    """Return a table at which every Hazard and every Tool can be played."""
    sides = ["Gub; Gub; Gub", f"Gub; Gub + Mushroom; Gub + Sud Spout; {DOUBLE}"]
    return Table(held, sides, discard="Gub", **setting)


def test_cricket_song_is_any_hazard_or_tool_and_nothing_else():
    table = full_table("Cricket Song", "Lure").play("Cricket Song")
    assert table.legal == {f"CARD[{card}]" for card in HAZARDS + TOOLS}


@pytest.mark.parametrize("kind", [*HAZARDS, "Spear"])
def test_cricket_song_as_a_hazard_can_be_answered_and_is_discarded(kind):
    table = full_table("Cricket Song", "Feather", "").play("Cricket Song", kind)
    while table.phase in (Phase.TARGET, Phase.MEANT):
        table.play(min(table.legal))
    assert (table.actor, table.phase) == (1, Phase.ANSWER)
    before = colonies(table)
    table.play("Feather")
    assert colonies(table) == before
    assert table.discarded == "Gub, Feather, Cricket Song"
    assert goes_on(table)


@pytest.mark.parametrize("kind", [*HAZARDS, *TOOLS])
def test_cricket_song_is_that_card_in_every_way(kind):
    deck = "Lure, Mushroom, Feather"
    song = full_table("Cricket Song", "Lure", deck=deck).play("Cricket Song", kind)
    card = full_table(kind, "Lure", deck=deck).play(kind)
    while not goes_on(song):
        assert song.legal == card.legal
        pick = min(song.legal)
        song.play(pick)
        card.play(pick)
    assert goes_on(card)
    assert (colonies(song), hands(song)) == (colonies(card), hands(card))
    assert song.deck[:3] == card.deck[:3]
    gone = [other for other in cards(card.discarded) if other.title != kind]
    assert cards(song.discarded) == [*gone, Card.CRICKET_SONG]


def test_cricket_song_is_only_what_would_be_legal_now():
    table = Table(["Cricket Song", ""], ["Gub", "Esteemed Elder"]).play("Cricket Song")
    assert table.legal == {"CARD[Lightning]", "CARD[Scout]", "CARD[Retreat]"}


def test_cricket_song_is_not_playable_where_no_hazard_or_tool_is():
    table = Table(["Cricket Song, Gub", ""], ["", ""], rest=False)
    assert table.legal == {"CARD[Gub]", "PASS"}


def test_cricket_song_names_nothing_where_it_can_be_just_one_kind():
    table = Table(["Cricket Song", ""], ["Esteemed Elder", ""], deck="Lure", rest=False)
    table.play("Cricket Song")
    assert goes_on(table)
    assert table.discarded == "Cricket Song"


def test_cricket_song_as_spear_on_a_sud_spout_is_a_tool():
    table = Table(["Cricket Song", "Feather"], ["", "Gub + Sud Spout"], rest=False)
    table.play("Cricket Song", "Spear")
    assert table.colony(1) == "Gub"
    assert goes_on(table)


def test_cricket_song_as_spear_on_a_gub_is_a_hazard():
    table = Table(["Cricket Song", "Feather"], ["", "Gub"]).play("Cricket Song", "Spear")
    assert (table.actor, table.phase) == (1, Phase.ANSWER)


# ------------------------------------------------------------------------------------- the windows

TO_LURES = ("Feather", "Blindfold", "Cricket Song")
TO_HAZARDS_AND_TRAPS = ("Feather", "Cricket Song")
TO_EVENTS = ("Flop Boat", "Cricket Song")
ANSWERS = {
    **dict.fromkeys(["Lure", "Super Lure"], TO_LURES),
    **dict.fromkeys([*HAZARDS[2:], "Spear", *TRAPS], TO_HAZARDS_AND_TRAPS),
    **dict.fromkeys(EVENTS, TO_EVENTS),
}


def legal_cards(table):
    return {name[5:-1] for name in table.legal - {"PASS"}}


def announce(card, *answers):
    """Return a table at which the first seat has just announced this card."""
    if card in EVENTS:
        return drawn(card, ["", *answers])
    sides = ["Gub; Gub; Gub + Mushroom", "Gub; Gub + Mushroom; Gub + Toad Rider"]
    table = Table([card, *answers], sides).play(card)
    while table.phase in (Phase.TARGET, Phase.MEANT):
        table.play(min(table.legal))
    return table


@pytest.mark.parametrize(("card", "answers"), ANSWERS.items())
def test_who_may_answer_what(card, answers):
    table = announce(card, EVERY_ANSWER)
    assert (table.actor, table.phase) == (1, Phase.ANSWER)
    assert "PASS" in table.legal
    assert legal_cards(table) == set(answers)


@pytest.mark.parametrize(
    ("card", "answer"), [(card, answer) for card, answers in ANSWERS.items() for answer in answers]
)
def test_an_answer_cancels(card, answer):
    table = announce(card, f"{answer}, Lure")
    before = colonies(table)
    table.play(answer)
    assert colonies(table) == before
    assert table.hand(1) == "Lure"
    assert goes_on(table)
    assert table.game.discard_pile.sum() == (1 if card in EVENTS else 2)
    assert table.letters == ""


@pytest.mark.parametrize(
    ("card", "held"),
    [
        ("Lure", "Flop Boat, Gub"),
        ("Cyclone", "Blindfold, Flop Boat"),
        ("Smahl Thief", "Blindfold"),
        ("Sud Spout", "Blindfold, Flop Boat"),
        ("Flash Flood", "Feather, Blindfold"),
        ("Letter G", "Feather, Blindfold"),
    ],
)
def test_only_who_holds_an_answer_is_asked(card, held):
    assert goes_on(announce(card, held, ""))


def test_players_are_asked_clockwise_from_the_left_of_who_plays():
    """Check ruling [G3]."""
    table = Table(["Feather", "Lure", "", "Cricket Song"], ["", "", "Gub"], turn=1).play("Lure")
    assert table.actor == 3
    table.play("PASS")
    assert table.actor == 0
    table.play("PASS")
    assert colonies(table) == ["", "Gub", "", ""]
    assert goes_on(table, 1)


def test_of_an_event_the_drawer_is_asked_first():
    """Check ruling [G4]."""
    table = Table(["Cricket Song", "Flop Boat"], deck="Flash Flood", turn=1, phase=Phase.DRAW)
    table.play("DECK")
    assert table.actor == 1
    table.play("PASS")
    assert table.actor == 0
    table.play("Cricket Song")
    assert goes_on(table, 1)
    assert Card.FLASH_FLOOD in table.deck


def test_who_plays_a_hazard_does_not_answer_it():
    table = Table(["Lure, Feather, Cricket Song", ""], ["", "Gub"]).play("Lure")
    assert colonies(table) == ["Gub", ""]
    assert goes_on(table)


def test_the_first_answer_closes_the_window():
    table = Table(["Lure", "Feather", "Blindfold"], ["", "Gub"]).play("Lure", "Feather")
    assert goes_on(table)
    assert table.hand(2) == "Blindfold"
    assert table.discarded == "Lure, Feather"


def test_nobody_answers_an_interrupt():
    """Check ruling [G3]."""
    table = Table(["Lure, Cricket Song", "Feather", "Feather"], ["", "Gub"])
    table.play("Lure", "Feather")
    assert goes_on(table)
    assert table.hand(0) == "Cricket Song"


def test_an_announced_card_has_left_the_hand_and_shows_with_its_targets():
    table = Table(["Lure, Gub", "", "Feather"], ["", "Gub", "Gub"]).play("Lure", "PLACE[1, 0]")
    assert table.hand(0) == "Gub"
    for viewer, target in enumerate([(1, 0), (0, 0), (2, 0)]):
        assert table.seen(viewer, "hand_sizes")[-viewer % 3] == 1
        assert table.seen(viewer, "played").nonzero()[0].tolist() == [Card.LURE]
        assert list(zip(*table.seen(viewer, "target_places").nonzero(), strict=True)) == [target]


@pytest.mark.parametrize(("card", "own"), [("Triple Ring", "Gub; Gub"), ("Sud Spout", "")])
def test_a_cancelled_ring_moves_no_gub_and_a_sud_spout_traps_none(card, own):
    table = Table([card, "Feather"], [own, "Gub"]).play(card, "Feather")
    assert colonies(table) == [own, "Gub"]
    assert table.discarded == f"{card}, Feather"


@pytest.mark.parametrize("event", EVENTS)
def test_a_cancelled_event_goes_back_to_a_random_place(event):
    """Check ruling [G5]."""
    places = set()
    for seed in range(6):
        table = drawn(event, ["Flop Boat", "Lure"], seed=seed).play("Flop Boat")
        places.add(table.deck.index(Card[event.upper().replace(" ", "_")]))
        assert table.discarded == "Flop Boat"
        assert goes_on(table)
    assert len(places) > 1


# ----------------------------------------------------------------------------------------- Events


@pytest.mark.parametrize("letter", LETTERS)
def test_a_letter_is_laid_open(letter):
    table = drawn(letter.title, ["", ""], ["Gub", "Gub"])
    assert table.letters == letter.title[-1]
    assert table.discarded == "nothing"
    assert colonies(table) == ["Gub", "Gub"]
    assert goes_on(table)


def test_two_letters_do_not_end_the_game_and_the_third_does():
    table = drawn("Letter U", ["Gub", ""], letters="G")
    assert goes_on(table)
    assert table.legal == {"CARD[Gub]", "PASS"}
    assert drawn("Letter B", ["Gub", ""], letters="GU").phase is Phase.OVER


def test_flash_flood_discards_all_free_gubs():
    """Check ruling [G25]."""
    sides = ["Gub; Esteemed Elder; Gub + Mushroom; Gub", f"Gub; Gub + Sud Spout; {DOUBLE}", "Gub"]
    table = drawn("Flash Flood", ["Gub", "", ""], sides)
    assert colonies(table) == ["Esteemed Elder; Gub + Mushroom", f"Gub + Sud Spout; {DOUBLE}", ""]
    assert table.discarded == "Gub ×4, Flash Flood"
    assert table.hand(0) == "Gub"
    assert goes_on(table)


def test_gargok_plague_strikes_every_hand_the_drawers_too():
    held = ["Lure, Spear", "Mushroom", "Blindfold"]
    table = drawn("Gargok Plague", held, ["Gub", "Gub"], plague_redraw=False)
    assert hands(table) == ["nothing"] * 3
    assert colonies(table) == ["Gub", "Gub", ""]
    assert table.discarded == "Gargok Plague"
    assert goes_on(table)


def test_gargok_plague_draws_as_many_cards_as_were_lost():
    """Check ruling [G11]."""
    table = drawn("Gargok Plague", ["Lure, Spear", "", "Mushroom ×3"])
    assert table.game.hand_size[:3].tolist() == [2, 0, 3]


def test_after_gargok_plague_events_drawn_are_replaced():
    deck = "Gargok Plague, Flash Flood, Letter G, Letter U, Letter B, Rumor of Wasps"
    for seed in range(5):
        table = drawn(deck, ["Lure ×2", "Lure"], rest=False, seed=seed)
        assert hands(table) == ["Lure ×2", "Lure"]
        assert len(table.deck) == 5


def test_a_cure_is_discarded_even_as_the_last_card():
    table = drawn("Gargok Plague", ["Age-Old Cure", "Lure"]).play("Age-Old Cure")
    assert table.hand(0) == "nothing"
    assert table.game.hand_size[1] == 1
    assert table.discarded == "Age-Old Cure, Gargok Plague"


def test_who_declines_to_use_the_cure_loses_the_hand():
    table = drawn("Gargok Plague", ["Lure", "Age-Old Cure, Spear"], plague_redraw=False)
    table.play("PASS")
    assert hands(table) == ["nothing", "nothing"]
    assert Card.AGE_OLD_CURE in table.deck


def test_cricket_song_cures_the_plague_that_it_did_not_answer():
    table = drawn("Gargok Plague", ["Lure", "Cricket Song, Spear"], plague_redraw=False)
    assert (table.actor, table.phase) == (1, Phase.ANSWER)
    table.play("PASS")
    assert (table.actor, table.phase) == (1, Phase.CURE)
    assert table.legal == {"CARD[Cricket Song]", "PASS"}
    table.play("Cricket Song")
    assert hands(table) == ["nothing", "Spear"]
    assert table.discarded == "Cricket Song, Gargok Plague"


def test_each_player_is_asked_for_the_cure_once_the_drawer_first():
    held = ["Age-Old Cure", "Cricket Song, Lure", "Age-Old Cure, Lure"]
    table = Table(held, deck="Gargok Plague", turn=2, phase=Phase.DRAW).play("DECK", "PASS")
    for seat in (2, 0, 1):
        assert (table.actor, table.phase) == (seat, Phase.CURE)
        assert "PASS" in table.legal
        table.play("PASS")
    assert goes_on(table, 2)


def test_traveling_merchant_passes_all_but_one_card_to_the_right():
    held = ["Lure, Spear, Gub", "Mushroom ×2", "Feather, Scout"]
    table = drawn("Traveling Merchant", held)
    assert legal_cards(table) == {"Lure", "Spear", "Gub"}
    table.play("Spear", "Mushroom")
    assert hands(table) == ["Gub, Lure, Spear", "Mushroom ×2", "Scout, Feather"]
    table.play("Feather")
    assert hands(table) == ["Mushroom, Spear", "Mushroom, Scout", "Gub, Lure, Feather"]
    assert table.discarded == "Traveling Merchant"
    assert goes_on(table)


def test_a_merchant_pick_is_asked_even_of_a_single_card():
    table = drawn("Traveling Merchant", ["Lure", "Spear"])
    assert table.legal == {"CARD[Lure]"}
    table.play("Lure", "Spear")
    assert hands(table) == ["Lure", "Spear"]


def test_with_empty_hands_the_merchant_asks_nobody():
    assert goes_on(drawn("Traveling Merchant", ["", ""]))


def test_the_merchant_asks_the_drawer_first_then_clockwise():
    table = Table(["Lure", "Lure", "Lure"], deck="Traveling Merchant", turn=1, phase=Phase.DRAW)
    table.play("DECK")
    for seat in (1, 2, 0):
        assert table.actor == seat
        table.play("Lure")
    assert goes_on(table, 1)


def test_rumor_of_wasps_shuffles_away_gubs_beneath_a_toad_rider():
    sides = [
        "Gub; Gub + Toad Rider + Mushroom; Gub + Mushroom; Esteemed Elder",
        f"Gub + Toad Rider + Toad Rider; Gub + Sud Spout; {DOUBLE}",
    ]
    table = drawn("Rumor of Wasps", ["", "Toad Rider"], sides, rest=False)
    assert colonies(table) == ["Gub; Gub + Mushroom; Esteemed Elder", f"Gub + Sud Spout; {DOUBLE}"]
    assert sorted(table.deck) == [Card.GUB] * 2 + [Card.TOAD_RIDER] * 3
    assert table.discarded == "Mushroom, Rumor of Wasps"
    assert table.hand(1) == "Toad Rider"
    assert goes_on(table)


def test_dangerous_alchemy_discards_the_drawers_colony_but_the_elder():
    side = f"Gub; Esteemed Elder; Gub + Mushroom + Velvet Moth; Gub + Sud Spout; {DOUBLE}"
    table = drawn("Dangerous Alchemy", ["Lure", ""], [side, "Gub; Gub + Mushroom"])
    assert colonies(table) == ["Esteemed Elder", "Gub; Gub + Mushroom"]
    gone = "Gub ×5, Mushroom, Velvet Moth, Sud Spout, Double Ring, Dangerous Alchemy"
    assert table.discarded == gone
    assert table.hand(0) == "Lure"
    assert goes_on(table)


@pytest.mark.parametrize(
    "event", ["Flash Flood", "Gargok Plague", "Rumor of Wasps", "Dangerous Alchemy"]
)
def test_an_event_that_finds_nothing_is_discarded_and_the_turn_goes_on(event):
    table = drawn(event, ["", ""], ["Esteemed Elder", "Gub + Sud Spout"])
    assert colonies(table) == ["Esteemed Elder", "Gub + Sud Spout"]
    assert table.discarded == event
    assert goes_on(table)


# ------------------------------------------------------------------------------------------ picks


def test_a_card_that_is_no_event_is_drawn_into_the_hand():
    table = Table(["Gub", ""], deck="Lure", phase=Phase.DRAW).play("DECK")
    assert table.hand(0) == "Gub, Lure"
    assert goes_on(table)


def test_any_number_of_cards_is_played_and_none_drawn_after():
    table = Table(["Gub ×2, Mushroom", ""], phase=Phase.DRAW).play("PASS", "Gub", "Gub", "Mushroom")
    assert table.colony(0) == "Gub + Mushroom; Gub"
    assert table.legal == {"PASS"}


def test_play_draw_and_answers_are_asked_even_when_there_is_no_choice():
    table = Table(["", ""])
    assert goes_on(table)
    assert table.legal == {"PASS"}


def test_a_begun_move_cannot_be_taken_back():
    table = Table(["Lure", "", ""], ["", "Gub", "Gub"]).play("Lure")
    assert table.legal == {"PLACE[1, 0]", "PLACE[2, 0]"}
    table = Table(["Smahl Thief", ""], ["", "Gub + Mushroom"]).play("Smahl Thief")
    assert "PASS" not in table.legal
    table = full_table("Cricket Song", "").play("Cricket Song")
    assert "PASS" not in table.legal


def test_a_single_target_is_not_asked_for():
    table = Table(["Lure", ""], ["Gub", "Gub"]).play("Lure")
    assert goes_on(table)
    assert colonies(table) == ["Gub; Gub", ""]


@pytest.mark.parametrize(
    ("alike", "offered"),
    [
        ("Gub; Gub", {"PLACE[1, 0]"}),
        ("Gub + Mushroom; Gub; Gub + Mushroom", {"PLACE[1, 0]", "PLACE[1, 1]"}),
        ("Gub + Mushroom; Gub + Mushroom + Mushroom", {"PLACE[1, 0]", "PLACE[1, 1]"}),
        ("Gub + Sud Spout; Gub + Toad Rider; Gub + Sud Spout", {"PLACE[1, 0]", "PLACE[1, 1]"}),
    ],
)
def test_of_places_alike_the_first_is_offered(alike, offered):
    table = Table(["Smahl Thief", "", ""], ["", alike, "Gub"]).play("Smahl Thief")
    assert table.legal == {*offered, "PLACE[2, 0]"}


def test_places_alike_on_two_sides_are_both_offered():
    table = Table(["Sud Spout", ""], ["Gub", "Gub"]).play("Sud Spout")
    assert table.legal == {"PLACE[0, 0]", "PLACE[1, 0]"}


def test_gaps_close_after_a_move_and_arrivals_come_last():
    table = Table(["Lure", ""], ["Gub + Mushroom", "Gub + Mushroom; Gub; Gub + Toad Rider"])
    table.play("Lure")
    assert colonies(table) == ["Gub + Mushroom; Gub", "Gub + Mushroom; Gub + Toad Rider"]


def test_seats_are_named_from_who_acts():
    table = Table(["", "", "Lure"], ["Gub", "Gub", ""], turn=2).play("Lure")
    assert table.legal == {"PLACE[1, 0]", "PLACE[2, 0]"}
    table.play("PLACE[1, 0]")
    assert colonies(table) == ["", "Gub", "Gub"]


def test_the_kind_meant_is_asked_only_where_the_place_leaves_a_choice():
    sides = ["", "Gub; Gub + Mushroom"]
    table = Table(["Smahl Thief", ""], sides).play("Smahl Thief", "PLACE[1, 0]")
    assert goes_on(table)
    table = Table(["Smahl Thief", ""], sides).play("Smahl Thief", "PLACE[1, 1]")
    assert table.phase is Phase.MEANT
    assert table.legal == {"CARD[Gub]", "CARD[Mushroom]"}
