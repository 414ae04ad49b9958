"""The actions and their names (section 9 of the rules)."""

import re

import pytest

from gubs_env.engine.table import Table
from gubs_env.games.gubs.actions import (
    DECK,
    PASS,
    card_action,
    card_of,
    place_action,
    seat_action,
    slot_of,
    steps_of,
)
from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.game import GAME

PLAYERS = range(2, 7)
TABLES = {players: Table(GAME, players) for players in PLAYERS}


@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_space_is_pass_deck_32_cards_and_for_each_seat_itself_and_14_places(num_players):
    names = [
        TABLES[num_players].action_name(action) for action in range(TABLES[num_players].num_actions)
    ]
    cards = [f"CARD[{card.title}]" for card in Card]
    seats = [f"SEAT[{k}]" for k in range(num_players)]
    places = [f"PLACE[{k}, {slot}]" for k in range(num_players) for slot in range(14)]
    assert sorted(names) == sorted(["PASS", "DECK", *cards, *seats, *places])


@pytest.mark.parametrize("num_players", PLAYERS)
def test_names_and_actions_are_inverses(num_players):
    for action in range(TABLES[num_players].num_actions):
        assert TABLES[num_players].action_index(TABLES[num_players].action_name(action)) == action


def test_an_action_means_the_same_at_a_larger_table():
    for action in range(TABLES[2].num_actions):
        assert TABLES[2].action_name(action) == TABLES[6].action_name(action)


@pytest.mark.parametrize("kind", Card)
def test_a_card_is_encoded_and_decoded(kind):
    action = card_action(kind)
    assert card_of(action) == kind
    assert TABLES[2].action_name(action) == f"CARD[{kind.title}]"


@pytest.mark.parametrize("steps", range(6))
def test_seats_and_places_are_encoded_and_decoded(steps):
    seat = seat_action(steps)
    assert (steps_of(seat), slot_of(seat)) == (steps, -1)
    assert TABLES[6].action_name(seat) == f"SEAT[{steps}]"
    for slot in range(14):
        place = place_action(steps, slot)
        assert (steps_of(place), slot_of(place)) == (steps, slot)
        assert TABLES[6].action_name(place) == f"PLACE[{steps}, {slot}]"


def test_pass_and_deck():
    assert (TABLES[2].action_index("PASS"), TABLES[2].action_index("DECK")) == (PASS, DECK)


def test_names_may_be_written_a_little_differently():
    assert TABLES[2].action_index("PLACE[1,3]") == TABLES[2].action_index("PLACE[1, 3]")
    assert TABLES[2].action_index("pass ") == PASS
    assert TABLES[2].action_index("CARD[sud spout]") == TABLES[2].action_index("CARD[Sud Spout]")


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "Lure",
            "CARD",
            "CARD[]",
            "CARD[Dragon]",
            "SEAT[]",
            "SEAT[-1]",
            "SEAT[one]",
            "SEAT[2]",
        ),
        *(
            "PLACE[1]",
            "PLACE[1, ]",
            "PLACE[1, 2, 3]",
            "PLACE[1, -1]",
            "PLACE[2, 0]",
            "PLACE[0, 14]",
        ),
        *("PLACE[9, 99]", "DECK[0]"),
    ],
)
def test_a_name_that_no_action_bears_is_named_with_those_there_are(name):
    with pytest.raises(
        ValueError, match=r"names are PASS, DECK, CARD\[Gub\], .*, PLACE\[1, 13\]$"
    ) as error:
        TABLES[2].action_index(name)
    assert repr(name) in str(error.value)


@pytest.mark.parametrize("num_players", PLAYERS)
def test_an_action_out_of_the_space_is_named(num_players):
    size = TABLES[num_players].num_actions
    for action in (-1, size, 1000):
        words = re.escape(f"action {action}: allowed are 0 to {size - 1}")
        with pytest.raises(ValueError, match=words):
            TABLES[num_players].action_name(action)
