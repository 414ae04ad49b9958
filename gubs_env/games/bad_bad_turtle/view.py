"""What one seat may know of a game: a row like any other, with every secret erased (section 12).

Whatever reads a view (rendering, search, a person) cannot learn more than the seat does. The
observation of a view is the observation of the game.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from gubs_env.games.bad_bad_turtle.state import UNKNOWN_CARD
from gubs_env.games.compilation import rule


class View(NamedTuple):
    """A game as one seat knows it."""

    seat: int
    """The viewer."""
    game: Any
    """A GAME record. Cards that lie face down and that the viewer does not know are UNKNOWN_CARD;
    the sizes of the piles are true. The random generator is blank."""


@rule
def veil_row(game, viewer):
    """Erase all that `viewer` does not know."""
    for seat in range(len(game.living)):
        own = seat == viewer and game.peeking[seat]
        game.stack[seat, (game.stack_size[seat] if own else 0) :] = UNKNOWN_CARD
        for place in range(game.discard_pile.shape[1]):
            if not game.discard_seen[seat] >> place & 1:
                game.discard_pile[seat, place] = UNKNOWN_CARD
        game.reveal_pile[seat, game.reveal_size[seat] :] = UNKNOWN_CARD
    game.rng[:] = 0
