"""Views: states with everything hidden from one player removed (section 9).

Anything that reads a view (text, rendering, search, a person) cannot learn more than the player
knows. A view has the same observation as the state it was made from.
"""

from __future__ import annotations

from gubs_env.engine.compiling import compiled
from gubs_env.games.fubnub.cards import NO_CARD, NUM_CARDS
from gubs_env.games.fubnub.state import UNDEALT


@compiled
def hide_private(state, player):
    """Erase everything that a player may not know."""
    viewer = state.seat_of[player]
    for seat in range(state.num_seats):
        if seat != viewer:
            state.hand[seat, :] = 0
            state.known[seat] = 0
        elif state.blind[seat]:
            state.hand[seat, :] = 0
    for card in range(NUM_CARDS):
        state.undealt[card] &= state.known[viewer, UNDEALT, card]
        state.under[card] &= state.known[viewer, UNDEALT, card]
    if viewer != state.asked:
        state.drawn = NO_CARD
    if viewer != state.dealer or state.blind[viewer]:
        state.swap_drawn = NO_CARD
        state.swap_returned = NO_CARD
    state.rng[:] = 0
