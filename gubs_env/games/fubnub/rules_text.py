"""The rules of FUBNUB on one page; docs/rules/fubnub.md is complete."""

from __future__ import annotations

from gubs_env.games.fubnub.cards import POINT_CARDS, ActionCard, Colour, PointCard

PAGE = """\
FUBNUB: the rules on one page

Goal. Win tricks to earn point cards. In teams, the first side with more than half of them wins.
Where each plays alone, the most point cards win when all are earned; those who tie draw number
cards, and the highest wins.

Cards. There are 24 number cards, 1 to 6 in the colours Gold, Green, Purple and Red, and {points}
point cards. The point card in play says which number cards are favoured; in pictures they bear a
heart. Of two cards the favoured one is higher; then the one with the higher value; then the
stronger colour: Gold before Green, Purple and Red.

A hand.
1. Each seat gets five number cards, and a point card is revealed. The other number cards stay
   undealt and unseen.
2. In teams, each player in turn, the dealer last, puts the point card in play or passes. Whoever
   plays it is the caller. If all pass, another point card is revealed; if all pass again, the deal
   is void.
3. The dealer's advantage, in teams and in Full Deck: the dealer may draw an undealt card and give
   another one back. After a sweep or a fub they may do so twice.
4. Five tricks. The player to the left of the dealer leads. Each plays any card; there is no suit to
   follow. The highest card wins the trick and leads the next.
5. The player or side with the most tricks earns the point card. Players who tie compare the best
   cards among the tricks that they won.

The next dealer sits to the left. In teams, the caller deals next after winning all five tricks (a
sweep); if the caller's side does not earn the card (a fub), the other side deals next.

Modes. Four play in teams (mode=team). Battle Royal is played alone (mode=royal). Lucky Ghost fills
the seats of missing players with ghosts, in teams (mode=ghost) or alone (mode=ghost_royal): a ghost
plays the top card of a face-down hand, and can win. Full Deck is played alone (mode=full), with
action cards: before the first trick the winner of the hand before reveals one. Cards in limbo go to
the winner of the hand, with the point card.

The point cards:
{point_cards}

The action cards, in Full Deck only; you are the one who reveals the card:
{action_cards}"""


def rules_text() -> str:
    """Return the rules on one page, with all point cards and action cards."""
    return PAGE.format(
        points=len(POINT_CARDS),
        point_cards="\n".join(f"- {card.title}: {_favoured(card)}" for card in POINT_CARDS),
        action_cards="\n".join(f"- {card.title}: {card.text}" for card in ActionCard),
    )


def _favoured(card: PointCard) -> str:
    *most, last = [*map(str, card.values), *(colour.name.capitalize() for colour in card.colours)]
    favoured = f"{', '.join(most)} or {last}" if most else last
    return f"In play, every {favoured}{' card' * bool(card.colours)} beats all other cards."


moves_text = """\
- Put the point card Odds in play
- Pass
- Draw a card
- Decline to draw
- Return Red 3
- Play Gold 4
- Perform: Dance
- Decline and lose what you won
- Steal Odds from player_1
- Steal nothing
- Give player_1 the dealer's advantage
- Keep Red 6 and exchange the others
- Take a card from the dealer's hand
- Leave the dealer's hand alone
- Give Red 1 for it"""
"""A move of every kind (see `Game.moves_text`)."""


card_words = (
    *(colour.name.capitalize() for colour in Colour),
    *(card.title for card in POINT_CARDS if not card.colours),
    *(card.title for card in ActionCard),
)
"""The words by which texts name cards (see `Game.card_words`): a number card is named by its colour
and value, and some point cards by their colours."""
