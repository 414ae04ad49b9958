"""The legal actions (sections 4 and 7)."""

from __future__ import annotations

from gubs_env.engine.compiling import compiled, inlined
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.bad_bad_turtle.actions import (
    DECLINE,
    FIRST_PICK,
    FIRST_SHIELD,
    PASS,
    PERFORM,
    PLAY_NEVER_HAPPENED,
    PLAY_NO_WAY,
    PLAY_NO_WAY_ON_NEVER_HAPPENED,
    PLAY_NO_WAY_ON_SHIELD,
    TAKE_TURN,
)
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, IS_SOCIAL, NO_CARD, Card
from gubs_env.games.bad_bad_turtle.state import Phase


@inlined
def answered_card(state):
    """Return the card that the current window is about."""
    return state.pending if state.depth == 0 else state.reaction[state.depth - 1]


@inlined
def answered_player(state):
    """Return the owner or player of that card, who is asked first (T14)."""
    return state.owner if state.depth == 0 else state.reaction_player[state.depth - 1]


@inlined
def holder(state, kind):
    """Return who has this reaction card set aside, or NOBODY."""
    return state.aside[kind - FIRST_REACTION]


@inlined
def can_overrule(state, seat):
    """Return whether a seat can play Never Happened: not on the reveal of the turtle (T15)."""
    return holder(state, Card.NEVER_HAPPENED) == seat and answered_card(state) != Card.TURTLE


@inlined
def can_shield(state, seat):
    """Return whether a seat can play Shield: not on a reaction or the turtle (T15)."""
    return holder(state, Card.SHIELD) == seat and state.depth == 0 and state.pending != Card.TURTLE


@inlined
def can_react(state, seat):
    """Return whether a seat has a card to answer with; No Way can always answer (T15)."""
    return (
        holder(state, Card.NO_WAY) == seat or can_overrule(state, seat) or can_shield(state, seat)
    )


@inlined
def is_others(state, seat, kind):
    """Return whether another player has this reaction card set aside."""
    return holder(state, kind) != NOBODY and holder(state, kind) != seat


@inlined
def write_reactions(state, seat, mask):
    """Write the answers that a seat has, and the choice to pass."""
    mask[PASS] = 1
    mask[PLAY_NEVER_HAPPENED] = can_overrule(state, seat)
    if holder(state, Card.NO_WAY) == seat:
        mask[PLAY_NO_WAY] = 1
        mask[PLAY_NO_WAY_ON_NEVER_HAPPENED] = is_others(state, seat, Card.NEVER_HAPPENED)
        mask[PLAY_NO_WAY_ON_SHIELD] = is_others(state, seat, Card.SHIELD)
    if can_shield(state, seat):
        write_living(state, seat, mask, FIRST_SHIELD)


@inlined
def write_living(state, seat, mask, first):
    """Write the living players, relative to a seat, from the action `first` on."""
    for steps in range(state.num_players):
        mask[first + steps] = state.living[seat_at(state, seat, steps)]


@compiled
def write_mask(state, mask):
    """Write the mask of the acting player, int8[24]; zeros when the game is over."""
    mask[:] = 0
    if state.phase == Phase.TURN:
        if state.modifier != NO_CARD and IS_SOCIAL[state.modifier]:
            mask[PERFORM] = 1
            mask[DECLINE] = 1
        else:
            mask[TAKE_TURN] = 1
    elif state.phase == Phase.REACT:
        write_reactions(state, state.actor, mask)
    elif state.phase == Phase.PICK:
        write_living(state, state.actor, mask, FIRST_PICK)
