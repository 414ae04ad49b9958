"""A game of Gubs is one row of a structured array. This table says what each field means.

Seats are absolute in a row (0 … num_players − 1). Fields sized for six seats use the first
`num_players`. A flag is 0 or 1.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from gubs_env.games.compilation import inlined
from gubs_env.games.gubs.cards import NO_CARD, NUM_COLONY_KINDS, NUM_HAND_KINDS, NUM_KINDS
from gubs_env.games.gubs.rules import MAX_CARDS, MAX_PLAYERS, MAX_SLOTS, Rules

NOBODY = -1
UNKNOWN_CARD = -2
"""In the row of a view: a card of the deck that the viewer does not know."""


class Phase(IntEnum):
    """What the acting seat has to decide."""

    DRAW = 0  # draw or skip
    PLAY = 1  # a card to play, or the end of play
    NAME = 2  # the kind that Cricket Song stands for
    TARGET = 3  # the place, seat or deck a card is aimed at
    MEANT = 4  # which of the cards at the chosen place is meant
    ORDER = 5  # the next card from the top, of those the Scout saw
    ANSWER = 6  # an Interrupt, or pass
    CURE = 7  # Age-Old Cure or Cricket Song against Gargok Plague, or pass
    MERCHANT = 8  # the card to keep from the Traveling Merchant
    DISCARD = 9  # a card to discard down to the hand limit
    OVER = 10
    EFFECT = 11  # nobody: the announced card takes effect; never seen between decisions


class Field(NamedTuple):
    name: str
    dtype: type
    shape: tuple[int, ...]
    meaning: str


# What every decision reads comes first, the large arrays last: less memory to fetch in a batch.
FIELDS = (
    # Whose decision
    Field("num_players", np.int64, (), "players at the table, 2 … 6"),
    Field("turn", np.int64, (), "the seat whose turn it is"),
    Field("phase", np.int64, (), "a Phase"),
    Field("actor", np.int64, (), "the seat that decides"),
    Field("skipped", np.int8, (MAX_PLAYERS,), "flags: skipped the draw on its own last turn"),
    # The move under way, kept after it ended until the next one begins
    Field("played", np.int64, (), "the kind of the card being played, or of the Event drawn"),
    Field(
        "announced",
        np.int64,
        (),
        "flag: the card lies on the table, its targets named; 0 while they are being picked, when "
        "the card is still in the hand and only its player knows",
    ),
    Field("played_as", np.int64, (), "the kind it counts as: another one for Cricket Song only"),
    Field("num_targets", np.int64, (), "how many of the next two are in use"),
    Field("target_seat", np.int64, (3,), "targeted seats; −1 is the deck"),
    Field("target_slot", np.int64, (3,), "targeted places of those seats; −1 is the whole seat"),
    Field("target_card", np.int64, (), "the kind meant at the targeted place; −1 before that"),
    Field("ordered", np.int64, (), "cards the Scout has put back so far"),
    Field("asked", np.int64, (), "seats considered so far in a window or question, clockwise"),
    Field("cured", np.int8, (MAX_PLAYERS,), "flags: keeps its hand in the Gargok Plague under way"),
    Field("kept", np.int64, (MAX_PLAYERS,), "kind kept from the Traveling Merchant; −1: no pick"),
    # Chance
    Field("rng", np.int64, (4,), "state of the random generator, four words of 32 bits"),
    # Rule options, fixed for the game
    Field("letters_anywhere", np.int8, (), "flag: rule option letters='anywhere'"),
    Field("flood_to_deck", np.int8, (), "flag: rule option flood_to='deck'"),
    Field("plague_redraw", np.int8, (), "flag: rule option plague_redraw"),
    Field("stacked_barricades", np.int8, (), "flag: rule option stacked_barricades"),
    Field("ask_everyone", np.int8, (), "flag: rule option ask_everyone"),
    Field("margin_reward", np.int8, (), "flag: rule option reward='margin'"),
    Field("composition", np.int8, (NUM_KINDS,), "cards of each kind in the full deck"),
    # The table
    Field("deck_size", np.int64, (), "cards in the deck"),
    Field("hand_size", np.int64, (MAX_PLAYERS,), "cards in each hand"),
    Field("colony_size", np.int64, (MAX_PLAYERS,), "places taken in each colony"),
    Field("letters", np.int8, (3,), "flags: the Letters G, U, B laid open"),
    Field("discard_pile", np.int8, (NUM_KINDS,), "cards of each kind in the discard pile"),
    Field("hand", np.int8, (MAX_PLAYERS, NUM_HAND_KINDS), "cards of each kind in each hand"),
    Field("deck", np.int8, (MAX_CARDS,), "kinds, bottom first; the top is deck[deck_size − 1]"),
    Field(
        "colony",
        np.int8,
        (MAX_PLAYERS, MAX_SLOTS, NUM_COLONY_KINDS),
        "cards of each kind lying at each place, in order of arrival; a Ring is counted once on "
        "each Gub beneath it, and these lie side by side",
    ),
    # What all know of the Letters in the deck (section 8)
    Field(
        "third_start",
        np.int64,
        (3,),
        "for each third of the deck, the lowest first: the lowest place where its Letter can lie, "
        "counted from the bottom",
    ),
    Field(
        "third_end",
        np.int64,
        (3,),
        "for each third: the place above the highest where its Letter can lie; 0 once it was drawn",
    ),
    Field("letter_loose", np.int8, (3,), "flags: G, U, B can lie anywhere in the deck"),
    # What the seats remember (section 8)
    Field("known_top", np.int64, (MAX_PLAYERS,), "cards from the top of the deck each seat knows"),
    Field(
        "known",
        np.int8,
        (MAX_PLAYERS, MAX_PLAYERS, NUM_HAND_KINDS),
        "[viewer, holder, kind]: the viewer knows that the holder has at least so many; a viewer's "
        "own hand is not kept here",
    ),
)

GAME = np.dtype((np.record, [(f.name, f.dtype, f.shape) for f in FIELDS]))


def new_games(count: int, num_players: int, rules: Rules) -> np.ndarray:
    """Rows for `count` games with these options, before anything is dealt: GAME[count]."""
    games = np.zeros(count, GAME)
    games["num_players"] = num_players
    games["composition"] = rules.composition()
    games["letters_anywhere"] = rules.letters == "anywhere"
    games["flood_to_deck"] = rules.flood_to == "deck"
    games["plague_redraw"] = rules.plague_redraw
    games["stacked_barricades"] = rules.stacked_barricades
    games["ask_everyone"] = rules.ask_everyone
    games["margin_reward"] = rules.reward == "margin"
    return games


@inlined
def clear_table(game):
    """Nothing dealt, nothing remembered; options and the random generator stay."""
    game.deck_size = 0
    game.hand[:] = 0
    game.hand_size[:] = 0
    game.colony[:] = 0
    game.colony_size[:] = 0
    game.discard_pile[:] = 0
    game.letters[:] = 0
    game.known[:] = 0
    game.known_top[:] = 0
    game.third_start[:] = 0
    game.third_end[:] = 0
    game.letter_loose[:] = 0
    game.skipped[:] = 0
    clear_move(game)
    game.ordered = 0
    game.asked = 0
    game.cured[:] = 0
    game.kept[:] = NO_CARD


@inlined
def clear_move(game):
    """No card is being played, and no target is named."""
    game.played = NO_CARD
    game.announced = 0
    game.played_as = NO_CARD
    game.num_targets = 0
    game.target_seat[:] = NOBODY
    game.target_slot[:] = -1
    game.target_card = NO_CARD


@inlined
def seat_at(game, viewer, steps):
    """The seat `steps` places clockwise of `viewer` (0 … num_players − 1 steps)."""
    seat = viewer + steps
    return seat - game.num_players if seat >= game.num_players else seat


@inlined
def steps_to(game, viewer, seat):
    """How many places clockwise of `viewer` a seat is: the inverse of `seat_at`."""
    steps = seat - viewer
    return steps + game.num_players if steps < 0 else steps
