"""The classes of the cards in the deck: the places of the Letters have their true probabilities.

The reference is a filter over all orders of a small deck: every draw keeps the orders that show
what was seen, every card that is shuffled in goes to all gaps alike. Cards for hands are one type.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest

from gubs_env import gubs_v0
from gubs_env.engine.rng import seed_rng
from gubs_env.engine.table import Table
from gubs_env.games.gubs.actions import DECK as DRAW
from gubs_env.games.gubs.cards import IS_EVENT, LETTERS, Card
from gubs_env.games.gubs.memory import see_deck_top
from gubs_env.games.gubs.state import clear_table
from gubs_env.games.gubs.table import add_place, draw_top, into_hand, out_of_hand, shuffle_in
from gubs_env.games.gubs.turn import begin_turn, place_letters
from gubs_env.gubs_v0 import GAME

HAND = Card.LURE
"""Stands for every card that can be in a hand."""
DECK = {"Gub": 2, "Lure": 6, "Flash Flood": 1, "Letter G": 1, "Letter U": 1, "Letter B": 1}


def type_of(kind):
    return kind if IS_EVENT[kind] else HAND


class Followed:
    """A deck that is drawn from and shuffled into, and all its orders with their probabilities.

    Attributes:
        states: STATE[1].
        orders: the probability of each order of the deck, bottom first.
    """

    def __init__(self, deck, seed):
        self.states = Table(GAME, 2, {"deck": deck}).new_states(1)
        self.state = state = self.states[0]
        clear_table(state)
        state.rng[:] = seed_rng(seed)
        kinds = [
            Card(kind) for kind in range(Card.LETTER_G) for _ in range(state.composition[kind])
        ]
        cards = kinds[2:]  # without the first Gubs
        state.deck_size = len(cards)
        state.deck[: len(cards)] = np.random.default_rng(seed).permutation(cards)
        place_letters(state)
        for seat in range(2):
            add_place(state, seat, Card.GUB)
        begin_turn(state, 0)
        self.orders = Counter()
        for order in set(permutations(map(type_of, cards))):
            for laid in letters_laid(list(order)):
                self.orders[laid] += 1
        self.normalise()

    def normalise(self):
        total = sum(self.orders.values())
        self.orders = Counter({order: share / total for order, share in self.orders.items()})

    def draw(self, seat):
        """Draw into a hand; an Event is discarded, a Letter laid open. Return the type drawn."""
        kind = draw_top(self.state, seat)
        if kind >= Card.LETTER_G:
            self.state.letters[kind - Card.LETTER_G] = 1
        elif IS_EVENT[kind]:
            self.state.discard_pile[kind] += 1
        else:
            into_hand(self.state, seat, kind, 1)
        drawn = type_of(kind)
        kept = Counter()
        for order, share in self.orders.items():
            if order[-1] == drawn:
                kept[order[:-1]] += share
        self.orders = kept
        self.normalise()
        return drawn

    def shuffle_in(self, kind):
        """Shuffle in an Event that was drawn, or a card of the hand of seat 0 or 1."""
        state = self.state
        if kind >= Card.LETTER_G:
            state.letters[kind - Card.LETTER_G] = 0
        elif IS_EVENT[kind]:
            state.discard_pile[kind] -= 1
        else:
            seat = int(state.hand_size[0] == 0)
            kind = int(state.hand[seat].argmax())
            out_of_hand(state, seat, kind)
        shuffle_in(state, kind)
        spread = Counter()
        for order, share in self.orders.items():
            for place in range(len(order) + 1):
                there = (*order[:place], type_of(kind), *order[place:])
                spread[there] += share
        self.orders = spread
        self.normalise()

    def look(self, depth):
        """Let seat 0 look at the top cards and leave them as they are."""
        see_deck_top(self.state, 0, depth)
        top = tuple(
            kind if IS_EVENT[kind] else HAND
            for kind in self.state.deck[
                self.state.deck_size - depth : self.state.deck_size
            ].tolist()
        )
        self.orders = Counter({o: share for o, share in self.orders.items() if o[-depth:] == top})
        self.normalise()

    def drawn_orders(self, count):
        """Return how often determinizations for seat 0 have each order."""
        rng, found = seed_rng(5), Counter()
        views = self.states.copy()
        GAME.kernel.hide(views, 0, 0)
        rows = np.repeat(views, count)
        for index in range(count):
            GAME.kernel.determinize(rows, index, rng)
        for deck in rows["deck"]:
            found[self.types(deck)] += 1
        return found

    def types(self, deck):
        """Return the types of a deck, bottom first."""
        return tuple(type_of(kind) for kind in deck[: self.state.deck_size].tolist())


def letters_laid(order):
    """Return the orders that arise when a Letter is laid into each third (section 2)."""
    cuts = [len(order) - len(order) * number // 3 for number in (3, 2, 1, 0)]
    gaps = [range(cuts[third], cuts[third + 1] + 1) for third in range(3)]
    for letters in permutations(LETTERS):
        for places in product(*gaps):
            laid = list(order)
            for letter, place in sorted(zip(letters, places, strict=True), key=lambda x: -x[1]):
                laid.insert(place, letter)
            yield tuple(laid)


def places_of_letters(followed, order):
    """Return the places of the Letters of thirds."""
    loose = followed.state.letter_loose
    return tuple(p for p, k in enumerate(order) if k in LETTERS and not loose[k - Card.LETTER_G])


def places_of_events(followed, order):
    """Return the lowest place of a Letter of a third, and the places of the other Events."""
    lowest = places_of_letters(followed, order)[0]
    return lowest, tuple(
        p for p, kind in enumerate(order) if IS_EVENT[kind] and kind not in LETTERS
    )


def assert_drawn_as_likely(followed, feature, draws=3000):
    """Test with Pearson's chi-square, rare values joined."""
    expected, found = Counter(), Counter()
    for order, share in followed.orders.items():
        expected[feature(followed, order)] += share * draws
    for order, count in followed.drawn_orders(draws).items():
        found[feature(followed, order)] += count
    assert set(found) <= set(expected), "Letters where they cannot be"
    common = [value for value in expected if expected[value] >= 5]
    wanted, counted = [expected[v] for v in common], [found[v] for v in common]
    wanted, counted = [*wanted, draws - sum(wanted)], [*counted, draws - sum(counted)]
    terms = [(n - m) ** 2 / m for m, n in zip(wanted, counted, strict=True) if m > 1]
    freedom = len(terms) - 1
    assert abs(sum(terms) - freedom) < 4 * np.sqrt(2 * freedom) + 4


@pytest.mark.parametrize("seed", range(8))
def test_letters_lie_as_likely_as_in_all_orders_of_a_small_deck(seed):
    rng = np.random.default_rng(seed)
    followed = Followed(DECK, seed)
    for _ in range(2):
        for seat in range(2):
            drawn = followed.draw(seat)
            if IS_EVENT[drawn] and rng.random() < 0.7:
                followed.shuffle_in(drawn)
        for _ in range(rng.integers(0, followed.state.hand_size.sum() + 1)):
            followed.shuffle_in(HAND)
        if (followed.state.third_end > 0).sum() < 2:
            break
        assert_drawn_as_likely(followed, places_of_letters)
        assert_drawn_as_likely(followed, places_of_events)
    followed.look(2)
    if (followed.state.third_end > 0).any():
        assert_drawn_as_likely(followed, places_of_letters)


# ----------------------------------------------------------- games that look the same to everybody


def lowest_letters(states):
    return np.isin(states["deck"], LETTERS).argmax(axis=1)


def drawn_for(states):
    """Return a determinization of each state for the player to decide."""
    rows, rng = states.copy(), seed_rng(1)
    for row, actor in enumerate(rows["actor"].tolist()):
        GAME.kernel.hide(rows, row, actor)
        GAME.kernel.determinize(rows, row, rng)
    return rows


def deals(count):
    """Return the deals of two players in which each third has its Letter."""
    states = gubs_v0.vector_env(count, seed=3).states
    return states[(states["third_end"] > 0).all(axis=1)]


def assert_as_often(states, top_places, share):
    """Check how often the lowest Letter lies in the top places of its range."""
    for rows in (states, drawn_for(states)):
        found = (lowest_letters(rows) >= rows["third_end"][:, 0] - top_places).mean()
        assert abs(found - share) < 4 * np.sqrt(share * (1 - share) / len(rows))


def test_after_one_event_went_back_at_the_deal():
    """The top place takes the Event below (23 of 62 places), and the Letter on top of 23 cards."""
    states = deals(20_000)
    assert_as_often(states[states["returned"].sum(axis=1) == 1], 1, 1 / 62)


def test_after_a_plague_that_struck_six_cards():
    """The share is that of all orders of 55 to 61 originals and 0 to 6 other cards."""
    states = deals(12_000)
    states = states[states["returned"].sum(axis=1) == 0].copy()
    top = states["deck_size"] - 1
    rows = np.flatnonzero(states["deck"][np.arange(len(states)), top] < Card.LETTER_G)
    states, top = states[rows], top[rows]
    plague = (states["deck"] == Card.GARGOK_PLAGUE).argmax(axis=1)
    rows = np.arange(len(states))  # all cards but Letters are exchangeable
    states["deck"][rows, plague] = states["deck"][rows, top]
    states["deck"][rows, top] = Card.GARGOK_PLAGUE
    env = gubs_v0.vector_env(len(states), seed=4, autoreset=False)
    env.set_states(states)
    env.step(np.full(len(states), DRAW))
    struck = env.states["stages"][:, 0] == (6, 6, 0)
    whole = struck.all(axis=1) & (env.states["third_end"] > 0).all(axis=1)
    assert_as_often(env.states[whole], 4, 0.02328)
