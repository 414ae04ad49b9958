"""The kinds of card: how many there are, their type, what they may be aimed at, what they answer.

The lines of `Card` are the table, and the only place that knows these facts (rules:
docs/rules/gubs.md, sections 1, 4 and 5). Everything else follows from it: the numbers of the kinds,
the size of a state, of the observation and of the action space. A card can be played when something
it may be aimed at is there; what then happens is its function in `effects`. How to add a card:
docs/adding.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum, IntEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gubs_env.engine.cards import CardTable

NO_CARD = -1
MAX_TARGETS = 3
"""Places that one card can name at most."""


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
    TRAPPED_GUB = 1 << 2
    SPOUTED_GUB = 1 << 3  # a Gub beneath a Sud Spout
    SHELTERABLE_GUB = 1 << 4  # a Gub that may get a Barricade
    ELDER = 1 << 5
    BARRICADE = 1 << 6
    MUSHROOM = 1 << 7
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


ANY_GUB = Thing.FREE_GUB | Thing.PROTECTED_GUB | Thing.TRAPPED_GUB | Thing.SPOUTED_GUB
PLACE_THINGS = (1 << 10) - 1
SEAT_THINGS = Thing.HAND | Thing.LURABLE_COLONY | Thing.BARRICADED_COLONY
NAMED_THINGS = PLACE_THINGS | SEAT_THINGS | Thing.DECK


class Answerable(IntEnum):
    """What a card may answer in a window, as bits that are joined by `|`."""

    HAZARD = 1 << 0
    TRAP = 1 << 1
    LURE = 1 << 2  # Lure and Super Lure, which are Hazards too
    EVENT = 1 << 3


ANSWERABLE_TYPES = {
    CardType.HAZARD: Answerable.HAZARD,
    CardType.TOOL_OR_HAZARD: Answerable.HAZARD,
    CardType.TRAP: Answerable.TRAP,
    CardType.EVENT: Answerable.EVENT,
}
LAID_TYPES = (CardType.GUB, CardType.BARRICADE, CardType.TRAP)
"""Types of the cards that are laid into a colony and stay there."""


class Kind(NamedTuple):
    """One kind of card: a row of the table below."""

    title: str
    copies: int
    """Cards of this kind in the printed deck of 70; 0 for a kind that only other decks hold."""
    type: CardType
    own: int = 0
    """What it may be aimed at on one's own side or on the table (`Thing` bits)."""
    others: int = 0
    """What it may be aimed at on an opponent's side (`Thing` bits)."""
    places: int = 1
    """How many places it names; more than one for the larger Rings only."""
    as_tool: int = 0
    """Aimed at these things, a Tool or Hazard is a Tool, which nobody can answer (`Thing` bits)."""
    lies_as: int = 0
    """What the card itself is where it lies in a colony, apart from its type (`Thing` bits)."""
    is_lure: bool = False
    """Whether it is one of the Lures."""
    answers: int = 0
    """What it answers (`Answerable` bits)."""
    cures: bool = False
    """Whether discarding it saves the rest of a hand from Gargok Plague."""
    refills_deck: bool = False
    """Whether its effect puts any number of cards back into the deck."""

    @property
    def takes_effect(self) -> bool:
        """Whether a function in `effects` says what the card does; other cards only answer."""
        return self.type is CardType.EVENT or (self.own | self.others) != 0

    @property
    def answerable(self) -> int:
        """What it is to those who may answer it (`Answerable` bits)."""
        return ANSWERABLE_TYPES.get(self.type, 0) | (Answerable.LURE if self.is_lure else 0)

    @property
    def meant(self) -> int:
        """What may be meant by naming this kind at a place (`Thing` bits)."""
        return self.lies_as | (Thing.BARRICADE if self.type is CardType.BARRICADE else 0)

    @property
    def lying(self) -> int:
        """What a place is with such a card lying on its Gub (`Thing` bits)."""
        if self.type is CardType.BARRICADE:
            return self.meant | Thing.PROTECTED_GUB
        if self.type is CardType.TRAP:
            spouted = Thing.SPOUTED_GUB if self.lies_as & Thing.SUD_SPOUT else 0
            return self.meant | Thing.TRAPPED_GUB | spouted
        return self.meant & Thing.ELDER  # a Gub alone is a Free one


class Card(CardTable):
    """The kinds of card, numbered from 0 in this order: each line is a row of the table.

    Those that lie in colonies come first: Gubs, Barricades, Traps. Then come all others that are
    held in a hand, in any order; then the Events; last the three Letters.
    """

    # fmt: off
    GUB = Kind("Gub", 13, CardType.GUB, own=Thing.NOTHING, lies_as=ANY_GUB | Thing.SHELTERABLE_GUB)
    ESTEEMED_ELDER = Kind("Esteemed Elder", 1, CardType.GUB,
        own=Thing.NOTHING, lies_as=Thing.ELDER)

    MUSHROOM = Kind("Mushroom", 7, CardType.BARRICADE,
        own=Thing.SHELTERABLE_GUB | Thing.MUSHROOM, others=Thing.MUSHROOM, lies_as=Thing.MUSHROOM)
    TOAD_RIDER = Kind("Toad Rider", 4, CardType.BARRICADE,
        own=Thing.SHELTERABLE_GUB | Thing.BARRICADE, others=Thing.BARRICADE)
    VELVET_MOTH = Kind("Velvet Moth", 2, CardType.BARRICADE, own=Thing.SHELTERABLE_GUB)

    SUD_SPOUT = Kind("Sud Spout", 4, CardType.TRAP,
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, lies_as=Thing.SUD_SPOUT)
    SINGLE_RING = Kind("Single Ring", 1, CardType.TRAP,
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, lies_as=Thing.RING)
    DOUBLE_RING = Kind("Double Ring", 1, CardType.TRAP,
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, lies_as=Thing.RING, places=2)
    TRIPLE_RING = Kind("Triple Ring", 1, CardType.TRAP,
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, lies_as=Thing.RING, places=3)

    LURE = Kind("Lure", 7, CardType.HAZARD, others=Thing.FREE_GUB, is_lure=True)
    SUPER_LURE = Kind("Super Lure", 2, CardType.HAZARD, others=Thing.LURABLE_COLONY, is_lure=True)
    CYCLONE = Kind("Cyclone", 1, CardType.HAZARD, others=Thing.BARRICADED_COLONY)
    LIGHTNING = Kind("Lightning", 1, CardType.HAZARD, others=Thing.ELDER | Thing.HAND)
    SMAHL_THIEF = Kind("Smahl Thief", 1, CardType.HAZARD,
        others=Thing.FREE_GUB | Thing.PROTECTED_GUB | Thing.SPOUTED_GUB | Thing.BARRICADE)
    OMEN_BEETLE = Kind("Omen Beetle", 1, CardType.HAZARD, own=Thing.MUSHROOM_IN_PLAY)
    HAKI_FLUTE = Kind("Haki Flute", 2, CardType.TOOL, own=Thing.RING, others=Thing.RING)
    SPEAR = Kind("Spear", 4, CardType.TOOL_OR_HAZARD,
        own=Thing.SUD_SPOUT, others=Thing.SUD_SPOUT | Thing.FREE_GUB | Thing.BARRICADE,
        as_tool=Thing.SUD_SPOUT)
    SCOUT = Kind("Scout", 1, CardType.TOOL, own=Thing.DECK, others=Thing.HAND)
    RETREAT = Kind("Retreat", 1, CardType.TOOL, own=Thing.CARD_ON_ONES_SIDE)
    AGE_OLD_CURE = Kind("Age-Old Cure", 2, CardType.TOOL,
        own=Thing.GUB_IN_DISCARD_PILE, cures=True)
    FEATHER = Kind("Feather", 2, CardType.INTERRUPT, answers=Answerable.HAZARD | Answerable.TRAP)
    BLINDFOLD = Kind("Blindfold", 1, CardType.INTERRUPT, answers=Answerable.LURE)
    FLOP_BOAT = Kind("Flop Boat", 1, CardType.INTERRUPT, answers=Answerable.EVENT)
    CRICKET_SONG = Kind("Cricket Song", 1, CardType.WILD,
        answers=Answerable.HAZARD | Answerable.TRAP | Answerable.EVENT, cures=True)

    FLASH_FLOOD = Kind("Flash Flood", 1, CardType.EVENT, refills_deck=True)
    GARGOK_PLAGUE = Kind("Gargok Plague", 1, CardType.EVENT, refills_deck=True)
    TRAVELING_MERCHANT = Kind("Traveling Merchant", 1, CardType.EVENT)
    RUMOR_OF_WASPS = Kind("Rumor of Wasps", 1, CardType.EVENT, refills_deck=True)
    DANGEROUS_ALCHEMY = Kind("Dangerous Alchemy", 1, CardType.EVENT)
    LETTER_G = Kind("Letter G", 1, CardType.EVENT)
    LETTER_U = Kind("Letter U", 1, CardType.EVENT)
    LETTER_B = Kind("Letter B", 1, CardType.EVENT)
    # fmt: on

    @property
    def kind(self) -> Kind:
        """The row of the table."""
        return Kind(*self.columns)

    @property
    def title(self) -> str:
        """The name printed on the card."""
        return self.kind.title


KINDS: dict[Card, Kind] = {card: card.kind for card in Card}
LETTERS = (Card.LETTER_G, Card.LETTER_U, Card.LETTER_B)

# ---------------------------------------------------------------------------- what the table needs


def group(card: Card) -> int:
    """The group that a kind belongs to: groups come one after the other in the table."""
    if card.kind.type in LAID_TYPES:
        return LAID_TYPES.index(card.kind.type)
    return 5 if card in LETTERS else 4 if card.kind.type is CardType.EVENT else 3


def mistakes(card: Card) -> Iterator[str]:
    """Yield what is wrong with a row."""
    kind = card.kind
    aims, laid = kind.own | kind.others, kind.type in LAID_TYPES
    only_answers = kind.type in (CardType.INTERRUPT, CardType.WILD, CardType.EVENT)
    if aims == 0 and not only_answers:
        yield "it can never be played: give what it may be aimed at, Thing.NOTHING at least"
    if aims != 0 and kind.type is CardType.EVENT:
        yield "an Event is drawn, not played: leave own and others at 0"
    if kind.type is CardType.INTERRUPT and kind.answers == 0:
        yield "an Interrupt must answer something: give answers"
    if kind.answers & Answerable.EVENT and kind.type not in (CardType.INTERRUPT, CardType.WILD):
        yield "only an Interrupt answers Events, since the bound on the length counts these"
    if kind.type is CardType.GUB and card not in (Card.GUB, Card.ESTEEMED_ELDER):
        yield "the rules know two cards of the type Gub; give it another type"
    if kind.type is CardType.WILD and card is not Card.CRICKET_SONG:
        yield "the rules know one Wild card; give it another type"
    if not 1 <= kind.places <= MAX_TARGETS:
        yield f"places={kind.places}: allowed are 1 to {MAX_TARGETS}"
    if kind.places > 1 and (aims != Thing.FREE_GUB or (laid and not kind.lies_as & Thing.RING)):
        yield "only Free Gubs are named several at a time, and only Rings lie on several"
    if kind.as_tool & ~(aims & PLACE_THINGS):
        yield "as_tool must be among what it may be aimed at, at a place"
    if kind.lies_as and not laid:
        yield "only Gubs, Barricades and Traps lie in a colony: leave lies_as at 0"
    if kind.refills_deck and laid:
        yield "a card that is laid can be played often: it must not refill the deck"


def check_table() -> None:
    """Raise TypeError for a row that the rules cannot read, naming it."""
    for before, card in pairwise(Card):
        if group(card) < group(before):
            raise TypeError(
                f"{card.name} must come before {before.name}: the table lists Gubs, Barricades, "
                "Traps, the other cards of hands, Events, and last the Letters"
            )
    for card in Card:
        for mistake in mistakes(card):
            raise TypeError(f"{card.name}: {mistake}")
    if len({card.title for card in Card}) < len(Card):
        raise TypeError("every kind needs a title of its own")


check_table()

# --------------------------------------------------------------------- what follows from the table


def _where(column: str) -> tuple[Card, ...]:
    return tuple(card for card in Card if getattr(card.kind, column))


def _of_type(*types: CardType) -> tuple[Card, ...]:
    return tuple(card for card in Card if card.kind.type in types)


def _lying_as(thing: Thing) -> tuple[Card, ...]:
    return tuple(card for card in Card if card.kind.lies_as & thing)


def _column(name: str, cards: int = len(Card)) -> np.ndarray:
    return np.array([int(getattr(card.kind, name)) for card in list(Card)[:cards]], np.int64)


NUM_KINDS = len(Card)
NUM_COLONY_KINDS = len(_of_type(*LAID_TYPES))
NUM_HAND_KINDS = NUM_KINDS - len(_of_type(CardType.EVENT))  # Events never enter a hand
FIRST_BARRICADE = len(_of_type(CardType.GUB))
FIRST_TRAP = FIRST_BARRICADE + len(_of_type(CardType.BARRICADE))
BARRICADES = _of_type(CardType.BARRICADE)
MUSHROOMS, SPOUTS = _lying_as(Thing.MUSHROOM), _lying_as(Thing.SUD_SPOUT)
RINGS = _lying_as(Thing.RING)
HELPERS = tuple(sorted({*_where("answers"), *_where("cures")}))
"""The kinds that answer something or cure."""

PRINTED_DECK = _column("copies").astype(np.int8)
MAX_CARDS = int(_column("copies").sum())  # a state has room for no more
MAX_SLOTS = int(PRINTED_DECK[Card.GUB] + PRINTED_DECK[Card.ESTEEMED_ELDER])  # all in one colony
if MAX_CARDS > 127:
    raise TypeError(f"the printed deck has {MAX_CARDS} cards: counts of cards go up to 127")

# The columns of the table as arrays, which compiled rules read.
OWN_AIMS, OTHERS_AIMS = _column("own"), _column("others")
PLACES = _column("places")
AS_TOOL = _column("as_tool")
ANSWERABLE, ANSWERS = _column("answerable"), _column("answers")
CURES = _column("cures") != 0
IS_EVENT = np.array([card.kind.type is CardType.EVENT for card in Card])
CRICKET_SONG_CAN_BE = np.isin(
    list(Card), _of_type(CardType.HAZARD, CardType.TOOL, CardType.TOOL_OR_HAZARD)
)
# Which things of a place each kind lying there can be: the Gub itself, or a card on it.
MEANT_THINGS = _column("meant", NUM_COLONY_KINDS)
# Which things a place is once a card of this kind lies there.
LYING_THINGS = _column("lying", NUM_COLONY_KINDS)
