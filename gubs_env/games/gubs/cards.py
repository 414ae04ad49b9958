"""The 32 kinds of card: how many there are, their type, and what each may be aimed at.

This table is the only place that knows these facts (rules: docs/rules/gubs.md, sections 1 and 5).
A card can be played when something it may be aimed at is there; what then happens is the function
with the card's name in `effects`.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import NamedTuple

import numpy as np


class Card(IntEnum):
    """The kinds of card. The first nine are those that can lie in a colony."""

    GUB = 0
    ESTEEMED_ELDER = 1
    MUSHROOM = 2
    TOAD_RIDER = 3
    VELVET_MOTH = 4
    SUD_SPOUT = 5
    SINGLE_RING = 6
    DOUBLE_RING = 7
    TRIPLE_RING = 8
    LURE = 9
    SUPER_LURE = 10
    CYCLONE = 11
    LIGHTNING = 12
    SMAHL_THIEF = 13
    OMEN_BEETLE = 14
    HAKI_FLUTE = 15
    SPEAR = 16
    SCOUT = 17
    RETREAT = 18
    AGE_OLD_CURE = 19
    FEATHER = 20
    BLINDFOLD = 21
    FLOP_BOAT = 22
    CRICKET_SONG = 23
    FLASH_FLOOD = 24
    GARGOK_PLAGUE = 25
    TRAVELING_MERCHANT = 26
    RUMOR_OF_WASPS = 27
    DANGEROUS_ALCHEMY = 28
    LETTER_G = 29
    LETTER_U = 30
    LETTER_B = 31

    @property
    def title(self) -> str:
        """The name printed on the card."""
        return KINDS[self].title


NUM_KINDS = 32
NUM_COLONY_KINDS = 9  # Gub … Triple Ring
NUM_HAND_KINDS = 24  # Gub … Cricket Song; Events never enter a hand
NO_CARD = -1
BARRICADES = (Card.MUSHROOM, Card.TOAD_RIDER, Card.VELVET_MOTH)
RINGS = (Card.SINGLE_RING, Card.DOUBLE_RING, Card.TRIPLE_RING)
LETTERS = (Card.LETTER_G, Card.LETTER_U, Card.LETTER_B)


class CardType(Enum):
    """The types printed on the cards. The Spear is a Tool or a Hazard, by what it is aimed at."""

    GUB = "Gub"
    BARRICADE = "Barricade"
    TRAP = "Trap"
    HAZARD = "Hazard"
    TOOL = "Tool"
    TOOL_OR_HAZARD = "Tool or Hazard"
    INTERRUPT = "Interrupt"
    WILD = "Wild"
    EVENT = "Event"


class Thing(IntEnum):
    """What a card may be aimed at, as bits that are joined by `|`."""

    # At a place of a colony, named by PLACE.
    FREE_GUB = 1 << 0
    PROTECTED_GUB = 1 << 1
    SPOUTED_GUB = 1 << 2  # a Gub beneath a Sud Spout
    SHELTERABLE_GUB = 1 << 3  # a Gub that may get a Barricade
    ELDER = 1 << 4
    MUSHROOM = 1 << 5
    TOAD_RIDER = 1 << 6
    VELVET_MOTH = 1 << 7
    SUD_SPOUT = 1 << 8
    RING = 1 << 9
    # A whole seat, named by SEAT.
    HAND = 1 << 10
    LURABLE_COLONY = 1 << 11  # with a Free or Protected Gub
    BARRICADED_COLONY = 1 << 12
    # The deck, named by DECK.
    DECK = 1 << 13
    # Nothing to name: the card needs only that this is so.
    NOTHING = 1 << 14
    MUSHROOM_IN_PLAY = 1 << 15
    CARD_ON_ONES_SIDE = 1 << 16  # other than the Elder
    GUB_IN_DISCARD_PILE = 1 << 17


BARRICADE_THINGS = Thing.MUSHROOM | Thing.TOAD_RIDER | Thing.VELVET_MOTH
PLACE_THINGS = (1 << 10) - 1
SEAT_THINGS = Thing.HAND | Thing.LURABLE_COLONY | Thing.BARRICADED_COLONY
NAMED_THINGS = PLACE_THINGS | SEAT_THINGS | Thing.DECK


class Kind(NamedTuple):
    """One kind of card: a row of the table below."""

    title: str
    copies: int
    """Cards of this kind in the printed deck of 70."""
    type: CardType
    own: int = 0
    """What it may be aimed at on one's own side or on the table (`Thing` bits)."""
    others: int = 0
    """What it may be aimed at on an opponent's side (`Thing` bits)."""
    places: int = 1
    """How many places it names; more than one for the larger Rings only."""

    @property
    def takes_effect(self) -> bool:
        """Whether a function in `effects` says what the card does; answers only cancel."""
        return self.type not in (CardType.INTERRUPT, CardType.WILD)


# fmt: off
KINDS: dict[Card, Kind] = {
    Card.GUB: Kind("Gub", 13, CardType.GUB, own=Thing.NOTHING),
    Card.ESTEEMED_ELDER: Kind("Esteemed Elder", 1, CardType.GUB, own=Thing.NOTHING),
    Card.MUSHROOM: Kind("Mushroom", 7, CardType.BARRICADE,
        own=Thing.SHELTERABLE_GUB | Thing.MUSHROOM, others=Thing.MUSHROOM),
    Card.TOAD_RIDER: Kind("Toad Rider", 4, CardType.BARRICADE,
        own=Thing.SHELTERABLE_GUB | BARRICADE_THINGS, others=BARRICADE_THINGS),
    Card.VELVET_MOTH: Kind("Velvet Moth", 2, CardType.BARRICADE, own=Thing.SHELTERABLE_GUB),
    Card.SUD_SPOUT: Kind("Sud Spout", 4, CardType.TRAP, own=Thing.FREE_GUB, others=Thing.FREE_GUB),
    Card.SINGLE_RING: Kind("Single Ring", 1, CardType.TRAP,
        own=Thing.FREE_GUB, others=Thing.FREE_GUB),
    Card.DOUBLE_RING: Kind("Double Ring", 1, CardType.TRAP,
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, places=2),
    Card.TRIPLE_RING: Kind("Triple Ring", 1, CardType.TRAP,
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, places=3),
    Card.LURE: Kind("Lure", 7, CardType.HAZARD, others=Thing.FREE_GUB),
    Card.SUPER_LURE: Kind("Super Lure", 2, CardType.HAZARD, others=Thing.LURABLE_COLONY),
    Card.CYCLONE: Kind("Cyclone", 1, CardType.HAZARD, others=Thing.BARRICADED_COLONY),
    Card.LIGHTNING: Kind("Lightning", 1, CardType.HAZARD, others=Thing.ELDER | Thing.HAND),
    Card.SMAHL_THIEF: Kind("Smahl Thief", 1, CardType.HAZARD,
        others=Thing.FREE_GUB | Thing.PROTECTED_GUB | Thing.SPOUTED_GUB | BARRICADE_THINGS),
    Card.OMEN_BEETLE: Kind("Omen Beetle", 1, CardType.HAZARD, own=Thing.MUSHROOM_IN_PLAY),
    Card.HAKI_FLUTE: Kind("Haki Flute", 2, CardType.TOOL, own=Thing.RING, others=Thing.RING),
    Card.SPEAR: Kind("Spear", 4, CardType.TOOL_OR_HAZARD,
        own=Thing.SUD_SPOUT, others=Thing.SUD_SPOUT | Thing.FREE_GUB | BARRICADE_THINGS),
    Card.SCOUT: Kind("Scout", 1, CardType.TOOL, own=Thing.DECK, others=Thing.HAND),
    Card.RETREAT: Kind("Retreat", 1, CardType.TOOL, own=Thing.CARD_ON_ONES_SIDE),
    Card.AGE_OLD_CURE: Kind("Age-Old Cure", 2, CardType.TOOL, own=Thing.GUB_IN_DISCARD_PILE),
    Card.FEATHER: Kind("Feather", 2, CardType.INTERRUPT),
    Card.BLINDFOLD: Kind("Blindfold", 1, CardType.INTERRUPT),
    Card.FLOP_BOAT: Kind("Flop Boat", 1, CardType.INTERRUPT),
    Card.CRICKET_SONG: Kind("Cricket Song", 1, CardType.WILD),
    Card.FLASH_FLOOD: Kind("Flash Flood", 1, CardType.EVENT),
    Card.GARGOK_PLAGUE: Kind("Gargok Plague", 1, CardType.EVENT),
    Card.TRAVELING_MERCHANT: Kind("Traveling Merchant", 1, CardType.EVENT),
    Card.RUMOR_OF_WASPS: Kind("Rumor of Wasps", 1, CardType.EVENT),
    Card.DANGEROUS_ALCHEMY: Kind("Dangerous Alchemy", 1, CardType.EVENT),
    Card.LETTER_G: Kind("Letter G", 1, CardType.EVENT),
    Card.LETTER_U: Kind("Letter U", 1, CardType.EVENT),
    Card.LETTER_B: Kind("Letter B", 1, CardType.EVENT),
}
# fmt: on

# The columns of the table as arrays, which compiled rules read.
PRINTED_DECK = np.array([KINDS[card].copies for card in Card], np.int8)
OWN_AIMS = np.array([KINDS[card].own for card in Card], np.int64)
OTHERS_AIMS = np.array([KINDS[card].others for card in Card], np.int64)
PLACES = np.array([KINDS[card].places for card in Card], np.int64)


def _of_type(*types: CardType) -> np.ndarray:
    return np.array([KINDS[card].type in types for card in Card])


IS_EVENT = _of_type(CardType.EVENT)
CAN_BE_ANSWERED = _of_type(CardType.HAZARD, CardType.TRAP, CardType.TOOL_OR_HAZARD)
CRICKET_SONG_CAN_BE = _of_type(CardType.HAZARD, CardType.TOOL, CardType.TOOL_OR_HAZARD)

# Which things of a place each kind lying there can be: the Gub itself, or a card on it.
MEANT_THINGS = np.zeros(NUM_COLONY_KINDS, np.int64)
MEANT_THINGS[Card.GUB] = (
    Thing.FREE_GUB | Thing.PROTECTED_GUB | Thing.SPOUTED_GUB | Thing.SHELTERABLE_GUB
)
MEANT_THINGS[Card.ESTEEMED_ELDER] = Thing.ELDER
MEANT_THINGS[Card.MUSHROOM] = Thing.MUSHROOM
MEANT_THINGS[Card.TOAD_RIDER] = Thing.TOAD_RIDER
MEANT_THINGS[Card.VELVET_MOTH] = Thing.VELVET_MOTH
MEANT_THINGS[Card.SUD_SPOUT] = Thing.SUD_SPOUT
MEANT_THINGS[list(RINGS)] = Thing.RING

# Which things a place is once a card of this kind lies there; a Gub alone is a Free one.
LYING_THINGS = MEANT_THINGS.copy()
LYING_THINGS[Card.GUB] = 0
LYING_THINGS[list(BARRICADES)] |= Thing.PROTECTED_GUB
LYING_THINGS[Card.SUD_SPOUT] |= Thing.SPOUTED_GUB

assert list(KINDS) == list(Card), "the table must list the kinds in the order of Card"
