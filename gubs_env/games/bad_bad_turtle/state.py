"""The state of a game of Bad, Bad, Turtle, one row of a structured array, field by field.

Seats are absolute in a state (0 … num_players − 1). Fields sized for eight seats use the first
`num_players`. A flag is 0 or 1. Piles hold kinds, the lowest card first. The top card is at
size − 1; beyond it lie zeros, so that equal states have equal bytes.
"""

from __future__ import annotations

from enum import IntEnum

from gubs_env.engine.compiling import inlined
from gubs_env.engine.fields import (
    LONGEST_GAME,
    Byte,
    Field,
    Seen,
    range_check,
    state_dtype,
    with_common,
)
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.bad_bad_turtle.cards import (
    MAX_CARDS,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUM_KINDS,
    NUM_MODIFIERS,
    NUM_REACTIONS,
)
from gubs_env.games.bad_bad_turtle.rules import MAX_CYCLES, MAX_PLAYERS

UNKNOWN_CARD = -2
"""In a view: a card face down that the viewer does not know."""
PENDING = -1
"""The aim of a reaction to the pending card, rather than to a reaction card."""
MAX_SHOWN = 3
"""The most cards revealed in one decision: Double Dip adds one, and Recycle Bonus another."""


class Phase(IntEnum):
    """The decision that the acting player has to make; from OVER on there is none."""

    TURN = 0  # take the turn; under a social card, perform or decline
    REACT = 1  # play a set-aside card, or pass
    PICK = 2  # who takes the next turn
    OVER = 3
    EFFECT = 4  # the pending card takes effect; never seen between decisions
    TURN_END = 5  # the turn is over; never seen between decisions


turn_phase = Phase.TURN

# Fields that every decision reads come first and large arrays last: a batch fetches less memory.
LAST_SEAT, LAST_KIND = MAX_PLAYERS - 1, NUM_KINDS - 1
FOLLOWS, IN_PART = Seen.FOLLOWS, Seen.IN_PART
# fmt: off
FIELDS = (
    # Whose turn
    Field("turn", (), "the seat whose turn it is", 0, LAST_SEAT),
    Field("next_turn", (), "the seat that takes the next turn, as things stand",
          0, LAST_SEAT),
    Field("direction", (), "direction of play: 1 clockwise, −1 counter-clockwise", -1, 1),
    Field("dealer", (), "the seat that dealt", 0, LAST_SEAT),
    Field("winner", (), "the seat that won; −1 before that, and if the game was cut off",
          NOBODY, LAST_SEAT),
    Field("modifier", (), "the card that lies on this turn, or −1",
          NO_CARD, NUM_MODIFIERS - 1),
    Field("next_modifier", (),
          "the card that lies on the next turn, or −1; always −1 between decisions",
          NO_CARD, NUM_MODIFIERS - 1, FOLLOWS),
    Byte("living", (MAX_PLAYERS,), "flags: not eliminated"),
    Byte("peeking", (MAX_PLAYERS,), "flags: may look through their own stack (Peek)"),
    # The card being resolved and the reactions to it
    Field("pending", (), "the revealed card that has not taken effect yet, or −1",
          NO_CARD, NUM_ACTION_CARDS - 1),
    Field("owner", (), "the owner of that card; −1 while nothing is pending",
          NOBODY, LAST_SEAT),
    Field("shielded", (), "flag: a Shield forced the pending card on its owner"),
    Field("depth", (), "reactions that are not settled yet, each upon the one before",
          0, NUM_REACTIONS, FOLLOWS),
    Field("reaction", (NUM_REACTIONS,), "the kinds of these reactions, or −1",
          NO_CARD, NUM_ACTION_CARDS - 1),
    Field("reaction_player", (NUM_REACTIONS,), "who played each, or −1",
          NOBODY, LAST_SEAT),
    Field("reaction_target", (NUM_REACTIONS,), "the seat each is aimed at, or −1",
          NOBODY, LAST_SEAT),
    Field("reaction_aim", (NUM_REACTIONS,), "the kind each is aimed at, or PENDING",
          PENDING, NUM_ACTION_CARDS - 1),
    Field("polled", (NUM_REACTIONS + 1,),
          "seats considered so far in the window of the pending card, and of each reaction",
          0, MAX_PLAYERS),
    Field("aside", (NUM_REACTIONS,), "who has each reaction set aside, or −1",
          NOBODY, LAST_SEAT),
    # What everybody saw in the last decision
    Field("shown", (MAX_SHOWN,), "the kinds revealed, in order, or −1",
          NO_CARD, LAST_KIND),
    Field("shown_by", (MAX_SHOWN,), "who revealed each, or −1", NOBODY, LAST_SEAT),
    Field("deals", (), "how often cards were dealt in this game so far", 0, LONGEST_GAME),
    # Rule options, fixed for the game
    Field("max_cycles", (), "rule option max_cycles", 1, MAX_CYCLES),
    Byte("younger", (), "flag: rule option younger"),
    Byte("composition", (NUM_KINDS,), "cards of each kind in the full deck",
          0, MAX_CARDS),
    # The table
    Field("stack_size", (MAX_PLAYERS,), "cards in each stack", 0, MAX_CARDS),
    Field("discard_size", (MAX_PLAYERS,), "cards in each discard pile", 0, MAX_CARDS),
    Field("reveal_size", (MAX_PLAYERS,), "cards in each reveal pile",
          0, MAX_CARDS, FOLLOWS),
    Field("discard_seen", (MAX_PLAYERS,),
          "bit k: everybody saw which card lies at place k of the discard pile",
          0, (1 << MAX_CARDS) - 1),
    Byte("reveal_pile", (MAX_PLAYERS, MAX_CARDS), "face up, in order of arrival",
          UNKNOWN_CARD, LAST_KIND),
    Byte("stack", (MAX_PLAYERS, MAX_CARDS), "face down",
          UNKNOWN_CARD, LAST_KIND, IN_PART),
    Byte("discard_pile", (MAX_PLAYERS, MAX_CARDS), "face down",
          UNKNOWN_CARD, LAST_KIND, IN_PART),
)
# fmt: on
option_fields = ("max_cycles", "younger")
state_fields = with_common(FIELDS)
STATE = state_dtype(state_fields)
field_out_of_range = range_check(state_fields)


@inlined
def clear_pending(state):
    """Clear the pending card: no card is being resolved."""
    state.pending = NO_CARD
    state.owner = NOBODY
    state.shielded = 0
    state.polled[0] = 0


@inlined
def clear_reactions(state):
    """Clear the reactions: none has been played on the pending card."""
    state.depth = 0
    state.reaction[:] = NO_CARD
    state.reaction_player[:] = NOBODY
    state.reaction_target[:] = NOBODY
    state.reaction_aim[:] = PENDING
    state.polled[1:] = 0


@inlined
def clear_shown(state):
    """Clear the record of the cards that were revealed in this decision."""
    state.shown[:] = NO_CARD
    state.shown_by[:] = NOBODY


@inlined
def seat_along(state, first, steps, direction):
    """Return the seat `steps` places from `first` in a direction, eliminated seats counted."""
    return seat_at(
        state, first, steps if direction > 0 or steps == 0 else state.num_players - steps
    )


@inlined
def next_living(state, seat, direction):
    """Return the next living seat in a direction; the seat itself if there is no other."""
    steps = 1
    while steps < state.num_players:
        other = seat_along(state, seat, steps, direction)
        if state.living[other]:
            return other
        steps += 1
    return seat


@inlined
def after(state, seat):
    """Return the next living seat in the direction of play."""
    return next_living(state, seat, state.direction)
