"""A game of Bad, Bad, Turtle is one row of a structured array. This table tells its fields.

Seats are absolute in a row (0 … num_players − 1). Fields sized for eight seats use the first
`num_players`. A flag is 0 or 1. Piles hold kinds, the lowest card first; the top card is at
size − 1, and what lies beyond the size means nothing.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from gubs_env.engine.compilation import inlined
from gubs_env.engine.fields import Field, state_dtype
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.bad_bad_turtle.cards import MAX_CARDS, NO_CARD, NUM_KINDS, NUM_REACTIONS
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS, Rules

UNKNOWN_CARD = -2
"""In the row of a view: a card face down that the viewer does not know."""
PENDING = -1
"""What a reaction is aimed at when it is not another reaction card: the pending card."""
MAX_SHOWN = 3
"""Cards revealed in one decision: a second by Double Dip, and another by Recycle Bonus."""


class Phase(IntEnum):
    """What the acting seat has to decide."""

    TURN = 0  # to take the turn; under a social card, to perform or decline
    REACT = 1  # to play a set-aside card, or pass
    PICK = 2  # who takes the next turn
    OVER = 3
    EFFECT = 4  # nobody: the pending card takes effect; never seen between decisions
    TURN_END = 5  # nobody: the turn is over; never seen between decisions


# What every decision reads comes first, the large arrays last: less memory to fetch in a batch.
FIELDS = (
    # Whose decision
    Field("turn", np.int64, (), "the seat whose turn it is"),
    Field("next_turn", np.int64, (), "the seat that takes the next turn, as things stand"),
    Field("direction", np.int64, (), "of play: 1 clockwise, −1 the other way"),
    Field("dealer", np.int64, (), "the seat that dealt"),
    Field("winner", np.int64, (), "the seat that won; −1 before that, and if the game was cut off"),
    Field("modifier", np.int64, (), "the card that lies on the running turn, or −1"),
    Field("next_modifier", np.int64, (), "the card that lies on the next turn, or −1"),
    Field("living", np.int8, (MAX_PLAYERS,), "flags: not eliminated"),
    Field("peeking", np.int8, (MAX_PLAYERS,), "flags: may look through their own stack (Peek)"),
    # The card being resolved and the reactions to it
    Field("pending", np.int64, (), "the revealed card that has not taken effect yet, or −1"),
    Field("owner", np.int64, (), "who counts as its revealer; −1 while nothing is pending"),
    Field("shielded", np.int64, (), "flag: a Shield forced the pending card on its owner"),
    Field("depth", np.int64, (), "reactions played one upon the other and not settled yet"),
    Field("reaction", np.int64, (NUM_REACTIONS,), "the kinds of these, or −1"),
    Field("reaction_player", np.int64, (NUM_REACTIONS,), "who played each, or −1"),
    Field("reaction_target", np.int64, (NUM_REACTIONS,), "the seat each is aimed at, or −1"),
    Field("reaction_aim", np.int64, (NUM_REACTIONS,), "the kind each is aimed at, or PENDING"),
    Field(
        "polled",
        np.int64,
        (NUM_REACTIONS + 1,),
        "seats considered so far in the window of the pending card, and of each reaction",
    ),
    Field("aside", np.int64, (NUM_REACTIONS,), "who has each set aside, ready to be played, or −1"),
    # What happened in the last decision, before everybody's eyes
    Field("shown", np.int64, (MAX_SHOWN,), "the kinds revealed, in order, or −1"),
    Field("shown_by", np.int64, (MAX_SHOWN,), "who revealed each, or −1"),
    Field("deals", np.int64, (), "how many times cards were dealt in this game so far"),
    # Rule options, fixed for the game
    Field("max_cycles", np.int64, (), "rule option max_cycles"),
    Field("younger", np.int8, (), "flag: rule option younger"),
    Field("composition", np.int8, (NUM_KINDS,), "cards of each kind in the full deck"),
    # The table
    Field("stack_size", np.int64, (MAX_PLAYERS,), "cards in each stack"),
    Field("discard_size", np.int64, (MAX_PLAYERS,), "cards in each discard pile"),
    Field("reveal_size", np.int64, (MAX_PLAYERS,), "cards in each reveal pile"),
    Field(
        "discard_seen",
        np.int64,
        (MAX_PLAYERS,),
        "bit k: everybody saw which card lies at place k of the discard pile",
    ),
    Field("reveal_pile", np.int8, (MAX_PLAYERS, MAX_CARDS), "face up, in order of arrival"),
    Field("stack", np.int8, (MAX_PLAYERS, MAX_CARDS), "face down"),
    Field("discard_pile", np.int8, (MAX_PLAYERS, MAX_CARDS), "face down"),
)

STATE = state_dtype(FIELDS)


def new_states(count: int, num_players: int, rules: Rules) -> np.ndarray:
    """Rows for `count` games with these options, before anything is dealt: STATE[count]."""
    states = np.zeros(count, STATE)
    states["num_players"] = states["num_seats"] = num_players
    states["composition"] = rules.composition()
    states["younger"] = rules.younger
    states["max_cycles"] = rules.max_cycles
    return states


@inlined
def clear_pending(state):
    """No card is being resolved."""
    state.pending = NO_CARD
    state.owner = NOBODY
    state.shielded = 0
    state.polled[0] = 0


@inlined
def clear_reactions(state):
    """No reaction has been played upon the pending card."""
    state.depth = 0
    state.reaction[:] = NO_CARD
    state.reaction_player[:] = NOBODY
    state.reaction_target[:] = NOBODY
    state.reaction_aim[:] = PENDING
    state.polled[1:] = 0


@inlined
def clear_shown(state):
    """Nothing has been revealed in this decision."""
    state.shown[:] = NO_CARD
    state.shown_by[:] = NOBODY


@inlined
def seat_along(state, first, steps, direction):
    """The seat `steps` places from `first` in a direction, eliminated ones counted."""
    return seat_at(
        state, first, steps if direction > 0 or steps == 0 else state.num_players - steps
    )


@inlined
def next_living(state, seat, direction):
    """The next living seat in a direction; the seat itself if there is no other."""
    steps = 1
    while steps < state.num_players:
        other = seat_along(state, seat, steps, direction)
        if state.living[other]:
            return other
        steps += 1
    return seat


@inlined
def after(state, seat):
    """The next living seat in the direction of play."""
    return next_living(state, seat, state.direction)
