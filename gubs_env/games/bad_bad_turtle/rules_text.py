"""The rules of Bad, Bad, Turtle on one page; docs/rules/bad_bad_turtle.md is complete."""

from __future__ import annotations

from gubs_env.games.bad_bad_turtle.cards import Card

PAGE = """\
Bad, Bad, Turtle: the rules on one page

Goal. Reveal the Turtle, or be the last player left. Whoever reveals the card Eliminated is out,
unless a card answers it.

Start. All {total} cards are dealt face down, a stack for each player. Nobody may look at a stack.

Your turn. Discard the top two cards of your stack face down and unseen, then reveal the next one.
Always keep one card to reveal. If a card lies on your turn, it changes the turn.

A revealed card. A number card goes to your reveal pile and does nothing. Any other card can be
answered first, with the cards that players have set aside: its owner is asked, then the others in
the direction of play. A card played as an answer can be answered too. If the revealed card stands,
it goes to its owner's reveal pile and takes effect.

End of a turn. If a player who is still in the game has an empty stack, all stacks and discard piles
are shuffled and dealt anew.

Cards that are set aside lie beside their owner. Each can be played once, at any later time when
a card can be answered.

The cards:
{cards}"""


def rules_text() -> str:
    """Return the rules on one page, with what each card does."""
    cards = "\n".join(
        f"- {card.title} ×{card.kind.copies}, {card.kind.type.value}: {card.text}" for card in Card
    )
    return PAGE.format(total=sum(card.kind.copies for card in Card), cards=cards)


moves_text = """\
- Take your turn
- Perform: Dance
- Decline and lose your turn
- Give the next turn to player_1
- Give the next turn to yourself
- Never Happened on player_1's Peek
- No Way on your own Eliminated
- No Way on the Shield that player_1 has set aside
- Shield: force Skip on player_1
- Shield: force Skip on yourself
- Pass: let Skip stand"""
"""A move of every kind (see `Game.moves_text`)."""


card_words = tuple(card.title for card in Card)
"""The words by which texts name cards (see `Game.card_words`)."""


def answers() -> dict[str, list[str]]:
    """Return the titles of the cards that can answer each card when it is revealed (T13, T15)."""
    every = (Card.NEVER_HAPPENED, Card.NO_WAY, Card.SHIELD)
    return {
        card.title: [each.title for each in every if card.kind.takes_effect and each is not card]
        for card in Card
        if card is not Card.TURTLE
    } | {Card.TURTLE.title: [Card.NO_WAY.title]}
