"""What one seat may know of a game: a row like any other, with every secret erased (section 8).

Whatever reads a view (rendering, search, a person) cannot learn more than the seat does. The
observation of a view is the observation of the game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gubs_env.games.compilation import rule
from gubs_env.games.gubs.cards import NO_CARD
from gubs_env.games.gubs.legal import is_inner_pick
from gubs_env.games.gubs.observation import sees_move
from gubs_env.games.gubs.state import NOBODY, UNKNOWN_CARD, Phase, clear_move


class View(NamedTuple):
    """A game as one seat knows it."""

    seat: int
    """The viewer."""
    game: Any
    """A GAME record. Hands of others are empty (`hand_size` is true), cards of the deck that the
    viewer does not know are UNKNOWN_CARD, and where it is secret whose answer is awaited, `actor`
    is NOBODY. What others remember and the random generator are blank."""


@rule
def veil_row(game, viewer):
    """Erase all that `viewer` does not know."""
    veil_hands(game, viewer)
    for place in range(game.deck_size - game.known_top[viewer]):
        game.deck[place] = UNKNOWN_CARD
    game.deck[game.deck_size :] = UNKNOWN_CARD
    for seat in range(game.num_players):
        if seat != viewer:
            game.known_top[seat] = 0
    veil_move(game, viewer)
    veil_answers(game, viewer)
    game.rng[:] = 0


@rule
def veil_hands(game, viewer):
    """The hands of others, what they remember, and what they keep from the Merchant."""
    for seat in range(game.num_players):
        if seat != viewer:
            game.hand[seat, :] = 0
            game.known[seat] = 0
            game.kept[seat] = NO_CARD


@rule
def veil_move(game, viewer):
    """A move whose picks are not complete shows to nobody but its player."""
    if not sees_move(game, viewer):
        clear_move(game)
        if is_inner_pick(game.phase):
            game.phase = Phase.PLAY
    if viewer != game.turn or game.phase != Phase.ORDER:
        game.ordered = 0


@rule
def veil_answers(game, viewer):
    """Whose answer is awaited is secret, and with it who passed (G6)."""
    asked_openly = game.ask_everyone and game.phase != Phase.MERCHANT
    in_question = (
        game.phase == Phase.ANSWER or game.phase == Phase.CURE or game.phase == Phase.MERCHANT
    )
    if in_question and not asked_openly and game.actor != viewer:
        game.actor = NOBODY
        game.asked = 0
    if not in_question:
        game.asked = 0
