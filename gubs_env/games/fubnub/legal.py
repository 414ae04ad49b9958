"""The legal actions: the mask of the current decision (section 8)."""

from __future__ import annotations

from gubs_env._compiler.arrays import copy_counts
from gubs_env._compiler.compilation import dispatch, inlined
from gubs_env.games.fubnub.actions import (
    ACCEPT,
    DECLINE,
    FIRST_SEAT,
    FIRST_STEAL,
    NUM_SEATS_NAMED,
    PASS,
    PLAY,
)
from gubs_env.games.fubnub.cards import NUM_POINTS
from gubs_env.games.fubnub.state import Phase


@inlined
def offer_call(state, mask):
    mask[PLAY] = 1
    mask[PASS] = 1


@inlined
def offer_choice(state, mask):
    mask[ACCEPT] = 1
    mask[DECLINE] = 1


@inlined
def offer_hand(state, mask):
    copy_counts(mask, 0, state.hand[state.asked])


@inlined
def offer_returns(state, mask):
    """Offer the hand without the card just drawn or taken (F9, F24)."""
    offer_hand(state, mask)
    mask[state.drawn] = 0


@inlined
def offer_steals(state, mask):
    """Offer every earned point card of the others, and the choice to steal none (F29)."""
    mask[DECLINE] = 1
    for seat in range(state.num_seats):
        if seat != state.asked:
            for point in range(NUM_POINTS):
                mask[FIRST_STEAL + point] |= state.owned[seat, point]


@inlined
def offer_seats(state, mask):
    mask[FIRST_SEAT : FIRST_SEAT + NUM_SEATS_NAMED] = 1


offer = dispatch(
    {
        Phase.PLAY: offer_hand,
        Phase.DECIDE: offer_call,
        Phase.SWAP_OFFER: offer_choice,
        Phase.SWAP_RETURN: offer_returns,
        Phase.SOCIAL: offer_choice,
        Phase.STEAL: offer_steals,
        Phase.PICK: offer_seats,
        Phase.KEEP: offer_hand,
        Phase.GECKO_OFFER: offer_choice,
        Phase.GECKO_GIVE: offer_returns,
    },
    "state, mask",
)


@inlined
def write_mask(state, mask):
    """Write the mask of the acting player, int8[46]: 1 for each legal action, else 0."""
    mask[:] = 0
    offer(state.phase, state, mask)
