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
    Byte,
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
    Field("seat_of", SEATS, "the seat of each player", 0, LAST_SEAT, FOLLOWS),
    Field("player_at", SEATS, "the player at each seat; −1 is a ghost",
          NOBODY, LAST_SEAT, FOLLOWS),
    Field("asked", (), "the seat of the player to decide", 0, LAST_SEAT),
    Byte("truncated", (), "flag: cut off by max_cycles", seen=FOLLOWS),
    # Rule options, fixed for the game
    Byte("teams", (), "flag: seats 0 and 2 play against 1 and 3"),
    Byte("action_deck_used", (), "flag: Full Deck"),
    Byte("share_ties", (), "flag: rule option final_tie='share'"),
    Byte("move_points", (), "flag: rule option move_points"),
    Field("max_cycles", (), "rule option max_cycles", 1, MAX_CYCLES),
    Field("num_points", (), "point cards in the game", 1, NUM_POINTS, FOLLOWS),
    Byte("allowed_points", (NUM_POINTS,), "flags: the point cards these are chosen from"),
    # The hand
    Field("hands", (), "hands dealt so far", 0, LONGEST_GAME),
    Field("dealer", (), "the seat that deals", 0, LAST_SEAT),
    Field("direction", (), "direction of play: 1 clockwise, −1 counter-clockwise", -1, 1),
    Field("cycle", (), "round of the decision cycle: 0 the first, 1 the second"),
    Field("turns", (), "seats considered so far on the way round the table",
          0, MAX_SEATS, FOLLOWS),
    Byte("passed", SEATS, "flags: passed in this round of the decision cycle"),
    Field("caller", (), "the seat that put the point card in play; −1: none",
          NOBODY, LAST_SEAT),
    Byte("entitled", SEATS, "swaps each seat may make in this hand", 0, MOST_SWAPS),
    Byte("swapped", SEATS, "swaps each seat has made in this hand", 0, MOST_SWAPS),
    Field("next_entitled", (),
          "swaps that the next dealer may make, 1 or 2; used while a hand is dealt",
          1, MOST_SWAPS, FOLLOWS),
    Field("drawn", (), "the card just drawn or taken, not to be given back; −1: none",
          NO_CARD, LAST_CARD, IN_PART),
    Field("swap_drawn", (), "the card the dealer drew in the last swap; −1: none",
          NO_CARD, LAST_CARD, IN_PART),
    Field("swap_returned", (), "the card the dealer returned for it; −1: none",
          NO_CARD, LAST_CARD, IN_PART),
    Field("leader", (), "the seat that leads the trick; −1 before the tricks",
          NOBODY, LAST_SEAT),
    Field("to_play", (), "the seat that plays next to the trick",
          NOBODY, LAST_SEAT, FOLLOWS),
    Field("trick_size", (), "cards in the trick", 0, MAX_SEATS, FOLLOWS),
    Field("trick_card", SEATS, "the card of each seat in the trick; −1: none",
          NO_CARD, LAST_CARD, FOLLOWS),
    Field("trick_winner", (HAND_CARDS,),
          "the seat that won each earlier trick of this hand; −1: none", NOBODY, LAST_SEAT),
    Byte("tricks_won", SEATS, "tricks each seat won in this hand", 0, HAND_CARDS),
    Byte("best_won", SEATS,
          "rank of the highest card each seat won a trick with; −1: none", -1, LAST_CARD, FOLLOWS),
    Byte("blind", SEATS, "flags: plays this hand unseen (No Reveal)"),
    Field("rapid", (), "the seat that leads every trick (Rapid Fire); −1: none",
          NOBODY, LAST_SEAT),
    # The number cards
    Byte("hand_size", SEATS, "cards in each hand", 0, NUM_CARDS, FOLLOWS),
    Byte("hand", (MAX_SEATS, NUM_CARDS), "flags: the cards in each hand", seen=IN_PART),
    Byte("undealt", (NUM_CARDS,), "flags: the undealt cards that can be drawn",
          seen=IN_PART),
    Byte("under", (NUM_CARDS,),
          "flags: the cards returned beneath the undealt ones (F10)", seen=IN_PART),
    Field("num_under", (), "number of cards returned beneath the undealt ones",
          0, NUM_CARDS),
    Byte("trick", (MAX_SEATS, NUM_CARDS), "flags: the cards of the trick, by seat"),
    Byte("played", (MAX_SEATS, NUM_CARDS), "flags: the cards of earlier tricks, by seat"),
    Byte("tricks", (HAND_CARDS, NUM_CARDS),
          "flags: the cards of earlier tricks, trick by trick"),
    Field("showdown", SEATS,
          "the card each seat drew for the first deal, or at the end to break a tie; −1: none",
          NO_CARD, LAST_CARD),
    # The point cards
    Field("point_card", (), "the point card revealed for this hand; −1: none",
          NO_CARD, NUM_POINTS - 1),
    Byte("point_deck", (NUM_POINTS,), "flags: the point cards in the deck"),
    Byte("owned", (MAX_SEATS, NUM_POINTS), "flags: the pile of each seat, or side"),
    Byte("limbo", (NUM_POINTS,),
          "flags: the point cards in limbo, for the winner of the hand"),
    Byte("absent", (NUM_POINTS,), "flags: the point cards not in this game"),
    Byte("last_award", (NUM_POINTS,), "flags: the point cards won by the hand before"),
    Field("last_winner", (), "the seat that won that hand; −1: none", NOBODY, LAST_SEAT),
    Byte("won", SEATS, "flags: the seats that won the game"),
    # The action cards
    Byte("revealed", (), "flag: the action card of this hand is revealed", seen=FOLLOWS),
    Field("action_card", (), "the action card of this hand; −1: none",
          NO_CARD, NUM_ACTION_CARDS - 1),
    Byte("action_gone", (NUM_ACTION_CARDS,),
          "flags: the action cards no longer in the stack"),
    # What the seats remember (section 9)
    Byte("known", (MAX_SEATS, MAX_SEATS + 1, NUM_CARDS),
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
