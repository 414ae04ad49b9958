"""The rules of Gubs on one page, for a beginner or a prompt; docs/rules/gubs.md is complete."""

from __future__ import annotations

from gubs_env.games.gubs.cards import Card
from gubs_env.games.gubs.rules import HAND_LIMIT

PAGE = """\
Gubs: the rules on one page

Goal. Each player tends a colony of Gubs. When the third of the Letters G, U and B is drawn, the
game ends at once. Each Free or Protected Gub in your colony and the Esteemed Elder are worth a
point; Trapped Gubs and cards in hand are worth nothing. The most points win. Of those who tie, the
one with the Elder in play wins, then the one with the fewest cards in hand.

Start. Each player has one Free Gub and three cards. Of the Letters, one lies in each third of the
deck.

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
    cards = "\n".join(
        f"- {card.title} ×{card.kind.copies}, {card.kind.type.value}: {card.text}"
        for card in printed
    )
    total = sum(card.kind.copies for card in printed)
    return PAGE.format(limit=HAND_LIMIT, total=total, cards=cards)
