"""The table of the kinds of card: copies, type, and effect on a turn that the card lies on.

The lines of `Card` are the table. No other module knows these facts (docs/rules/bad_bad_turtle.md,
sections 1, 4 and 7); the numbers of the kinds and all sizes follow from them. Once the reveal of a
card stands, its function in `effects` says what it does.
"""

from __future__ import annotations

from enum import Enum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gubs_env.engine.cards import CardTable

NO_CARD = -1


class CardType(Enum):
    """The types of cards."""

    SOCIAL = "social"
    MODIFIER = "turn modifier"
    OWN = "own effect"
    TABLE = "table"
    SET_ASIDE = "set aside"
    ENDING = "ending"
    NUMBER = "number"


class Kind(NamedTuple):
    """One kind of card, a row of the table below."""

    title: str
    type: CardType
    copies: int = 1
    discards: int = 2
    """The largest number of cards discarded in a turn that this card lies on."""
    reveals: bool = True
    """Whether such a turn reveals the top card of the stack."""

    @property
    def takes_effect(self) -> bool:
        """Whether the card has a function in `effects`; number cards do nothing."""
        return self.type is not CardType.NUMBER


class Card(CardTable):
    """The kinds of card, numbered from 0 in this order; each line is a row of the table.

    The cards that can lie on the next turn come first: social cards, then turn modifiers. The cards
    with an effect on their owner or on the table follow in any order, then the cards that are set
    aside, the two endings, and last the number cards, which are all alike in this game.
    """

    DANCE = Kind("Dance", CardType.SOCIAL)
    RHYME = Kind("Rhyme", CardType.SOCIAL)
    TALK_FUNNY = Kind("Talk Funny", CardType.SOCIAL)
    TELL_A_JOKE = Kind("Tell a Joke", CardType.SOCIAL)
    TELL_A_STORY = Kind("Tell a Story", CardType.SOCIAL)
    SHARE_AN_OPINION = Kind("Share an Opinion", CardType.SOCIAL)
    SING_SOMETHING = Kind("Sing Something", CardType.SOCIAL)
    NO_REVEAL = Kind("No Reveal", CardType.MODIFIER, reveals=False)
    NO_TRASH = Kind("No Trash", CardType.MODIFIER, discards=0, reveals=False)
    PARTIAL_PLAY = Kind("Partial Play", CardType.MODIFIER, discards=1)
    RAPID_FIRE = Kind("Rapid Fire", CardType.MODIFIER, discards=0)
    SLOW_DOWN = Kind("Slow Down", CardType.MODIFIER)
    CLEAN_UP = Kind("Clean Up", CardType.OWN)
    DO_OVER = Kind("Do Over", CardType.OWN)
    DOUBLE_DIP = Kind("Double Dip", CardType.OWN)
    PEEK = Kind("Peek", CardType.OWN)
    PICK_A_PLAYER = Kind("Pick a Player", CardType.OWN)
    RECYCLE_BONUS = Kind("Recycle Bonus", CardType.OWN)
    REFUND = Kind("Refund", CardType.OWN)
    SECOND_CHANCE = Kind("Second Chance", CardType.OWN)
    RESTART_GAME = Kind("Restart Game", CardType.TABLE)
    REVERSE_DIRECTION = Kind("Reverse Direction", CardType.TABLE)
    SHUFFLE = Kind("Shuffle", CardType.TABLE)
    SKIP = Kind("Skip", CardType.TABLE)
    STACK_SWAP_LEFT = Kind("Stack Swap Left", CardType.TABLE)
    STACK_SWAP_RIGHT = Kind("Stack Swap Right", CardType.TABLE)
    NEVER_HAPPENED = Kind("Never Happened", CardType.SET_ASIDE)
    NO_WAY = Kind("No Way", CardType.SET_ASIDE)
    SHIELD = Kind("Shield", CardType.SET_ASIDE)
    ELIMINATED = Kind("Eliminated", CardType.ENDING)
    TURTLE = Kind("Turtle", CardType.ENDING)
    BLANK = Kind("number card", CardType.NUMBER, copies=24)

    @property
    def kind(self) -> Kind:
        """The row of the table."""
        return Kind(*self.columns)

    @property
    def title(self) -> str:
        """The name printed on the card."""
        return self.kind.title


KINDS: dict[Card, Kind] = {card: card.kind for card in Card}
GROUPS = (
    (CardType.SOCIAL,),
    (CardType.MODIFIER,),
    (CardType.OWN, CardType.TABLE),
    (CardType.SET_ASIDE,),
    (CardType.ENDING,),
    (CardType.NUMBER,),
)
"""The types of cards, in the order of the table."""


def check_table() -> None:
    """Raise TypeError, naming the kind, for a row that the rules cannot read."""

    def group(card: Card) -> int:
        return next(at for at, types in enumerate(GROUPS) if card.kind.type in types)

    for before, card in pairwise(Card):
        if group(card) < group(before):
            raise TypeError(
                f"{card.name} must come before {before.name}: the table lists "
                + ", ".join(kind.value for types in GROUPS for kind in types)
            )
    for card in Card:
        if (card.kind.type is CardType.NUMBER) != (card is Card.BLANK):
            raise TypeError(f"{card.name}: BLANK is the only kind of number card")
        if card is not Card.BLANK and card.kind.copies != 1:
            raise TypeError(f"{card.name}: an action card is in the deck once: leave copies at 1")


check_table()

# --------------------------------------------------------------------- what follows from the table


def _of_type(*types: CardType) -> tuple[Card, ...]:
    return tuple(card for card in Card if card.kind.type in types)


NUM_KINDS = len(Card)
NUM_ACTION_CARDS = NUM_KINDS - len(_of_type(CardType.NUMBER))  # each lies in the deck once
NUM_MODIFIERS = len(_of_type(CardType.SOCIAL, CardType.MODIFIER))  # they lie on the next turn
REACTIONS = _of_type(CardType.SET_ASIDE)
NUM_REACTIONS = len(REACTIONS)
FIRST_REACTION = int(REACTIONS[0])
"""The first reaction; arrays with one entry for each reaction count from this kind."""

# The columns of the table as arrays, for the compiled rules.
PRINTED_DECK = np.array([card.kind.copies for card in Card], np.int8)
DISCARDS = np.array([card.kind.discards for card in Card], np.int64)
REVEALS = np.array([card.kind.reveals for card in Card])
IS_SOCIAL = np.array([card.kind.type is CardType.SOCIAL for card in Card])
MAX_CARDS = int(PRINTED_DECK.sum())  # the capacity of a state
if MAX_CARDS > 63:
    raise TypeError(f"the deck has {MAX_CARDS} cards: discard_seen has bits for at most 63")
