"""All deals of small decks: their probabilities by hand, and the deals that the rules make."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from gubs_env import gubs_v0
from gubs_env.engine.table import Table
from gubs_env.gubs_v0 import GAME, Rules, all_deals

LETTERS = {"Letter G": 1, "Letter U": 1, "Letter B": 1}


def rules_of(**deck: int) -> Rules:
    return Rules(deck=deck | LETTERS, letters="anywhere")


def test_two_lures_are_held_by_one_player_or_by_both_as_counted_by_hand():
    """Six cards are dealt, two of them Lures: 2 · C(4, 1) / C(6, 3) of the deals split none."""
    rules = rules_of(Gub=2, Lure=2, Feather=4)
    by_hands = Counter()
    for state, probability in all_deals(Table(GAME, 2, rules)):
        by_hands[int(state.hand[0, gubs_v0.Card.LURE])] += probability
        assert state.hand_size[:2].tolist() == [3, 3]
    assert by_hands == {0: Fraction(1, 5), 1: Fraction(3, 5), 2: Fraction(1, 5)}


def test_a_card_is_left_in_the_deck_as_often_as_counted_by_hand():
    """One of seven cards is not dealt, and lies at one of four places among the Letters."""
    deals = all_deals(Table(GAME, 2, rules_of(Gub=2, Lure=1, Feather=6)))
    in_deck = [probability for state, probability in deals if state.hand[:2, 9].sum() == 0]
    assert sum(probability for _, probability in deals) == 1
    assert sum(in_deck) == Fraction(1, 7)
    assert set(in_deck) == {Fraction(1, 7 * 24)}


def canonical(states: np.ndarray) -> list[bytes]:
    """Return states without their RNG and without the places above the deck, as bytes."""
    states = states.copy()
    states["rng"] = 0
    states["deck"] *= np.arange(states["deck"].shape[1]) < states["deck_size"][:, None]
    return [states[index : index + 1].tobytes() for index in range(len(states))]


def test_the_rules_deal_these_states_with_these_probabilities():
    """Deals of the compiled rules in which no Letter turned up, beside the list."""
    rules = rules_of(Gub=3, Lure=1, Feather=4)
    listed = all_deals(Table(GAME, 2, rules))
    states = Table(GAME, 2, rules).new_states(60_000)
    states["rng"] = np.random.default_rng(7).integers(1 << 32, size=(len(states), 4))
    for index in range(len(states)):
        GAME.kernel.deal(states, index, 0)
    counts = Counter(canonical(states[~states["returned"].any(axis=1)]))
    dealt = sum(counts.values())
    [*keys] = canonical(np.array([state for state, _ in listed]))
    assert len(set(keys)) == len(listed)
    assert set(counts) <= set(keys)
    for key, (_, probability) in zip(keys, listed, strict=True):
        spread = (dealt * float(probability)) ** 0.5
        assert abs(counts[key] - dealt * float(probability)) < 5 * spread


def test_decks_whose_deals_cannot_be_listed_are_refused():
    with pytest.raises(ValueError, match="listed for letters='anywhere' only"):
        all_deals(Table(GAME, 2, {"deck": {"Gub": 8, **LETTERS}}))
    with pytest.raises(ValueError, match="more than 20,000 deals: take a smaller one"):
        all_deals(Table(GAME, 2, {"letters": "anywhere"}))
