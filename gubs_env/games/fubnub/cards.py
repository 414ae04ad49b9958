"""The three decks: number cards, point cards with the cards they favour, and action cards.

No other module knows these facts (docs/rules/fubnub.md, sections 1, 2 and 7). The effect of each
action card is a function in `effects`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gubs_env.engine.cards import CardTable

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


NUMBER_TITLES = tuple(
    f"{colour.name.capitalize()} {value}" for colour in Colour for value in range(1, VALUES + 1)
)
"""The name of number card 6 · colour + value − 1, as `Gold 2`."""

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


# The tables as arrays, for the compiled rules. The last row of RANK is for NO_CARD.
FAVOURED = np.array(
    [[card.favours(number) for number in range(NUM_CARDS)] for card in POINT_CARDS], np.int8
)
RANK = np.argsort([ranking(point) for point in [*range(NUM_POINTS), NO_CARD]]).astype(np.int8)

# ------------------------------------------------------------------------------------ action cards

PERFORMANCE = "Perform, or what you won by the hand before goes into limbo."
ADVANTAGE_TWICE = "You get the dealer's advantage twice."
NO_ADVANTAGE = "You lose the dealer's advantage, and undo a swap that you made as the dealer."
NEW_HAND = "Your hand is dealt anew. As the dealer you may swap again."
THEFT = "Steal an earned point card from anybody, or none."


class ActionCard(CardTable):
    """The action cards, one of each (Full Deck), numbered from 0; each line is a title and a text.

    In the texts, you are the winner of the hand before, who reveals the card. The effect of each
    card is a function in `effects`.
    """

    # fmt: off
    SKIP = ("Skip", "What you won by the hand before goes into limbo.")
    DANCE = ("Dance", PERFORMANCE)
    RHYME = ("Rhyme", PERFORMANCE)
    TALK_FUNNY = ("Talk Funny", PERFORMANCE)
    TELL_A_JOKE = ("Tell a Joke", PERFORMANCE)
    TELL_A_STORY = ("Tell a Story", PERFORMANCE)
    SHARE_AN_OPINION = ("Share an Opinion", PERFORMANCE)
    SING_SOMETHING = ("Sing Something", PERFORMANCE)
    ELIMINATED = ("Eliminated",
        "Each player but the dealer may take a card from the dealer's hand, unseen, and give "
        "another for it.")
    NO_REVEAL = ("No Reveal", "You play this hand at random, without seeing it.")
    PEEK = ("Peek", "You see all hands.")
    DO_OVER = ("Do Over", "Keep one card and exchange the others for the undealt ones.")
    RAPID_FIRE = ("Rapid Fire", "You lead to every trick of this hand.")
    CLEAN_UP = ("Clean Up", "You take all that is in limbo.")
    PICK_A_PLAYER = ("Pick a Player", "Another player of your choice gets the dealer's advantage.")
    DOUBLE_DIP = ("Double Dip", ADVANTAGE_TWICE)
    RECYCLE_BONUS = ("Recycle Bonus", ADVANTAGE_TWICE)
    REFUND = ("Refund", ADVANTAGE_TWICE)
    NO_TRASH = ("No Trash", NO_ADVANTAGE)
    PARTIAL_PLAY = ("Partial Play", NO_ADVANTAGE)
    SECOND_CHANCE = ("Second Chance", NEW_HAND)
    SLOW_DOWN = ("Slow Down", NEW_HAND)
    NEVER_HAPPENED = ("Never Happened", THEFT)
    NO_WAY = ("No Way", THEFT)
    SHIELD = ("Shield", THEFT)
    RESTART_GAME = ("Restart Game",
        "All action cards return to their stack, play is clockwise, and the hand is dealt "
        "anew.")
    SHUFFLE = ("Shuffle", "The hand is dealt anew.")
    REVERSE_DIRECTION = ("Reverse Direction", "Play goes the other way round.")
    STACK_SWAP_LEFT = ("Stack Swap Left", "Every hand goes to the player on the left.")
    STACK_SWAP_RIGHT = ("Stack Swap Right", "Every hand goes to the player on the right.")
    TURTLE = ("Turtle",
        "The game ends. You take what is in limbo, and the hand just dealt is void.")
    # fmt: on

    @property
    def text(self) -> str:
        """What the card does, in our words."""
        return str(self.columns[1])


NUM_ACTION_CARDS = len(ActionCard)
