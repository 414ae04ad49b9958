"""What one player may know of a game: a row like any other, with every secret erased (section 9).

Whatever reads a view (rendering, search, a person) cannot learn more than the player does. The
observation of a view is the observation of the game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gubs_env.games.compilation import rule
from gubs_env.games.fubnub.cards import NO_CARD, NUM_CARDS
from gubs_env.games.fubnub.state import UNDEALT


class View(NamedTuple):
    """A game as one player knows it."""

    seat: int
    """The viewer, as the faces number seats: along the players."""
    game: Any
    """A GAME record. Hands of others are empty (`hand_size` is true), and the viewer's own while it
    is played unseen. Of the undealt cards only those are there that the viewer knows, and what
    others know and the random generator are blank."""


@rule
def veil_row(game, player):
    """Erase all that a player does not know."""
    viewer = game.seat_of[player]
    for seat in range(game.num_seats):
        if seat != viewer:
            game.hand[seat, :] = 0
            game.known[seat] = 0
        elif game.blind[seat]:
            game.hand[seat, :] = 0
    for card in range(NUM_CARDS):
        game.undealt[card] &= game.known[viewer, UNDEALT, card]
        game.under[card] &= game.known[viewer, UNDEALT, card]
    if viewer != game.asked:
        game.drawn = NO_CARD
    if viewer != game.dealer or game.blind[viewer]:
        game.swap_drawn = NO_CARD
        game.swap_returned = NO_CARD
    game.rng[:] = 0
