"""What may be done now (sections 4 and 7)."""

from __future__ import annotations

from gubs_env.games.bad_bad_turtle.actions import (
    DECLINE,
    FIRST_PICK,
    FIRST_SHIELD,
    NEVER_HAPPENED,
    NO_WAY,
    NO_WAY_ON_NEVER_HAPPENED,
    NO_WAY_ON_SHIELD,
    PASS,
    PERFORM,
    TAKE_TURN,
)
from gubs_env.games.bad_bad_turtle.cards import FIRST_REACTION, IS_SOCIAL, NO_CARD, Card
from gubs_env.games.bad_bad_turtle.state import NOBODY, Phase, seat_at
from gubs_env.games.compilation import inlined, rule


@inlined
def answered_card(game):
    """The card that the window under way is about."""
    return game.pending if game.depth == 0 else game.reaction[game.depth - 1]


@inlined
def answered_player(game):
    """The player of that card, who is asked first (T14)."""
    return game.owner if game.depth == 0 else game.reaction_player[game.depth - 1]


@inlined
def holder(game, kind):
    """Who has this reaction card set aside, or NOBODY."""
    return game.aside[kind - FIRST_REACTION]


@inlined
def can_overrule(game, seat):
    """Never Happened: on anything but the reveal of the turtle (T15)."""
    return holder(game, Card.NEVER_HAPPENED) == seat and answered_card(game) != Card.TURTLE


@inlined
def can_shield(game, seat):
    """Shield: on a revealed action card but the turtle, not on a reaction (T15)."""
    return holder(game, Card.SHIELD) == seat and game.depth == 0 and game.pending != Card.TURTLE


@inlined
def can_react(game, seat):
    """Whether a player has a card to answer with; No Way is always one (T15)."""
    return holder(game, Card.NO_WAY) == seat or can_overrule(game, seat) or can_shield(game, seat)


@inlined
def is_others(game, seat, kind):
    """Whether another player has this reaction card set aside."""
    return holder(game, kind) != NOBODY and holder(game, kind) != seat


@inlined
def write_reactions(game, seat, mask):
    """The answers that a player has, and to pass."""
    mask[PASS] = 1
    mask[NEVER_HAPPENED] = can_overrule(game, seat)
    if holder(game, Card.NO_WAY) == seat:
        mask[NO_WAY] = 1
        mask[NO_WAY_ON_NEVER_HAPPENED] = is_others(game, seat, Card.NEVER_HAPPENED)
        mask[NO_WAY_ON_SHIELD] = is_others(game, seat, Card.SHIELD)
    if can_shield(game, seat):
        write_living(game, seat, mask, FIRST_SHIELD)


@inlined
def write_living(game, seat, mask, first):
    """Each living player, relative to a seat, from the action `first` on."""
    for steps in range(game.num_players):
        mask[first + steps] = game.living[seat_at(game, seat, steps)]


@rule
def write_mask(game, mask):
    """Write the legal actions of the seat to decide: int8[24], zeros when the game is over."""
    mask[:] = 0
    if game.phase == Phase.TURN:
        if game.modifier != NO_CARD and IS_SOCIAL[game.modifier]:
            mask[PERFORM] = 1
            mask[DECLINE] = 1
        else:
            mask[TAKE_TURN] = 1
    elif game.phase == Phase.REACT:
        write_reactions(game, game.actor, mask)
    elif game.phase == Phase.PICK:
        write_living(game, game.actor, mask, FIRST_PICK)
