"""Every state drawn for a seat agrees with what that seat has seen (section 8)."""

from __future__ import annotations

import numpy as np
import pytest

from gubs_env.engine.rng import seed_rng
from gubs_env.games.gubs.cards import LETTERS, Card
from gubs_env.gubs_v0 import GAME, Phase
from tests.gubs.table import Table, cards


def drawn_games(table, count=30):
    """Return states that fit what the seat to decide knows."""
    rng = seed_rng(0)
    for _ in range(count):
        games = table.games.copy()
        GAME.kernel.hide(games, 0, table.actor)
        GAME.kernel.determinize(games, 0, rng)
        yield games[0]


def test_a_scouted_hand_is_the_hand():
    table = Table(["Scout, Lure", "Feather, Gub, Smahl Thief"], ["Gub", "Gub"])
    table.play("Scout", "SEAT[1]")
    for game in drawn_games(table):
        assert np.flatnonzero(game.hand[1]).tolist() == cards("Gub, Smahl Thief, Feather")


def test_a_card_seen_to_enter_a_hand_is_there_among_others():
    table = Table(["Lure", "Age-Old Cure, Spear, Lure"], discard="Gub", turn=1)
    table.play("Age-Old Cure", "PASS")
    others = set()
    for game in drawn_games(table):
        assert game.hand[1, Card.GUB] >= 1
        assert game.hand[1].sum() == 3
        others |= set(np.flatnonzero(game.hand[1]).tolist())
    assert len(others) > 5, "the other two can be anything"


def test_scouted_cards_of_the_deck_stay_on_top():
    table = Table(["Scout, Lure", "Feather"], ["Gub", "Gub"], deck="Letter G, Spear, Gub")
    table.play("Scout", "DECK", "Spear", "Letter G")
    for game in drawn_games(table):
        top = game.deck[: game.deck_size][::-1][:3].tolist()
        assert top == cards("Spear, Letter G, Gub")


def test_no_event_is_ever_in_a_hand_and_nothing_is_lost():
    table = Table.dealt(4, seed=2)
    for game in drawn_games(table):
        deck = np.bincount(game.deck[: game.deck_size], minlength=32)
        assert (deck[Card.FLASH_FLOOD :] == 1).all()
        assert (game.hand.sum(1) == game.hand_size).all()


def test_each_third_keeps_its_letter():
    table = Table.dealt(2, seed=next(s for s in range(99) if not letters_are_loose(s)))
    third = (table.game.deck_size + 6) / 3  # six cards were dealt off the top one
    for game in drawn_games(table):
        places = sorted(game.deck[: game.deck_size].tolist().index(letter) for letter in LETTERS)
        for number, place in enumerate(places):
            assert number * third - 1 <= place <= (number + 1) * third + 1


def letters_are_loose(seed):
    game = Table.dealt(2, seed=seed).game
    return game.letter_loose.any() or game.deck_size != 62


@pytest.mark.parametrize("letters", ["thirds", "anywhere"])
def test_a_letter_sent_back_can_be_anywhere(letters):
    table = Table.dealt(2, seed=0, letters=letters)
    game = table.game
    while game.deck[game.deck_size - 1] < Card.LETTER_G:
        game.deck_size -= 1  # as if these cards had never been
        game.composition[game.deck[game.deck_size]] -= 1
    letter = game.deck[game.deck_size - 1]
    game.third_end[:] = np.minimum(game.third_end, game.deck_size)
    game.hand[0], game.hand_size[0] = 0, 0
    game.hand[0, Card.FLOP_BOAT] = game.hand_size[0] = 1
    game.composition[:] = table.everything()
    table.play("DECK", "Flop Boat")
    places = {
        game.deck[: game.deck_size].tolist().index(letter) for game in drawn_games(table, 200)
    }
    assert len(places) > 0.9 * game.deck_size


def test_those_asked_before_keep_a_card_of_their_hand():
    table = Table(
        ["Lure, Gub", "Spear", "Feather, Scout"], deck="Traveling Merchant", phase=Phase.DRAW
    ).play("DECK")
    table.play("Gub")
    assert table.actor == 1
    for game in drawn_games(table):
        assert game.hand[0, game.kept[0]] > 0
        assert game.kept[2] == -1
