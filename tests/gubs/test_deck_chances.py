"""The slice `deck_chances`: what a seat may infer of the next cards, against counts of orders.

The references are all deals of a small deck, the filter over all orders of `test_classes`, and
determinizations of positions from random games.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from gubs_env import gubs_v0
from gubs_env.engine.rng import seed_rng
from gubs_env.games.gubs.cards import IS_EVENT, LETTERS, Card
from gubs_env.games.gubs.deals import all_deals
from gubs_env.games.gubs.state import MOST_STAGES
from gubs_env.gubs_v0 import GAME, Rules
from tests.gubs.test_classes import DECK, HAND, Followed

SMALL = {"Gub": 2, "Lure": 2, "Feather": 5, "Flash Flood": 1, "Letter G": 1, "Letter U": 1,
         "Letter B": 1}  # fmt: skip


def shown(states, index, viewer):
    """Return the percentages that a viewer sees, int8[6]."""
    out = np.zeros(GAME.observation_size(2), np.int8)
    GAME.kernel.observe(states, index, viewer, out)
    return GAME.observation_slices(2)["deck_chances"].of(out).reshape(6)


def features(deck):
    """Return what the chances are of, for a deck from the bottom: bool[6]."""
    left = sum(kind in LETTERS for kind in deck)
    values = []
    for next_cards in (deck[-1:], deck[-2:]):
        letters = sum(kind in LETTERS for kind in next_cards)
        events = any(IS_EVENT[kind] for kind in next_cards)
        values += [0 < left == letters, letters > 0, events]
    return np.array(values)


@pytest.mark.parametrize("known", range(4))
def test_chances_are_the_shares_of_all_deals_of_a_small_deck(known):
    deals = all_deals(2, Rules(deck=SMALL, letters="anywhere"))
    states = np.array([state for state, _ in deals])
    states["known_top"][:, 0] = known
    shares, totals, seen = defaultdict(lambda: np.zeros(6)), defaultdict(float), defaultdict(list)
    for index, (state, probability) in enumerate(deals):
        deck = state["deck"][: state["deck_size"]].tolist()
        knows = (state["hand"][0].tobytes(), *deck[len(deck) - known :])
        shares[knows] += float(probability) * features(deck)
        totals[knows] += float(probability)
        if len(seen[knows]) < 3:
            seen[knows].append(shown(states, index, 0))
    for knows, percentages in seen.items():
        for percentage in percentages:
            np.testing.assert_allclose(percentage, 100 * shares[knows] / totals[knows], atol=0.5001)


@pytest.mark.parametrize("seed", range(8))
def test_chances_are_those_of_all_orders_after_cards_were_shuffled_in(seed):
    rng = np.random.default_rng(seed)
    followed = Followed(DECK, seed)
    for _ in range(3):
        assert_exact(followed)
        for seat in range(2):
            drawn = followed.draw(seat)
            if IS_EVENT[drawn] and rng.random() < 0.7:
                followed.shuffle_in(drawn)
            assert_exact(followed)
        for _ in range(rng.integers(0, followed.state.hand_size.sum() + 1)):
            followed.shuffle_in(HAND)
        assert_exact(followed)
    followed.look(1)
    assert_exact(followed)


def assert_exact(followed):
    """Check the percentages of seat 0 against the orders that are left."""
    exact = sum(share * features(order) for order, share in followed.orders.items())
    np.testing.assert_allclose(shown(followed.states, 0, 0), 100 * exact, atol=0.5001)


def positions(per_kind):
    """Return states of random games of all kinds that matter: STATE[…]."""
    games = gubs_v0.vector_env(400, 2, seed=11)
    kept, states = defaultdict(int), []
    for _ in range(30):
        games.play_randomly(4)
        for state in games.states:
            known = int(state["known_top"][state["actor"]])
            in_thirds = int((state["third_end"] > 0).sum())
            kind = (int(state["num_stages"] > 0), known, in_thirds)
            if kept[kind] < per_kind:
                kept[kind] += 1
                states.append(state.copy())
    assert len(kept) >= 16
    return np.array(states)


@pytest.mark.parametrize("classes_known", [True, False])
def test_chances_are_the_frequencies_of_determinizations(classes_known):
    states, draws, rng = positions(3), 1500, seed_rng(3)
    assert len(states) >= 40
    if not classes_known:  # only the ranges of the Letters are used
        states["num_stages"] = MOST_STAGES
    squares, count = 0.0, 0
    for index, state in enumerate(states):
        percentages = shown(states, index, int(state["actor"]))
        rows = np.repeat(states[index : index + 1], draws)
        GAME.kernel.hide(rows, 0, int(state["actor"]))
        rows[:] = rows[0]
        found = np.zeros(6)
        for row in range(draws):
            GAME.kernel.determinize(rows, row, rng)
            found += features(rows["deck"][row, : state["deck_size"]].tolist())
        assert ((found > 0) | (percentages < 3)).all()
        assert ((found < draws) | (percentages > 97)).all()
        # Pearson's statistic of one degree of freedom each, less what rounding hides.
        open_chance = (percentages > 2) & (percentages < 98)
        expected = percentages[open_chance] / 100
        apart = np.maximum(0, np.abs(found[open_chance] / draws - expected) - 0.0025)
        terms = apart**2 * draws / (expected * (1 - expected))
        assert (terms < 16).all(), (index, percentages, found / draws)
        squares, count = squares + terms.sum(), count + len(terms)
    assert squares < count + 4 * np.sqrt(6 * count)  # six numbers of a position hang together


def test_a_known_top_card_is_certain():
    states = positions(3)
    for index, state in enumerate(states):
        viewer = int(state["actor"])
        if state["known_top"][viewer] > 0:
            kind = state["deck"][state["deck_size"] - 1]
            percentages = shown(states, index, viewer)
            assert percentages[1] == 100 * (kind >= Card.LETTER_G)
            assert percentages[2] == 100 * IS_EVENT[kind]
