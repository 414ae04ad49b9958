"""Moves of Bad, Bad, Turtle in words, as the player to decide reads them; each is one pick."""

from __future__ import annotations

from gubs_env.engine.seats import seat_at
from gubs_env.engine.text import player_name
from gubs_env.engine.view import View
from gubs_env.games.bad_bad_turtle.actions import (
    FIRST_PICK,
    FIRST_SHIELD,
    NO_WAY_ASIDE,
    PASS,
    PERFORM,
    TAKE_TURN,
)
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, Card
from gubs_env.games.bad_bad_turtle.history import played_card
from gubs_env.games.bad_bad_turtle.legal import answered_card, answered_player
from gubs_env.games.bad_bad_turtle.state import Phase


def pick_text(view: View, action: int) -> str:
    """Return one legal pick of the viewer in words (see `Game.pick_text`)."""
    state = view.state
    if state.phase == Phase.TURN:
        if action == TAKE_TURN:
            return "Take your turn"
        title = Card(state.modifier).title
        return f"Perform: {title}" if action == PERFORM else "Decline and lose your turn"
    if state.phase == Phase.PICK:
        return f"Give the next turn to {_name(view, action - FIRST_PICK)}"
    answered = Card(answered_card(state)).title
    if action == PASS:
        return f"Pass: let {answered} stand"
    if action >= FIRST_SHIELD:
        return f"Shield: force {answered} on {_name(view, action - FIRST_SHIELD)}"
    for card, number in NO_WAY_ASIDE.items():
        if action == number:
            holder = player_name(state.aside[card - FIRST_REACTION])
            return f"No Way on the {card.title} that {holder} has set aside"
    owner = answered_player(state)
    whose = "your own" if owner == view.seat else f"{player_name(owner)}'s"
    return f"{Card(played_card(action)).title} on {whose} {answered}"


def _name(view: View, steps: int) -> str:
    player = seat_at(view.state, view.seat, steps)
    return "yourself" if player == view.seat else player_name(player)
