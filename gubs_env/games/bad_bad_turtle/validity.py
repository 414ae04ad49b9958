"""The faults of a state of Bad, Bad, Turtle: what must be true between two decisions.

The ranges of single fields are declared in `state`; here are the rules across fields. A view is
checked against what its viewer could know: cards may be unknown, but there must be a complete state
behind it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from gubs_env.engine.compilation import compiled
from gubs_env.engine.faults import FIRST_FAULT, SOUND
from gubs_env.engine.seats import NOBODY
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    NO_CARD,
    NUM_KINDS,
    NUM_REACTIONS,
    PRINTED_DECK,
    Card,
)
from gubs_env.games.bad_bad_turtle.determinization import count_out
from gubs_env.games.bad_bad_turtle.legal import answered_player, can_react
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS
from gubs_env.games.bad_bad_turtle.state import PENDING, UNKNOWN_CARD, Phase, seat_along


class Fault(IntEnum):
    """The faults that a state of Bad, Bad, Turtle can have."""

    SEATS = FIRST_FAULT
    EMPTY_SEAT = FIRST_FAULT + 1
    DECK_LIST = FIRST_FAULT + 2
    CARDS = FIRST_FAULT + 3
    UNKNOWN = FIRST_FAULT + 4
    SHOWN = FIRST_FAULT + 5
    REACTIONS = FIRST_FAULT + 6
    ASKED = FIRST_FAULT + 7
    PHASE = FIRST_FAULT + 8


WORDS = {
    Fault.SEATS: "its turn, its player to decide or its living players are none of this table",
    Fault.EMPTY_SEAT: "something lies at seat {where}, where nobody plays",
    Fault.DECK_LIST: "its deck cannot have {card} this often",
    Fault.CARDS: "cards are lost or doubled in this state: {card}",
    Fault.UNKNOWN: "a pile of seat {where} holds unknown cards: this is a view, not a state",
    Fault.SHOWN: "it shows cards of seat {where} that nobody can know: this is a state, not a view",
    Fault.REACTIONS: "the reactions to the revealed card cannot have been played like this",
    Fault.ASKED: "seat {where} cannot be the next one to answer",
    Fault.PHASE: "the revealed card or the piles do not fit the phase",
}


def fault_words(fault: int, where: int) -> str:
    """Return a fault in words."""
    card = Card(where).title if 0 <= where < NUM_KINDS else ""
    return WORDS[Fault(fault)].format(where=where, card=card)


@compiled
def find_fault(state, viewer):
    """Return the first fault as (Fault, where), (SOUND, 0) if there is none.

    Args:
        state: a state or a view, every field in its range.
        viewer: the seat whose view it is; NOBODY for a complete state.
    """
    found = fault_of_seats(state)
    if found[0] == SOUND:
        found = fault_of_piles(state, viewer)
    if found[0] == SOUND:
        found = fault_of_cards(state)
    if found[0] == SOUND and state.phase != Phase.OVER:
        found = fault_of_reactions(state)
        if found[0] == SOUND:
            found = fault_of_phase(state)
    return found


# --------------------------------------------------------------------------------------- the seats


@compiled
def is_living(state, seat):
    return 0 <= seat < state.num_players and state.living[seat] == 1


@compiled
def fault_of_seats(state):
    n = state.num_players
    if n < 2 or state.num_seats != n or not 0 <= state.actor < n or state.dealer >= n:
        return Fault.SEATS, 0
    if state.phase > Phase.OVER or state.direction == 0 or state.next_modifier != NO_CARD:
        return Fault.SEATS, 0
    for seat in range(n, MAX_PLAYERS):
        if state.living[seat] or state.reveal_size[seat] > 0:
            return Fault.EMPTY_SEAT, seat
    for seat in range(MAX_PLAYERS):
        down = state.stack_size[seat] + state.discard_size[seat]
        plays = is_living(state, seat) or (state.phase == Phase.OVER and seat < n)
        if not plays and (down > 0 or state.peeking[seat]):
            return Fault.EMPTY_SEAT, seat
        if state.discard_seen[seat] >> state.discard_size[seat]:
            return Fault.EMPTY_SEAT, seat
    for place in range(len(state.shown)):
        if state.shown_by[place] >= n:
            return Fault.SEATS, 0
        if (state.shown[place] == NO_CARD) != (state.shown_by[place] == NOBODY):
            return Fault.SEATS, 0
    if state.phase == Phase.OVER:
        return SOUND, 0
    out_of_play = state.winner != NOBODY or state.living.sum() < 2
    if out_of_play or not is_living(state, state.turn) or not is_living(state, state.next_turn):
        return Fault.SEATS, 0
    return (SOUND, 0) if is_living(state, state.actor) else (Fault.SEATS, 0)


# --------------------------------------------------------------------------------------- the cards


@compiled
def fault_of_piles(state, viewer):
    """Look for cards that are unknown in a complete state, or shown in a view."""
    for seat in range(MAX_PLAYERS):
        for place in range(state.reveal_size[seat]):
            if state.reveal_pile[seat, place] < 0:
                return Fault.UNKNOWN, seat
        sees_stack = viewer == NOBODY or (viewer == seat and state.peeking[seat])
        for place in range(state.stack_size[seat]):
            kind = state.stack[seat, place]
            if (kind == UNKNOWN_CARD) == sees_stack or kind == NO_CARD:
                return (Fault.UNKNOWN if sees_stack else Fault.SHOWN), seat
        for place in range(state.discard_size[seat]):
            sees = viewer == NOBODY or state.discard_seen[seat] >> place & 1
            kind = state.discard_pile[seat, place]
            if (kind == UNKNOWN_CARD) == sees or kind == NO_CARD:
                return (Fault.UNKNOWN if sees else Fault.SHOWN), seat
    return SOUND, 0


@compiled
def fault_of_cards(state):
    """Look for a deck that `Rules` would refuse, and for cards that are lost or doubled."""
    left = np.zeros(NUM_KINDS, np.int64)
    for kind in range(NUM_KINDS):
        left[kind] = state.composition[kind]
        if left[kind] > PRINTED_DECK[kind]:
            return Fault.DECK_LIST, kind
    for seat in range(MAX_PLAYERS):
        count_out(left, state.stack[seat], state.stack_size[seat])
        count_out(left, state.discard_pile[seat], state.discard_size[seat])
        count_out(left, state.reveal_pile[seat], state.reveal_size[seat])
    if state.pending != NO_CARD:
        left[state.pending] -= 1
    for number in range(NUM_REACTIONS):
        if state.reaction[number] != NO_CARD:
            left[state.reaction[number]] -= 1
        if state.aside[number] != NOBODY:
            left[FIRST_REACTION + number] -= 1
    unknown = count_unknown(state)
    for kind in range(NUM_KINDS):
        if left[kind] < 0 or (unknown == 0 and left[kind] > 0):
            return Fault.CARDS, kind
    return (SOUND, 0) if left.sum() == unknown else (Fault.CARDS, Card.BLANK)


@compiled
def count_unknown(state):
    """Return the number of places whose card a view does not show."""
    unknown = 0
    for seat in range(MAX_PLAYERS):
        for place in range(state.stack_size[seat]):
            unknown += state.stack[seat, place] == UNKNOWN_CARD
        for place in range(state.discard_size[seat]):
            unknown += state.discard_pile[seat, place] == UNKNOWN_CARD
    return unknown


# ----------------------------------------------------------------------- reactions and phases


@compiled
def fault_of_reactions(state):
    """Look for reactions that cannot lie one upon the other (section 7)."""
    for number in range(NUM_REACTIONS):
        holder = state.aside[number]
        if holder != NOBODY and (state.younger or not is_living(state, holder)):
            return Fault.REACTIONS, number
        kind, player = state.reaction[number], state.reaction_player[number]
        target, aim = state.reaction_target[number], state.reaction_aim[number]
        if number >= state.depth:
            if kind != NO_CARD or player != NOBODY or target != NOBODY or aim != PENDING:
                return Fault.REACTIONS, number
            continue
        is_reaction = FIRST_REACTION <= kind < FIRST_REACTION + NUM_REACTIONS
        if not is_reaction or not is_living(state, player) or not is_living(state, target):
            return Fault.REACTIONS, number
        if not is_aimed_well(state, number):
            return Fault.REACTIONS, number
    in_window = state.phase == Phase.REACT
    if not in_window and state.depth > 0:
        return Fault.REACTIONS, 0
    for level in range(NUM_REACTIONS + 1):
        if state.polled[level] > (state.num_players if in_window else 0):
            return Fault.REACTIONS, level
        if level > state.depth and state.polled[level] > 0:
            return Fault.REACTIONS, level
    return SOUND, 0


@compiled
def is_aimed_well(state, number):
    """Return whether a reaction is aimed at the revealed card, the reaction below or one aside."""
    aim, target = state.reaction_aim[number], state.reaction_target[number]
    if aim == PENDING:
        return number == 0
    if not FIRST_REACTION <= aim < FIRST_REACTION + NUM_REACTIONS:
        return False
    if state.aside[aim - FIRST_REACTION] != NOBODY:
        return state.aside[aim - FIRST_REACTION] == target
    return number > 0 and state.reaction[number - 1] == aim


@compiled
def fault_of_phase(state):
    """Look for a decision that is not due (sections 4 and 5)."""
    is_pending = state.pending != NO_CARD
    if is_pending != (state.phase == Phase.REACT) or is_pending != (state.owner != NOBODY):
        return Fault.PHASE, 0
    if state.phase == Phase.REACT:
        return fault_of_window(state)
    if state.shielded:
        return Fault.PHASE, 0
    if state.phase == Phase.TURN and state.stack_size[state.turn] == 0:
        return Fault.PHASE, 0
    fits = state.actor == state.turn if state.phase == Phase.TURN else picks(state)
    return (SOUND, 0) if fits else (Fault.PHASE, 0)


@compiled
def picks(state):
    """Return whether the player to decide has just revealed Pick a Player."""
    top = state.reveal_size[state.actor] - 1
    return top >= 0 and state.reveal_pile[state.actor, top] == Card.PICK_A_PLAYER


@compiled
def fault_of_window(state):
    if state.younger or not is_living(state, state.owner):
        return Fault.PHASE, 0
    considered = state.polled[state.depth] - 1
    if considered < 0 or not can_react(state, state.actor):
        return Fault.ASKED, state.actor
    if state.actor != seat_along(state, answered_player(state), considered, state.direction):
        return Fault.ASKED, state.actor
    return SOUND, 0


def means_nothing(state: Any, field: str, entry: tuple[int, ...]) -> bool:
    """Return whether an entry is that of an empty seat, or beyond the cards and reactions there."""
    if field in ("stack", "discard_pile", "reveal_pile") and entry[0] < state.num_players:
        return entry[1] >= state[field.replace("_pile", "") + "_size"][entry[0]]
    if field == "discard_seen" and entry[0] < state.num_players:
        return state.discard_size[entry[0]] == 0
    if field.startswith("reaction"):
        return entry[0] >= state.depth
    if field == "owner":
        return state.pending == NO_CARD
    if field == "composition":
        return entry[0] == Card.BLANK  # the rules never leave out number cards
    if field in ("phase", "actor"):
        return state.phase == Phase.OVER
    by_seat = (
        *("living", "peeking", "stack_size", "discard_size", "discard_seen"),
        *("stack", "discard_pile", "reveal_pile"),
    )
    return field in by_seat and entry[0] >= state.num_players


assert len(WORDS) == len(Fault)
