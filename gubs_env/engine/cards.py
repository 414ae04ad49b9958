"""Tables of cards, and counts of cards by kind."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from gubs_env.engine.compilation import compiled


class CardTable(IntEnum):
    """An enum whose lines are the rows of a table of cards, numbered from 0 in their order."""

    columns: tuple[Any, ...]
    """The row as it is written."""

    def __new__(cls, *columns: Any) -> CardTable:
        number = len(cls.__members__)
        card = int.__new__(cls, number)
        card._value_ = number
        card.columns = columns
        return card


@compiled
def list_cards(counts, first, end, cards, size):
    """Add each kind from `first` up to `end` to a list of cards, as often as it is counted.

    Args:
        counts: int64[kinds].
        cards: int8[…], written from `size` on.
        size: cards in the list so far.

    Returns:
        the cards in the list now.
    """
    for kind in range(first, end):
        for _ in range(counts[kind]):
            cards[size] = kind
            size += 1
    return size
