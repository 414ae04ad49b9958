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
    text: str
    """What the card does, in our words."""
    copies: int = 1
    discards: int = 2
    """The largest number of cards discarded in a turn that this card lies on."""
    reveals: bool = True
    """Whether such a turn reveals the top card of the stack."""

    @property
    def takes_effect(self) -> bool:
        """Whether the card has a function in `effects`; number cards do nothing."""
        return self.type is not CardType.NUMBER


PERFORMANCE = "The next turn: perform and play on, or lose the turn."


class Card(CardTable):
    """The kinds of card, numbered from 0 in this order; each line is a row of the table.

    The cards that can lie on the next turn come first: social cards, then turn modifiers. The cards
    with an effect on their owner or on the table follow in any order, then the cards that are set
    aside, the two endings, and last the number cards, which are all alike in this game.
    """

    # fmt: off
    DANCE = Kind("Dance", CardType.SOCIAL, PERFORMANCE)
    RHYME = Kind("Rhyme", CardType.SOCIAL, PERFORMANCE)
    TALK_FUNNY = Kind("Talk Funny", CardType.SOCIAL, PERFORMANCE)
    TELL_A_JOKE = Kind("Tell a Joke", CardType.SOCIAL, PERFORMANCE)
    TELL_A_STORY = Kind("Tell a Story", CardType.SOCIAL, PERFORMANCE)
    SHARE_AN_OPINION = Kind("Share an Opinion", CardType.SOCIAL, PERFORMANCE)
    SING_SOMETHING = Kind("Sing Something", CardType.SOCIAL, PERFORMANCE)
    NO_REVEAL = Kind("No Reveal", CardType.MODIFIER,
        "The next turn discards up to two cards and reveals none.", reveals=False)
    NO_TRASH = Kind("No Trash", CardType.MODIFIER,
        "The next turn leaves its stack alone and reveals the top card of its discard pile.",
        discards=0, reveals=False)
    PARTIAL_PLAY = Kind("Partial Play", CardType.MODIFIER,
        "The next turn discards at most one card.", discards=1)
    RAPID_FIRE = Kind("Rapid Fire", CardType.MODIFIER,
        "The next turn discards no card.", discards=0)
    SLOW_DOWN = Kind("Slow Down", CardType.MODIFIER,
        "The next turn begins by shuffling its player's reveal pile into their stack.")
    CLEAN_UP = Kind("Clean Up", CardType.OWN,
        "Its owner's other revealed cards go onto their discard pile.")
    DO_OVER = Kind("Do Over", CardType.OWN,
        "Its owner's other revealed cards are shuffled into their stack.")
    DOUBLE_DIP = Kind("Double Dip", CardType.OWN,
        "Its owner also reveals the top card of their stack.")
    PEEK = Kind("Peek", CardType.OWN,
        "Its owner may look through their stack until their next turn.")
    PICK_A_PLAYER = Kind("Pick a Player", CardType.OWN, "Its owner names who takes the next turn.")
    RECYCLE_BONUS = Kind("Recycle Bonus", CardType.OWN,
        "Its owner reveals the top card of their discard pile.")
    REFUND = Kind("Refund", CardType.OWN,
        "The top card of its owner's discard pile goes on top of their stack, unseen.")
    SECOND_CHANCE = Kind("Second Chance", CardType.OWN, "Its owner takes the next turn.")
    RESTART_GAME = Kind("Restart Game", CardType.TABLE,
        "All cards are dealt anew, and everybody is back in the game.")
    REVERSE_DIRECTION = Kind("Reverse Direction", CardType.TABLE, "Play goes the other way round.")
    SHUFFLE = Kind("Shuffle", CardType.TABLE,
        "All stacks and discard piles are shuffled and dealt anew.")
    SKIP = Kind("Skip", CardType.TABLE, "The player of the next turn is passed over.")
    STACK_SWAP_LEFT = Kind("Stack Swap Left", CardType.TABLE,
        "Everybody hands their stack to the player on their left.")
    STACK_SWAP_RIGHT = Kind("Stack Swap Right", CardType.TABLE,
        "Everybody hands their stack to the player on their right.")
    NEVER_HAPPENED = Kind("Never Happened", CardType.SET_ASIDE,
        "Set aside. Later: a revealed card but the Turtle, or a No Way or Shield just played, "
        "has no effect.")
    NO_WAY = Kind("No Way", CardType.SET_ASIDE,
        "Set aside. Later: discard a revealed card, a Never Happened or Shield just played, "
        "or one that another player has set aside.")
    SHIELD = Kind("Shield", CardType.SET_ASIDE,
        "Set aside. Later: force a revealed card but the Turtle on any player, who takes the "
        "next turn.")
    ELIMINATED = Kind("Eliminated", CardType.ENDING,
        "Its owner is out of the game, with what they have revealed and set aside. This card, all "
        "stacks and all discard piles are shuffled and dealt to the others.")
    TURTLE = Kind("Turtle", CardType.ENDING, "Its owner wins the game.")
    BLANK = Kind("number card", CardType.NUMBER, "It has no effect.", copies=24)
    # fmt: on

    @property
    def kind(self) -> Kind:
        """The row of the table."""
        return Kind(*self.columns)

    @property
    def text(self) -> str:
        """What the card does, in our words."""
        return self.kind.text


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
