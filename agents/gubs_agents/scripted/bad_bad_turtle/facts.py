"""Reading an observation of Bad, Bad, Turtle: a compiled function for each fact.

A reaction is given by its kind: `Card.NEVER_HAPPENED`, `Card.NO_WAY` or `Card.SHIELD`.
"""

from __future__ import annotations

from gubs_agents.common.sight import first_mark, number, starts_of
from gubs_env.engine.compiling import compiled, inlined
from gubs_env.games.bad_bad_turtle.cards import (
    FIRST_REACTION,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUM_REACTIONS,
    PRINTED_DECK,
    Card,
)
from gubs_env.games.bad_bad_turtle.observation import NUM_AIMS, observation_slices
from gubs_env.games.bad_bad_turtle.rules import MAX_PLAYERS

NOT_PLAYED = -1
AT_PENDING = NO_CARD
"""The value that `answered` and `aim` return for the revealed card rather than a reaction."""

AT = starts_of(observation_slices, MAX_PLAYERS)
"""The start of each slice of the observation."""

# ------------------------------------------------------------------------------------------- seats


@inlined
def is_living(sight, seat):
    return number(sight, AT.living, seat) == 1


@compiled
def num_living(sight):
    living = 0
    for seat in range(sight.num_players):
        living += number(sight, AT.living, seat)
    return living


@inlined
def next_turn(sight):
    """Return the seat that takes the next turn, if nothing changes it."""
    return first_mark(sight, AT.next_turn, sight.num_players)


# ------------------------------------------------------------------------------------------- cards


@inlined
def pending(sight):
    """Return the revealed card that is not settled, or Card.BLANK."""
    return first_mark(sight, AT.pending, NUM_ACTION_CARDS)


@inlined
def owner(sight):
    return first_mark(sight, AT.owner, sight.num_players)


@inlined
def is_reaction(card):
    return card >= FIRST_REACTION and card < FIRST_REACTION + NUM_REACTIONS


@inlined
def holds(sight, seat, reaction):
    """Return whether a seat has this reaction set aside."""
    return number(sight, AT.set_aside, (reaction - FIRST_REACTION) * sight.num_players + seat) == 1


@compiled
def may_be_revealed(sight, card):
    """Return whether an action card may lie in a stack, as far as the viewer knows."""
    if number(sight, AT.removed, card) == 1:
        return False
    for seat in range(sight.num_players):
        if number(sight, AT.revealed, seat * NUM_ACTION_CARDS + card) > 0:
            return False
        if number(sight, AT.discards_seen, seat * NUM_ACTION_CARDS + card) > 0:
            return False
        if is_reaction(card) and holds(sight, seat, card):
            return False
    return pending(sight) != card


@compiled
def num_unseen(sight):
    """Return the number of cards that the viewer has not seen revealed or put on a discard pile.

    Blanks in discard piles count as unseen.
    """
    unseen = int(PRINTED_DECK[Card.BLANK])
    for seat in range(sight.num_players):
        unseen -= number(sight, AT.blanks, seat)
    for card in range(NUM_ACTION_CARDS):
        unseen += may_be_revealed(sight, card)
    return unseen


@inlined
def is_looking(sight):
    """Return whether the viewer may look through their own stack."""
    return number(sight, AT.looking, 0) == 1


@compiled
def next_reveal(sight):
    """Return the card that a normal turn would reveal, or Card.BLANK for a number card.

    Only valid while the viewer may look through their own stack.
    """
    place = min(number(sight, AT.stack_sizes, 0), 3)
    for card in range(NUM_ACTION_CARDS):
        if number(sight, AT.own_stack, card) == place:
            return card
    return NUM_ACTION_CARDS


# --------------------------------------------------------------------------------------- reactions


@inlined
def answered(sight):
    """Return the reaction that the window is about, or AT_PENDING."""
    at = first_mark(sight, AT.answered, NUM_REACTIONS)
    return FIRST_REACTION + at if at < NUM_REACTIONS else AT_PENDING


@compiled
def seat_marked(sight, begins, reaction):
    for seat in range(sight.num_players):
        if number(sight, begins, (reaction - FIRST_REACTION) * sight.num_players + seat) == 1:
            return seat
    return NOT_PLAYED


@inlined
def is_played(sight, reaction):
    """Return whether a reaction was played and is not settled."""
    return seat_marked(sight, AT.reaction_players, reaction) != NOT_PLAYED


@inlined
def target(sight, reaction):
    """Return the seat that a reaction is aimed at."""
    return seat_marked(sight, AT.reaction_targets, reaction)


@compiled
def aim(sight, reaction):
    """Return the reaction that a reaction is aimed at, or AT_PENDING."""
    begins = (reaction - FIRST_REACTION) * NUM_AIMS
    for at in range(1, NUM_AIMS):
        if number(sight, AT.reaction_aims, begins + at) == 1:
            return FIRST_REACTION + at - 1
    return AT_PENDING
