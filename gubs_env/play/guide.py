"""The guided first game: a short game of Gubs with a fixed deal, and what is said at each decision.

A step is found from what its seat sees, so that a guide has no memory: the same functions serve the
terminal, the browser, and a page that is loaded again.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from gubs_env.api.aec import AECGame
from gubs_env.engine.moves import Move
from gubs_env.games import public_module
from gubs_env.play.session import Session

GAME = "gubs_v0"
OPPONENT = "easy"
"""The level of the agent in the other seat; a test notices if that agent plays otherwise."""
HANDS = ("Gub, Sud Spout, Lure, Feather", "Gub, Lure, Haki Flute")
DECK = "Mushroom, Gub, Letter G, Gub, Letter U, Toad Rider, Letter B, Spear, Gub"


class Step(NamedTuple):
    """One decision of the guided game."""

    deck: int
    """Number of cards in the deck."""
    asks: str
    """A pattern that the texts of the moves begin with that the step asks for."""
    text: str
    """The words of the guide, also about what has just happened."""


STEPS = (
    Step(9, "Draw", "Welcome! A Gub in your colony is worth a point. Whoever has the most points "
         "when the third Letter is drawn wins. Every turn begins with a draw: draw a card."),
    Step(8, "Lay a Gub", "You drew Mushroom. Now you may play as many cards as you like. Lay the "
         "Gub from your hand: it is your second point."),
    Step(8, "Lay Mushroom", "Your Gubs are Free: others can lure them away or trap them. A "
         "Barricade such as Mushroom protects the Gub beneath it. Lay it on one of them."),
    Step(8, "Sud Spout: trap (?!your own)", "Now attack. Sud Spout is a Trap: a Gub beneath it is "
         "worth nothing. Trap the Gub of your opponent. Traps and Hazards are announced first, so "
         "that others can answer them."),
    Step(8, "End", "Nobody answered, so the Trap took effect: your opponent has no points left. "
         "Lure takes Free Gubs only, so keep it for later, and end your play."),
    Step(7, "Answer", "This is a window: your opponent plays Lure at your Free Gub. You are asked "
         "although it is not your turn, because you hold Feather, which answers any Hazard or "
         "Trap. Without an answer in your hand you would not be asked. Keep your Gub: answer."),
    Step(7, "Draw", "Feather cancelled Lure, and both were discarded. Your opponent then laid two "
         "Gubs. Now it is your turn again. The table tells where the Letters lie in the deck: one "
         "is the next card. Draw it."),
    Step(6, "Lure", "You drew Letter G. Letters are Events: they take effect as soon as they are "
         "drawn, and never come into a hand. Now a Gub of your opponent is Free: lure it away."),
    Step(6, "End", "It lies in your colony now: you lead by 3 points to 1. End your play."),
    Step(5, "Draw", "Your opponent laid a third Gub. You may skip a draw, but never twice in a "
         "row. You lead, so hurry: draw."),
    Step(4, "End", "Letter U: two Letters lie open. With the third the game ends at once, whoever "
         "draws it. Your hand is empty: end your play."),
    Step(3, "Draw", "You lead by 3 points to 2, and the last Letter is among the three cards of "
         "the deck: draw. Skipping when behind sounds wise, but over many games it loses: a "
         "skipped draw is a card less."),
)  # fmt: skip
ENDING = (
    "The third Letter has ended the game. Trapped Gubs and cards in hand are worth nothing. This "
    "is all that you need for a whole game: its deck has 70 cards, and each tells what it does."
)


def deal() -> AECGame[Any]:
    """Return the guided game at its first decision."""
    module, colonies = public_module(GAME), ["Gub", "Gub"]
    state = module.position(HANDS, colonies, DECK, phase=module.Phase.DRAW, rest=False, seed=1)
    # The Letters lie in the thirds of the deck, as after a deal, counted from its bottom.
    state.letter_loose[:] = 0
    state.third_start[:], state.third_end[:] = (0, 3, 6), (3, 6, 9)
    env: AECGame[Any] = module.raw_env(len(HANDS))
    env.set_state(state)
    return env


def said(session: Session, seat: str | None) -> str:
    """Return what the guide says to a person now; "" if it is silent, or there is none."""
    if not session.is_guided:
        return ""
    if session.is_over:
        return ENDING
    return asked(session, seat)[0] if seat and session.person == seat else ""


def asked(session: Session, seat: str) -> tuple[str, list[Move]]:
    """Return what the guide says to the person to decide, and the moves that it asks for.

    If the game has left its planned course, these are an empty text and all legal moves.

    Raises:
        ValueError: if another seat decides.
    """
    moves, deck = session.moves(seat), int(session.view(seat).state.deck_size)
    for step in STEPS:
        matches = [move for move in moves if re.match(step.asks, move.text)]
        if step.deck == deck and matches:
            return step.text, matches
    return "", moves
