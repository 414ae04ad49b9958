"""The legal actions: the mask of the current decision (section 8)."""

from __future__ import annotations

from gubs_env.engine.cases import Cases
from gubs_env.engine.compiling import copy_counts, inlined
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

offers = Cases(list(Phase)[: Phase.OVER], "state, mask", inlined)


@offers.of(Phase.DECIDE)
def offer_call(state, mask):
    mask[PLAY] = 1
    mask[PASS] = 1


@offers.of(Phase.SWAP_OFFER, Phase.SOCIAL, Phase.GECKO_OFFER)
def offer_choice(state, mask):
    mask[ACCEPT] = 1
    mask[DECLINE] = 1


@offers.of(Phase.PLAY, Phase.KEEP)
def offer_hand(state, mask):
    copy_counts(mask, 0, state.hand[state.asked])


@offers.of(Phase.SWAP_RETURN, Phase.GECKO_GIVE)
def offer_returns(state, mask):
    """Offer the hand without the card just drawn or taken (F9, F24)."""
    offer_hand(state, mask)
    mask[state.drawn] = 0


@offers.of(Phase.STEAL)
def offer_steals(state, mask):
    """Offer every earned point card of the others, and the choice to steal none (F29)."""
    mask[DECLINE] = 1
    for seat in range(state.num_seats):
        if seat != state.asked:
            for point in range(NUM_POINTS):
                mask[FIRST_STEAL + point] |= state.owned[seat, point]


@offers.of(Phase.PICK)
def offer_seats(state, mask):
    mask[FIRST_SEAT : FIRST_SEAT + NUM_SEATS_NAMED] = 1


offer = offers.join()


@inlined
def write_mask(state, mask):
    """Write the mask of the acting player, int8[46]: 1 for each legal action, else 0."""
    mask[:] = 0
    offer(state.phase, state, mask)
