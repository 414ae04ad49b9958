"""Views: states with everything hidden from one seat removed (section 12).

Anything that reads a view (text, rendering, search, a person) cannot learn more than the seat
knows. A view has the same observation as the state it was made from.
"""

from __future__ import annotations

from gubs_env.engine.compiling import compiled
from gubs_env.games.bad_bad_turtle.state import UNKNOWN_CARD


@compiled
def hide_private(state, viewer):
    """Erase everything that `viewer` may not know."""
    for seat in range(len(state.living)):
        sees_stack = seat == viewer and state.peeking[seat]
        state.stack[seat, (state.stack_size[seat] if sees_stack else 0) :] = UNKNOWN_CARD
        for place in range(state.discard_pile.shape[1]):
            if not state.discard_seen[seat] >> place & 1:
                state.discard_pile[seat, place] = UNKNOWN_CARD
        state.reveal_pile[seat, state.reveal_size[seat] :] = UNKNOWN_CARD
    state.rng[:] = 0
