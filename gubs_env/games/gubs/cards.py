"""The table of the kinds of card: copies, type, targets, and what each can answer.

The lines of `Card` are the table. No other module knows these facts (docs/rules/gubs.md, sections
1, 4 and 5); the numbers of the kinds and the sizes of the state, the observation and the action
space follow from them. A card can be played when one of its targets is there; its function in
`effects` says what it does. docs/adding_a_card.md explains how to add a card.
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
"""The largest number of places that one card can name."""


class CardType(Enum):
    """The types printed on the cards. A Spear is a Tool or a Hazard, depending on its target."""

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
    """The targets of cards, as bits to be joined with `|`."""

    # At a place of a colony, named by the action PLACE.
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
    # A whole seat, named by the action SEAT.
    HAND = 1 << 10
    LURABLE_COLONY = 1 << 11  # with a Free or Protected Gub
    BARRICADED_COLONY = 1 << 12
    # The deck, named by the action DECK.
    DECK = 1 << 13
    # Conditions: the card names no target, and can be played while the condition holds.
    NOTHING = 1 << 14
    MUSHROOM_IN_PLAY = 1 << 15
    CARD_ON_ONES_SIDE = 1 << 16  # other than the Elder
    GUB_IN_DISCARD_PILE = 1 << 17


ANY_GUB = Thing.FREE_GUB | Thing.PROTECTED_GUB | Thing.TRAPPED_GUB | Thing.SPOUTED_GUB
PLACE_THINGS = (1 << 10) - 1
SEAT_THINGS = Thing.HAND | Thing.LURABLE_COLONY | Thing.BARRICADED_COLONY
NAMED_THINGS = PLACE_THINGS | SEAT_THINGS | Thing.DECK


class Answerable(IntEnum):
    """The classes of cards that can be answered in a window, as bits to be joined with `|`."""

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
"""The types of the cards that are laid into a colony and stay there."""


class Kind(NamedTuple):
    """One kind of card: a row of the table below."""

    title: str
    copies: int
    """Cards of this kind in the printed deck of 70; 0 for a kind that only other decks hold."""
    type: CardType
    text: str
    """What the card does, in our words."""
    own: int = 0
    """Its targets on the player's own side and on the table (`Thing` bits)."""
    others: int = 0
    """Its targets on an opponent's side (`Thing` bits)."""
    places: int = 1
    """Number of places it names; more than one only for the larger Rings."""
    as_tool: int = 0
    """The targets at which a Tool or Hazard counts as a Tool, which nobody can answer (`Thing`)."""
    lies_as: int = 0
    """The targets that the card itself is in a colony, in addition to its type (`Thing` bits)."""
    is_lure: bool = False
    """Whether it is a Lure, which Blindfold answers."""
    answers: int = 0
    """The cards that it can answer (`Answerable` bits)."""
    cures: bool = False
    """Whether discarding it saves the rest of a hand from Gargok Plague."""
    refills_deck: bool = False
    """Whether its effect puts any cards back into the deck."""

    @property
    def takes_effect(self) -> bool:
        """Whether the card has a function in `effects`; cards without one only answer."""
        return self.type is CardType.EVENT or (self.own | self.others) != 0

    @property
    def answerable(self) -> int:
        """The classes of answerable cards that it belongs to (`Answerable` bits)."""
        return ANSWERABLE_TYPES.get(self.type, 0) | (Answerable.LURE if self.is_lure else 0)

    @property
    def meant(self) -> int:
        """The targets that a player can mean by naming this kind at a place (`Thing` bits)."""
        return self.lies_as | (Thing.BARRICADE if self.type is CardType.BARRICADE else 0)

    @property
    def lying(self) -> int:
        """The targets that a place is while this card lies there (`Thing` bits)."""
        if self.type is CardType.BARRICADE:
            return self.meant | Thing.PROTECTED_GUB
        if self.type is CardType.TRAP:
            spouted = Thing.SPOUTED_GUB if self.lies_as & Thing.SUD_SPOUT else 0
            return self.meant | Thing.TRAPPED_GUB | spouted
        return self.meant & Thing.ELDER  # a Gub with nothing on it is Free


LETTER = "It is laid open. The game ends with the third Letter."


class Card(CardTable):
    """The kinds of card, numbered from 0 in this order; each line is a row of the table.

    The cards that lie in colonies come first: Gubs, Barricades, Traps. All other cards that enter a
    hand follow in any order, then the Events, and last the three Letters.
    """

    # fmt: off
    GUB = Kind("Gub", 13, CardType.GUB,
        "Lay it in your colony. A Free or Protected Gub is worth a point at the end.",
        own=Thing.NOTHING, lies_as=ANY_GUB | Thing.SHELTERABLE_GUB)
    ESTEEMED_ELDER = Kind("Esteemed Elder", 1, CardType.GUB,
        "Lay it in your colony. It is worth a point and decides ties. Only Lightning can "
        "touch it.",
        own=Thing.NOTHING, lies_as=Thing.ELDER)

    MUSHROOM = Kind("Mushroom", 7, CardType.BARRICADE,
        "Lay it on one of your Gubs that is not Trapped, to protect it. Or use it up to "
        "discard any Mushroom in play.",
        own=Thing.SHELTERABLE_GUB | Thing.MUSHROOM, others=Thing.MUSHROOM, lies_as=Thing.MUSHROOM)
    TOAD_RIDER = Kind("Toad Rider", 4, CardType.BARRICADE,
        "Lay it on one of your Gubs that is not Trapped, to protect it. Or use it up to "
        "discard any Barricade in play.",
        own=Thing.SHELTERABLE_GUB | Thing.BARRICADE, others=Thing.BARRICADE)
    VELVET_MOTH = Kind("Velvet Moth", 2, CardType.BARRICADE,
        "Lay it on one of your Gubs that is not Trapped, to protect it.",
        own=Thing.SHELTERABLE_GUB)

    SUD_SPOUT = Kind("Sud Spout", 4, CardType.TRAP,
        "Trap one Free Gub on any side, where it lies.",
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, lies_as=Thing.SUD_SPOUT)
    SINGLE_RING = Kind("Single Ring", 1, CardType.TRAP,
        "Trap one Free Gub on any side. It moves beneath the Ring, to your side.",
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, lies_as=Thing.RING)
    DOUBLE_RING = Kind("Double Ring", 1, CardType.TRAP,
        "Trap two Free Gubs on any sides. They move beneath the Ring, to your side.",
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, lies_as=Thing.RING, places=2)
    TRIPLE_RING = Kind("Triple Ring", 1, CardType.TRAP,
        "Trap three Free Gubs on any sides. They move beneath the Ring, to your side.",
        own=Thing.FREE_GUB, others=Thing.FREE_GUB, lies_as=Thing.RING, places=3)

    LURE = Kind("Lure", 7, CardType.HAZARD,
        "Take a Free Gub of an opponent into your colony.",
        others=Thing.FREE_GUB, is_lure=True)
    SUPER_LURE = Kind("Super Lure", 2, CardType.HAZARD,
        "Take all Free and Protected Gubs of one opponent into your colony. Their Barricades "
        "return to that opponent's hand.",
        others=Thing.LURABLE_COLONY, is_lure=True)
    CYCLONE = Kind("Cyclone", 1, CardType.HAZARD,
        "Discard all Barricades of one opponent. The Gubs stay.",
        others=Thing.BARRICADED_COLONY)
    LIGHTNING = Kind("Lightning", 1, CardType.HAZARD,
        "Discard the Elder that an opponent has in play, or all cards in an opponent's hand.",
        others=Thing.ELDER | Thing.HAND)
    SMAHL_THIEF = Kind("Smahl Thief", 1, CardType.HAZARD,
        "Take a Gub of an opponent into your hand, unless it lies beneath a Ring, or one of "
        "their Barricades. Barricades on the Gub return to that opponent's hand.",
        others=Thing.FREE_GUB | Thing.PROTECTED_GUB | Thing.SPOUTED_GUB | Thing.BARRICADE)
    OMEN_BEETLE = Kind("Omen Beetle", 1, CardType.HAZARD,
        "Discard every Mushroom in play, each Gub beneath one and all else on that Gub, your "
        "own too.",
        own=Thing.MUSHROOM_IN_PLAY)
    HAKI_FLUTE = Kind("Haki Flute", 2, CardType.TOOL,
        "Break any Ring in play: the Gubs beneath it join your colony, Free.",
        own=Thing.RING, others=Thing.RING)
    SPEAR = Kind("Spear", 4, CardType.TOOL_OR_HAZARD,
        "Discard any Sud Spout in play. Or, as a Hazard, a Free Gub or a Barricade of an "
        "opponent.",
        own=Thing.SUD_SPOUT, others=Thing.SUD_SPOUT | Thing.FREE_GUB | Thing.BARRICADE,
        as_tool=Thing.SUD_SPOUT)
    SCOUT = Kind("Scout", 1, CardType.TOOL,
        "Look at the top three cards of the deck and put them back in any order. Or look at "
        "an opponent's hand.",
        own=Thing.DECK, others=Thing.HAND)
    RETREAT = Kind("Retreat", 1, CardType.TOOL,
        "Take all cards on your side into your hand, save the Elder.",
        own=Thing.CARD_ON_ONES_SIDE)
    AGE_OLD_CURE = Kind("Age-Old Cure", 2, CardType.TOOL,
        "Take a Gub from the discard pile into your hand. Or discard it when the Plague "
        "strikes, to keep your hand.",
        own=Thing.GUB_IN_DISCARD_PILE, cures=True)
    FEATHER = Kind("Feather", 2, CardType.INTERRUPT,
        "Cancel any Hazard or Trap when it is played.",
        answers=Answerable.HAZARD | Answerable.TRAP)
    BLINDFOLD = Kind("Blindfold", 1, CardType.INTERRUPT,
        "Cancel a Lure or Super Lure when it is played.",
        answers=Answerable.LURE)
    FLOP_BOAT = Kind("Flop Boat", 1, CardType.INTERRUPT,
        "Send a drawn Event, even a Letter, back into the deck before it takes effect.",
        answers=Answerable.EVENT)
    CRICKET_SONG = Kind("Cricket Song", 1, CardType.WILD,
        "On your turn it is any Hazard or Tool that could be played now. It also cancels what "
        "an Interrupt could, and cures like the Age-Old Cure.",
        answers=Answerable.HAZARD | Answerable.TRAP | Answerable.EVENT, cures=True)

    FLASH_FLOOD = Kind("Flash Flood", 1, CardType.EVENT,
        "All Free Gubs in play are discarded.",
        refills_deck=True)
    GARGOK_PLAGUE = Kind("Gargok Plague", 1, CardType.EVENT,
        "All hands are shuffled into the deck and drawn anew. Whoever discards a cure keeps "
        "the rest of their hand.",
        refills_deck=True)
    TRAVELING_MERCHANT = Kind("Traveling Merchant", 1, CardType.EVENT,
        "Each player keeps one card and passes the rest of their hand to the right.")
    RUMOR_OF_WASPS = Kind("Rumor of Wasps", 1, CardType.EVENT,
        "Each Gub beneath a Toad Rider is shuffled into the deck, with the Toad Rider.",
        refills_deck=True)
    DANGEROUS_ALCHEMY = Kind("Dangerous Alchemy", 1, CardType.EVENT,
        "The player who drew it discards their whole colony, save the Elder.")
    LETTER_G = Kind("Letter G", 1, CardType.EVENT, LETTER)
    LETTER_U = Kind("Letter U", 1, CardType.EVENT, LETTER)
    LETTER_B = Kind("Letter B", 1, CardType.EVENT, LETTER)
    # fmt: on

    @property
    def kind(self) -> Kind:
        """The row of the table."""
        return Kind(*self.columns)

    @property
    def text(self) -> str:
        """What the card does, in our words."""
        return self.kind.text


LETTERS = (Card.LETTER_G, Card.LETTER_U, Card.LETTER_B)

# ----------------------------------------------------------------------------- checks of the table


def group(card: Card) -> int:
    """Return the group of a kind, 0 to 5; the table lists the groups in this order."""
    if card.kind.type in LAID_TYPES:
        return LAID_TYPES.index(card.kind.type)
    return 5 if card in LETTERS else 4 if card.kind.type is CardType.EVENT else 3


def mistakes(card: Card) -> Iterator[str]:
    """Yield the mistakes in a row of the table, in words."""
    kind = card.kind
    aims, laid = kind.own | kind.others, kind.type in LAID_TYPES
    only_answers = kind.type in (CardType.INTERRUPT, CardType.WILD, CardType.EVENT)
    if aims == 0 and not only_answers:
        yield "it can never be played: give it a target in own or others, at least Thing.NOTHING"
    if aims != 0 and kind.type is CardType.EVENT:
        yield "an Event is drawn, not played: leave own and others at 0"
    if kind.type is CardType.INTERRUPT and kind.answers == 0:
        yield "an Interrupt must answer something: set answers"
    if kind.answers & Answerable.EVENT and kind.type not in (CardType.INTERRUPT, CardType.WILD):
        yield "only an Interrupt answers Events: the bound on the length of a game counts these"
    if kind.type is CardType.GUB and card not in (Card.GUB, Card.ESTEEMED_ELDER):
        yield "only Gub and Esteemed Elder can have the type Gub: give it another type"
    if kind.type is CardType.WILD and card is not Card.CRICKET_SONG:
        yield "only Cricket Song can have the type Wild: give it another type"
    if not 1 <= kind.places <= MAX_TARGETS:
        yield f"places={kind.places}: allowed are 1 to {MAX_TARGETS}"
    if kind.places > 1 and (aims != Thing.FREE_GUB or (laid and not kind.lies_as & Thing.RING)):
        yield "only Free Gubs can be named several at a time, and only a Ring lies on several"
    if kind.as_tool & ~(aims & PLACE_THINGS):
        yield "as_tool must be among its targets at a place, in own or others"
    if kind.lies_as and not laid:
        yield "only Gubs, Barricades and Traps lie in a colony: leave lies_as at 0"
    if kind.refills_deck and laid:
        yield "a card that is laid can be played again: it must not refill the deck"


def check_table() -> None:
    """Raise TypeError, naming the kind, for a row that the rules cannot read."""
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
        raise TypeError("two kinds have the same title: every kind needs a different one")


check_table()

# --------------------------------------------------------------------- what follows from the table


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
HELPERS = tuple(card for card in Card if card.kind.answers or card.kind.cures)
"""The kinds that answer a card or cure."""

PRINTED_DECK = _column("copies").astype(np.int8)
MAX_CARDS = int(_column("copies").sum())  # the capacity of a state
MAX_SLOTS = int(PRINTED_DECK[[Card.GUB, Card.ESTEEMED_ELDER]].sum())  # all in one colony
if MAX_CARDS > 127:
    raise TypeError(f"the printed deck has {MAX_CARDS} cards: counts are int8, at most 127")

# The columns of the table as arrays, for the compiled rules.
OWN_AIMS, OTHERS_AIMS = _column("own"), _column("others")
PLACES = _column("places")
AS_TOOL = _column("as_tool")
ANSWERABLE, ANSWERS = _column("answerable"), _column("answers")
CURES = _column("cures") != 0
IS_EVENT = np.array([card.kind.type is CardType.EVENT for card in Card])
CRICKET_SONG_CAN_BE = np.isin(
    list(Card), _of_type(CardType.HAZARD, CardType.TOOL, CardType.TOOL_OR_HAZARD)
)
# The targets that each kind can be at a place: the Gub itself, or a card on it.
MEANT_THINGS = _column("meant", NUM_COLONY_KINDS)
# The targets that a place is while a card of each kind lies there.
LYING_THINGS = _column("lying", NUM_COLONY_KINDS)
