"""The state of a game of Gubs, one row of a structured array, field by field.

Seats are absolute in a state (0 … num_players − 1). Fields sized for six seats use the first
`num_players`. A flag is 0 or 1.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from gubs_env.engine.compiling import inlined
from gubs_env.engine.fields import (
    Byte,
    Field,
    Seen,
    clearing,
    range_check,
    state_dtype,
    with_common,
)
from gubs_env.engine.seats import NOBODY
from gubs_env.engine.table import Table
from gubs_env.games.gubs.cards import (
    MAX_TARGETS,
    NO_CARD,
    NUM_COLONY_KINDS,
    NUM_HAND_KINDS,
    NUM_KINDS,
    Card,
)
from gubs_env.games.gubs.rules import MAX_CARDS, MAX_PLAYERS, MAX_SLOTS

UNKNOWN_CARD = -2
"""In a view: a card of the deck that the viewer does not know."""
MOST_RETURNS = 127
"""The largest count of `returned`, an int8."""
LETTER_DRAWN = -1
"""A stage that begins when the Letter of a third is drawn."""
MOST_STAGES = 20
"""Capacity of `stages`, the last entry unused. The printed deck needs five of them."""


class Phase(IntEnum):
    """The decision that the acting player has to make; in OVER and EFFECT there is none."""

    DRAW = 0  # draw or skip
    PLAY = 1  # play a card, or end the play
    NAME = 2  # the kind that Cricket Song stands for
    TARGET = 3  # the place, seat or deck a card is aimed at
    MEANT = 4  # which of the cards at the chosen place is meant
    ORDER = 5  # which of the cards the Scout saw goes next, from the top down
    ANSWER = 6  # answer with an Interrupt, or pass
    CURE = 7  # discard Age-Old Cure or Cricket Song against Gargok Plague, or pass
    MERCHANT = 8  # the card to keep from the Traveling Merchant
    DISCARD = 9  # which card to discard, down to the hand limit
    OVER = 10
    EFFECT = 11  # the announced card takes effect; never seen between decisions


turn_phase = Phase.DRAW

# Fields that every decision reads come first and large arrays last: a batch fetches less memory.
LAST_SEAT, LAST_SLOT, LAST_KIND = MAX_PLAYERS - 1, MAX_SLOTS - 1, NUM_KINDS - 1
IN_PART = Seen.IN_PART
# fmt: off
FIELDS = (
    # Whose turn
    Field("turn", (), "the seat whose turn it is", 0, LAST_SEAT),
    Byte("skipped", (MAX_PLAYERS,), "flags: skipped the draw on their last turn"),
    # The current move, kept after its end until the next one begins
    Field("played", (), "the kind of the card being played, or of the Event drawn",
          NO_CARD, LAST_KIND, IN_PART),
    Field("announced", (),
          "flag: the card lies on the table and its targets are named; 0 while they are being "
          "picked, when the card is still in the hand and only its player knows", seen=IN_PART),
    Field("played_as", (), "the kind it counts as; another one only for Cricket Song",
          NO_CARD, LAST_KIND, IN_PART),
    Field("num_targets", (), "entries of the next two fields in use",
          0, MAX_TARGETS, IN_PART),
    Field("target_seat", (MAX_TARGETS,), "targeted seats; −1 is the deck",
          NOBODY, LAST_SEAT, IN_PART),
    Field("target_slot", (MAX_TARGETS,),
          "targeted slots of those seats; −1 is the whole seat", -1, LAST_SLOT, IN_PART),
    Field("target_card", (), "the kind meant at the targeted place; −1 before that",
          NO_CARD, NUM_COLONY_KINDS - 1, IN_PART),
    Field("ordered", (), "cards put back with the Scout so far", 0, 2, IN_PART),
    Field("asked", (), "seats considered so far in a window or question, clockwise",
          0, MAX_PLAYERS, IN_PART),
    Byte("cured", (MAX_PLAYERS,), "flags: keeps their hand in the current Gargok Plague"),
    Field("kept", (MAX_PLAYERS,), "kind kept from the Traveling Merchant; −1: no pick",
          NO_CARD, NUM_HAND_KINDS - 1, IN_PART),
    # Rule options, fixed for the game
    Byte("letters_anywhere", (), "flag: rule option letters='anywhere'"),
    Byte("flood_to_deck", (), "flag: rule option flood_to='deck'"),
    Byte("plague_redraw", (), "flag: rule option plague_redraw"),
    Byte("stacked_barricades", (), "flag: rule option stacked_barricades"),
    Byte("ask_everyone", (), "flag: rule option ask_everyone"),
    Byte("margin_reward", (), "flag: rule option reward='margin'"),
    Byte("composition", (NUM_KINDS,), "cards of each kind in the full deck",
          0, MAX_CARDS),
    # The table
    Field("deck_size", (), "cards in the deck", 0, MAX_CARDS),
    Field("hand_size", (MAX_PLAYERS,), "cards in each hand", 0, MAX_CARDS),
    Field("colony_size", (MAX_PLAYERS,), "places taken in each colony",
          0, MAX_SLOTS, Seen.FOLLOWS),
    Byte("letters", (3,), "flags: the Letters G, U, B laid open"),
    Byte("returned", (NUM_KINDS - NUM_HAND_KINDS,),
          "how often each Event turned up, and went back into the deck, when cards were last dealt "
          "or drawn anew", 0, MOST_RETURNS),
    Byte("discard_pile", (NUM_KINDS,), "cards of each kind in the discard pile",
          0, MAX_CARDS),
    Byte("hand", (MAX_PLAYERS, NUM_HAND_KINDS), "cards of each kind in each hand",
          0, MAX_CARDS, IN_PART),
    Byte("deck", (MAX_CARDS,),
          "kinds, bottom first; the top is deck[deck_size − 1], above it lie zeros",
          UNKNOWN_CARD, LAST_KIND, IN_PART),
    Byte("colony", (MAX_PLAYERS, MAX_SLOTS, NUM_COLONY_KINDS),
          "cards of each kind at each place, in order of arrival; a Ring is counted once on each "
          "Gub beneath it, and these Gubs lie side by side", 0, MAX_CARDS),
    # What everybody knows about the Letters in the deck (section 8)
    Field("third_start", (3,),
          "for each third of the deck, the lowest first: the lowest place where its Letter can "
          "lie, counted from the bottom; 0 once it was drawn", 0, MAX_CARDS),
    Field("third_end", (3,),
          "for each third: the place above the highest where its Letter can lie; 0 once it was "
          "drawn", 0, MAX_CARDS),
    Byte("letter_loose", (3,), "flags: G, U, B can lie anywhere in the deck"),
    # What everybody saw of the classes of the cards (`classes`), while a Letter is in its third
    Byte("events_loose", (Card.LETTER_G - NUM_HAND_KINDS,),
          "how many of each Event were shuffled into the deck, Letters apart",
          0, MAX_CARDS, Seen.FOLLOWS),
    Byte("num_stages", (), "entries of the next field in use",
          0, MOST_STAGES, Seen.FOLLOWS),
    Byte("stages", (MOST_STAGES, 3),
          "what happened since a card that is no Event was first shuffled in. A stage begins when "
          "such cards are shuffled in (their number) or the Letter of a third is drawn (−1); then "
          "the numbers of cards drawn that are no Events, and of Events that were never out of the "
          "deck", LETTER_DRAWN, MAX_CARDS, Seen.FOLLOWS),
    # What the seats remember (section 8)
    Field("known_top", (MAX_PLAYERS,), "cards from the top of the deck each seat knows",
          0, 3, IN_PART),
    Byte("known", (MAX_PLAYERS, MAX_PLAYERS, NUM_HAND_KINDS),
          "[viewer, holder, kind]: how many cards of a kind the viewer knows to be in the holder's "
          "hand, at least; the viewer's own hand is not recorded", 0, MAX_CARDS, IN_PART),
)
option_fields = (
    "letters_anywhere", "flood_to_deck", "plague_redraw", "stacked_barricades", "ask_everyone",
    "margin_reward",
)
# fmt: on
state_fields = with_common(
    FIELDS, {"phase": IN_PART, "actor": IN_PART, "decisions": Seen.BY_NOBODY}
)

STATE = state_dtype(state_fields)
field_out_of_range = range_check(state_fields)


def new_states(count: int, table: Table) -> np.ndarray:
    """Return states of a table before anything is dealt, STATE[count]."""
    num_players, rules = table.num_players, table.rules
    states = np.zeros(count, STATE)
    states["num_players"] = states["num_seats"] = num_players
    states["composition"] = rules.composition()
    states["letters_anywhere"] = rules.letters == "anywhere"
    states["flood_to_deck"] = rules.flood_to == "deck"
    states["plague_redraw"] = rules.plague_redraw
    states["stacked_barricades"] = rules.stacked_barricades
    states["ask_everyone"] = rules.ask_everyone
    states["margin_reward"] = rules.reward == "margin"
    return states


clear_dealt = clearing(
    state_fields,
    "decisions deck_size hand hand_size colony colony_size discard_pile letters known known_top "
    "third_start third_end letter_loose events_loose num_stages returned skipped ordered asked "
    "cured kept",
)


@inlined
def clear_table(state):
    """Clear what was dealt, decided and remembered; keep the options and the RNG."""
    clear_dealt(state)
    clear_move(state)
    state.deck[:] = 0
    state.stages[:] = 0


@inlined
def clear_move(state):
    """Clear the move: no card is being played, and no target is named."""
    state.played = NO_CARD
    state.announced = 0
    state.played_as = NO_CARD
    state.num_targets = 0
    state.target_seat[:] = NOBODY
    state.target_slot[:] = -1
    state.target_card = NO_CARD
