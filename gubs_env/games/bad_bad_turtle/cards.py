"""The 32 kinds of card: how many there are, and what each does to a turn it lies on.

This table is the only place that knows these facts (rules: docs/rules/bad_bad_turtle.md, sections
1, 4 and 7). What a card does when its reveal stands is the function with its name in `effects`.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import NamedTuple

import numpy as np


class Card(IntEnum):
    """The kinds of card: twelve that can lie on the next turn, nineteen more actions, the blank."""

    DANCE = 0
    RHYME = 1
    TALK_FUNNY = 2
    TELL_A_JOKE = 3
    TELL_A_STORY = 4
    SHARE_AN_OPINION = 5
    SING_SOMETHING = 6
    NO_REVEAL = 7
    NO_TRASH = 8
    PARTIAL_PLAY = 9
    RAPID_FIRE = 10
    SLOW_DOWN = 11
    CLEAN_UP = 12
    DO_OVER = 13
    DOUBLE_DIP = 14
    PEEK = 15
    PICK_A_PLAYER = 16
    RECYCLE_BONUS = 17
    REFUND = 18
    SECOND_CHANCE = 19
    RESTART_GAME = 20
    REVERSE_DIRECTION = 21
    SHUFFLE = 22
    SKIP = 23
    STACK_SWAP_LEFT = 24
    STACK_SWAP_RIGHT = 25
    NEVER_HAPPENED = 26
    NO_WAY = 27
    SHIELD = 28
    ELIMINATED = 29
    TURTLE = 30
    BLANK = 31

    @property
    def title(self) -> str:
        """The name printed on the card; number cards are all alike here."""
        return KINDS[self].title


NUM_KINDS = 32
NUM_ACTION_CARDS = 31  # all but the blank; each lies in the deck once
NUM_MODIFIERS = 12  # Dance … Slow Down
NO_CARD = -1

REACTIONS = (Card.NEVER_HAPPENED, Card.NO_WAY, Card.SHIELD)
NUM_REACTIONS = len(REACTIONS)
FIRST_REACTION = Card.NEVER_HAPPENED
"""Reactions are numbered from this kind on wherever there is an entry for each."""


class CardType(Enum):
    """What a card is about."""

    SOCIAL = "social"
    MODIFIER = "turn modifier"
    OWN = "own effect"
    TABLE = "table"
    SET_ASIDE = "set aside"
    ENDING = "ending"
    NUMBER = "number"


class Kind(NamedTuple):
    """One row of the table."""

    title: str
    type: CardType
    copies: int = 1
    discards: int = 2
    """How many cards at most are discarded in a turn that this card lies on."""
    reveals: bool = True
    """Whether the top card of the stack is revealed in such a turn."""


# fmt: off
KINDS: dict[Card, Kind] = {
    Card.DANCE: Kind("Dance", CardType.SOCIAL),
    Card.RHYME: Kind("Rhyme", CardType.SOCIAL),
    Card.TALK_FUNNY: Kind("Talk Funny", CardType.SOCIAL),
    Card.TELL_A_JOKE: Kind("Tell a Joke", CardType.SOCIAL),
    Card.TELL_A_STORY: Kind("Tell a Story", CardType.SOCIAL),
    Card.SHARE_AN_OPINION: Kind("Share an Opinion", CardType.SOCIAL),
    Card.SING_SOMETHING: Kind("Sing Something", CardType.SOCIAL),
    Card.NO_REVEAL: Kind("No Reveal", CardType.MODIFIER, reveals=False),
    Card.NO_TRASH: Kind("No Trash", CardType.MODIFIER, discards=0, reveals=False),
    Card.PARTIAL_PLAY: Kind("Partial Play", CardType.MODIFIER, discards=1),
    Card.RAPID_FIRE: Kind("Rapid Fire", CardType.MODIFIER, discards=0),
    Card.SLOW_DOWN: Kind("Slow Down", CardType.MODIFIER),
    Card.CLEAN_UP: Kind("Clean Up", CardType.OWN),
    Card.DO_OVER: Kind("Do Over", CardType.OWN),
    Card.DOUBLE_DIP: Kind("Double Dip", CardType.OWN),
    Card.PEEK: Kind("Peek", CardType.OWN),
    Card.PICK_A_PLAYER: Kind("Pick a Player", CardType.OWN),
    Card.RECYCLE_BONUS: Kind("Recycle Bonus", CardType.OWN),
    Card.REFUND: Kind("Refund", CardType.OWN),
    Card.SECOND_CHANCE: Kind("Second Chance", CardType.OWN),
    Card.RESTART_GAME: Kind("Restart Game", CardType.TABLE),
    Card.REVERSE_DIRECTION: Kind("Reverse Direction", CardType.TABLE),
    Card.SHUFFLE: Kind("Shuffle", CardType.TABLE),
    Card.SKIP: Kind("Skip", CardType.TABLE),
    Card.STACK_SWAP_LEFT: Kind("Stack Swap Left", CardType.TABLE),
    Card.STACK_SWAP_RIGHT: Kind("Stack Swap Right", CardType.TABLE),
    Card.NEVER_HAPPENED: Kind("Never Happened", CardType.SET_ASIDE),
    Card.NO_WAY: Kind("No Way", CardType.SET_ASIDE),
    Card.SHIELD: Kind("Shield", CardType.SET_ASIDE),
    Card.ELIMINATED: Kind("Eliminated", CardType.ENDING),
    Card.TURTLE: Kind("Turtle", CardType.ENDING),
    Card.BLANK: Kind("number card", CardType.NUMBER, copies=24),
}
# fmt: on

# The columns of the table as arrays, which compiled rules read.
PRINTED_DECK = np.array([KINDS[card].copies for card in Card], np.int8)
DISCARDS = np.array([KINDS[card].discards for card in Card], np.int64)
REVEALS = np.array([KINDS[card].reveals for card in Card])
IS_SOCIAL = np.array([KINDS[card].type is CardType.SOCIAL for card in Card])
MAX_CARDS = int(PRINTED_DECK.sum())  # a row has room for no more

assert list(KINDS) == list(Card), "the table must list the kinds in the order of Card"
