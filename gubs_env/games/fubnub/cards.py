"""The three decks: number cards, point cards with the cards they favour, and action cards.

No other module knows these facts (docs/rules/fubnub.md, sections 1, 2 and 7). The effect of each
action card is a function in `effects`.
"""

from __future__ import annotations

from enum import IntEnum, auto
from typing import NamedTuple

import numpy as np

NO_CARD = -1
HAND_CARDS = 5

# ------------------------------------------------------------------------------------ number cards


class Colour(IntEnum):
    """The colours of the number cards, weakest first."""

    RED = 0
    PURPLE = 1
    GREEN = 2
    GOLD = 3


VALUES = 6
NUM_CARDS = len(Colour) * VALUES


def number_title(card: int) -> str:
    """Return the name of number card 6 · colour + value − 1, as `Gold 2`."""
    return f"{Colour(card // VALUES).name.capitalize()} {card % VALUES + 1}"


NUMBER_TITLES = tuple(number_title(card) for card in range(NUM_CARDS))

# ------------------------------------------------------------------------------------- point cards


class PointCard(NamedTuple):
    """One point card, with the values or the colours that it favours: a row of the table below."""

    title: str
    values: tuple[int, ...] = ()
    colours: tuple[Colour, ...] = ()

    def favours(self, card: int) -> bool:
        """Return whether this point card favours a number card."""
        return card % VALUES + 1 in self.values or card // VALUES in self.colours


POINT_CARDS = (
    PointCard("Ones", values=(1,)),
    PointCard("Twos", values=(2,)),
    PointCard("Threes", values=(3,)),
    PointCard("Fours", values=(4,)),
    PointCard("Fives", values=(5,)),
    PointCard("Sixes", values=(6,)),
    PointCard("Odds", values=(1, 3, 5)),
    PointCard("Evens", values=(2, 4, 6)),
    PointCard("Red", colours=(Colour.RED,)),
    PointCard("Purple", colours=(Colour.PURPLE,)),
    PointCard("Green", colours=(Colour.GREEN,)),
    PointCard("Gold", colours=(Colour.GOLD,)),
    PointCard("Gold and Green", colours=(Colour.GOLD, Colour.GREEN)),
    PointCard("Gold and Purple", colours=(Colour.GOLD, Colour.PURPLE)),
    PointCard("Green and Purple", colours=(Colour.GREEN, Colour.PURPLE)),
)
NUM_POINTS = len(POINT_CARDS)
POINT_TITLES = tuple(card.title for card in POINT_CARDS)


def point_named(name: str | int) -> int:
    """Return the point card with this title or number; raise ValueError if there is none."""
    for number, title in enumerate(POINT_TITLES):
        if isinstance(name, str) and name.casefold() == title.casefold():
            return number
    if isinstance(name, int | np.integer) and not isinstance(name, bool) and 0 <= name < NUM_POINTS:
        return int(name)
    raise ValueError(f"no point card is called {name!r}: they are {list(POINT_TITLES)}")


def ranking(point: int) -> list[int]:
    """Return all number cards, lowest first, under a point card or NO_CARD (section 2)."""

    def key(card: int) -> tuple[bool, int, int]:
        favoured = point != NO_CARD and POINT_CARDS[point].favours(card)
        return favoured, card % VALUES, card // VALUES

    return sorted(range(NUM_CARDS), key=key)


def _ranks() -> np.ndarray:
    ranks = np.zeros((NUM_POINTS + 1, NUM_CARDS), np.int8)
    for point in range(NO_CARD, NUM_POINTS):
        ranks[point, ranking(point)] = np.arange(NUM_CARDS)
    return ranks


# The tables as arrays, for the compiled rules. The last row of RANK is for NO_CARD.
FAVOURED = np.array(
    [[card.favours(number) for number in range(NUM_CARDS)] for card in POINT_CARDS], np.int8
)
RANK = _ranks()

# ------------------------------------------------------------------------------------ action cards


class ActionCard(IntEnum):
    """The action cards, one of each (Full Deck), numbered from 0 in this order.

    The effect of each is a function in `effects`.
    """

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list) -> int:
        return count

    SKIP = auto()
    DANCE = auto()
    RHYME = auto()
    TALK_FUNNY = auto()
    TELL_A_JOKE = auto()
    TELL_A_STORY = auto()
    SHARE_AN_OPINION = auto()
    SING_SOMETHING = auto()
    ELIMINATED = auto()
    NO_REVEAL = auto()
    PEEK = auto()
    DO_OVER = auto()
    RAPID_FIRE = auto()
    CLEAN_UP = auto()
    PICK_A_PLAYER = auto()
    DOUBLE_DIP = auto()
    RECYCLE_BONUS = auto()
    REFUND = auto()
    NO_TRASH = auto()
    PARTIAL_PLAY = auto()
    SECOND_CHANCE = auto()
    SLOW_DOWN = auto()
    NEVER_HAPPENED = auto()
    NO_WAY = auto()
    SHIELD = auto()
    RESTART_GAME = auto()
    SHUFFLE = auto()
    REVERSE_DIRECTION = auto()
    STACK_SWAP_LEFT = auto()
    STACK_SWAP_RIGHT = auto()
    TURTLE = auto()

    @property
    def title(self) -> str:
        """The name printed on the card."""
        small = {"A": "a", "AN": "an"}
        return " ".join(small.get(word, word.capitalize()) for word in self.name.split("_"))


NUM_ACTION_CARDS = len(ActionCard)
