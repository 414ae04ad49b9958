"""Views: states with everything hidden from one seat removed (section 8).

Anything that reads a view (text, rendering, search, a person) cannot learn more than the seat
knows. A view has the same observation as the state it was made from.
"""

from __future__ import annotations

from gubs_env.engine.compiling import compiled
from gubs_env.engine.seats import NOBODY
from gubs_env.games.gubs.cards import NO_CARD
from gubs_env.games.gubs.legal import is_inner_pick
from gubs_env.games.gubs.observation import awaits_openly, sees_move
from gubs_env.games.gubs.state import UNKNOWN_CARD, Phase, clear_move


@compiled
def hide_private(state, viewer):
    """Erase everything that `viewer` may not know."""
    hide_hands(state, viewer)
    for place in range(state.deck_size - state.known_top[viewer]):
        state.deck[place] = UNKNOWN_CARD
    state.deck[state.deck_size :] = UNKNOWN_CARD
    for seat in range(state.num_players):
        if seat != viewer:
            state.known_top[seat] = 0
    hide_move(state, viewer)
    hide_answers(state, viewer)
    state.decisions = 0  # the number of decisions would show secret passes
    state.rng[:] = 0


@compiled
def hide_hands(state, viewer):
    """Erase the hands of others, their memory, and what they keep from the Merchant."""
    for seat in range(state.num_players):
        if seat != viewer:
            state.hand[seat, :] = 0
            state.known[seat] = 0
            state.kept[seat] = NO_CARD


@compiled
def hide_move(state, viewer):
    """Erase a move whose picks are not complete, unless the viewer is its player."""
    if not sees_move(state, viewer):
        clear_move(state)
        if is_inner_pick(state.phase):
            state.phase = Phase.PLAY
    if viewer != state.turn or state.phase != Phase.ORDER:
        state.ordered = 0


@compiled
def hide_answers(state, viewer):
    """Erase the player whose answer is awaited, which would show who passed [G6]."""
    in_question = Phase.ANSWER <= state.phase <= Phase.MERCHANT
    if in_question and not awaits_openly(state) and state.actor != viewer:
        state.actor = NOBODY
        state.asked = 0
    if not in_question:
        state.asked = 0
