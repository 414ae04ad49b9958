"""The rules of Gubs on one page, for a beginner or a prompt; docs/rules/gubs.md is complete."""

from __future__ import annotations

import numpy as np

from gubs_env.games.gubs.cards import CRICKET_SONG_CAN_BE, Card
from gubs_env.games.gubs.rules import HAND_LIMIT

PAGE = """\
Gubs: the rules on one page

Goal. Each player tends a colony of Gubs. When the third of the Letters G, U and B is drawn, the
game ends at once. Each Free or Protected Gub in your colony and the Esteemed Elder are worth a
point; Trapped Gubs and cards in hand are worth nothing. The most points win. Of those who tie, the
one with the Elder in play wins, then the one with the fewest cards in hand.

Start. Each player has one Free Gub and three cards. Of the Letters, one lies in each third of the
deck. An Event dealt to a hand, Letters too, goes back into the deck at a random place, and another
card is dealt for it.

Your turn.
1. Draw a card, or skip the draw. After a turn on which you skipped, you must draw. An Event takes
   effect as soon as it is drawn.
2. Play as many cards as you like, one after another, or none. A card needs a target or an effect.
3. If you then hold more than {limit} cards, discard down to {limit}.

A Gub in a colony is Free if nothing lies on it, Protected if it lies beneath a Barricade, and
Trapped if it lies beneath a Trap: a Sud Spout or a Ring.

Windows. Whoever plays a Hazard or a Trap names its targets; then each other player who holds an
answer is asked, clockwise. When an Event is drawn, everybody who holds an answer is asked,
clockwise from the player who drew it. The first answer cancels the card, and nothing answers an
answer. A cancelled Event goes back into the deck at a random place. Gubs, Barricades and Tools
cannot be answered.

Hidden. Hands and the order of the deck are secret. Who passed in a window is secret too.

The cards ({total} in all):
{cards}"""


def rules_text() -> str:
    """Return the rules on one page, with what each card of the printed deck does."""
    printed = [card for card in Card if card.kind.copies]
    cards = "\n".join(f"- {_named(card)}: {card.text}" for card in printed)
    total = sum(card.kind.copies for card in printed)
    return PAGE.format(limit=HAND_LIMIT, total=total, cards=cards)


def _named(card: Card) -> str:
    """Return a card with its number of copies and its type, unless the type is its title."""
    kind, named = card.kind.type.value, f"{card.title} ×{card.kind.copies}"
    return named if kind == card.title else f"{named}, {kind}"


moves_text = """\
- Draw a card
- Skip the draw
- Lay a Gub in your colony
- Lay the Esteemed Elder in your colony
- Lay Mushroom on your own second Gub
- Mushroom: discard the Mushroom on player_1's first Gub
- Sud Spout: trap player_1's third Gub
- Double Ring: trap your own first Gub and player_1's fourth Gub
- Lure player_1's Gub
- Super Lure: lure every Free and Protected Gub of player_1
- Cyclone: discard every Barricade of player_1
- Lightning: discard the hand of player_1
- Lightning: discard player_1's Esteemed Elder
- Smahl Thief: take player_1's first Gub into your hand
- Smahl Thief: take the Mushroom on player_1's first Gub into your hand
- Omen Beetle: discard every Mushroom in play and every Gub beneath one
- Haki Flute: break the Single Ring on player_1's first Gub
- Spear: discard player_1's first Gub
- Spear: discard the Sud Spout on your own second Gub
- Scout: look at the top of the deck
- Scout: look at the hand of player_1
- Retreat: take every card on your side into your hand, save the Elder
- Age-Old Cure: take a Gub from the discard pile
- Cricket Song as Lure: lure player_1's first Gub
- End your play
- Put back, top first: Gub, Lure, Spear
- Answer Lure with Feather
- Pass: let Lure take effect
- Keep your hand: discard the Age-Old Cure
- Pass: lose your hand to the Plague
- Keep Lure and pass on the rest
- Discard Lure"""
"""A move of every kind (see `Game.moves_text`)."""


STAND_ALONE = ("Elder", "Plague", "Ring", "Lure", "Letter")
"""Words of titles that also name cards alone, as in "the Elder" or "any Ring"."""


def _words_of(title: str) -> list[str]:
    """Return the parts of a title that texts use: the whole, or its words."""
    words = title.split()
    return words if set(words) & set(STAND_ALONE) else [title]


card_words = (*dict.fromkeys(word for card in Card for word in _words_of(card.title)), "lure")
"""The words by which texts name cards (see `Game.card_words`)."""


def answers() -> dict[str, list[str]]:
    """Return the titles of the printed cards that can answer each card (see `Game.answers`)."""

    def is_answer(card: Card, other: Card) -> bool:
        """Return whether one card can answer another, or what Cricket Song can stand for."""
        stands_for = [Card(kind) for kind in np.flatnonzero(CRICKET_SONG_CAN_BE)]
        played = stands_for if other is Card.CRICKET_SONG else [other]
        return any(card.kind.answers & each.kind.answerable for each in played)

    return {
        other.title: [
            card.title
            for card in Card
            if card.kind.copies > (card is other) and is_answer(card, other)
        ]
        for other in Card
    }
