"""Tables of cards, and counts of cards by kind."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from typing_extensions import Self

from gubs_env.engine.compiling import compiled
from gubs_env.engine.options import is_whole


class CardTable(IntEnum):
    """An enum whose lines are the rows of a table of cards, numbered from 0 in their order."""

    columns: tuple[Any, ...]
    """The columns of the row, as written in the table; the first is the title."""

    def __new__(cls, *columns: Any) -> CardTable:
        number = len(cls.__members__)
        card = int.__new__(cls, number)
        card._value_ = number
        card.columns = columns
        return card

    @property
    def title(self) -> str:
        """The name printed on the card."""
        return str(self.columns[0])

    @classmethod
    def named(cls, kind: Any) -> Self:
        """Return the card of a title or number, or a card itself; ValueError if there is none."""
        for card in cls:
            if isinstance(kind, str) and card.title.casefold() == kind.casefold():
                return card
            if is_whole(kind) and kind == card:
                return card
        raise ValueError(
            f"no card is called {kind!r}: the kinds are {[card.title for card in cls]}"
        )


@compiled
def list_cards(counts, first, end, cards, size):
    """Append the kinds `first` … `end` − 1 to a list of cards, each as often as `counts` says.

    Args:
        counts: int64[kinds], the number of cards of each kind.
        cards: int8[…], written from `size` on.
        size: number of cards in the list so far.

    Returns:
        The new number of cards in the list.
    """
    for kind in range(first, end):
        for _ in range(counts[kind]):
            cards[size] = kind
            size += 1
    return size
