"""Every deal of a small deck with its probability, for exact algorithms.

>>> from gubs_env.games.gubs.game import GAME
>>> deck = {"Gub": 2, "Lure": 1, "Feather": 5, "Letter G": 1, "Letter U": 1, "Letter B": 1}
>>> deals = all_deals(Table(GAME, 2, {"deck": deck, "letters": "anywhere"}))
>>> [str(probability) for _, probability in deals]  # who has the Lure, and the order of the Letters
['1/12', '1/12', '1/12', '1/12', '1/12', '1/12', '1/12', '1/12', '1/12', '1/12', '1/12', '1/12']
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from gubs_env.engine.table import Table
from gubs_env.games.gubs.cards import IS_EVENT, Card
from gubs_env.games.gubs.position import position
from gubs_env.games.gubs.rules import DEALT_CARDS, Rules
from gubs_env.games.gubs.state import Phase

MOST_DEALS = 20_000
"""The largest number of deals that are listed."""


def all_deals(table: Table) -> list[tuple[Any, Fraction]]:
    """Return (state, probability) of every deal in which no Event turns up for a hand.

    Such an Event goes back to a random place, perhaps to the top again. So the number of all deals
    has no bound. All players see how often this happens: a game in which it does not happen is a
    subgame that everybody knows to be in, and these probabilities are those in this subgame.

    Args:
        table: the table, whose rules have `letters="anywhere"`; player 0 begins.

    Returns:
        Records of `STATE` before the first draw; the probabilities sum to 1.

    Raises:
        ValueError: for other rules, or for a deck with more than `MOST_DEALS` deals.
    """
    rules, num_players = table.rules, table.num_players
    if rules.letters != "anywhere":
        raise ValueError(
            f"letters={rules.letters!r}: deals are listed for letters='anywhere' only; in small "
            "decks with a Letter in each third, one of them always turns up for a hand"
        )
    left = Counter({Card(kind): int(n) for kind, n in enumerate(rules.composition()) if n})
    left[Card.GUB] -= num_players
    deals = []
    for hands, rest, weight in _hands(left, num_players):
        for deck in _orders(rest):
            deals.append((hands, deck, weight))
            if len(deals) > MOST_DEALS:
                raise ValueError(
                    f"this deck has more than {MOST_DEALS:,} deals: take a smaller one"
                )
    total = sum(weight for _, _, weight in deals)
    return [(_state(hands, deck, rules), Fraction(weight, total)) for hands, deck, weight in deals]


def _hands(
    left: Counter[Card], num_players: int
) -> Iterator[tuple[list[Sequence[Card]], Counter[Card], int]]:
    """Yield the hands, the cards that are left, and the number of orders of the hands' cards."""
    if num_players == 0:
        yield [], left, 1
        return
    kinds = [card for card in Card if left[card] and not IS_EVENT[card]]
    for hand in combinations_with_replacement(kinds, DEALT_CARDS):
        held = Counter(hand)
        if held <= left:
            orders = math.factorial(DEALT_CARDS) // math.prod(map(math.factorial, held.values()))
            for hands, rest, weight in _hands(left - held, num_players - 1):
                yield [hand, *hands], rest, weight * orders


def _orders(left: Counter[Card]) -> Iterator[list[Card]]:
    """Yield every order of cards, top first; equal cards are not told apart."""
    if not left:
        yield []
    for card in sorted(left):
        for order in _orders(left - Counter([card])):
            yield [card, *order]


def _state(hands: list[Sequence[Card]], deck: list[Card], rules: Rules) -> Any:
    texts = [", ".join(card.title for card in hand) for hand in hands]
    above = ", ".join(card.title for card in deck)
    gubs = [Card.GUB.title] * len(hands)
    return position(texts, gubs, deck=above, phase=Phase.DRAW, rules=rules, seed=0)
