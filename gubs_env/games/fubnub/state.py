"""The state of a game of FUBNUB, one row of a structured array, field by field.

Seats are absolute in a state (0 … num_seats − 1); players are numbered along the living seats.
Fields sized for four seats use the first `num_seats`. A flag is 0 or 1.

Decks are unordered sets: a card that nobody has seen is drawn at random when it is turned up. The
game is the same as with shuffled decks, and a state has no order to hide.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from gubs_env.engine.compiling import inlined
from gubs_env.engine.fields import (
    LONGEST_GAME,
    Field,
    Seen,
    clearing,
    range_check,
    state_dtype,
    with_common,
)
from gubs_env.engine.seats import NOBODY, seat_at
from gubs_env.engine.table import Table
from gubs_env.games.fubnub.cards import (
    HAND_CARDS,
    NO_CARD,
    NUM_ACTION_CARDS,
    NUM_CARDS,
    NUM_POINTS,
    point_named,
)
from gubs_env.games.fubnub.rules import MAX_CYCLES, MAX_SEATS, MODES, living_seats

MOST_SWAPS = 2
UNDEALT = MAX_SEATS
"""The undealt cards, as a holder of cards in addition to the seats."""


class Phase(IntEnum):
    """The decision that the acting player has to make; from OVER on there is none."""

    DECIDE = 0  # whether to put the point card in play
    SWAP_OFFER = 1  # whether to use the dealer's advantage
    SWAP_RETURN = 2  # the card to return for the one drawn
    SOCIAL = 3  # whether to perform what an action card asks for
    STEAL = 4  # the earned point card to steal, or none
    PICK = 5  # who gets the dealer's advantage
    KEEP = 6  # the one card to keep
    GECKO_OFFER = 7  # whether to take a card from the dealer's hand
    GECKO_GIVE = 8  # the card to give for it
    PLAY = 9  # the card to play to the trick
    OVER = 10
    DEAL = 11  # the next hand is dealt; never seen between decisions
    REVEAL = 12  # an action card is revealed; never seen between decisions


SEATS = (MAX_SEATS,)
LAST_SEAT, LAST_CARD = MAX_SEATS - 1, NUM_CARDS - 1
FOLLOWS, IN_PART = Seen.FOLLOWS, Seen.IN_PART

# fmt: off
FIELDS = (
    # Seats and players, and who decides
    Field("seat_of", np.int64, SEATS, "the seat of each player", 0, LAST_SEAT, FOLLOWS),
    Field("player_at", np.int64, SEATS, "the player at each seat; −1 is a ghost",
          NOBODY, LAST_SEAT, FOLLOWS),
    Field("asked", np.int64, (), "the seat of the player to decide", 0, LAST_SEAT),
    Field("truncated", np.int8, (), "flag: cut off by max_cycles", seen=FOLLOWS),
    # Rule options, fixed for the game
    Field("teams", np.int8, (), "flag: seats 0 and 2 play against 1 and 3"),
    Field("action_deck_used", np.int8, (), "flag: Full Deck"),
    Field("share_ties", np.int8, (), "flag: rule option final_tie='share'"),
    Field("move_points", np.int8, (), "flag: rule option move_points"),
    Field("max_cycles", np.int64, (), "rule option max_cycles", 1, MAX_CYCLES),
    Field("num_points", np.int64, (), "point cards in the game", 1, NUM_POINTS, FOLLOWS),
    Field("allowed_points", np.int8, (NUM_POINTS,), "flags: the point cards these are chosen from"),
    # The hand
    Field("hands", np.int64, (), "hands dealt so far", 0, LONGEST_GAME),
    Field("dealer", np.int64, (), "the seat that deals", 0, LAST_SEAT),
    Field("direction", np.int64, (), "direction of play: 1 clockwise, −1 counter-clockwise", -1, 1),
    Field("cycle", np.int64, (), "round of the decision cycle: 0 the first, 1 the second"),
    Field("turns", np.int64, (), "seats considered so far on the way round the table",
          0, MAX_SEATS, FOLLOWS),
    Field("passed", np.int8, SEATS, "flags: passed in this round of the decision cycle"),
    Field("caller", np.int64, (), "the seat that put the point card in play; −1: none",
          NOBODY, LAST_SEAT),
    Field("entitled", np.int8, SEATS, "swaps each seat may make in this hand", 0, MOST_SWAPS),
    Field("swapped", np.int8, SEATS, "swaps each seat has made in this hand", 0, MOST_SWAPS),
    Field("next_entitled", np.int64, (),
          "swaps that the next dealer may make, 1 or 2; used while a hand is dealt",
          1, MOST_SWAPS, FOLLOWS),
    Field("drawn", np.int64, (), "the card just drawn or taken, not to be given back; −1: none",
          NO_CARD, LAST_CARD, IN_PART),
    Field("swap_drawn", np.int64, (), "the card the dealer drew in the last swap; −1: none",
          NO_CARD, LAST_CARD, IN_PART),
    Field("swap_returned", np.int64, (), "the card the dealer returned for it; −1: none",
          NO_CARD, LAST_CARD, IN_PART),
    Field("leader", np.int64, (), "the seat that leads the trick; −1 before the tricks",
          NOBODY, LAST_SEAT),
    Field("to_play", np.int64, (), "the seat that plays next to the trick",
          NOBODY, LAST_SEAT, FOLLOWS),
    Field("trick_size", np.int64, (), "cards in the trick", 0, MAX_SEATS, FOLLOWS),
    Field("trick_card", np.int64, SEATS, "the card of each seat in the trick; −1: none",
          NO_CARD, LAST_CARD, FOLLOWS),
    Field("trick_winner", np.int64, (HAND_CARDS,),
          "the seat that won each earlier trick of this hand; −1: none", NOBODY, LAST_SEAT),
    Field("tricks_won", np.int8, SEATS, "tricks each seat won in this hand", 0, HAND_CARDS),
    Field("best_won", np.int8, SEATS,
          "rank of the highest card each seat won a trick with; −1: none", -1, LAST_CARD, FOLLOWS),
    Field("blind", np.int8, SEATS, "flags: plays this hand unseen (No Reveal)"),
    Field("rapid", np.int64, (), "the seat that leads every trick (Rapid Fire); −1: none",
          NOBODY, LAST_SEAT),
    # The number cards
    Field("hand_size", np.int8, SEATS, "cards in each hand", 0, NUM_CARDS, FOLLOWS),
    Field("hand", np.int8, (MAX_SEATS, NUM_CARDS), "flags: the cards in each hand", seen=IN_PART),
    Field("undealt", np.int8, (NUM_CARDS,), "flags: the undealt cards that can be drawn",
          seen=IN_PART),
    Field("under", np.int8, (NUM_CARDS,),
          "flags: the cards returned beneath the undealt ones (F10)", seen=IN_PART),
    Field("num_under", np.int64, (), "number of cards returned beneath the undealt ones",
          0, NUM_CARDS),
    Field("trick", np.int8, (MAX_SEATS, NUM_CARDS), "flags: the cards of the trick, by seat"),
    Field("played", np.int8, (MAX_SEATS, NUM_CARDS), "flags: the cards of earlier tricks, by seat"),
    Field("tricks", np.int8, (HAND_CARDS, NUM_CARDS),
          "flags: the cards of earlier tricks, trick by trick"),
    Field("showdown", np.int64, SEATS,
          "the card each seat drew for the first deal, or at the end to break a tie; −1: none",
          NO_CARD, LAST_CARD),
    # The point cards
    Field("point_card", np.int64, (), "the point card revealed for this hand; −1: none",
          NO_CARD, NUM_POINTS - 1),
    Field("point_deck", np.int8, (NUM_POINTS,), "flags: the point cards in the deck"),
    Field("owned", np.int8, (MAX_SEATS, NUM_POINTS), "flags: the pile of each seat, or side"),
    Field("limbo", np.int8, (NUM_POINTS,),
          "flags: the point cards in limbo, for the winner of the hand"),
    Field("absent", np.int8, (NUM_POINTS,), "flags: the point cards not in this game"),
    Field("last_award", np.int8, (NUM_POINTS,), "flags: the point cards won by the hand before"),
    Field("last_winner", np.int64, (), "the seat that won that hand; −1: none", NOBODY, LAST_SEAT),
    Field("won", np.int8, SEATS, "flags: the seats that won the game"),
    # The action cards
    Field("revealed", np.int8, (), "flag: the action card of this hand is revealed", seen=FOLLOWS),
    Field("action_card", np.int64, (), "the action card of this hand; −1: none",
          NO_CARD, NUM_ACTION_CARDS - 1),
    Field("action_gone", np.int8, (NUM_ACTION_CARDS,),
          "flags: the action cards no longer in the stack"),
    # What the seats remember (section 9)
    Field("known", np.int8, (MAX_SEATS, MAX_SEATS + 1, NUM_CARDS),
          "[viewer, holder, card] flags: the viewer knows that the holder, a seat or UNDEALT, has "
          "the card; the viewer's own hand is not recorded", seen=IN_PART),
)
option_fields = (
    "num_seats", "seat_of", "player_at", "teams", "action_deck_used", "share_ties", "move_points",
    "max_cycles", "num_points", "allowed_points",
)
# fmt: on
state_fields = with_common(FIELDS, {"actor": FOLLOWS})
STATE = state_dtype(state_fields)
field_out_of_range = range_check(state_fields)


def new_states(count: int, table: Table) -> np.ndarray:
    """Return states of a table before anything is dealt, STATE[count]."""
    num_players, rules = table.num_players, table.rules
    mode = MODES[rules.mode]
    states = np.zeros(count, STATE)
    states["num_players"] = num_players
    states["num_seats"] = MAX_SEATS if mode.ghosts else num_players
    states["player_at"] = NOBODY
    for player, seat in enumerate(living_seats(table)):
        states["seat_of"][:, player] = seat
        states["player_at"][:, seat] = player
    states["teams"] = mode.teams
    states["action_deck_used"] = mode.action_deck
    states["share_ties"] = rules.final_tie == "share"
    states["move_points"] = rules.move_points
    states["max_cycles"] = rules.max_cycles
    states["num_points"] = rules.num_points
    chosen = range(NUM_POINTS) if rules.point_cards is None else rules.point_cards
    states["allowed_points"][:, [point_named(card) for card in chosen]] = 1
    return states


clear_number_cards = clearing(
    FIELDS,
    "entitled swapped drawn swap_drawn swap_returned leader to_play trick_size trick_card "
    "tricks_won best_won blind rapid hand_size hand undealt under num_under trick played tricks "
    "trick_winner known",
)
"""(state): clear the number cards: none dealt or remembered, no trick played, no swap made."""
clear_decisions = clearing(FIELDS, "cycle turns passed caller revealed action_card")
clear_dealt = clearing(
    state_fields,
    "decisions truncated hands next_entitled showdown point_card owned limbo last_award "
    "last_winner won action_gone",
)


@inlined
def clear_table(state):
    """Clear what was dealt and earned; keep the options and the RNG."""
    clear_dealt(state)
    state.direction = 1
    state.point_deck[:] = state.allowed_points
    state.absent[:] = 1 - state.allowed_points
    clear_hand(state)


@inlined
def clear_hand(state):
    """Clear the hand: no decision taken, no action card revealed, no card dealt."""
    clear_decisions(state)
    clear_number_cards(state)


@inlined
def seat_in_play(state, seat, steps):
    """Return the seat 0 … num_seats `steps` from another seat in the direction of play."""
    return seat_at(state, seat, steps if state.direction > 0 else state.num_seats - steps)


@inlined
def is_ghost(state, seat):
    return state.player_at[seat] == NOBODY


@inlined
def next_living(state, seat):
    """Return the next living seat clockwise; the seat itself if it is the only one."""
    steps = 1
    while is_ghost(state, seat_at(state, seat, steps)):
        steps += 1
    return seat_at(state, seat, steps)


@inlined
def pile_of(state, seat):
    """Return the index of a seat's pile of point cards: in teams the first seat of its side."""
    return seat & 1 if state.teams else seat
