"""Moves of FUBNUB in words, as the player to decide reads them; each is one pick."""

from __future__ import annotations

from typing import Any

import numpy as np

from gubs_env.engine.seats import seat_at
from gubs_env.engine.view import View
from gubs_env.games.fubnub.actions import ACCEPT, DECLINE, PLAY, point_of, steps_of
from gubs_env.games.fubnub.cards import NUMBER_TITLES, POINT_TITLES, ActionCard
from gubs_env.games.fubnub.state import Phase
from gubs_env.games.fubnub.words import seat_name

WITH_CARD = {
    Phase.PLAY: "Play {}",
    Phase.SWAP_RETURN: "Return {}",
    Phase.KEEP: "Keep {} and exchange the others",
    Phase.GECKO_GIVE: "Give {} for it",
}
"""The words of the decisions that name a card of the hand; {} stands for it."""
OFFERS = {
    Phase.SWAP_OFFER: ("Draw a card", "Decline to draw"),
    Phase.GECKO_OFFER: ("Take a card from the dealer's hand", "Leave the dealer's hand alone"),
}
"""The words for accepting and declining an offer."""


def pick_text(view: View, action: int) -> str:
    """Return one legal pick of the viewer in words (see `Game.pick_text`)."""
    state, phase = view.state, Phase(view.state.phase)
    if phase in WITH_CARD:
        return WITH_CARD[phase].format(NUMBER_TITLES[action])
    if phase == Phase.DECIDE:
        point = POINT_TITLES[state.point_card]
        return f"Put the point card {point} in play" if action == PLAY else "Pass"
    if phase == Phase.SOCIAL:
        title = ActionCard(state.action_card).title
        return f"Perform: {title}" if action == ACCEPT else "Decline and lose what you won"
    if phase == Phase.STEAL:
        return _steal_text(state, action)
    if phase == Phase.PICK:
        named = seat_name(state, seat_at(state, state.asked, steps_of(action)))
        return f"Give {named} the dealer's advantage"
    accepted, declined = OFFERS[phase]
    return accepted if action == ACCEPT else declined


def _steal_text(state: Any, action: int) -> str:
    if action == DECLINE:
        return "Steal nothing"
    point = point_of(action)
    owner = seat_name(state, int(np.flatnonzero(state.owned[:, point])[0]))
    return f"Steal {POINT_TITLES[point]} from {owner}"
