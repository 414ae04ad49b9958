"""The faults of a state of Bad, Bad, Turtle: what must be true between two decisions.

The ranges of single fields are declared in `state`; here are the rules across fields. A view is
checked against what its viewer could know: cards may be unknown, but there must be a complete state
behind it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from gubs_env.engine.compiling import compiled
from gubs_env.engine.faults import SOUND, GameFault, first_fault, words_of
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    NO_CARD,
    NUM_KINDS,
    NUM_REACTIONS,
    PRINTED_DECK,
    Card,
)
from gubs_env.games.bad_bad_turtle.determinization import count_unseen
from gubs_env.games.bad_bad_turtle.legal import answered_player, can_react
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS
from gubs_env.games.bad_bad_turtle.state import (
    PENDING,
    UNKNOWN_CARD,
    Phase,
    after,
    next_living,
    seat_along,
)

TURTLE, ELIMINATED = int(Card.TURTLE), int(Card.ELIMINATED)
"""Whole numbers, because the compiler joins them with those of other cards."""


class Fault(GameFault):
    """The faults that a state of Bad, Bad, Turtle can have."""

    SEATS = "its turn, its player to decide or its living players are none of this table"
    EMPTY_SEAT = "something lies at seat {where}, where nobody plays"
    DECK_LIST = "its deck cannot have {card} this often"
    CARDS = "cards are lost or doubled in this state: {card}"
    UNKNOWN = "a pile of seat {where} holds unknown cards: this is a view, not a state"
    SHOWN = "it shows cards of seat {where} that nobody can know: this is a state, not a view"
    REACTIONS = "the reactions to the revealed card cannot have been played like this"
    ASKED = "seat {where} cannot be the next one to answer"
    PHASE = "the revealed card or the piles do not fit the phase"
    ELIMINATED = "seat {where} is eliminated, but in this game no card eliminates anybody"
    REVEALED = "{card} cannot lie revealed like this while the game goes on"
    SEEN = "nobody can have seen {card} go into a discard pile"
    DIRECTION = "play goes counter-clockwise, but Reverse Direction cannot have been revealed"
    PEEKING = "seat {where} cannot be looking through their stack: Peek is not on their reveal pile"
    MODIFIER = (
        "{card} does not lie on this turn: it is not on top of the reveal pile of the player before"
    )
    NEXT_TURN = "seat {where} does not take the next turn"
    STACKS = "seat {where} has no stack; all that lies face down would have been dealt anew"
    CUT_OFF = "the game would be over: it has had max_cycles decisions"


fault_words = partial(words_of, Fault, [card.title for card in Card])

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
    can_eliminate = state.composition[Card.ELIMINATED] > 0 and not state.younger
    for seat in range(n):
        if not state.living[seat] and not can_eliminate:
            return Fault.ELIMINATED, seat
    for seat in range(MAX_PLAYERS):
        down = state.stack_size[seat] + state.discard_size[seat]
        plays = is_living(state, seat) or (state.phase == Phase.OVER and seat < n)
        if not plays and (down > 0 or state.peeking[seat]):
            return Fault.EMPTY_SEAT, seat
        if state.discard_seen[seat] >> state.discard_size[seat]:
            return Fault.EMPTY_SEAT, seat
    for place in range(len(state.shown)):
        by = state.shown_by[place]
        if by >= n or (state.shown[place] == NO_CARD) != (by == NOBODY):
            return Fault.SEATS, 0
    if state.phase == Phase.OVER:
        return SOUND, 0
    if state.decisions >= state.max_cycles:
        return Fault.CUT_OFF, 0
    out_of_play = state.winner != NOBODY or state.living.sum() < 2
    if out_of_play or not is_living(state, state.turn) or not is_living(state, state.next_turn):
        return Fault.SEATS, 0
    return (SOUND, 0) if is_living(state, state.actor) else (Fault.SEATS, 0)


# --------------------------------------------------------------------------------------- the cards


@compiled
def fault_of_piles(state, viewer):
    """Look for cards that are unknown in a complete state, or shown in a view."""
    for seat in range(MAX_PLAYERS):
        if (state.reveal_pile[seat, : state.reveal_size[seat]] < 0).any():
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
    for kind in range(NUM_KINDS):
        copies = state.composition[kind]
        if copies > PRINTED_DECK[kind] or (kind == Card.TURTLE and copies == 0):
            return Fault.DECK_LIST, kind
    left, unknown = count_unseen(state), count_unknown(state)
    for kind in range(NUM_KINDS):
        if left[kind] < 0 or (unknown == 0 and left[kind] > 0):
            return Fault.CARDS, kind
    return (SOUND, 0) if left.sum() == unknown else (Fault.CARDS, Card.BLANK)


@compiled
def count_unknown(state):
    """Return the number of places whose card a view does not show."""
    unknown = 0
    for seat in range(MAX_PLAYERS):
        unknown += (state.stack[seat, : state.stack_size[seat]] == UNKNOWN_CARD).sum()
        unknown += (state.discard_pile[seat, : state.discard_size[seat]] == UNKNOWN_CARD).sum()
    return unknown


# ------------------------------------------------------------------------------ what lies open


@compiled
def is_revealed(state, seat, kind):
    """Return whether a card lies in the reveal pile of a seat."""
    is_there = False
    for place in range(state.reveal_size[seat]):
        is_there |= state.reveal_pile[seat, place] == kind
    return is_there


@compiled
def fault_of_revealed(state):
    """Look for cards that cannot have come to lie open, or face down with all looking on."""
    for seat in range(state.num_players):
        if is_revealed(state, seat, TURTLE):
            return Fault.REVEALED, TURTLE
        spared = state.younger or state.composition[Card.NEVER_HAPPENED] > 0
        if is_revealed(state, seat, ELIMINATED) and not spared:
            return Fault.REVEALED, ELIMINATED
        for place in range(state.discard_size[seat]):
            kind = state.discard_pile[seat, place]
            if state.discard_seen[seat] >> place & 1 and not can_be_seen(state, kind):
                return Fault.SEEN, kind
    for place in range(len(state.shown)):
        kind, before = state.shown[place], state.shown[place - 1]
        if kind == NO_CARD:
            continue
        can_follow = place == 0 or before == Card.DOUBLE_DIP or before == Card.RECYCLE_BONUS
        if state.composition[kind] == 0 or not can_follow:
            return Fault.REVEALED, kind
    return SOUND, 0


@compiled
def can_be_seen(state, kind):
    """Return whether all can have seen a card go face down: by Clean Up, or hit by No Way."""
    if state.younger:
        return False
    by_clean_up = state.composition[Card.CLEAN_UP] > 0 and kind != Card.TURTLE
    by_no_way = state.composition[Card.NO_WAY] > 0 and kind != Card.NO_WAY and kind != Card.BLANK
    return by_clean_up or by_no_way


@compiled
def fault_of_lasting(state):
    """Look for a direction, or a look at a stack, that no card has brought (section 8)."""
    deck, lookers = state.composition, 0
    leaves_pile = deck[Card.CLEAN_UP] + deck[Card.DO_OVER] + deck[Card.SLOW_DOWN] > 0
    reversing = deck[Card.REVERSE_DIRECTION] * leaves_pile
    for seat in range(state.num_players):
        reversing += is_revealed(state, seat, Card.REVERSE_DIRECTION)
        lookers += state.peeking[seat]
        if lookers > 1 or (state.peeking[seat] and not can_peek(state, seat)):
            return Fault.PEEKING, seat
    if state.direction < 0 and (state.younger or reversing == 0):
        return Fault.DIRECTION, 0
    return SOUND, 0


@compiled
def can_peek(state, seat):
    """Return whether a seat that has revealed Peek can still look through their stack (T25).

    Only their own turn takes Peek from their reveal pile, or Clean Up or Do Over that a Shield has
    forced on them; the next turn is then theirs.
    """
    if state.younger or (state.phase != Phase.TURN and seat == state.turn):
        return False
    if is_revealed(state, seat, Card.PEEK):
        return True
    deck = state.composition
    forced = deck[Card.SHIELD] * (deck[Card.CLEAN_UP] + deck[Card.DO_OVER]) > 0
    return deck[Card.PEEK] > 0 and forced and state.phase == Phase.TURN and seat == state.turn


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
        are_living = is_living(state, player) and is_living(state, target)
        if not is_reaction or not are_living or not is_aimed_well(state, number):
            return Fault.REACTIONS, number
    in_window = state.phase == Phase.REACT
    if not in_window and state.depth > 0:
        return Fault.REACTIONS, 0
    for level in range(NUM_REACTIONS + 1):
        most = state.num_players if in_window and level <= state.depth else 0
        if state.polled[level] > most:
            return Fault.REACTIONS, level
    return SOUND, 0


@compiled
def is_aimed_well(state, number):
    """Return whether a reaction could be played like this: see the table of section 7."""
    kind, aim = state.reaction[number], state.reaction_aim[number]
    target = state.reaction_target[number]
    if aim == PENDING:
        fits = number == 0 and (kind == Card.SHIELD or target == state.owner)
        return fits and (kind == Card.NO_WAY or state.pending != Card.TURTLE)
    if kind == Card.SHIELD or not FIRST_REACTION <= aim < FIRST_REACTION + NUM_REACTIONS:
        return False
    holder = state.aside[aim - FIRST_REACTION]
    if holder != NOBODY:
        is_others = holder == target and holder != state.reaction_player[number]
        return kind == Card.NO_WAY and is_others
    below = number - 1
    return number > 0 and state.reaction[below] == aim and state.reaction_player[below] == target


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
        return Fault.STACKS, state.turn
    if state.phase == Phase.TURN:
        is_due = state.actor == state.turn
    else:
        is_due = is_on_top(state, state.actor, Card.PICK_A_PLAYER)
    return (SOUND, 0) if is_due else (Fault.PHASE, 0)


@compiled
def fault_of_window(state):
    if state.younger or not is_living(state, state.owner):
        return Fault.PHASE, 0
    first, considered = answered_player(state), state.polled[state.depth] - 1
    due = considered >= 0 and can_react(state, state.actor)
    due = due and state.actor == seat_along(state, first, considered, state.direction)
    return (SOUND, 0) if due else (Fault.ASKED, state.actor)


# ---------------------------------------------------------------------------------------- the turn


@compiled
def fault_of_turn(state):
    """Look for what cannot lie on the turn, and for a next turn that nobody was given."""
    if state.phase == Phase.TURN:
        if state.next_turn != after(state, state.turn):
            return Fault.NEXT_TURN, state.next_turn
        fault = fault_of_stacks(state)
        if fault[0] != SOUND:
            return fault
    else:
        owner = state.owner if state.phase == Phase.REACT else state.actor
        by_shield = state.next_turn == owner and is_revealed(state, owner, Card.SHIELD)
        forced = state.shielded or owner != state.turn
        if (forced or state.next_turn != after(state, state.turn)) and not by_shield:
            return Fault.NEXT_TURN, state.next_turn
    fits = state.modifier == NO_CARD or modifier_fits(state)
    return (SOUND, 0) if fits else (Fault.MODIFIER, state.modifier)


@compiled
def modifier_fits(state):
    """Return whether the card on the turn was the last that the turn before revealed.

    A Shield forces it on the player whose turn it then is; Slow Down puts itself into their stack.
    """
    if state.younger or state.composition[state.modifier] == 0:
        return False
    before = next_living(state, state.turn, -state.direction)
    if state.phase == Phase.TURN:
        by_shield = is_revealed(state, state.turn, Card.SHIELD)
        is_there = is_on_top(state, before, state.modifier)
        return is_there or (by_shield and is_on_top(state, state.turn, state.modifier))
    if is_revealed(state, before, state.modifier) or is_revealed(state, state.turn, state.modifier):
        return state.modifier != Card.NO_REVEAL
    return state.modifier == Card.SLOW_DOWN and state.composition[Card.SHIELD] > 0


@compiled
def is_on_top(state, seat, kind):
    top = state.reveal_size[seat] - 1
    return top >= 0 and state.reveal_pile[seat, top] == kind


@compiled
def fault_of_stacks(state):
    """Look for an empty stack at the start of a turn (section 6).

    Fewer cards than players can leave some without: all cards were then just dealt anew, one each.
    """
    empty, after_empty = NOBODY, 0
    for steps in range(state.num_players):
        seat = seat_at(state, state.turn, steps)
        if not state.living[seat]:
            continue
        if state.stack_size[seat] == 0 and empty == NOBODY:
            empty = seat
        after_empty += empty != NOBODY and state.stack_size[seat] > 0
        after_empty += max(0, state.stack_size[seat] - 1) + state.discard_size[seat]
    return (Fault.STACKS, empty) if empty != NOBODY and after_empty > 0 else (SOUND, 0)


find_fault = first_fault(
    (fault_of_seats, fault_of_piles, fault_of_cards),
    (fault_of_revealed, fault_of_reactions, fault_of_phase, fault_of_lasting, fault_of_turn),
    Phase.OVER,
)


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
